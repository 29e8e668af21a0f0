// The numbers that numpy.random.RandomState(seed) draws: the Mersenne Twister, the polar method for normal
// ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace cantik {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed) : engine_(seed) {}

  int64_t bit() { return static_cast<int64_t>(engine_() & 1); }  // randint(0, 2)
  double uniform() {
    double high = static_cast<double>(engine_() >> 5), low = static_cast<double>(engine_() >> 6);
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  double normal() {  // randn()
    if (has_kept_) {
      has_kept_ = false;
      return kept_;
    }
    double x, y, square;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = std::sqrt(-2 * std::log(square) / square);
    kept_ = factor * x;
    has_kept_ = true;
    return factor * y;
  }

 private:
  std::mt19937 engine_;
  double kept_ = 0;
  bool has_kept_ = false;
};

}  // namespace cantik
