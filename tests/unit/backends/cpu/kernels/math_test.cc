// Elementwise loops of the CPU: how exact the elementary functions are, and that lines are copied and nothing
// beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

std::vector<float> powers(const cpu::Table& t, const std::vector<float>& x, const std::vector<float>& y) {
  std::vector<float> r(x.size());
  t.f32.tile[CANTIK_X_POW](r.data(), x.data(), y.data(), y.data(), static_cast<int64_t>(x.size()));
  return r;
}

TEST(Elementwise, powers_are_right_to_one_unit_in_the_last_place) {
  std::vector<float> x, y;
  for (int i = 1; i < 400; ++i)
    for (int j = -300; j <= 300; ++j) {
      x.push_back(static_cast<float>(j % 2 ? 0.02 * i : std::exp2(0.7 * (i - 200))));
      y.push_back(static_cast<float>(j % 3 ? 0.031 * j : j / 100));
    }
  on_all_levels([&](const cpu::Table& t) {
    const std::vector<float> r = powers(t, x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
      const float want = static_cast<float>(exact);
      if (std::isinf(want) || want == 0) {
        EXPECT_EQ(r[i], want) << x[i] << " ^ " << y[i];
        continue;
      }
      const double unit = static_cast<double>(std::nextafter(want, 2 * want) - want);
      EXPECT_LE(std::fabs(static_cast<double>(r[i]) - exact), 1.01 * unit) << x[i] << " ^ " << y[i];
    }
  });
}

TEST(Elementwise, powers_know_the_cases_of_the_standard) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> some{0,    -0.0f, 1,  -1,   inf,         -inf,         nan,     2,
                                -2,   3,     -3, 0.5f, -0.5f,       1e-40f,       -1e-40f, 1e38f,
                                1.5f, 5,     4,  -5,   16777216.0f, -16777215.0f, -1e38f};
  std::vector<float> x, y;
  for (float a : some)
    for (float b : some) x.push_back(a), y.push_back(b);
  on_all_levels([&](const cpu::Table& t) {
    const std::vector<float> r = powers(t, x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      const float want = std::pow(x[i], y[i]);
      SCOPED_TRACE(testing::Message() << x[i] << " ^ " << y[i] << " is " << r[i]);
      EXPECT_EQ(std::isnan(want), std::isnan(r[i]));
      if (std::isnan(want)) continue;
      EXPECT_FLOAT_EQ(want, r[i]);
      EXPECT_EQ(std::signbit(want), std::signbit(r[i]));
    }
    for (float exponent : {2.0f, 3.0f}) {  // the same, whatever stands beside it
      const std::vector<float> alone = powers(t, some, std::vector<float>(some.size(), exponent));
      for (size_t i = 0; i < some.size(); ++i) {
        const float beside = powers(t, {some[i], 7}, {exponent, 1.5f})[0];
        EXPECT_TRUE(alone[i] == beside || (std::isnan(alone[i]) && std::isnan(beside))) << some[i];
      }
    }
  });
}

TEST(Elementwise, exponentials_of_lines_of_any_length) {
  on_all_levels([](const cpu::Table& t) {
    for (int64_t n : {1, 3, 15, 16, 17, 31, 32, 40, 1000, 4095, 4097}) {
      constexpr int64_t kRows = 3;
      std::vector<float> x(static_cast<size_t>(kRows * n)), y(x.size()), z(x.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 257) * 0.31f - 40;
      t.f32.log_softmax(y.data(), x.data(), kRows, n);
      t.f32.softmax(z.data(), x.data(), nullptr, kRows, n);
      for (int64_t r = 0; r < kRows; ++r) {
        double sum = 0;
        const float *line = x.data() + r * n, most = *std::max_element(line, line + n);
        for (int64_t j = 0; j < n; ++j) sum += std::exp(static_cast<double>(line[j] - most));
        for (int64_t j = 0; j < n; ++j) {
          const double log = static_cast<double>(line[j] - most) - std::log(sum);
          const size_t at = static_cast<size_t>(r * n + j);
          EXPECT_NEAR(static_cast<double>(y[at]), log, 1e-6 * (1 + std::fabs(log))) << n;
          EXPECT_NEAR(static_cast<double>(z[at]), std::exp(log), 2e-6 * std::exp(log)) << n;
        }
      }
      t.f32.softmax(x.data(), x.data(), nullptr, kRows, n);  // in place
      EXPECT_EQ(x, z) << n;
    }
  });
}

}  // namespace
