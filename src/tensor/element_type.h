// The element types of ONNX's files, by their numbers there, and the type of ours that holds their numbers.
// Real numbers of 4 to 16 bits: which ones there are, and the nearest one of any number.
//
// Formats: IEEE's bfloat16; "FP8 Formats for Deep Learning" (Micikevicius et al., 2022) for E4M3FN and E5M2;
// "8-bit Numerical Formats for Deep Neural Networks" (Noune et al., 2022) for those with UZ; the OCP
// Microscaling specification 1.0 for E2M1 and E8M0.
#pragma once

#include <cstdint>

#include <cantik/dtype.h>

namespace cantik::onnx {

// Element types of ONNX.
enum ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26
};
// Whether its numbers are whole ones, or truth values.
bool is_whole(int64_t element);
// Whether whole numbers of the type may be negative.
bool has_sign(int64_t element);
// How many bits a number takes in a file; 0 of types that are not read.
int bits_of(int64_t element);
// The type that holds all numbers of an element type: float32 also of real numbers of 4 to 16 bits but
// float16, of truth values and of whole numbers of up to 16 bits; float64 of whole numbers of 32 and 64 bits,
// exactly up to 2^53. DType::unknown of others.
DType holder_of(int64_t element);

// A format is a sign, an exponent and a mantissa, in this order.
struct SmallFloat {
  int exponent_bits = 0, mantissa_bits = 0, bias = 0;
  double greatest = 0;  // the greatest finite number
  bool has_sign = true;
  bool has_negative_zero = true;  // without: its bits stand for "not a number"
  bool has_infinity = false, has_nan = true, has_zero = true;

  int bits() const { return (has_sign ? 1 : 0) + exponent_bits + mantissa_bits; }
  // The number of these bits.
  double number(uint32_t bits) const;
  // Where numbers are rounded to.
  enum class Rounding : uint8_t { nearest, up, down };  // ties go to an even mantissa; up: away from 0
  // The nearest number of the format. What lies beyond the greatest one becomes the greatest one where
  // `saturate`, else infinite, or not a number where there is no infinity.
  double rounded(double x, bool saturate, Rounding rounding = Rounding::nearest) const;
};

// The format of an element type; null of types that are no such format.
const SmallFloat* small_float(int64_t element);

}  // namespace cantik::onnx
