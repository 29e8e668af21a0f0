// Convolutions of each channel by itself, on every instruction set: the order of each sum, to the bit.
#include <gtest/gtest.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// Pixels strewn over an image, and taps at uneven distances from them; what lies before and behind a result
// must stay as it is.
template <class T>
struct Image {
  int64_t channels, filters, pixels;  // filters: of each channel
  std::vector<cpu::Segment> taps;
  std::vector<T> x, weights;
  int64_t many;  // taps of the weights: every second one lies inside the image

  Image(int64_t c, int64_t f, int64_t p, int64_t count)
      : channels(c), filters(f), pixels(p), many(2 * count) {
    x = noise<T>((p + 3 * count + 1) * wide(), 1);
    weights = noise<T>(many * c * f, 2);
    for (int64_t t = 0; t < count; ++t) taps.push_back({t * 3 % (2 * count + 1) * wide(), 1, 2 * t + 1});
  }
  int64_t wide() const { return channels * filters; }
  std::vector<const T*> pointers(const T* first, int64_t step) const {
    std::vector<const T*> to;
    for (int64_t i = 0; i < pixels; ++i) to.push_back(first + (i * 5 % pixels) * step);
    return to;
  }
};

template <class T>
void check_sums_over_taps(const cpu::Table& t, int64_t channels, int64_t filters, int64_t pixels,
                          int64_t taps, bool adjoint) {
  Image<T> m(channels, filters, pixels, taps);
  const int64_t n = adjoint ? channels : channels * filters, read = adjoint ? channels * filters : channels;
  std::vector<const T*> a = m.pointers(m.x.data(), read);
  std::vector<T> y(static_cast<size_t>(pixels * (n + 1)), T(9)), want = y;
  std::vector<T*> c;
  for (int64_t i = 0; i < pixels; ++i) c.push_back(y.data() + i * (n + 1));
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sums[2] = {0, 0};  // on the way back, each filter has its own
      for (const cpu::Segment& s : m.taps)
        for (int64_t f = 0; f < (adjoint ? filters : 1); ++f) {
          T from = a[static_cast<size_t>(i)][s.offset + (adjoint ? j * filters + f : j / filters)];
          int64_t at = s.k * m.wide() + (adjoint ? j * filters + f : j % filters * channels + j / filters);
          sums[f] = multiply_add(has_fma(t), from, m.weights[static_cast<size_t>(at)], sums[f]);
        }
      want[static_cast<size_t>(i * (n + 1) + j)] = adjoint && filters == 2 ? sums[0] + sums[1] : sums[0];
    }
  cpu::PixelDepthwise<T> p{
      a.data(), c.data(), pixels, m.taps.data(), static_cast<int64_t>(m.taps.size()), m.weights.data()};
  p.n = read, p.filters = filters, p.adjoint = adjoint;
  of<T>(t).pixel_depthwise(p);
  EXPECT_TRUE(same_bits(y, want)) << channels << " channels, " << filters << " filters, " << pixels
                                  << " pixels, " << taps << " taps" << (adjoint ? ", adjoint" : "");
}

template <class T>
void check_sums_over_pixels(const cpu::Table& t, int64_t channels, int64_t filters, int64_t pixels,
                            int64_t taps) {
  Image<T> m(channels, filters, pixels, taps);
  const int64_t n = channels * filters, begin = n > 40 ? 32 : 0;
  std::vector<T> grown = noise<T>(pixels * n, 3), sums = noise<T>(m.many * n, 4), want = sums;
  std::vector<const T*> x = m.pointers(m.x.data(), channels), dy = m.pointers(grown.data(), n);
  for (const cpu::Segment& s : m.taps)
    for (int64_t j = begin; j < n; ++j) {
      T sum = 0;
      for (size_t i = 0; i < x.size(); ++i)
        sum = multiply_add(has_fma(t), x[i][s.offset + j / filters], dy[i][j], sum);
      want[static_cast<size_t>(s.k * n + j)] += sum;
    }
  of<T>(t).pixel_depthwise_sums({x.data(), dy.data(), pixels, m.taps.data(),
                                 static_cast<int64_t>(m.taps.size()), begin, n, n, filters, sums.data()});
  EXPECT_TRUE(same_bits(sums, want)) << channels << " channels, " << filters << " filters, " << pixels
                                     << " pixels, " << taps << " taps";
}

template <class T>
void check_all(const cpu::Table& t) {
  for (int64_t channels : {1, 2, 3, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 48, 67, 96})
    for (int64_t filters : {1, 2})
      for (auto [pixels, taps] : {std::pair<int64_t, int64_t>{1, 9},
                                  {4, 1},
                                  {6, 4},
                                  {7, 9},
                                  {8, 2},
                                  {9, 13},
                                  {23, 9},
                                  {192, 3},
                                  {3, 0}}) {
        check_sums_over_taps<T>(t, channels, filters, pixels, taps, false);
        check_sums_over_taps<T>(t, channels, filters, pixels, taps, true);
        check_sums_over_pixels<T>(t, channels, filters, pixels, taps);
      }
}

TEST(Depthwise, adds_up_in_the_order_of_taps_and_of_pixels) {
  on_all_levels([](const cpu::Table& t) {
    check_all<float>(t);
    check_all<double>(t);
  });
}

}  // namespace
