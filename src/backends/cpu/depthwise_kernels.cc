// Convolutions of each channel by itself: their maps laid out for vectors of channels, and the gradients of
// those.
#include <memory>

#include "backends/cpu/convolution_sizes.h"
#include "backends/cpu/table.h"

namespace cantik::host {

using namespace cpu;

namespace {

// [taps][filters of a channel][channels], or [taps, from the last to the first][all filters] for the adjoint.
template <class T>
class PackDepthwise final : public Kernel {
 public:
  PackDepthwise(const Shape& w, const ConvolutionSpec& s) : z_(w, s) {}
  int64_t units(int64_t) const override { return z_.taps; }
  void run(const Run& r) const override {
    int64_t filters = z_.groups * z_.filters;
    const T* w = r.row<T>(0, 0);
    for (int64_t t = r.begin(); t < r.end(); ++t) {
      T* to = r.result<T>(0, 0) + t * filters;
      if (z_.adjoint) {
        for (int64_t f = 0; f < filters; ++f) to[f] = w[f * z_.taps + z_.taps - 1 - t];
        continue;
      }
      for (int64_t j = 0; j < z_.filters; ++j)
        for (int64_t c = 0; c < z_.groups; ++c) *to++ = w[(c * z_.filters + j) * z_.taps + t];
    }
  }

 private:
  ConvolutionSizes z_;
};

// Chunks of a class's pixels are added up in registers and then joined, in an order that depends on the
// shapes alone; threads share out the filters.
template <class T>
class DepthwiseSums final : public Kernel {
 public:
  DepthwiseSums(const Prepare& p, const ConvolutionSpec& s)
      : channels_(p.in(0).shape.back()),
        filters_(p.in(1).shape.back()),
        plan_(s.window, spatial(p.in(0).shape), spatial(p.in(1).shape), false, channels_, 1) {
    together_ = images_together(plan_.out_pixels(), (p.in(0).shape.elements() + p.in(1).shape.elements()) *
                                                        static_cast<int64_t>(sizeof(T)));
    state_bytes = plan_.bytes();
  }

  int64_t units(int64_t) const override { return (filters_ + kUnit - 1) / kUnit; }

  void run(const Run& r) const override {
    int64_t begin = r.begin() * kUnit, end = std::min(filters_, r.end() * kUnit),
            rows = std::max(r.in(0).rows, r.in(1).rows);
    T* sums = r.result<T>(0, 0);
    if (!r.accumulate())
      for (int64_t t = 0; t < plan_.taps(); ++t)
        std::fill(sums + t * filters_ + begin, sums + t * filters_ + end, T(0));
    for (int64_t row = 0; row < rows; row += together_) {
      int64_t images = std::min(together_, rows - row);
      for (const PixelClass& c : plan_.classes())
        for (int64_t pixel = 0; pixel < images * c.whole.pixels(); pixel += kChunk)
          add(r, row, c, pixel, std::min(kChunk, images * c.whole.pixels() - pixel), begin, end);
    }
  }

 private:
  static constexpr int64_t kChunk = 256, kUnit = 32;

  void add(const Run& r, int64_t row, const PixelClass& c, int64_t first, int64_t count, int64_t begin,
           int64_t end) const {
    const T *x = r.row<T>(0, row), *dy = r.row<T>(1, row);
    alignas(64) const T* a[kChunk];
    alignas(64) const T* b[kChunk];
    int64_t i = 0;
    plan_.pixels(c, first, count, [&](int64_t n, int64_t in, int64_t in_step, int64_t out, int64_t out_step) {
      point(a + i, n, x + in * channels_, in_step * channels_);
      point(b + i, n, dy + out * filters_, out_step * filters_);
      i += n;
    });
    kernels<T>().pixel_depthwise_sums({a, b, count, c.segments.data(),
                                       static_cast<int64_t>(c.segments.size()), begin, end, filters_,
                                       filters_ / channels_, r.result<T>(0, 0)});
  }

  int64_t channels_, filters_, together_ = 1;
  ConvolutionPlan plan_;
};

template <class T>
class UnpackDepthwise final : public Kernel {
 public:
  UnpackDepthwise(const Shape& w, const ConvolutionSpec& s) : z_(w, s) {}
  int64_t units(int64_t) const override { return z_.groups * z_.filters; }
  void run(const Run& r) const override {
    for (int64_t f = r.begin(); f < r.end(); ++f)
      for (int64_t t = 0; t < z_.taps; ++t)
        r.result<T>(0, 0)[f * z_.taps + t] = r.row<T>(0, 0)[t * z_.groups * z_.filters + f];
  }

 private:
  ConvolutionSizes z_;
};

}  // namespace

std::unique_ptr<Kernel> make_pack_depthwise(const Prepare& p, const ConvolutionSpec& s) {
  Shape w = p.in(0).shape;
  want_depthwise(true, ConvolutionSizes(w, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackDepthwise<decltype(t)>>(w, s);
  });
}

std::unique_ptr<Kernel> make_depthwise_sums(const Prepare& p, const ConvolutionSpec& s, const Shape& w) {
  want_dense(p);
  want_depthwise(true, ConvolutionSizes(w, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<DepthwiseSums<decltype(t)>>(p, s);
  });
}

std::unique_ptr<Kernel> make_unpack_depthwise(const Prepare& p, const ConvolutionSpec& s) {
  Shape w = p.out().shape;
  want_depthwise(true, ConvolutionSizes(w, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<UnpackDepthwise<decltype(t)>>(w, s);
  });
}

}  // namespace cantik::host
