// Numbers of CNTK's text format: [+-] digits [. [digits]] [e [+-] digits]. Exactly rounded.
//
// The quick way is W. Clinger's (How to read floating point numbers accurately, PLDI 1990): an integer below
// 2^53 and a power of ten up to 10^22 are exact, so one operation rounds once. Digits are read eight at a
// time (D. Lemire, Number parsing at a gigabyte per second, 2021).
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace cantik {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
inline constexpr int kDigitsAtOnce = 8;  // so many bytes behind a text can be read

// The digits at p, eight at most: how many, and their number. Without a branch, as nobody foresees how many.
struct Digits {
  int count;
  uint64_t number;
};
inline Digits digits_at(const char* p) {
  uint64_t x;
  std::memcpy(&x, p, sizeof x);
  x ^= 0x3030303030303030;
  const uint64_t others = (((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080;
  const int count = std::countr_zero(others) / 8;
  x <<= (64 - 8 * count) % 64;  // the last digit is the highest byte; of no digit the number is of no account
  x = (x * 2561 >> 8) & 0x00ff00ff00ff00ff;
  x = (x * 6553601 >> 16) & 0x0000ffff0000ffff;
  return {count, x * 42949672960001 >> 32};
}

// Digits from p on, which go on with the number `all`. At most 19 digits make one that fits.
inline uint64_t read_digits(const char*& p, uint64_t all) {
  static constexpr uint64_t kPower[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  for (Digits d{kDigitsAtOnce, 0}; d.count == kDigitsAtOnce;) {
    d = digits_at(p);
    if (d.count == 0) break;
    all = all * kPower[d.count] + d.number;
    p += d.count;
  }
  return all;
}

// What the quick way cannot: many digits, large exponents. Beyond the largest number lies infinity, as CNTK
// has it.
// The number is below 10^power.
[[gnu::noinline, gnu::cold]] inline double slow_number(const char* begin, const char* end, int64_t power) {
  double x = 0;
  if (std::from_chars(begin, end, x).ec == std::errc::result_out_of_range) {
    for (const char* p = begin; *p == '0' || *p == '.'; ++p) power -= *p == '0';
    x = power > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  return x;
}

// From p on; behind the text stands a character that is in no number, and kDigitsAtOnce bytes can be read.
// False: no number, and p is where it ends to be one. Where the next number begins is all that numbers wait
// for: inlined, p stays in a register from one to the next.
[[gnu::always_inline]] inline bool read_number(const char*& p, float& out) {
  static constexpr double kPower[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = *p == '-';  // nobody foresees it: no branches
  p += static_cast<int>(negative) | static_cast<int>(*p == '+');
  const char* begin = p;
  uint64_t m = 0;  // there are few digits in front of the point, and many behind it
  while (is_digit(*p)) m = m * 10 + static_cast<uint64_t>(*p++ - '0');
  int64_t digits = p - begin, exponent = 0;
  if (digits == 0) return false;
  if (*p == '.') {
    const char* point = p++;
    m = read_digits(p, m);
    exponent = point + 1 - p;
    digits -= exponent;
  }
  if ((*p | 32) == 'e') {
    bool down = *++p == '-';
    p += down || *p == '+';
    if (!is_digit(*p)) return false;
    int64_t e = 0;
    while (is_digit(*p)) e = e < 1000000 ? e * 10 + (*p - '0') : e, ++p;
    exponent += down ? -e : e;
  }
  double x;
  if (digits <= 19 && m <= uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    x = static_cast<double>(m);
    x = exponent < 0 ? x / kPower[-exponent] : x * kPower[exponent];
  } else {
    x = slow_number(begin, p, digits + exponent);
  }
  out = static_cast<float>(std::bit_cast<double>(std::bit_cast<uint64_t>(x) | uint64_t{negative} << 63));
  return true;
}

// An index; kDigitsAtOnce bytes can be read. False: no digit here, or beyond 64 bits.
inline bool read_integer(const char*& p, uint64_t& out) {
  if (const Digits d = digits_at(p); d.count < kDigitsAtOnce) {
    p += d.count;
    out = d.number;
    return d.count > 0;
  }
  uint64_t n = 0;
  for (; is_digit(*p); ++p) {
    uint64_t d = static_cast<uint64_t>(*p - '0');
    if (n > (UINT64_MAX - d) / 10) return false;
    n = n * 10 + d;
  }
  out = n;
  return true;
}

}  // namespace cantik
