// The distributions against Boost's, their order and offsets, and wrong parameters.
#include "tensor/random_vector.h"  // first: Boost is not to fuse products and sums either

#include "tensor/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_real_distribution.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "random_helpers.h"
#include "tensor/half.h"
#include "tensor/random_ziggurat.h"

namespace cantik {
namespace {

template <class T>
void expect_uniform_like_boost(const RandomStream& start, std::mt19937_64 engine, double low, double high) {
  RandomStream stream = start;
  boost::random::uniform_real_distribution<double> boost(static_cast<T>(low), static_cast<T>(high));
  std::vector<T> all(100000);
  std::span<T> rest = all;
  for (size_t part : {1, 10, 311, 1000}) {
    stream.uniform(rest.first(part), low, high);
    rest = rest.subspan(part);
  }
  stream.uniform(rest, low, high);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], static_cast<T>(boost(engine))) << i << " of " << low << ".." << high;
}

TEST(Uniform, IsBoosts) {
  for (auto [low, high] : {std::pair{0.0, 1.0},
                           {-0.3, 0.7},
                           {1e-3, 1e3},
                           {-1.0 / 3, 1.0 / 7},
                           {1.0, 1.0 + 0x1p-20},
                           {-1e-300, 1.0}}) {
    expect_uniform_like_boost<float>(RandomStream(5), std::mt19937_64(5), low, high);
    expect_uniform_like_boost<double>(RandomStream(5), std::mt19937_64(5), low, high);
  }
  // the range is too large for a double
  expect_uniform_like_boost<double>(RandomStream(5), std::mt19937_64(5), -1.7e308, 1.7e308);
}

// Words that round up to the end of the range are drawn again.
TEST(Uniform, ExcludesItsEnd) {
  uint64_t top = ~uint64_t{0};
  std::vector<uint64_t> state = state_of({top, 1, top - 1023, top - 1024, top - 500, top - 2000, 7});
  for (auto [low, high] : {std::pair{0.0, 1.0}, {1.0, 1.0 + 0x1p-20}, {-5.0, 1e10}}) {
    expect_uniform_like_boost<float>(RandomStream(engine_of(state)), standard_of(state), low, high);
    expect_uniform_like_boost<double>(RandomStream(engine_of(state)), standard_of(state), low, high);
  }
  std::vector<double> mask(3);
  RandomStream(engine_of(state)).dropout_mask<double>(mask, 0.5);
  EXPECT_EQ(mask, (std::vector<double>{0, 2, 2}));  // the second, fourth and sixth words
}

// Boost of today draws the tails, |x| > 3.44, in another way than CNTK's did; both begin with the same word.
TEST(Normal, IsBoostsExceptForTheTails) {
  using Table = boost::random::detail::normal_table<double>;
  for (int i = 0; i <= Ziggurat::kLayers; ++i) {
    ASSERT_EQ(normal_ziggurat().x[i], Table::table_x[i]) << i;
    ASSERT_EQ(normal_ziggurat().y[i], Table::table_y[i]) << i;
  }
  for (uint64_t seed : kSeeds) {
    boost::random::normal_distribution<double> boost;
    Mt19937_64 ours(seed), theirs(seed);
    int tails = 0;
    for (int i = 0; i < 200000; ++i) {
      double x = draw_normal(ours), y = boost(theirs);
      if (std::abs(x) < normal_ziggurat().x[1]) {
        ASSERT_EQ(x, y) << seed << ", number " << i;
      } else {
        ASSERT_EQ(std::signbit(x), std::signbit(y));
        ASSERT_GT(std::abs(y), normal_ziggurat().x[1]);
        theirs = ours;
        ++tails;
      }
    }
    EXPECT_NEAR(tails, 115, 50);  // 0.000576 of them
  }
}

TEST(Normal, FillsWithMeanAndDeviation) {
  Mt19937_64 engine(5);
  std::vector<float> x(10001);
  RandomStream stream(5);
  stream.normal<float>(x, 0.1, 0.3);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(x[i], static_cast<float>(draw_normal(engine) * 0.3f + 0.1f)) << i;
  draw_normal(engine);
  EXPECT_EQ(stream.engine()(), engine());  // the odd one made a pair
  EXPECT_EQ(stream.offset(), 10002u);
}

TEST(TruncatedNormal, DrawsAgain) {
  Mt19937_64 engine(5);
  std::vector<double> x(10000);
  RandomStream(5).truncated_normal<double>(x, 1, 0.5);
  for (double found : x) {
    double wanted;
    do wanted = draw_normal(engine) * 0.5 + 1;
    while (wanted < 0 || wanted > 2);
    ASSERT_EQ(found, wanted);
  }
}

template <class T>
void expect_masks(double rate) {
  boost::random::uniform_real_distribution<double> boost(0, 1);
  std::mt19937_64 engine(3);
  std::vector<T> mask(100000);
  RandomStream stream(3);
  stream.dropout_mask<T>(mask, rate);
  for (T m : mask)
    ASSERT_EQ(m, static_cast<T>(boost(engine)) > static_cast<T>(rate) ? static_cast<T>(1 / (1 - rate)) : 0)
        << rate;
  stream.bernoulli<T>(mask, rate);
  for (T m : mask) ASSERT_EQ(m, static_cast<T>(boost(engine)) > 1 - static_cast<T>(rate) ? 1 : 0) << rate;
  EXPECT_EQ(stream.offset(), 200000u);
}

TEST(Dropout, ComparesRoundedNumbers) {
  RandomStream first(3);
  double u;
  first.uniform(std::span(&u, 1), 0, 1);
  for (double rate :
       {0.1, 1.0 / 3, 0.5, 0.999, u, static_cast<double>(static_cast<float>(u)), std::nextafter(u, 0)}) {
    expect_masks<float>(rate);
    expect_masks<double>(rate);
  }
}

TEST(Dropout, DrawsNothingAtRateZero) {
  std::vector<Half> mask(5);
  RandomStream stream(3);
  stream.dropout_mask<Half>(mask, 0);
  EXPECT_EQ(stream.offset(), 0u);
  for (Half m : mask) EXPECT_EQ(to_float(m), 1);
}

// Two draws of n are one of 2n, where n is even or the numbers are not normal.
TEST(RandomStream, GoesOn) {
  auto both = [](auto draw, size_t n) {
    std::vector<float> one(2 * n), two(2 * n);
    RandomStream a(9), b(9);
    draw(a, std::span<float>(one));
    draw(b, std::span<float>(two).first(n));
    EXPECT_EQ(b.offset(), n);
    draw(b, std::span<float>(two).subspan(n));
    EXPECT_EQ(one, two);
    EXPECT_EQ(a.offset(), b.offset());
  };
  for (size_t n : {1, 311, 1001}) {
    both([](RandomStream& s, std::span<float> x) { s.uniform(x, -1, 1); }, n);
    both([](RandomStream& s, std::span<float> x) { s.gumbel(x, 0, 1); }, n);
    both([](RandomStream& s, std::span<float> x) { s.bernoulli(x, 0.3); }, n);
    both([](RandomStream& s, std::span<float> x) { s.dropout_mask(x, 0.3); }, n);
    both([](RandomStream& s, std::span<float> x) { s.normal(x, 0, 1); }, 2 * n);
  }
}

TEST(RandomStream, StartsAtAnOffset) {
  std::vector<float> all(1000), rest(300);
  RandomStream(9).uniform<float>(all, 0, 1);
  RandomStream later(9, 700);
  EXPECT_EQ(later.seed(), 9u);
  later.uniform<float>(rest, 0, 1);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 700));
  EXPECT_EQ(later.offset(), 1000u);
}

TEST(RandomStream, RefusesWrongUse) {
  std::vector<float> x(3);
  RandomStream s(1);
  auto fails = [](std::string_view text, auto f) { expect_error(ErrorKind::runtime, text, f); };
  fails("UniformRandom: low end of the range (0.3) must be < high end of the range (0.1)",
        [&] { s.uniform<float>(x, 0.3, 0.1); });
  fails("UniformRandom: low end of the range (1) must be < high end of the range (1)",
        [&] { s.uniform<float>(x, 1, 1 + 1e-10); });
  fails("NormalRandom: standard deviation (-0.001) must be non-negative",
        [&] { s.normal<float>(x, 0, -1e-3); });
  fails("NormalRandom: standard deviation (nan) must be non-negative",
        [&] { s.truncated_normal<float>(x, 0, std::nan("")); });
  fails("GumbelRandom: scale (-1) must be non-negative", [&] { s.gumbel<float>(x, 0, -1); });
  fails("BernoulliRandom: mean (1.25) must be between 0 and 1", [&] { s.bernoulli<float>(x, 1.25); });
  for (double rate : {-0.1, 1.0, 1.5})
    expect_error(ErrorKind::value, "dropout_rate must be in the interval [0,1)",
                 [&] { s.dropout_mask<float>(x, rate); });
  EXPECT_EQ(s.offset(), 0u);
}

}  // namespace
}  // namespace cantik
