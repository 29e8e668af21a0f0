// Seeds of dropout and random operators.
#pragma once

#include <cstdint>

namespace cantik {

// The next automatic seed: another one on each worker that a launcher has started.
uint64_t next_function_seed();

}  // namespace cantik
