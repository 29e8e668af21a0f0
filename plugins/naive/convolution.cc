// A convolution and its two relatives, tap by tap; channels come first.
//
//   correlate(x, w):         y[f] = sum over channels c and taps t of w[f, c, t] x[c, window(t)]
//   correlate_adjoint(y, w): the same from y back to x
//   correlate_kernel(x, y):  the same to w, summed over the rows
//
// w: [filters, channels / groups, taps...], x: [channels, pixels...], y: [filters, windows...].
#include <algorithm>
#include <tuple>
#include <vector>

#include <cantik/op/window.h>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

struct Correlate : Window {
  int64_t groups = 1;
  bool last = false, packed = false;
  static constexpr auto fields() {
    return std::tuple_cat(
        Window::fields(),
        list(field("groups", &Correlate::groups, "of channels"),
             field("last", &Correlate::last, "the channels are the last axis"),
             field("packed", &Correlate::packed, "the weights are as the host wants them")));
  }
};

// Every product that the sum has: a tap of a window on a pixel.
struct Touch {
  int64_t x, y, tap;  // places in an image, in the result, in the window
};

// f(at) for all places of a box.
template <class F>
void each_place(const std::vector<int64_t>& size, F&& f) {
  std::vector<int64_t> at(size.size(), 0);
  for (const int64_t n : size)
    if (n == 0) return;
  for (;;) {
    f(at);
    size_t i = size.size();
    while (i-- > 0 && ++at[i] == size[i]) at[i] = 0;
    if (i == static_cast<size_t>(-1)) return;
  }
}

int64_t place_of(const std::vector<int64_t>& at, const std::vector<int64_t>& size) {
  int64_t place = 0;
  for (size_t i = 0; i < at.size(); ++i) place = place * size[i] + at[i];
  return place;
}

struct Sizes {
  int64_t filters, channels, groups, taps, x_pixels, y_pixels;
  std::vector<Touch> touches;

  // x: [channels, pixels...], y: [filters, windows...], w: [filters, channels / groups, taps...]
  Sizes(const Correlate& a, const Shape& x, const Shape& y)
      : filters(y[0]), channels(x[0]), groups(a.groups) {
    const std::vector<int64_t> pixels(x.begin() + 1, x.end()), windows(y.begin() + 1, y.end());
    auto product = [](const std::vector<int64_t>& list) {
      int64_t n = 1;
      for (const int64_t d : list) n *= d;
      return n;
    };
    taps = product(a.kernel);
    x_pixels = product(pixels);
    y_pixels = product(windows);
    each_place(windows, [&](const std::vector<int64_t>& window) {
      each_place(a.kernel, [&](const std::vector<int64_t>& tap) {
        std::vector<int64_t> pixel(tap.size());
        for (size_t i = 0; i < tap.size(); ++i) {
          pixel[i] =
              window[i] * a.stride[i] - a.padding(static_cast<int>(i), pixels[i]) + tap[i] * a.dilation[i];
          if (pixel[i] < 0 || pixel[i] >= pixels[i]) return;
        }
        touches.push_back({place_of(pixel, pixels), place_of(window, windows), place_of(tap, a.kernel)});
      });
    });
  }
  // f(place in w, place in x, place in y) for every product.
  template <class F>
  void each(F&& f) const {
    const int64_t of_group = channels / groups;
    for (int64_t filter = 0; filter < filters; ++filter)
      for (int64_t c = 0; c < of_group; ++c) {
        const int64_t channel = filter / (filters / groups) * of_group + c;
        const int64_t w = (filter * of_group + c) * taps, x = channel * x_pixels, y = filter * y_pixels;
        for (const Touch& t : touches) f(w + t.tap, x + t.x, y + t.y);
      }
  }
};

enum class To { y, x, w };

template <class T>
struct Convolution final : Kernel {
  Sizes sizes;
  To to;
  int64_t elements;
  Convolution(const Sizes& s, To to, int64_t elements) : sizes(s), to(to), elements(elements) {}
  void run(const Run& r) const override {
    const bool sums = to == To::w;
    const int64_t rows = sums ? std::max(r.in(0).rows, r.in(1).rows) : r.end();
    for (int64_t row = r.begin(); row < r.end(); ++row) std::fill_n(r.result<T>(0, row), elements, T(0));
    for (int64_t row = 0; row < rows; ++row) {
      const T *a = r.row<T>(0, row), *b = r.row<T>(1, row);
      T* d = r.result<T>(0, sums ? 0 : row);
      switch (to) {
        case To::y: sizes.each([&](int64_t w, int64_t x, int64_t y) { d[y] += a[x] * b[w]; }); break;
        case To::x: sizes.each([&](int64_t w, int64_t x, int64_t y) { d[x] += a[y] * b[w]; }); break;
        case To::w: sizes.each([&](int64_t w, int64_t x, int64_t y) { d[w] += a[x] * b[y]; }); break;
      }
    }
  }
};

void want_plain(const Prepare& p, const Correlate& a) {
  if (!p.in(0).is_dense() || !p.in(1).is_dense()) throw declined("sparse operands");
  if (a.last || a.packed) throw declined("channels come last, or weights are packed");
}

}  // namespace

void convolution(BackendKernels& k) {
  k.add<Correlate>("correlate", [](const Prepare& p, const Correlate& a) {
    want_plain(p, a);
    return of_type<Convolution>(p.dtype(), Sizes(a, p.in(0).shape, p.out().shape), To::y,
                                p.out().shape.elements());
  });
  k.add<Correlate>("correlate_adjoint", [](const Prepare& p, const Correlate& a) {
    want_plain(p, a);
    return of_type<Convolution>(p.dtype(), Sizes(a, p.out().shape, p.in(0).shape), To::x,
                                p.out().shape.elements());
  });
  k.add<Correlate>("correlate_kernel", [](const Prepare& p, const Correlate& a) {
    want_plain(p, a);
    return of_type<Convolution>(p.dtype(), Sizes(a, p.in(0).shape, p.in(1).shape), To::w,
                                p.out().shape.elements());
  });
}

}  // namespace naive
