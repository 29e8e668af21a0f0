// Other sizes. Pixels that are whole numbers stay so: weights are whole 2048ths, and rounding is that of
// OpenCV 3.1, which makes CNTK's pixels. Real pixels have weights in float.
//
// The pixel i of the result lies over the place (i + 1/2) n / m - 1/2 of the picture, which has n pixels
// where the result has m. Linear: 2 pixels around it; cubic: 4, with the parameter -3/4 (Keys 1981); Lanczos:
// 8 (Duchon 1979).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "io/image/transform.h"

namespace cantik {
namespace {

constexpr int kOne = 2048;  // the weight 1
constexpr int kMostTaps = 8;

// The pixels, along one axis, that each pixel of the result is made of, with their weights.
struct Taps {
  int count;
  std::vector<int32_t> from;  // [size, count]
  std::vector<float> weight;
  std::vector<int32_t> whole;  // in 2048ths
};

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
    sum += w[static_cast<size_t>(i)] = static_cast<float>(sinc(d) * sinc(d / 4));
  }
  for (float& v : w) v *= 1 / sum;
  return w;
}

// At the border, linear columns take the outermost pixel alone; rows, and other ways, take it several times.
Taps taps(int64_t from, int64_t to, Interpolation way, bool are_rows) {
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
      const float weight = w[static_cast<size_t>(k)];
      t.from.push_back(static_cast<int32_t>(std::clamp<int64_t>(at + k - (count / 2 - 1), 0, from - 1)));
      t.weight.push_back(weight);
      t.whole.push_back(static_cast<int32_t>(std::nearbyint(weight * kOne)));
    }
  }
  return t;
}

// A row of the picture, scaled across. Whole numbers: in 2048ths.
template <int Count, int Channels, class T, class Sum>
void across(const T* row, const Taps& t, const Sum* weights, int64_t width, Sum* into) {
  const int32_t* from = t.from.data();
  for (int64_t x = 0; x < width; ++x, from += Count, weights += Count)
    for (int c = 0; c < Channels; ++c) {
      Sum sum = 0;
      for (int k = 0; k < Count; ++k) sum += static_cast<Sum>(row[from[k] * Channels + c]) * weights[k];
      *into++ = sum;
    }
}

#ifdef __SSE2__
// The usual case: four sums at a time, of which the fourth is the next pixel's place. Reads a byte behind a
// pixel and writes a number behind the row.
template <>
void across<2, 3>(const uint8_t* row, const Taps& t, const int32_t* weights, int64_t width, int32_t* into) {
  const __m128i zero = _mm_setzero_si128();
  auto pixel = [&](int32_t at) {
    int32_t bytes;
    std::memcpy(&bytes, row + 3 * at, sizeof bytes);
    return _mm_cvtsi32_si128(bytes);
  };
  for (int64_t x = 0; x < width; ++x, into += 3) {
    const __m128i both = _mm_unpacklo_epi8(pixel(t.from[static_cast<size_t>(2 * x)]),
                                           pixel(t.from[static_cast<size_t>(2 * x + 1)]));
    const __m128i pair = _mm_set1_epi32(weights[2 * x] | weights[2 * x + 1] << 16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(into), _mm_madd_epi16(_mm_unpacklo_epi8(both, zero), pair));
  }
}
#endif

template <class T, class Sum>
void across(const T* row, const Taps& t, const Sum* weights, int64_t width, int64_t channels, Sum* into) {
  auto with = [&](auto count) {
    if (channels == 3)
      across<count, 3>(row, t, weights, width, into);
    else
      across<count, 1>(row, t, weights, width, into);
  };
  if (t.count == 2) return with(std::integral_constant<int, 2>());
  if (t.count == 4) return with(std::integral_constant<int, 4>());
  with(std::integral_constant<int, 8>());
}

uint8_t byte(int64_t x) { return static_cast<uint8_t>(std::clamp<int64_t>(x, 0, 255)); }

// Rows of 2048ths, one above the other, as pixels. Linear rows lose 4 bits before they are weighed.
void down_linear(const int32_t* const* rows, const int32_t* w, int64_t n, uint8_t* into) {
  const auto above = static_cast<int16_t>(w[0]), below = static_cast<int16_t>(w[1]);
  int64_t i = 0;
#ifdef __SSE2__
  const __m128i a = _mm_set1_epi16(above), b = _mm_set1_epi16(below), half = _mm_set1_epi16(2);
  auto eight = [](const int32_t* row) {  // without their last 4 bits
    const auto* at = reinterpret_cast<const __m128i*>(row);
    return _mm_packs_epi32(_mm_srai_epi32(_mm_loadu_si128(at), 4),
                           _mm_srai_epi32(_mm_loadu_si128(at + 1), 4));
  };
  auto sum = [&](int64_t at) {
    const __m128i s =
        _mm_add_epi16(_mm_mulhi_epi16(eight(rows[0] + at), a), _mm_mulhi_epi16(eight(rows[1] + at), b));
    return _mm_srai_epi16(_mm_add_epi16(s, half), 2);
  };
  for (; i + 16 <= n; i += 16)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(into + i), _mm_packus_epi16(sum(i), sum(i + 8)));
#endif
  for (; i < n; ++i) {
    const int upper = ((rows[0][i] >> 4) * above) >> 16, lower = ((rows[1][i] >> 4) * below) >> 16;
    into[i] = static_cast<uint8_t>((upper + lower + 2) >> 2);
  }
}
void down_whole(const int32_t* const* rows, const int32_t* w, int taps, int64_t first, int64_t n,
                uint8_t* into) {
  for (int64_t i = first; i < n; ++i) {
    int64_t sum = 0;
    for (int k = 0; k < taps; ++k) sum += static_cast<int64_t>(rows[k][i]) * w[k];
    into[i] = byte((sum + (1 << 21)) >> 22);
  }
}
// Groups of 8 numbers are summed in float, as OpenCV's vector code does; the rest of the row in whole
// numbers.
void down_cubic(const int32_t* const* rows, const int32_t* w, int64_t n, uint8_t* into) {
  constexpr float kScale = 1.0f / (static_cast<float>(kOne) * kOne);
  float weight[4];
  for (int k = 0; k < 4; ++k) weight[k] = static_cast<float>(w[k]) * kScale;
  const int64_t vectors = n / 8 * 8;
  for (int64_t i = 0; i < vectors; ++i) {
    float sum = static_cast<float>(rows[0][i]) * weight[0];
    for (int k = 1; k < 4; ++k) sum += static_cast<float>(rows[k][i]) * weight[k];
    into[i] = byte(static_cast<int64_t>(std::nearbyint(sum)));
  }
  down_whole(rows, w, 4, vectors, n, into);
}

void down(const int32_t* const* rows, const int32_t* w, int taps, int64_t n, uint8_t* into) {
  if (taps == 2) return down_linear(rows, w, n, into);
  if (taps == 4) return down_cubic(rows, w, n, into);
  down_whole(rows, w, taps, 0, n, into);
}
void down(const float* const* rows, const float* w, int taps, int64_t n, float* into) {
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < taps; ++k) sum += rows[k][i] * w[k];
    into[i] = sum;
  }
}

// Rows are scaled across once each, and kept as long as results need them.
template <class T, class Sum>
void scaled(const T* from, const Picture& p, const Taps& columns, const Taps& rows, const Sum* column_weights,
            const Sum* row_weights, int64_t width, int64_t height, T* into) {
  const int64_t n = width * p.channels;
  const int64_t room = n + 1;  // see across<2, 3>
  std::vector<Sum> kept(static_cast<size_t>(room * rows.count));
  std::array<int64_t, kMostTaps> has;
  has.fill(-1);
  std::array<const Sum*, kMostTaps> line{};
  for (int64_t y = 0; y < height; ++y, into += n) {
    for (int k = 0; k < rows.count; ++k) {
      const int64_t row = rows.from[static_cast<size_t>(y * rows.count + k)], slot = row % rows.count;
      Sum* to = kept.data() + slot * room;
      if (has[static_cast<size_t>(slot)] != row)
        across(from + row * p.width * p.channels, columns, column_weights, width, p.channels, to);
      has[static_cast<size_t>(slot)] = row;
      line[static_cast<size_t>(k)] = to;
    }
    down(line.data(), row_weights + y * rows.count, rows.count, n, into);
  }
}

template <class T>
void nearest(const T* from, const Picture& p, int64_t width, int64_t height, T* into) {
  auto place = [](int64_t i, int64_t n, int64_t m) {
    const double step = 1 / (static_cast<double>(m) / static_cast<double>(n));
    return std::min(static_cast<int64_t>(std::floor(static_cast<double>(i) * step)), n - 1);
  };
  std::vector<int64_t> columns;
  for (int64_t x = 0; x < width; ++x) columns.push_back(place(x, p.width, width) * p.channels);
  for (int64_t y = 0; y < height; ++y) {
    const T* row = from + place(y, p.height, height) * p.width * p.channels;
    for (int64_t x : columns) into = std::copy_n(row + x, p.channels, into);
  }
}

}  // namespace

Picture resized(const Picture& p, int64_t width, int64_t height, Interpolation way) {
  Picture out = p.is_real() ? Picture::of_numbers(height, width, p.channels)
                            : Picture::of_bytes(height, width, p.channels);
  if (way == Interpolation::nearest) {
    if (p.is_real())
      nearest(p.numbers(), p, width, height, out.numbers());
    else
      nearest(p.bytes(), p, width, height, out.bytes());
    return out;
  }
  const Taps columns = taps(p.width, width, way, false), rows = taps(p.height, height, way, true);
  if (p.is_real())
    scaled(p.numbers(), p, columns, rows, columns.weight.data(), rows.weight.data(), width, height,
           out.numbers());
  else
    scaled(p.bytes(), p, columns, rows, columns.whole.data(), rows.whole.data(), width, height, out.bytes());
  return out;
}

}  // namespace cantik
