// Conversion between 16-bit and 32-bit floats (IEEE 754 binary16), round to nearest even.
#pragma once

#include <bit>
#include <cstdint>

#include <cantik/dtype.h>

namespace cantik {

inline float to_float(Half h) {
  uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16, exponent = (h.bits >> 10) & 31,
           mantissa = h.bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float tiny = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

inline Half to_half(float f) {
  uint32_t bits = std::bit_cast<uint32_t>(f), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (magnitude >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};
  if (magnitude < 0x38800000) {  // subnormal: let the addition round
    float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded) - 0x3f000000))};
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return {static_cast<uint16_t>(sign | ((magnitude + 0xc8000fffu + odd) >> 13))};
}

}  // namespace cantik
