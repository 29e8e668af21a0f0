// The processor's roof: multiply-adds per second from registers, with the vectors of one instruction set.
#pragma once

#include <cstdint>

#include <cantik/dtype.h>

namespace cantik::bench {

// Floating-point operations per second of the thread's own time, measured over `rounds` of 24 multiply-adds.
double fma_rate(const char* level, DType dtype, int64_t rounds = 3000);

// Seconds that this thread has run: other processes on the machine do not count.
double thread_seconds();

}  // namespace cantik::bench
