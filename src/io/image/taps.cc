// The pixel i of the result lies over the place (i + 1/2) n / m - 1/2 of the picture, which has n pixels
// where the result has m. Linear: 2 pixels around it; cubic: 4, with the parameter -3/4 (Keys 1981); Lanczos:
// 8 (Duchon 1979).
#include "io/image/taps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cantik {
namespace {

using Weights = std::array<float, kMostTaps>;

Weights linear(float x) { return {1 - x, x}; }

Weights cubic(float x) {
  constexpr float a = -0.75f;
  const float y = 1 - x;
  const float w0 = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a,
              w1 = ((a + 2) * x - (a + 3)) * x * x + 1, w2 = ((a + 2) * y - (a + 3)) * y * y + 1;
  return {w0, w1, w2, 1 - w0 - w1 - w2};
}

Weights lanczos(float x) {
  if (x < 1.1920929e-7f) return {0, 0, 0, 1};
  auto sinc = [](double t) { return t == 0 ? 1 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t); };
  Weights w;
  float sum = 0;
  for (int i = 0; i < kMostTaps; ++i) {
    const double d = static_cast<double>(x) + 3 - i;
    sum += w[i] = static_cast<float>(sinc(d) * sinc(d / 4));
  }
  for (float& v : w) v *= 1 / sum;
  return w;
}

}  // namespace

// At the border, linear columns take the outermost pixel alone; rows, and other ways, take it several times.
Taps taps_of(int64_t from, int64_t to, Interpolation way, bool are_rows) {
  const int count = way == Interpolation::linear ? 2 : way == Interpolation::cubic ? 4 : 8;
  Taps t{count, {}, {}, {}};
  const double step = 1 / (static_cast<double>(to) / static_cast<double>(from));
  for (int64_t i = 0; i < to; ++i) {
    float x = static_cast<float>((static_cast<double>(i) + 0.5) * step - 0.5);
    int64_t at = static_cast<int64_t>(std::floor(x));
    x -= static_cast<float>(at);
    if (count == 2 && !are_rows && (at < 0 || at >= from - 1)) {
      x = 0;
      at = std::clamp<int64_t>(at, 0, from - 1);
    }
    const Weights w = count == 2 ? linear(x) : count == 4 ? cubic(x) : lanczos(x);
    for (int k = 0; k < count; ++k) {
      const float weight = w[k];
      t.from.push_back(static_cast<int32_t>(std::clamp<int64_t>(at + k - (count / 2 - 1), 0, from - 1)));
      t.weight.push_back(weight);
      t.whole.push_back(static_cast<int32_t>(std::nearbyint(weight * kOne)));
    }
  }
  return t;
}

std::vector<int64_t> nearest_of(int64_t from, int64_t to) {
  const double step = 1 / (static_cast<double>(to) / static_cast<double>(from));
  std::vector<int64_t> places;
  for (int64_t i = 0; i < to; ++i)
    places.push_back(std::min(static_cast<int64_t>(std::floor(static_cast<double>(i) * step)), from - 1));
  return places;
}

}  // namespace cantik
