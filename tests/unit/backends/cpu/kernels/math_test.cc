// Elementwise loops of the CPU: how exact the elementary functions are, and that lines are copied and nothing
// beside them.
#include <gtest/gtest.h>

#include <limits>

#include <cantik/plugin.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

std::vector<float> mapped(const cpu::Table& t, int op, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  t.f32.tile[op](y.data(), x.data(), x.data(), x.data(), static_cast<int64_t>(x.size()));
  return y;
}

// The largest error in units in the last place of the exact result, among normal numbers.
template <class Exact>
double worst(const cpu::Table& t, int op, double low, double high, Exact exact) {
  constexpr int kCount = 1 << 18;
  std::vector<float> x(kCount);
  for (int i = 0; i < kCount; ++i)
    x[static_cast<size_t>(i)] = static_cast<float>(low + (high - low) * i / (kCount - 1));
  std::vector<float> y = mapped(t, op, x);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double e = exact(static_cast<long double>(x[i]));
    float a = std::fabs(static_cast<float>(e));
    if (a < 2 * std::numeric_limits<float>::min() || std::isinf(a)) continue;
    double unit = static_cast<double>(std::nextafter(a, 2 * a)) - static_cast<double>(a);
    most = std::max(most, static_cast<double>(std::fabs(static_cast<long double>(y[i]) - e)) / unit);
  }
  return most;
}

TEST(Elementwise, functions_are_right_to_three_units_in_the_last_place) {
  on_all_levels([](const cpu::Table& t) {
    for (double reach : {1e-30, 1e-3, 1.0, 10.0, 100.0}) {
      SCOPED_TRACE(reach);
      EXPECT_LE(worst(t, CANTIK_X_EXP, -reach, reach, [](long double x) { return std::exp(x); }), 1.5);
      EXPECT_LE(worst(t, CANTIK_X_TANH, -reach, reach, [](long double x) { return std::tanh(x); }), 3.1);
      EXPECT_LE(worst(t, CANTIK_X_ERF, -reach, reach, [](long double x) { return std::erf(x); }), 3.1);
      EXPECT_LE(
          worst(t, CANTIK_X_SIGMOID, -reach, reach, [](long double x) { return 1 / (1 + std::exp(-x)); }),
          3.1);
    }
    EXPECT_LE(worst(t, CANTIK_X_LOG, 1e-6, 100, [](long double x) { return std::log(x); }), 1.5);
  });
}

TEST(Elementwise, functions_know_their_limits) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x{nan,    inf,  -inf, 0.0f, -0.0f,  1000,    -1000, 88.8f,
                       -88.8f, -200, 20,   -20,  1e-38f, -1e-38f, 0,     0};
  on_all_levels([&](const cpu::Table& t) {
    std::vector<float> e = mapped(t, CANTIK_X_EXP, x), h = mapped(t, CANTIK_X_TANH, x),
                       s = mapped(t, CANTIK_X_SIGMOID, x), g = mapped(t, CANTIK_X_ERF, x);
    for (const auto& y : {e, h, s, g}) EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ((std::vector<float>{inf, 0, 1, 1, inf, 0, inf}),
              std::vector<float>(e.begin() + 1, e.begin() + 8));
    EXPECT_EQ((std::vector<float>{1, -1, 0, 0, 1, -1, 1, -1, -1}),
              std::vector<float>(h.begin() + 1, h.begin() + 10));
    EXPECT_TRUE(std::signbit(h[4]) && !std::signbit(h[3]));
    EXPECT_EQ((std::vector<float>{1, -1, 0, 0, 1, -1, 1, -1, -1}),
              std::vector<float>(g.begin() + 1, g.begin() + 10));
    EXPECT_TRUE(std::signbit(g[4]) && !std::signbit(g[3]));
    EXPECT_EQ((std::vector<float>{1, 0, 0.5f, 0.5f, 1, 0, 1}),
              std::vector<float>(s.begin() + 1, s.begin() + 8));
    EXPECT_LT(s[9], 1e-38f);
    EXPECT_EQ(1.0f, h[10]);
    EXPECT_EQ(1.0f, s[10]);
    EXPECT_FLOAT_EQ(2.0611537e-9f, s[11]);
  });
}

}  // namespace
