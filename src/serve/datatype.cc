#include "serve/datatype.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <cantik/tensor.h>

#include "base/text.h"
#include "serve/request.h"

namespace cantik::serve {
namespace {

struct DatatypeEntry {
  std::string_view name;
  size_t size;
};
// In the order of the enumeration.
constexpr DatatypeEntry kEntries[] = {{"BOOL", 1}, {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8},
                                      {"INT8", 1}, {"INT16", 2}, {"INT32", 4},  {"INT64", 8},  {"FP16", 2},
                                      {"FP32", 4}, {"FP64", 8},  {"BF16", 2}};

const DatatypeEntry& entry(Datatype datatype) { return kEntries[static_cast<size_t>(datatype)]; }

template <class T>
T load(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

template <class T>
void store(T v, char* at) {
  std::memcpy(at, &v, sizeof v);
}

float bf16_to_float(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &wide, sizeof f);
  return f;
}

// Round to nearest even.
uint16_t float_to_bf16(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  if (std::isnan(f)) return static_cast<uint16_t>(bits >> 16 | 64);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t float_to_half(float f) {
  uint16_t half;
  copy_numbers(DType::float32, &f, DType::float16, &half, 1);
  return half;
}

// The largest whole number up to which a floating type holds all of them.
template <class To>
constexpr int64_t kWhole = int64_t{1} << std::numeric_limits<To>::digits;

// Whole numbers of type From as To: every one has to be held exactly.
template <class From, class To>
bool whole(const char* source, void* target, int64_t count) {
  To* to = static_cast<To*>(target);
  for (int64_t i = 0; i < count; ++i) {
    const From v = load<From>(source + i * static_cast<int64_t>(sizeof(From)));
    if constexpr (std::is_floating_point_v<To>) {
      if (std::cmp_greater(v, kWhole<To>) || std::cmp_less(v, -kWhole<To>)) return false;
    } else {
      if (!std::in_range<To>(v)) return false;
    }
    to[i] = static_cast<To>(v);
  }
  return true;
}

template <class From>
bool whole_to(DType to, const char* source, void* target, int64_t count) {
  switch (to) {
    case DType::float32: return whole<From, float>(source, target, count);
    case DType::float64: return whole<From, double>(source, target, count);
    case DType::int8: return whole<From, int8_t>(source, target, count);
    case DType::int16: return whole<From, int16_t>(source, target, count);
    case DType::int32: return whole<From, int32_t>(source, target, count);
    case DType::float16:
      for (int64_t i = 0; i < count; ++i) {
        const From v = load<From>(source + i * static_cast<int64_t>(sizeof(From)));
        if (std::cmp_greater(v, 2048) || std::cmp_less(v, -2048)) return false;
        static_cast<uint16_t*>(target)[i] = float_to_half(static_cast<float>(v));
      }
      return true;
    case DType::unknown: return false;
  }
  return false;
}

bool whole_from(Datatype from, const char* source, DType to, void* target, int64_t count) {
  switch (from) {
    case Datatype::boolean:
    case Datatype::uint8: return whole_to<uint8_t>(to, source, target, count);
    case Datatype::uint16: return whole_to<uint16_t>(to, source, target, count);
    case Datatype::uint32: return whole_to<uint32_t>(to, source, target, count);
    case Datatype::uint64: return whole_to<uint64_t>(to, source, target, count);
    case Datatype::int8: return whole_to<int8_t>(to, source, target, count);
    case Datatype::int16: return whole_to<int16_t>(to, source, target, count);
    case Datatype::int32: return whole_to<int32_t>(to, source, target, count);
    case Datatype::int64: return whole_to<int64_t>(to, source, target, count);
    default: return false;
  }
}

bool is_whole(Datatype d) { return d < Datatype::fp16; }

// A number of JSON as a whole number of type To.
template <class To, class From>
bool put_whole(From number, char* target) {
  if constexpr (std::is_floating_point_v<From>) {
    if (!(number >= -9007199254740992.0 && number <= 9007199254740992.0)) return false;
    if (number != std::floor(number)) return false;
    return put_whole<To>(static_cast<int64_t>(number), target);
  } else {
    if (!std::in_range<To>(number)) return false;
    store(static_cast<To>(number), target);
    return true;
  }
}

template <class From>
bool put(From number, Datatype datatype, char* target) {
  const double wide = static_cast<double>(number);
  switch (datatype) {
    case Datatype::boolean:
      if (number != From(0) && number != From(1)) return false;
      return put_whole<uint8_t>(number, target);
    case Datatype::uint8: return put_whole<uint8_t>(number, target);
    case Datatype::uint16: return put_whole<uint16_t>(number, target);
    case Datatype::uint32: return put_whole<uint32_t>(number, target);
    case Datatype::uint64: return put_whole<uint64_t>(number, target);
    case Datatype::int8: return put_whole<int8_t>(number, target);
    case Datatype::int16: return put_whole<int16_t>(number, target);
    case Datatype::int32: return put_whole<int32_t>(number, target);
    case Datatype::int64: return put_whole<int64_t>(number, target);
    case Datatype::fp64: store(wide, target); return true;
    case Datatype::fp16:
      if (std::abs(wide) >= 65520) return false;
      store(float_to_half(static_cast<float>(wide)), target);
      return true;
    case Datatype::fp32:
    case Datatype::bf16:
      if (std::abs(wide) > std::numeric_limits<float>::max()) return false;
      if (datatype == Datatype::fp32)
        store(static_cast<float>(wide), target);
      else
        store(float_to_bf16(static_cast<float>(wide)), target);
      return true;
  }
  return false;
}

}  // namespace

Datatype datatype_of(std::string_view name) {
  const auto* at = std::find_if(std::begin(kEntries), std::end(kEntries),
                                [&](const DatatypeEntry& e) { return e.name == name; });
  if (at != std::end(kEntries)) return static_cast<Datatype>(at - std::begin(kEntries));
  if (name == "BYTES")
    throw Refusal(kBadRequest, "models here have numbers only: the datatype BYTES is not among them");
  throw Refusal(kBadRequest,
                cat("'", name, "' is no datatype of the protocol: it has ",
                    join(kEntries, ", ", [](const DatatypeEntry& e) { return std::string(e.name); })));
}

std::string_view name_of(Datatype datatype) { return entry(datatype).name; }
size_t size_of(Datatype datatype) { return entry(datatype).size; }

Datatype datatype_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return Datatype::fp64;
    case DType::float16: return Datatype::fp16;
    case DType::int8: return Datatype::int8;
    case DType::int16: return Datatype::int16;
    case DType::int32: return Datatype::int32;
    case DType::float32:
    case DType::unknown: break;
  }
  return Datatype::fp32;
}

bool has_layout_of(Datatype datatype, DType dtype) { return datatype_of(dtype) == datatype; }

void convert(std::string_view name, Datatype from, const char* source, DType to, void* target,
             int64_t count) {
  if (has_layout_of(from, to)) {
    std::memcpy(target, source, static_cast<size_t>(count) * size_of(from));
    return;
  }
  const std::string both =
      cat("the input ", name, " is ", name_of(datatype_of(to)), " and ", name_of(from), " came");
  if (is_whole(from)) {
    if (!whole_from(from, source, to, target, count))
      throw Refusal(kBadRequest, both + ", with a number that it cannot hold exactly");
    return;
  }
  const bool wider = to == DType::float64 || (to == DType::float32 && from != Datatype::fp64);
  if (!wider) throw Refusal(kBadRequest, both + ": send " + std::string(name_of(datatype_of(to))));
  if (from == Datatype::bf16) {
    for (int64_t i = 0; i < count; ++i) {
      const float f = bf16_to_float(load<uint16_t>(source + 2 * i));
      if (to == DType::float32)
        static_cast<float*>(target)[i] = f;
      else
        static_cast<double*>(target)[i] = static_cast<double>(f);
    }
    return;
  }
  copy_numbers(from == Datatype::fp16 ? DType::float16 : DType::float32, source, to, target, count);
}

bool read_whole(Datatype from, const char* source, int32_t* target, int64_t count) {
  return whole_from(from, source, DType::int32, target, count);
}

bool put_number(double number, Datatype datatype, char* target) { return put(number, datatype, target); }
bool put_number(int64_t number, Datatype datatype, char* target) { return put(number, datatype, target); }
bool put_number(uint64_t number, Datatype datatype, char* target) { return put(number, datatype, target); }

}  // namespace cantik::serve
