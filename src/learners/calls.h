// Calls of Python that this folder describes.
#pragma once

#include "base/calls.h"

namespace cantik {

void describe_schedules(CallDefinitions& calls);

}  // namespace cantik
