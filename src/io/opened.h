// How files are opened: on a thread that the caller waits for.
#pragma once

#include <functional>

#include "io/deserializer.h"

namespace cantik {

// The data that `make` makes. Where the caller can be told to end, `make` runs on a thread of its own, which
// is left to itself when the caller ends: it may wait for a drive that does not answer. `make` holds all it
// needs.
DeserializerPtr opened(std::function<DeserializerPtr()> make);

}  // namespace cantik
