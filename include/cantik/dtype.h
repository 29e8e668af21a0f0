// Element types. The numbers are those of CNTK's model files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cantik {

// The type of a tensor's elements.
enum class DType : uint8_t {
  unknown = 0,
  float32 = 1,
  float64 = 2,
  float16 = 4,
  int8 = 5,
  int16 = 6,
  int32 = 7
};

// A 16-bit float in storage; arithmetic happens in float.
struct Half {
  uint16_t bits;  // as IEEE 754 has them: sign, 5 of the exponent, 10 of the fraction
};

// The size of an element in bytes; 0 of DType::unknown.
constexpr size_t size_of(DType t) {
  switch (t) {
    case DType::float32: return 4;
    case DType::float64: return 8;
    case DType::float16: return 2;
    case DType::int8: return 1;
    case DType::int16: return 2;
    case DType::int32: return 4;
    case DType::unknown: return 0;
  }
  return 0;
}

// The name that NumPy has for the type: "float32".
constexpr std::string_view name_of(DType t) {
  switch (t) {
    case DType::float32: return "float32";
    case DType::float64: return "float64";
    case DType::float16: return "float16";
    case DType::int8: return "int8";
    case DType::int16: return "int16";
    case DType::int32: return "int32";
    case DType::unknown: return "unknown";
  }
  return "unknown";
}

// The element type of a C++ type; DType::unknown where tensors have none like it.
template <class T>
inline constexpr DType dtype_of = DType::unknown;
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;
template <>
inline constexpr DType dtype_of<Half> = DType::float16;
template <>
inline constexpr DType dtype_of<int8_t> = DType::int8;
template <>
inline constexpr DType dtype_of<int16_t> = DType::int16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::int32;

}  // namespace cantik
