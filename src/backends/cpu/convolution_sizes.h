// What the kernels of convolutions and of pooling share: their sizes, the choice between products and
// channels as lanes, and what follows their results.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/convolution_plan.h"
#include "backends/cpu/epilogue.h"
#include "backends/host/convolutions.h"

namespace cantik::cpu {

// The product that a convolution is, for each group of channels: k = taps * read, n = written.
struct ConvolutionSizes {
  int64_t groups, filters, channels, taps;  // filters and channels: of a group, of the convolution itself
  bool adjoint;
  ConvolutionSizes(const Shape& w, const host::ConvolutionSpec& s)
      : groups(s.groups), filters(w[0] / s.groups), channels(w[1]), taps(1), adjoint(s.adjoint) {
    for (int i = 2; i < w.rank(); ++i) taps *= w[i];
  }
  int64_t read() const { return adjoint ? filters : channels; }
  int64_t written() const { return adjoint ? channels : filters; }
  int64_t k() const { return taps * read(); }
  bool is_depthwise() const { return host::is_depthwise(groups, channels, filters); }
};

inline std::vector<int64_t> spatial(const Shape& channels_last) {
  return {channels_last.begin(), channels_last.end() - 1};
}

template <class F>
std::unique_ptr<Kernel> by_type(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("convolutions of " + std::string(name_of(dtype)));
}

inline void want_dense(const Prepare& p) {
  for (int i = 0; i < 2; ++i)
    if (!p.in(i).is_dense()) throw declined("sparse operands");
}

// One kernel of an operator's list takes the depthwise convolutions, the other one the rest.
inline void want_depthwise(bool wanted, bool is) {
  if (wanted && !is) throw declined("more than one channel or two filters in a group");
  if (!wanted && is) throw declined("one channel in each group");
}

template <class P>
void point(P* to, int64_t n, P first, int64_t step) {
  for (int64_t i = 0; i < n; ++i) to[i] = first + i * step;
}

// Whether an epilogue follows whole images. Others follow each tile, or lines whose pixels lie side by side.
template <class T>
bool follows_images(const Epilogue<T>& e, const ConvolutionPlan& plan) {
  return e && !e.on_tiles() && !(e.on_lines() && plan.has_close_lines());
}

// Applies an epilogue that does not follow tiles to lines of some images.
template <class T>
void apply_to_lines(const Epilogue<T>& e, const Run& r, const ConvolutionPlan& plan, int64_t row,
                    int64_t images, int64_t first, int64_t last) {
  if (!e || e.on_tiles()) return;
  const int64_t pixel = row * plan.out_pixels() + first * plan.line_pixels();
  e.apply(r, pixel, pixel + images * (last - first) * plan.line_pixels());
}

// Images that are worked on together: enough for the few pixels at corners to make tiles, few enough to stay
// near.
inline int64_t images_together(int64_t pixels, int64_t bytes) {
  return std::max<int64_t>(1, std::min<int64_t>({16, (2047 + pixels) / pixels,
                                                 (int64_t{512} << 10) / std::max<int64_t>(1, bytes)}));
}

}  // namespace cantik::cpu
