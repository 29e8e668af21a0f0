// Probabilities of many steps in a row, which no double holds: m 2^e, m from 1 to 2. Sums and products take a
// few instructions, where logarithms would take two functions for each sum.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cantik {

class AnySize {
 public:
  AnySize() = default;  // 0
  // x: 0, or a normal number above it.
  explicit AnySize(double x) {
    if (x > 0) m_ = x, e_ = 0, normalize();
  }
  static AnySize exp(double x) {
    constexpr double kLog2E = 1.4426950408889634;
    if (std::isnan(x)) return none(x);
    const double twos = std::floor(x * kLog2E);
    if (!(twos > static_cast<double>(kZero))) return AnySize();  // x is -inf
    AnySize y(std::exp2(x * kLog2E - twos));
    y.e_ += static_cast<int64_t>(twos);
    return y;
  }

  bool is_zero() const { return m_ == 0; }

  friend AnySize operator*(AnySize a, AnySize b) {
    AnySize y;
    y.m_ = a.m_ * b.m_;
    y.e_ = y.m_ == 0 ? kZero : a.e_ + b.e_;
    y.halve();
    return y;
  }
  friend AnySize operator+(AnySize a, AnySize b) {
    AnySize y;
    y.e_ = std::max(a.e_, b.e_);
    y.m_ = a.m_ * power(std::max(a.e_ - y.e_, kLeast)) + b.m_ * power(std::max(b.e_ - y.e_, kLeast));
    y.halve();
    return y;
  }
  friend double ratio(AnySize a, AnySize b) {
    const int64_t e = a.e_ - b.e_;
    return a.m_ / b.m_ * power(std::max(e, kLeast));
  }
  friend double log(AnySize a) {
    constexpr double kLog2 = 0.6931471805599453;
    return a.is_zero() ? -std::numeric_limits<double>::infinity()
                       : std::log(a.m_) + static_cast<double>(a.e_) * kLog2;
  }

 private:
  // Larger than all, so that sums keep it.
  static AnySize none(double nan) {
    AnySize y;
    y.m_ = nan;
    y.e_ = -kZero;
    return y;
  }
  static constexpr int64_t kZero = -(int64_t{1} << 40);
  static constexpr int64_t kLeast = -1000;  // a power of two that is a normal number, and nothing beside 1

  static double power(int64_t e) { return std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52); }
  void normalize() {
    const uint64_t bits = std::bit_cast<uint64_t>(m_);
    e_ = static_cast<int64_t>(bits >> 52) - 1023;
    m_ = std::bit_cast<double>((bits & 0xfffffffffffff) | (uint64_t{1023} << 52));
  }
  // m below 4
  void halve() {
    const bool large = m_ >= 2;
    m_ = large ? 0.5 * m_ : m_;
    e_ += large;
  }

  double m_ = 0;
  int64_t e_ = kZero;
};

}  // namespace cantik
