#include "tensor/element_type.h"

#include <cmath>
#include <limits>

namespace cantik::onnx {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr SmallFloat kBfloat16Format{
    .exponent_bits = 8, .mantissa_bits = 7, .bias = 127, .greatest = 0x1.FEp127, .has_infinity = true},
    kE4M3FN{.exponent_bits = 4, .mantissa_bits = 3, .bias = 7, .greatest = 448},
    kE4M3FNUZ{.exponent_bits = 4, .mantissa_bits = 3, .bias = 8, .greatest = 240, .has_negative_zero = false},
    kE5M2{.exponent_bits = 5, .mantissa_bits = 2, .bias = 15, .greatest = 57344, .has_infinity = true},
    kE5M2FNUZ{
        .exponent_bits = 5, .mantissa_bits = 2, .bias = 16, .greatest = 57344, .has_negative_zero = false},
    kE2M1{.exponent_bits = 2, .mantissa_bits = 1, .bias = 1, .greatest = 6, .has_nan = false},
    kE8M0{.exponent_bits = 8,
          .mantissa_bits = 0,
          .bias = 127,
          .greatest = 0x1p127,
          .has_sign = false,
          .has_zero = false};

// The whole number that x is rounded to, x >= 0.
double whole(double x, SmallFloat::Rounding rounding) {
  switch (rounding) {
    case SmallFloat::Rounding::up: return std::ceil(x);
    case SmallFloat::Rounding::down: return std::floor(x);
    case SmallFloat::Rounding::nearest: break;
  }
  const double below = std::floor(x), rest = x - below;
  return rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0) ? below + 1 : below;
}

}  // namespace

double SmallFloat::number(uint32_t bits) const {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const bool negative = has_sign && (bits >> (mantissa_bits + exponent_bits) & 1) != 0;
  if (!has_negative_zero && negative && mantissa == 0 && exponent == 0) return kNaN;
  const auto e = static_cast<int>(exponent);
  double x = 0;
  if (e == 0 && has_zero)
    x = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  else
    x = std::ldexp(mantissa + (1u << mantissa_bits), e - bias - mantissa_bits);
  if (x > greatest) x = has_infinity && mantissa == 0 ? kInfinity : kNaN;
  return negative ? -x : x;
}

double SmallFloat::rounded(double x, bool saturate, Rounding rounding) const {
  if (std::isnan(x)) return has_nan ? x : -0.0;  // the bits of the sign alone
  const bool negative = std::signbit(x);
  if (!has_sign && negative && x != 0) return kNaN;
  double size = std::fabs(x);
  if (std::isfinite(size)) {
    int exponent = 0;
    std::frexp(size, &exponent);  // size = [0.5, 1) 2^exponent
    const int least = has_zero ? 1 - bias : -bias;
    const int unit = (size == 0 || exponent - 1 < least ? least : exponent - 1) - mantissa_bits;
    size = std::ldexp(whole(std::ldexp(size, -unit), rounding), unit);
    if (!has_zero && size == 0) size = std::ldexp(1.0, -bias);
  }
  if (size > greatest) size = saturate ? greatest : has_infinity ? kInfinity : kNaN;
  if (size == 0) return has_negative_zero && negative ? -0.0 : 0.0;
  return negative ? -size : size;
}

const SmallFloat* small_float(int64_t element) {
  switch (element) {
    case kBfloat16: return &kBfloat16Format;
    case kFloat8E4M3FN: return &kE4M3FN;
    case kFloat8E4M3FNUZ: return &kE4M3FNUZ;
    case kFloat8E5M2: return &kE5M2;
    case kFloat8E5M2FNUZ: return &kE5M2FNUZ;
    case kFloat4E2M1: return &kE2M1;
    case kFloat8E8M0: return &kE8M0;
    default: return nullptr;
  }
}

bool is_whole(int64_t element) {
  switch (element) {
    case kUint8:
    case kUint16:
    case kUint32:
    case kUint64:
    case kUint4:
    case kUint2:
    case kBool: return true;
    default: return has_sign(element);
  }
}

bool has_sign(int64_t element) {
  switch (element) {
    case kInt8:
    case kInt16:
    case kInt32:
    case kInt64:
    case kInt4:
    case kInt2: return true;
    default: return false;
  }
}

int bits_of(int64_t element) {
  switch (element) {
    case kUint2:
    case kInt2: return 2;
    case kUint4:
    case kInt4: return 4;
    case kUint8:
    case kInt8:
    case kBool: return 8;
    case kUint16:
    case kInt16:
    case kFloat16: return 16;
    case kFloat:
    case kInt32:
    case kUint32: return 32;
    case kDouble:
    case kInt64:
    case kUint64: return 64;
    default: {
      const SmallFloat* f = small_float(element);
      return f ? f->bits() : 0;
    }
  }
}

DType holder_of(int64_t element) {
  switch (element) {
    case kDouble:
    case kInt32:
    case kInt64:
    case kUint32:
    case kUint64: return DType::float64;
    case kFloat16: return DType::float16;
    default:
      return element == kFloat || is_whole(element) || small_float(element) ? DType::float32 : DType::unknown;
  }
}

}  // namespace cantik::onnx
