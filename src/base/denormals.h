// Denormals are flushed while a run or an update lasts; the caller's setting comes back.
#pragma once

#include <immintrin.h>

namespace cantik {

class FlushDenormals {
 public:
  FlushDenormals() : saved_(_mm_getcsr()) {
    if ((saved_ & kFlush) != kFlush) _mm_setcsr(saved_ | kFlush);
  }
  ~FlushDenormals() {
    if ((saved_ & kFlush) != kFlush) _mm_setcsr(saved_);
  }
  FlushDenormals(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlush = 0x8040;
  unsigned saved_;
};

// ... and while the user's own code runs in a run, it counts as it always does.
class KeepDenormals {
 public:
  KeepDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ & ~0x8040u); }
  ~KeepDenormals() { _mm_setcsr(saved_); }
  KeepDenormals(const KeepDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace cantik
