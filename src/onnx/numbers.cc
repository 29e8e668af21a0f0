#include "onnx/numbers.h"

#include <string_view>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <cantik/error.h>

#include "base/text.h"
#include "tensor/element_type.h"
#include "tensor/lend.h"

namespace cantik::onnx {

static_assert(std::endian::native == std::endian::little, "ONNX's files are little-endian");

int32_t element_of_dtype(DType dtype) {
  switch (dtype) {
    case DType::float32: return kFloat;
    case DType::float64: return kDouble;
    case DType::float16: return kFloat16;
    case DType::int8: return kInt8;
    case DType::int16: return kInt16;
    case DType::int32: return kInt32;
    case DType::unknown: break;
  }
  return kUndefined;
}

bool is_held_by_another(int32_t element, DType dtype) {
  const bool kept = (is_whole(element) && element < kBfloat16) || element == kBfloat16;
  return kept && dtype != DType::unknown && element_of_dtype(dtype) != element;
}

namespace {

[[noreturn]] void broken(const TensorRecord& r, const std::string& why) {
  throw runtime_error(cat("the tensor ", r.name, " is broken: ", why));
}

// Numbers of less than a byte lie side by side, the first one in the lowest bits; the last byte may be filled
// up.
uint64_t bytes_of(int32_t type, int64_t count) {
  return (static_cast<uint64_t>(count) * static_cast<uint64_t>(bits_of(type)) + 7) / 8;
}

// The bits of each number; of `raw`, or of the record's list of whole numbers, of which each is a number, or
// a byte of smaller ones.
std::vector<uint32_t> codes_of(const TensorRecord& r, std::string_view raw, int64_t n) {
  const int bits = bits_of(r.type);
  const auto count = static_cast<size_t>(n);
  if (raw.empty() && r.integers.size() != (bits < 8 ? bytes_of(r.type, n) : count))
    broken(r, cat("its numbers are not of ", element_name(r.type)));
  std::vector<uint32_t> codes(count);
  if (raw.empty() && bits >= 8) {
    for (size_t i = 0; i < count; ++i) codes[i] = static_cast<uint32_t>(r.integers[i]);
    return codes;
  }
  if (bits == 16) {
    for (size_t i = 0; i < count; ++i) {
      uint16_t code;
      std::memcpy(&code, raw.data() + 2 * i, 2);
      codes[i] = code;
    }
    return codes;
  }
  const size_t in_byte = static_cast<size_t>(8 / bits);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i / in_byte;
    const uint32_t byte =
        raw.empty() ? static_cast<uint32_t>(r.integers[at]) : static_cast<unsigned char>(raw[at]);
    codes[i] = byte >> (i % in_byte * static_cast<size_t>(bits)) & ((1u << bits) - 1);
  }
  return codes;
}

uint64_t number_in(const TensorRecord& r, std::string_view key, uint64_t otherwise) {
  for (const auto& [k, v] : r.location)
    if (k == key) {
      uint64_t n = 0;
      const auto [end, error] = std::from_chars(v.data(), v.data() + v.size(), n);
      if (error != std::errc() || end != v.data() + v.size()) broken(r, cat("its ", key, " is no number"));
      return n;
    }
  return otherwise;
}

// A file of the model's folder or below it, wherever links lead.
std::filesystem::path file_of(const TensorRecord& r, const ModelFolder& place) {
  namespace fs = std::filesystem;
  std::string_view name;
  for (const auto& [k, v] : r.location)
    if (k == "location") name = v;
  if (place.folder.empty())
    throw unsupported(cat("the numbers of the tensor ", r.name, " are in another file, ", name))
        .remedy("load the model from its file: bytes have no folder");
  if (name.empty()) broken(r, "it names no file");
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(place.folder, error);
  const fs::path given{std::string(name)};
  const fs::path file = given.is_absolute() ? fs::path() : fs::weakly_canonical(folder / given, error);
  const fs::path inside = file.lexically_relative(folder);
  if (error || given.is_absolute() || inside.empty() || *inside.begin() == "..")
    throw runtime_error(
        cat("the tensor ", r.name, " names the file ", name, ", which is not in the model's folder"))
        .remedy("put the file beside the model, or below its folder");
  if (!fs::is_regular_file(file, error)) broken(r, cat("there is no file ", name));
  return file;
}

// Where the bytes of a tensor are that lie in another file.
struct Elsewhere {
  std::filesystem::path file;
  uint64_t offset = 0;
};

// As many as its shape takes.
Elsewhere find_elsewhere(const TensorRecord& r, const ModelFolder& place, uint64_t wanted) {
  const std::filesystem::path file = file_of(r, place);
  const uint64_t offset = number_in(r, "offset", 0), length = number_in(r, "length", wanted);
  const uint64_t size = std::filesystem::file_size(file);
  if (length != wanted) broken(r, cat("its shape takes ", wanted, " bytes, and the file says ", length));
  if (offset > size || length > size - offset) broken(r, "the file of its numbers ends before them");
  return {file, offset};
}

void read_elsewhere(const TensorRecord& r, const Elsewhere& from, char* into, uint64_t bytes) {
  std::ifstream in(from.file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from.offset));
  if (!in.read(into, static_cast<std::streamsize>(bytes)))
    broken(r, "the file of its numbers cannot be read");
}

std::string bytes_elsewhere(const TensorRecord& r, const ModelFolder& place, uint64_t wanted) {
  const Elsewhere from = find_elsewhere(r, place, wanted);
  std::string bytes(wanted, '\0');
  read_elsewhere(r, from, bytes.data(), wanted);
  return bytes;
}

void check(const TensorRecord& r) {
  if (r.segmented) throw unsupported(cat("the tensor ", r.name, " comes in segments"));
  if (r.has_strings || r.type == kString) throw unsupported(cat("the tensor ", r.name, " holds texts"));
  if (!bits_of(r.type))
    throw unsupported(cat("the tensor ", r.name, " has elements of ", element_name(r.type)));
}

template <class T>
void spread(const void* from, int64_t n, std::vector<int64_t>& to) {
  const char* at = static_cast<const char*>(from);
  to.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i, at += sizeof(T)) {
    T v;
    std::memcpy(&v, at, sizeof v);
    to.push_back(static_cast<int64_t>(v));
  }
}

}  // namespace

Shape shape_of(const TensorRecord& r) {
  for (int64_t d : r.dims)
    if (d < 0) broken(r, cat("it has a negative size, ", d));
  if (r.dims.size() > 64) broken(r, "it has far too many axes");
  const Shape shape(r.dims);
  const int64_t n = shape.elements();
  if (n >= INT64_MAX / 64) broken(r, "its sizes are too large");
  if (r.external) return shape;
  const auto wanted = static_cast<int64_t>(bytes_of(r.type, n));
  if (!r.raw.empty()) {
    if (static_cast<int64_t>(r.raw.size()) != wanted)
      broken(r,
             cat("its shape ", shape.text(), " takes ", wanted, " bytes, and ", r.raw.size(), " are there"));
    return shape;
  }
  const int64_t listed = bits_of(r.type) < 8 ? wanted : n;
  const auto here = static_cast<int64_t>(r.floats.size() + r.doubles.size() + r.integers.size());
  if (here != listed)
    broken(r, cat("its shape ", shape.text(), " has ", n, " numbers, and ", here, " are there"));
  return shape;
}

Tensor tensor_of(const TensorRecord& r, const ModelFolder& place) {
  check(r);
  const DType dtype = holder_of(r.type);
  const Shape shape = shape_of(r);
  const int64_t n = shape.elements();
  const SmallFloat* const format = small_float(r.type);
  if (!format && r.external) {
    const Elsewhere from = find_elsewhere(r, place, bytes_of(r.type, n));
    Tensor t(dtype, shape);
    read_elsewhere(r, from, static_cast<char*>(t.raw()), t.bytes());
    return t;
  }
  if (!format && !r.raw.empty())
    if (Tensor t = lent(dtype, shape, r.raw, place.bytes); t.defined()) return t;
  std::string elsewhere;
  std::string_view raw = r.raw;
  if (r.external) raw = elsewhere = bytes_elsewhere(r, place, bytes_of(r.type, n));
  Tensor t(dtype, shape);
  if (n == 0) return t;
  const auto count = static_cast<size_t>(n);
  const bool has_codes = !raw.empty() || !r.integers.empty();
  if (format && has_codes) {
    const std::vector<uint32_t> codes = codes_of(r, raw, n);
    for (size_t i = 0; i < count; ++i) t.data<float>()[i] = static_cast<float>(format->number(codes[i]));
  } else if (!raw.empty()) {
    std::memcpy(t.raw(), raw.data(), raw.size());
  } else if (r.type == kFloat && r.floats.size() == count) {
    std::memcpy(t.raw(), r.floats.data(), count * sizeof(float));
  } else if (r.type == kDouble && r.doubles.size() == count) {
    std::memcpy(t.raw(), r.doubles.data(), count * sizeof(double));
  } else if (r.type == kFloat16 && r.integers.size() == count) {
    for (size_t i = 0; i < count; ++i) t.data<Half>()[i] = Half{static_cast<uint16_t>(r.integers[i])};
  } else {
    broken(r, cat("its numbers are not of ", element_name(r.type)));
  }
  return t;
}

KnownNumbers known_of(const TensorRecord& r, const ModelFolder& place) {
  check(r);
  KnownNumbers k;
  k.dims = r.dims;
  k.whole = is_whole(r.type);
  if (!k.whole) {
    const Tensor t = tensor_of(r, place);
    for (int64_t i = 0; i < t.elements(); ++i) k.reals.push_back(t.at(i));
    return k;
  }
  const int64_t n = shape_of(r).elements();
  std::string elsewhere;
  std::string_view raw = r.raw;
  if (r.external) raw = elsewhere = bytes_elsewhere(r, place, bytes_of(r.type, n));
  const int bits = bits_of(r.type);
  if (bits < 8) {
    for (uint32_t code : codes_of(r, raw, n))
      k.integers.push_back(has_sign(r.type) && code >> (bits - 1) ? int64_t{code} - (int64_t{1} << bits)
                                                                  : code);
    return k;
  }
  if (raw.empty()) {
    k.integers = r.integers;
    if (static_cast<int64_t>(k.integers.size()) != n)
      broken(r, cat("its numbers are not of ", element_name(r.type)));
    return k;
  }
  switch (r.type) {
    case kBool:
    case kUint8: spread<uint8_t>(raw.data(), n, k.integers); break;
    case kInt8: spread<int8_t>(raw.data(), n, k.integers); break;
    case kUint16: spread<uint16_t>(raw.data(), n, k.integers); break;
    case kInt16: spread<int16_t>(raw.data(), n, k.integers); break;
    case kInt32: spread<int32_t>(raw.data(), n, k.integers); break;
    case kUint32: spread<uint32_t>(raw.data(), n, k.integers); break;
    default: spread<int64_t>(raw.data(), n, k.integers); break;
  }
  return k;
}

}  // namespace cantik::onnx
