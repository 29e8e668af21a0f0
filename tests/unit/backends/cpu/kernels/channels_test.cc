// Sums for each channel, on every instruction set: channels first and last, against sums in long double.
#include <gtest/gtest.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

template <class T>
void channel_sums_agree(const cpu::Table& t, int64_t pixels, int64_t channels) {
  std::vector<T> x = noise<T>(pixels * channels, 1), dy = noise<T>(pixels * channels, 2),
                 mean = noise<T>(channels, 3);
  std::vector<long double> want[4];
  for (auto& w : want) w.assign(static_cast<size_t>(channels), 1);
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t i = 0; i < channels; ++i) {
      size_t c = static_cast<size_t>(i), at = static_cast<size_t>(p * channels + i);
      T off = x[at] - mean[c];
      want[0][c] += x[at], want[1][c] += static_cast<long double>(x[at]) * x[at];
      want[2][c] += dy[at], want[3][c] += static_cast<long double>(dy[at]) * off;
    }
  std::vector<double> got[4];
  for (auto& g : got) g.assign(static_cast<size_t>(channels) + 1, 1);
  of<T>(t).channel_sums(got[0].data(), got[1].data(), x.data(), pixels, channels, 1);
  of<T>(t).channel_products(got[2].data(), got[3].data(), x.data(), dy.data(), mean.data(), pixels, channels,
                            1);
  // The same image with its channels first.
  std::vector<T> turned(x.size()), turned_dy(x.size());
  of<T>(t).transpose(turned.data(), x.data(), pixels, channels);
  of<T>(t).transpose(turned_dy.data(), dy.data(), pixels, channels);
  std::vector<double> first[4];
  for (auto& f : first) f.assign(static_cast<size_t>(channels), 1);
  of<T>(t).channel_sums(first[0].data(), first[1].data(), turned.data(), 1, channels, pixels);
  of<T>(t).channel_products(first[2].data(), first[3].data(), turned.data(), turned_dy.data(), mean.data(), 1,
                            channels, pixels);
  for (int s = 0; s < 4; ++s) {
    EXPECT_EQ(1, got[s].back());  // nothing behind the last channel
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      EXPECT_NEAR(static_cast<double>(want[s][c]), got[s][c], 1e-12 * static_cast<double>(pixels))
          << t.name << ' ' << channels << " channels, sum " << s;
      EXPECT_NEAR(static_cast<double>(want[s][c]), first[s][c], 1e-12 * static_cast<double>(pixels))
          << t.name << ' ' << channels << " channels, sum " << s;
    }
  }
}

TEST(Channels, sums_of_images) {
  on_all_levels([](const cpu::Table& t) {
    for (int64_t channels : {1, 3, 8, 16, 23, 64, 70}) {
      channel_sums_agree<float>(t, 37, channels);
      channel_sums_agree<double>(t, 37, channels);
    }
  });
}

// Columns are added row after row, in double: the bits are those of the plain loop.
template <class T>
void columns_add_up(const cpu::Table& t, int64_t rows, int64_t n, int64_t stride) {
  std::vector<T> x = noise<T>(rows * stride, 4);
  std::vector<double> y = noise<double>(n + 1, 5), want = y;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < n; ++c)
      want[static_cast<size_t>(c)] += static_cast<double>(x[static_cast<size_t>(r * stride + c)]);
  of<T>(t).add_columns(y.data(), x.data(), rows, n, stride);
  EXPECT_TRUE(same_bits(want, y)) << t.name << ' ' << n;
}

TEST(Channels, columns_add_up_in_the_order_of_rows) {
  on_all_levels([](const cpu::Table& t) {
    for (int64_t n : {1, 2, 10, 16, 48, 70, 131})
      for (int64_t rows : {1, 2, 33})
        for (int64_t stride : {n, n + 3}) {
          columns_add_up<float>(t, rows, n, stride);
          columns_add_up<double>(t, rows, n, stride);
        }
  });
}

}  // namespace
