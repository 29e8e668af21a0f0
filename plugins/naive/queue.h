// Queues. This device is as far behind as it may be: nothing is done before the host waits, or wants to read.
#pragma once

#include <cantik/backend.h>

namespace naive {

void give_queues(cantik_backend& b);

}  // namespace naive
