#include "backends/host/pooling.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/convolution_sizes.h"
#include "backends/cpu/list_bytes.h"
#include "backends/cpu/table.h"

namespace cantik::host {

using namespace cpu;

namespace {

// Backwards, pixels of the operand gather from the windows over them: each is written once.
bool is_backwards(Pooling kind) {
  return kind == Pooling::max_back || kind == Pooling::average_back || kind == Pooling::unpool;
}

template <class T>
class PoolingKernel final : public Kernel {
 public:
  PoolingKernel(const Prepare& p, const Window& w, Pooling kind, bool include_padding)
      : kind_(kind),
        has_places_(kind == Pooling::max && p.outputs() > 1),
        channels_(p.in(0).shape.back()),
        plan_(w, spatial(p.in(0).shape), spatial(p.out().shape), is_backwards(kind), channels_, channels_,
              kind == Pooling::average_back),
        include_padding_(include_padding),
        epilogue_(p, plan_.out_pixels(), channels_) {
    scratch_bytes = epilogue_.scratch_bytes();
    for (const PixelClass& c : plan_.classes()) taps_.push_back(taps_of(c));
    if (kind == Pooling::average_back) find_shares(w, p);
    for (const std::vector<Tap>& taps : taps_) state_bytes += bytes_of_list(taps);
    state_bytes += bytes_of_list(shares_) + plan_.bytes() + epilogue_.state_bytes();
  }

  int64_t units(int64_t rows) const override {
    return follows_images(epilogue_, plan_) ? rows : plan_.units(rows);
  }

  void run(const Run& r) const override {
    plan_.parts(r.begin(), r.end(), units(r.rows()), r.rows(), 1,
                [&](int64_t row, int64_t, int64_t first, int64_t last) {
                  some(r, row, first, last);
                  apply_to_lines(epilogue_, r, plan_, row, 1, first, last);
                });
  }

 private:
  // Lines of an image, class by class.
  void some(const Run& r, int64_t row, int64_t first_line, int64_t last_line) const {
    Finish<T> finish;
    if (epilogue_.on_tiles()) finish = epilogue_.finish(r);
    for (size_t k = 0; k < taps_.size(); ++k) {
      const PixelClass& c = plan_.classes()[k];
      const PixelBox box = plan_.box(c, first_line, last_line);
      PixelPool<T> q;
      q.taps = taps_[k].data();
      q.count = static_cast<int64_t>(taps_[k].size());
      q.channels = channels_;
      q.divisor = static_cast<double>(include_padding_ ? plan_.taps() : q.count);
      if (epilogue_.on_tiles()) q.finish = &finish;
      plan_.pixels(c, box, 0, box.pixels(),
                   [&](int64_t n, int64_t in, int64_t in_step, int64_t out, int64_t out_step) {
                     q.pixels = n;
                     q.x = r.row<T>(0, row) + in * channels_;
                     q.x_step = in_step * channels_;
                     q.y = r.result<T>(0, row) + out * channels_;
                     q.y_step = out_step * channels_;
                     if (has_places_) q.places = r.result<T>(1, row) + out * channels_;
                     if (kind_ == Pooling::average_back)
                       q.second = shares_.data() + in, q.second_step = in_step;
                     else if (kind_ == Pooling::pick)
                       q.second = r.row<T>(1, row) + out * channels_, q.second_step = q.y_step;
                     else if (kind_ == Pooling::max_back || kind_ == Pooling::unpool)
                       q.second = r.row<T>(1, row) + in * channels_, q.second_step = q.x_step;
                     call(q);
                   });
    }
  }

  void call(const PixelPool<T>& q) const {
    const Kernels<T>& k = kernels<T>();
    switch (kind_) {
      case Pooling::max: return k.pool_max(q);
      case Pooling::average: return k.pool_average(q);
      case Pooling::max_back: return k.pool_max_back(q);
      case Pooling::average_back: return k.pool_average_back(q);
      case Pooling::unpool: return k.unpool(q);
      case Pooling::pick: return k.pool_pick(q);
    }
  }

  std::vector<Tap> taps_of(const PixelClass& c) const {
    std::vector<Tap> taps;
    for (const Segment& s : c.segments)
      for (int64_t j = 0; j < s.length / channels_; ++j) {
        int64_t number = s.k / channels_ + j;
        if (is_backwards(kind_)) number = plan_.taps() - 1 - number;
        taps.push_back({s.offset + j * channels_, static_cast<int32_t>(s.offset / channels_ + j),
                        static_cast<int32_t>(number)});
      }
    return taps;
  }

  // What one element of each window has of its average.
  void find_shares(const Window& w, const Prepare& p) {
    ConvolutionPlan forward(w, spatial(p.out().shape), spatial(p.in(0).shape), false, 1, 1);
    shares_.resize(static_cast<size_t>(forward.out_pixels()));
    for (const PixelClass& c : forward.classes()) {
      int64_t count = 0;
      for (const Segment& s : c.segments) count += s.length;
      forward.pixels(c, 0, c.whole.pixels(), [&](int64_t n, int64_t, int64_t, int64_t out, int64_t out_step) {
        for (int64_t i = 0; i < n; ++i)
          shares_[out + i * out_step] = T(1) / static_cast<T>(include_padding_ ? forward.taps() : count);
      });
    }
  }

  Pooling kind_;
  bool has_places_;
  int64_t channels_;
  ConvolutionPlan plan_;
  bool include_padding_;
  Epilogue<T> epilogue_;
  std::vector<std::vector<Tap>> taps_;  // of each class
  std::vector<T> shares_;
};

// What the largest element of each channel gets, where there is a single window: its pixels all differ in
// the number of their tap, and are too many for a class each.
template <class T>
class OneWindowBack final : public Kernel {
 public:
  OneWindowBack(const Prepare& p, const Window& w)
      : w_(w),
        size_(spatial(p.out().shape)),
        channels_(p.out().shape.back()),
        pixels_(p.out().shape.elements() / std::max<int64_t>(1, channels_)),
        epilogue_(p, pixels_, channels_) {
    scratch_bytes = epilogue_.scratch_bytes();
    state_bytes = epilogue_.state_bytes();
  }

  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *x = r.row<T>(0, row), *places = r.row<T>(1, row);
      T* y = r.result<T>(0, row);
      std::fill_n(y, pixels_ * channels_, T(0));
      for (int64_t c = 0; c < channels_; ++c)
        if (const int64_t at = pixel_of(static_cast<int64_t>(places[c])); at >= 0)
          y[at * channels_ + c] = x[c];
      if (epilogue_) epilogue_.apply(r, row * pixels_, (row + 1) * pixels_);
    }
  }

 private:
  // Where the tap of this number reads, or -1.
  int64_t pixel_of(int64_t number) const {
    int64_t pixel = 0, step = 1;
    for (int axis = w_.rank(); axis-- > 0;) {
      const size_t a = static_cast<size_t>(axis);
      const int64_t i = number % w_.kernel[a] * w_.dilation[a] - w_.padding(axis, size_[a]);
      if (i < 0 || i >= size_[a]) return -1;
      pixel += i * step;
      step *= size_[a];
      number /= w_.kernel[a];
    }
    return number == 0 ? pixel : -1;
  }

  Window w_;
  std::vector<int64_t> size_;
  int64_t channels_, pixels_;
  Epilogue<T> epilogue_;
};

// The adjoint of windows that take one element each, and there is only one.
bool is_one_window_back(const Prepare& p, Pooling kind) {
  const Shape& pooled = p.in(0).shape;
  return (kind == Pooling::max_back || kind == Pooling::unpool) && pooled.elements() == pooled.back();
}

template <class T>
struct TurnKernel final : Kernel {
  int64_t rows, columns, together;
  TurnKernel(int64_t rows, int64_t columns, int64_t together)
      : rows(rows), columns(columns), together(together) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      if (together == 1) {
        kernels<T>().transpose(y, x, rows, columns);
        continue;
      }
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i)
          std::copy_n(x + (i * columns + j) * together, together, y + (j * rows + i) * together);
    }
  }
};

template <class F>
std::unique_ptr<Kernel> pooling_by_type(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("pooling of " + std::string(name_of(dtype)));
}

}  // namespace

std::unique_ptr<Kernel> make_pooling(const Prepare& p, const Window& w, Pooling kind, bool include_padding) {
  for (int i = 0; i < p.inputs(); ++i)
    if (!p.in(i).is_dense()) throw declined("sparse operands");
  return pooling_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    if (is_one_window_back(p, kind)) return std::make_unique<OneWindowBack<decltype(t)>>(p, w);
    return std::make_unique<PoolingKernel<decltype(t)>>(p, w, kind, include_padding);
  });
}

std::unique_ptr<Kernel> make_turn(const Prepare& p, int64_t rows, int64_t columns, int64_t together) {
  if (!p.in(0).is_dense()) throw declined("sparse operands");
  return pooling_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<TurnKernel<decltype(t)>>(rows, columns, together);
  });
}

}  // namespace cantik::host
