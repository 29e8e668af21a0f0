// Pooling, window by window; channels come first. The place of a maximum is the number of its tap.
#include <tuple>
#include <vector>

#include <cantik/op/window.h>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

struct Pool : Window {
  bool include_padding = false, last = false;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(),
                          list(field("include_padding", &Pool::include_padding, "padding counts in averages"),
                               field("last", &Pool::last, "the channels are the last axis")));
  }
};

// The taps of one window that lie on pixels: the tap's number and the pixel.
struct Tap {
  int64_t number, pixel;
};

// A list of taps for each window over an image of this shape, [channels, pixels...].
std::vector<std::vector<Tap>> windows_over(const Pool& a, const Shape& x) {
  std::vector<std::vector<Tap>> lists(1);
  std::vector<int64_t> pixels{1};
  lists[0] = {{0, 0}};
  for (int axis = 0; axis < a.rank(); ++axis) {  // one axis after the other
    const auto i = static_cast<size_t>(axis);
    const int64_t size = x[axis + 1], count = a.result_size(axis, size);
    std::vector<std::vector<Tap>> longer;
    for (const std::vector<Tap>& list : lists)
      for (int64_t window = 0; window < count; ++window) {
        std::vector<Tap> taps;
        for (const Tap& t : list)
          for (int64_t k = 0; k < a.kernel[i]; ++k) {
            const int64_t at = window * a.stride[i] - a.padding(axis, size) + k * a.dilation[i];
            if (at >= 0 && at < size) taps.push_back({t.number * a.kernel[i] + k, t.pixel * size + at});
          }
        longer.push_back(std::move(taps));
      }
    lists = std::move(longer);
  }
  return lists;
}

int64_t pixels_of(const Shape& x) { return x[0] ? x.elements() / x[0] : 0; }

// Calls f(image of the channel, taps of the window, place of the window in a result) for all windows.
template <class F>
void each_window(const std::vector<std::vector<Tap>>& windows, int64_t channels, int64_t pixels, F&& f) {
  const auto n = static_cast<int64_t>(windows.size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t w = 0; w < n; ++w) f(c * pixels, windows[static_cast<size_t>(w)], c * n + w);
}

template <class T>
struct MaxPool final : Kernel {
  std::vector<std::vector<Tap>> windows;
  int64_t channels, pixels;
  bool places;
  MaxPool(const Prepare& p, const Pool& a)
      : windows(windows_over(a, p.in(0).shape)),
        channels(p.in(0).shape[0]),
        pixels(pixels_of(p.in(0).shape)),
        places(p.outputs() > 1) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      each_window(windows, channels, pixels, [&](int64_t image, const std::vector<Tap>& taps, int64_t to) {
        const T* x = r.row<T>(0, row) + image;
        Tap best = taps.at(0);
        for (const Tap& t : taps)
          if (x[t.pixel] > x[best.pixel]) best = t;
        r.result<T>(0, row)[to] = x[best.pixel];
        if (places) r.result<T>(1, row)[to] = static_cast<T>(best.number);
      });
  }
};

// What a window got goes back to the tap that it was taken from.
template <class T>
struct MaxBack final : Kernel {
  std::vector<std::vector<Tap>> windows;
  int64_t channels, pixels;
  MaxBack(const Prepare& p, const Pool& a)
      : windows(windows_over(a, p.out().shape)),
        channels(p.out().shape[0]),
        pixels(pixels_of(p.out().shape)) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* dx = r.result<T>(0, row);
      for (int64_t i = 0; i < channels * pixels; ++i) dx[i] = 0;
      each_window(windows, channels, pixels, [&](int64_t image, const std::vector<Tap>& taps, int64_t from) {
        const T place = r.row<T>(1, row)[from];
        for (const Tap& t : taps)
          if (static_cast<T>(t.number) == place) dx[image + t.pixel] += r.row<T>(0, row)[from];
      });
    }
  }
};

template <class T>
T share(const std::vector<Tap>& taps, const Pool& a) {
  if (!a.include_padding) return 1 / static_cast<T>(taps.size());
  int64_t all = 1;
  for (const int64_t k : a.kernel) all *= k;
  return 1 / static_cast<T>(all);
}

// Averages, and the way back.
template <class T>
struct Average final : Kernel {
  Pool a;
  bool back;
  Shape image;
  std::vector<std::vector<Tap>> windows;
  Average(const Prepare& p, const Pool& a, bool back)
      : a(a), back(back), image(back ? p.out().shape : p.in(0).shape), windows(windows_over(a, image)) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < image.elements() && back; ++i) y[i] = 0;
      each_window(windows, image[0], pixels_of(image),
                  [&](int64_t at, const std::vector<Tap>& taps, int64_t w) {
                    if (!back) y[w] = 0;
                    for (const Tap& t : taps)
                      if (back)
                        y[at + t.pixel] += r.row<T>(0, row)[w] * share<T>(taps, a);
                      else
                        y[w] += r.row<T>(0, row)[at + t.pixel] * share<T>(taps, a);
                  });
    }
  }
};

void want_first(const Pool& a) {
  if (a.last) throw declined("channels come last");
}

}  // namespace

void pooling(BackendKernels& k) {
  constexpr auto largest = [](const Prepare& p, const Pool& a) {
    want_first(a);
    return of_type<MaxPool>(p.dtype(), p, a);
  };
  k.add<Pool>("pool_max", largest).add<Pool>("pool_max_places", largest);
  k.add<Pool>("pool_max_back", [](const Prepare& p, const Pool& a) {
    want_first(a);
    return of_type<MaxBack>(p.dtype(), p, a);
  });
  k.add<Pool>("pool_average", [](const Prepare& p, const Pool& a) {
    want_first(a);
    return of_type<Average>(p.dtype(), p, a, false);
  });
  k.add<Pool>("pool_average_back", [](const Prepare& p, const Pool& a) {
    want_first(a);
    return of_type<Average>(p.dtype(), p, a, true);
  });
}

}  // namespace naive
