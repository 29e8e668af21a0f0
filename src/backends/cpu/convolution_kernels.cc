#include "backends/host/convolutions.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/cpu/convolution_sizes.h"
#include "backends/cpu/epilogue.h"
#include "backends/cpu/list_bytes.h"
#include "backends/cpu/table.h"

namespace cantik::host {

using namespace cpu;

namespace {

// Whether sums of kernel gradients have the operand's channels in their vectors: few filters would fill less
// than two.
bool turned(DType dtype, const ConvolutionSizes& z) {
  return z.filters <= (dtype == DType::float64 ? kernels<double>().width : kernels<float>().width) &&
         z.channels >= 8;
}

template <class T>
class PackConvolution final : public Kernel {
 public:
  PackConvolution(const Shape& w, const ConvolutionSpec& s) : z_(w, s), rows_(static_cast<size_t>(z_.k())) {
    for (int64_t t = 0; t < z_.taps; ++t)
      for (int64_t c = 0; c < z_.read(); ++c)
        rows_[t * z_.read() + c] =
            z_.adjoint ? c * z_.channels * z_.taps + (z_.taps - 1 - t) : c * z_.taps + t;
    state_bytes = bytes_of_list(rows_);
  }
  int64_t units(int64_t) const override { return z_.groups; }
  void run(const Run& r) const override {
    const Kernels<T>& q = kernels<T>();
    int64_t group = z_.filters * z_.channels * z_.taps, panels = q.panel_elements(z_.k(), z_.written());
    for (int64_t g = r.begin(); g < r.end(); ++g)
      q.pack_panels(r.row<T>(0, 0) + g * group,
                    PanelSource{0, z_.adjoint ? z_.taps : z_.channels * z_.taps, rows_.data()}, z_.k(),
                    z_.written(), q.paired_panels(z_.written(), z_.read()), r.result<T>(0, 0) + g * panels);
  }

 private:
  ConvolutionSizes z_;
  std::vector<int64_t> rows_;  // where in w the elements of k begin
};

template <class T>
class Convolve final : public Kernel {
 public:
  Convolve(const Prepare& p, const ConvolutionSpec& s, bool depthwise)
      : adjoint_(s.adjoint),
        depthwise_(depthwise),
        groups_(s.groups),
        channels_(p.in(0).shape.back()),
        filters_(p.out().shape.back()),
        read_(channels_ / s.groups),
        written_(filters_ / s.groups),
        plan_(s.window, spatial(p.in(0).shape), spatial(p.out().shape), s.adjoint, channels_,
              depthwise ? 1 : read_),
        epilogue_(p, plan_.out_pixels(), filters_) {
    together_ = images_together(plan_.out_pixels(), (p.in(0).shape.elements() + p.out().shape.elements()) *
                                                        static_cast<int64_t>(sizeof(T)));
    scratch_bytes = epilogue_.scratch_bytes();
    state_bytes = plan_.bytes() + epilogue_.state_bytes();
    row_work = plan_.out_pixels() * filters_ * plan_.taps() * (depthwise ? 1 : read_) / 8;
  }

  int64_t units(int64_t rows) const override {
    return follows_images(epilogue_, plan_) ? rows : plan_.units(rows);
  }

  void run(const Run& r) const override {
    plan_.parts(r.begin(), r.end(), units(r.rows()), r.rows(), together_,
                [&](int64_t row, int64_t images, int64_t first, int64_t last) {
                  some(r, row, images, first, last);
                  apply_to_lines(epilogue_, r, plan_, row, images, first, last);
                });
  }

 private:
  // Lines of these images, class by class: all of several images, or some of one.
  void some(const Run& r, int64_t row, int64_t images, int64_t first_line, int64_t last_line) const {
    const T* x = r.row<T>(0, row);
    T* y = r.result<T>(0, row);
    Finish<T> finish;
    if (epilogue_.on_tiles()) finish = epilogue_.finish(r);
    alignas(64) const T* a[kMostPixels];
    alignas(64) T* c[kMostPixels];
    for (const PixelClass& k : plan_.classes()) {
      const PixelBox box = plan_.box(k, first_line, last_line);
      const int64_t count = images * box.pixels();
      for (int64_t pixel = 0; pixel < count; pixel += kMostPixels) {
        int64_t i = 0, pixels = std::min(count - pixel, kMostPixels);
        plan_.pixels(k, box, pixel, pixels,
                     [&](int64_t n, int64_t in, int64_t in_step, int64_t out, int64_t out_step) {
                       point(a + i, n, x + in * channels_, in_step * channels_);
                       point(c + i, n, y + out * filters_, out_step * filters_);
                       i += n;
                     });
        if (depthwise_)
          channel_by_channel(r, k, pixels, a, c, finish);
        else
          multiply(r, k, pixels, a, c, finish);
      }
    }
  }

  void channel_by_channel(const Run& r, const PixelClass& k, int64_t pixels, const T** a, T** c,
                          const Finish<T>& finish) const {
    PixelDepthwise<T> q{a,
                        c,
                        pixels,
                        k.segments.data(),
                        static_cast<int64_t>(k.segments.size()),
                        static_cast<const T*>(r.in(1).data)};
    q.n = channels_;
    q.filters = adjoint_ ? read_ : written_;
    q.adjoint = adjoint_;
    if (epilogue_.on_tiles()) q.finish = &finish;
    kernels<T>().pixel_depthwise(q);
  }

  void multiply(const Run& r, const PixelClass& k, int64_t pixels, const T** a, T** c,
                Finish<T> finish) const {
    const Kernels<T>& table = kernels<T>();
    PixelProduct<T> q;
    q.pixels = pixels;
    q.a = a;
    q.c = c;
    q.k = plan_.taps() * read_;
    q.n = written_;
    q.panels = static_cast<const T*>(r.in(1).data);
    q.paired = table.paired_panels(written_, read_);
    q.scattered = plan_.is_scattered() && !q.paired;
    const std::vector<Segment>& segments = q.scattered ? k.scattered : k.segments;
    q.segments = segments.data();
    q.segment_count = static_cast<int64_t>(segments.size());
    if (epilogue_.on_tiles()) q.finish = &finish;
    for (int64_t g = 0;;) {
      table.pixel_product(q);
      if (++g == groups_) return;
      for (int64_t i = 0; i < q.pixels; ++i) a[i] += read_, c[i] += written_;
      q.panels += table.panel_elements(q.k, q.n);
      if (finish.center) finish.center += written_;
      if (finish.scale) finish.scale += written_;
      if (finish.shift) finish.shift += written_;
    }
  }

  bool adjoint_, depthwise_;
  int64_t groups_, channels_, filters_, read_, written_, together_;
  ConvolutionPlan plan_;
  Epilogue<T> epilogue_;
};

// The pixels of a class are a product's inner dimension: chunks of them are added up in registers and then
// joined, in an order that depends on the shapes alone.
template <class T>
class ConvolutionSums final : public Kernel {
 public:
  ConvolutionSums(const Prepare& p, const ConvolutionSpec& s, bool turned)
      : groups_(s.groups),
        channels_(p.in(0).shape.back()),
        filters_(p.in(1).shape.back()),
        plan_(s.window, spatial(p.in(0).shape), spatial(p.in(1).shape), false, channels_,
              channels_ / s.groups),
        k_(plan_.taps() * (channels_ / groups_)),
        n_(filters_ / groups_),
        turned_(turned) {
    together_ = images_together(plan_.out_pixels(), (p.in(0).shape.elements() + p.in(1).shape.elements()) *
                                                        static_cast<int64_t>(sizeof(T)));
    state_bytes = plan_.bytes();
  }

  int64_t units(int64_t) const override { return (k_ + kUnit - 1) / kUnit; }

  void run(const Run& r) const override {
    int64_t k0 = r.begin() * kUnit, k1 = std::min(k_, r.end() * kUnit),
            rows = std::max(r.in(0).rows, r.in(1).rows);
    if (!r.accumulate()) clear(r.result<T>(0, 0), k0, k1);
    for (int64_t row = 0; row < rows; row += together_) {
      int64_t images = std::min(together_, rows - row);
      for (const PixelClass& c : plan_.classes())
        for (int64_t pixel = 0; pixel < images * c.whole.pixels(); pixel += kChunk)
          add(r, row, c, pixel, std::min(kChunk, images * c.whole.pixels() - pixel), k0, k1);
    }
  }

 private:
  static constexpr int64_t kChunk = 256, kUnit = 48;

  void clear(T* sums, int64_t k0, int64_t k1) const {
    for (int64_t g = 0; g < groups_; ++g, sums += k_ * n_) {
      if (!turned_) {
        std::fill(sums + k0 * n_, sums + k1 * n_, T(0));
        continue;
      }
      for (int64_t j = 0; j < n_; ++j) std::fill(sums + j * k_ + k0, sums + j * k_ + k1, T(0));
    }
  }

  void add(const Run& r, int64_t row, const PixelClass& c, int64_t first, int64_t count, int64_t k0,
           int64_t k1) const {
    const T *x = r.row<T>(0, row), *dy = r.row<T>(1, row);
    alignas(64) const T* a[kChunk];
    alignas(64) const T* b[kChunk];
    int64_t i = 0;
    plan_.pixels(c, first, count, [&](int64_t n, int64_t in, int64_t in_step, int64_t out, int64_t out_step) {
      point(a + i, n, x + in * channels_, in_step * channels_);
      point(b + i, n, dy + out * filters_, out_step * filters_);
      i += n;
    });
    T* sums = r.result<T>(0, 0);
    for (int64_t g = 0; g < groups_; ++g, sums += k_ * n_)
      for (const Segment& s : c.segments) {
        int64_t begin = std::max(k0, s.k), end = std::min(k1, s.k + s.length);
        if (begin >= end) continue;
        int64_t offset = s.offset + begin - s.k + g * (channels_ / groups_);
        PixelOuter<T> q;
        q.pixels = count;
        q.left = turned_ ? b : a;
        q.right = turned_ ? a : b;
        q.left_offset = turned_ ? g * n_ : offset;
        q.left_count = turned_ ? n_ : end - begin;
        q.right_offset = turned_ ? offset : g * n_;
        q.right_count = turned_ ? end - begin : n_;
        q.c = turned_ ? sums + begin : sums + begin * n_;
        q.c_stride = turned_ ? k_ : n_;
        kernels<T>().pixel_outer(q);
      }
  }

  int64_t groups_, channels_, filters_, together_ = 1;
  ConvolutionPlan plan_;
  int64_t k_, n_;
  bool turned_;
};

template <class T>
class UnpackConvolution final : public Kernel {
 public:
  UnpackConvolution(const Shape& w, const ConvolutionSpec& s, bool turned) : z_(w, s), turned_(turned) {}
  int64_t units(int64_t) const override { return z_.groups * z_.filters; }
  void run(const Run& r) const override {
    int64_t k = z_.taps * z_.channels;
    for (int64_t f = r.begin(); f < r.end(); ++f) {
      const T* sums = r.row<T>(0, 0) + f / z_.filters * k * z_.filters;
      int64_t j = f % z_.filters, step = turned_ ? 1 : z_.filters;
      const T* x = turned_ ? sums + j * k : sums + j;
      T* w = r.result<T>(0, 0) + f * k;
      for (int64_t c = 0; c < z_.channels; ++c)
        for (int64_t t = 0; t < z_.taps; ++t) *w++ = x[(t * z_.channels + c) * step];
    }
  }

 private:
  ConvolutionSizes z_;
  bool turned_;
};

}  // namespace

int64_t packed_convolution_elements(DType dtype, const Shape& w, const ConvolutionSpec& s) {
  ConvolutionSizes z(w, s);
  if (z.is_depthwise()) return w.elements();
  return z.groups * (dtype == DType::float64 ? kernels<double>().panel_elements(z.k(), z.written())
                                             : kernels<float>().panel_elements(z.k(), z.written()));
}

std::unique_ptr<Kernel> make_pack_convolution(const Prepare& p, const ConvolutionSpec& s) {
  want_depthwise(false, ConvolutionSizes(p.in(0).shape, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackConvolution<decltype(t)>>(p.in(0).shape, s);
  });
}

std::unique_ptr<Kernel> make_convolve(const Prepare& p, const ConvolutionSpec& s, bool depthwise) {
  want_dense(p);
  int64_t read = p.in(0).shape.back() / s.groups, written = p.out().shape.back() / s.groups;
  want_depthwise(depthwise,
                 s.adjoint ? is_depthwise(s.groups, written, read) : is_depthwise(s.groups, read, written));
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<Convolve<decltype(t)>>(p, s, depthwise);
  });
}

Shape convolution_sums_shape(DType dtype, const Shape& w, const ConvolutionSpec& s) {
  ConvolutionSizes z(w, s);
  if (z.is_depthwise()) return {1, z.taps, z.groups * z.filters};
  int64_t k = z.taps * z.channels;
  return turned(dtype, z) ? Shape{z.groups, z.filters, k} : Shape{z.groups, k, z.filters};
}

std::unique_ptr<Kernel> make_convolution_sums(const Prepare& p, const ConvolutionSpec& s, const Shape& w) {
  want_dense(p);
  want_depthwise(false, ConvolutionSizes(w, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<ConvolutionSums<decltype(t)>>(p, s, turned(p.dtype(), ConvolutionSizes(w, s)));
  });
}

std::unique_ptr<Kernel> make_unpack_convolution(const Prepare& p, const ConvolutionSpec& s) {
  Shape w = p.out().shape;
  want_depthwise(false, ConvolutionSizes(w, s).is_depthwise());
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<UnpackConvolution<decltype(t)>>(w, s, turned(p.dtype(), ConvolutionSizes(w, s)));
  });
}

}  // namespace cantik::host
