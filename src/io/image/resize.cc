// Other sizes. Pixels that are whole numbers stay so: weights are whole 2048ths, and rounding is that of
// OpenCV 3.1, which makes CNTK's pixels. Real pixels have weights in float.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "io/image/kept_rows.h"
#include "io/image/pixel_rows.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

// A row of one channel, scaled across. Whole numbers: in 2048ths.
template <int Count, class T, class Sum>
void across(const T* row, const Taps& t, const Sum* weights, int64_t width, Sum* into) {
  const int32_t* from = t.from.data();
  for (int64_t x = 0; x < width; ++x, from += Count, weights += Count) {
    Sum sum = 0;
    for (int k = 0; k < Count; ++k) sum += static_cast<Sum>(row[from[k]]) * weights[k];
    *into++ = sum;
  }
}
template <class T, class Sum>
void across(const T* row, const Taps& t, const Sum* weights, int64_t width, Sum* into) {
  if (t.count == 2) return across<2>(row, t, weights, width, into);
  if (t.count == 4) return across<4>(row, t, weights, width, into);
  across<8>(row, t, weights, width, into);
}

uint8_t byte(int64_t x) { return static_cast<uint8_t>(std::clamp<int64_t>(x, 0, 255)); }

// Rows of 2048ths, one above the other, as pixels from `first` on.
void down_whole(const int32_t* const* rows, const int32_t* w, int taps, int64_t first, int64_t n,
                uint8_t* into) {
  for (int64_t i = first; i < n; ++i) {
    int64_t sum = 0;
    for (int k = 0; k < taps; ++k) sum += static_cast<int64_t>(rows[k][i]) * w[k];
    into[i] = byte((sum + (1 << 21)) >> 22);
  }
}
// OpenCV has the channels of a pixel side by side. Of such a row groups of 8 numbers are summed in float, as
// its vector code does; the rest of the row in whole numbers.
void down_cubic(const int32_t* const* rows, const int32_t* w, int64_t n, int64_t channel, int64_t channels,
                uint8_t* into) {
  constexpr float kScale = 1.0f / (static_cast<float>(kOne) * kOne);
  float weight[4];
  for (int k = 0; k < 4; ++k) weight[k] = static_cast<float>(w[k]) * kScale;
  const int64_t numbers = n * channels / 8 * 8, vectors = (numbers - channel + channels - 1) / channels;
  for (int64_t i = 0; i < vectors; ++i) {
    float sum = static_cast<float>(rows[0][i]) * weight[0];
    for (int k = 1; k < 4; ++k) sum += static_cast<float>(rows[k][i]) * weight[k];
    into[i] = byte(static_cast<int64_t>(std::nearbyint(sum)));
  }
  down_whole(rows, w, 4, vectors, n, into);
}

// Of any number of taps. across(y, into): a row of the picture; down(rows, y, channel): a row of the result.
template <class Sum, class Across, class Down>
void scaled(const Picture& out, const Taps& rows, const Across& across, const Down& down) {
  KeptRows<Sum> kept(rows.count, out.channels, out.width);
  std::array<const Sum*, kMostTaps> line{};
  for (int64_t y = 0; y < out.height; ++y) {
    for (int k = 0; k < rows.count; ++k) line[k] = kept.at(rows.from[y * rows.count + k], across);
    for (int64_t c = 0; c < out.channels; ++c) {
      down(line.data(), y, c);
      for (int k = 0; k < rows.count; ++k) line[k] += out.width;
    }
  }
}

void whole_pixels(const Picture& p, const Taps& columns, const Taps& rows, Picture& out) {
  PixelRows from(p, 0, p.width);
  auto make = [&](int64_t y, int32_t* to) {
    const PixelRows::Row row = from.at(y);
    for (int64_t c = 0; c < p.channels; ++c, to += out.width)
      across(row[c], columns, columns.whole.data(), out.width, to);
  };
  scaled<int32_t>(out, rows, make, [&](const int32_t* const* line, int64_t y, int64_t c) {
    uint8_t* into = out.bytes() + (c * out.height + y) * out.width;
    const int32_t* weights = rows.whole.data() + y * rows.count;
    if (rows.count == 4)
      down_cubic(line, weights, out.width, c, out.channels, into);
    else
      down_whole(line, weights, rows.count, 0, out.width, into);
  });
}

void real_pixels(const Picture& p, const Taps& columns, const Taps& rows, Picture& out) {
  auto make = [&](int64_t y, float* to) {
    for (int64_t c = 0; c < p.channels; ++c, to += out.width)
      across(p.numbers() + (c * p.height + y) * p.width, columns, columns.weight.data(), out.width, to);
  };
  scaled<float>(out, rows, make, [&](const float* const* line, int64_t y, int64_t c) {
    float* into = out.numbers() + (c * out.height + y) * out.width;
    const float* weights = rows.weight.data() + y * rows.count;
    for (int64_t i = 0; i < out.width; ++i) {
      float sum = 0;
      for (int k = 0; k < rows.count; ++k) sum += line[k][i] * weights[k];
      into[i] = sum;
    }
  });
}

void nearest(const Picture& p, Picture& out) {
  const std::vector<int64_t> columns = nearest_of(p.width, out.width),
                             rows = nearest_of(p.height, out.height);
  auto copy = [&](const auto* row, auto* into) {
    for (int64_t x : columns) *into++ = row[x];
  };
  PixelRows from(p, 0, p.width);
  for (int64_t y = 0; y < out.height; ++y) {
    const int64_t row = rows[y];
    for (int64_t c = 0; c < p.channels; ++c) {
      const int64_t at = (c * out.height + y) * out.width;
      if (p.is_real())
        copy(p.numbers() + (c * p.height + row) * p.width, out.numbers() + at);
      else
        copy(from.at(row)[c], out.bytes() + at);
    }
  }
}

}  // namespace

Picture resized(const Picture& p, int64_t width, int64_t height, Interpolation way) {
  Picture out = p.is_real() ? Picture::of_numbers(height, width, p.channels)
                            : Picture::of_bytes(height, width, p.channels);
  if (way == Interpolation::nearest) {
    nearest(p, out);
    return out;
  }
  const Taps columns = taps_of(p.width, width, way, false), rows = taps_of(p.height, height, way, true);
  if (p.is_real())
    real_pixels(p, columns, rows, out);
  else if (way == Interpolation::linear)
    scale_linear(p, columns, rows, out);
  else
    whole_pixels(p, columns, rows, out);
  return out;
}

}  // namespace cantik
