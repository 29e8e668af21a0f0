// The safetensors format: the length of the header in 8 bytes, the header in JSON, the numbers of the tensors
// side by side. https://github.com/huggingface/safetensors
#include <cantik/safetensors.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/json_reader.h"
#include "tensor/lend.h"

namespace cantik {
namespace {

constexpr size_t kLength = 8;                       // bytes of the header's length
constexpr uint64_t kLongestHeader = 100'000'000;    // of the format's own reader
constexpr int64_t kMostOfEmpty = int64_t{1} << 60;  // bytes, but for an axis without a length
constexpr const char* kMetadata = "__metadata__";

struct ElementName {
  DType dtype;
  std::string_view name;
};
constexpr ElementName kElementNames[] = {{DType::float32, "F32"}, {DType::float64, "F64"},
                                         {DType::float16, "F16"}, {DType::int8, "I8"},
                                         {DType::int16, "I16"},   {DType::int32, "I32"}};
constexpr std::string_view kBrainFloat = "BF16";
struct OtherElement {
  std::string_view name;
  size_t bytes;
};
constexpr OtherElement kOthers[] = {{"BOOL", 1}, {"U8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
                                    {"U16", 2},  {"U32", 4}, {"U64", 8},     {"I64", 8}};

Error damaged(const std::string& why) { return runtime_error("the safetensors file is damaged: " + why); }

// What the header says of a tensor.
struct TensorEntry {
  std::string name, dtype;
  Shape shape;
  int64_t begin = -1, end = -1;
};

TensorEntry read_entry(JsonReader& json, std::string name) {
  TensorEntry e;
  e.name = std::move(name);
  std::set<std::string> seen;
  std::vector<int64_t> dims;
  json.object([&](const std::string& key) {
    if (!seen.insert(key).second) throw damaged(cat("'", e.name, "' has two entries ", key));
    if (key == "dtype") {
      e.dtype = json.string();
    } else if (key == "shape") {
      json.array([&] { dims.push_back(json.count()); });
    } else if (key == "data_offsets") {
      std::vector<int64_t> offsets;
      json.array([&] { offsets.push_back(json.count()); });
      if (offsets.size() != 2) throw damaged(cat("'", e.name, "' has ", offsets.size(), " data_offsets"));
      e.begin = offsets[0];
      e.end = offsets[1];
    } else {
      throw damaged(cat("'", e.name, "' has an entry ", key));
    }
  });
  if (seen.size() != 3) throw damaged(cat("'", e.name, "' lacks its dtype, shape or data_offsets"));
  e.shape = Shape(dims);
  return e;
}

std::vector<TensorEntry> read_header(std::string_view header, std::map<std::string, std::string>& metadata) {
  if (!is_utf8(header)) throw damaged("its header is not UTF-8");
  std::vector<TensorEntry> entries;
  std::set<std::string> names;
  JsonReader json(header);
  json.object([&](std::string name) {
    if (!names.insert(name).second) throw damaged(cat("two tensors have the name '", name, "'"));
    if (name == kMetadata)
      json.object([&](const std::string& key) { metadata[key] = json.string(); });
    else
      entries.push_back(read_entry(json, std::move(name)));
  });
  json.end();
  std::stable_sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return entries;
}

size_t size_of_element(const TensorEntry& e) {
  for (const ElementName& n : kElementNames)
    if (n.name == e.dtype) return size_of(n.dtype);
  if (e.dtype == kBrainFloat) return 2;
  for (const OtherElement& n : kOthers)
    if (n.name == e.dtype) return n.bytes;
  throw damaged(cat("'", e.name, "' has the unknown dtype '", e.dtype, "'"));
}

// The bytes of a tensor by its shape; nothing that can be addressed has more than the file.
int64_t bytes_of(const TensorEntry& e, int64_t most) {
  int64_t n = static_cast<int64_t>(size_of_element(e));
  const bool is_empty = std::any_of(e.shape.begin(), e.shape.end(), [](int64_t d) { return d == 0; });
  if (is_empty) most = kMostOfEmpty;
  for (int64_t d : e.shape) {
    if (d == 0) continue;
    if (d > most / n)
      throw damaged(cat("'", e.name, "' has the shape ", e.shape.text(), ", too large for the file"));
    n *= d;
  }
  return is_empty ? 0 : n;
}

bool is_other(const TensorEntry& e) {
  return std::any_of(std::begin(kOthers), std::end(kOthers),
                     [&](const OtherElement& n) { return n.name == e.dtype; });
}

OtherTensor other_of(const TensorEntry& e, const char* data) {
  const Shape shape{e.end - e.begin};
  OtherTensor t{.name = e.name, .dtype = e.dtype, .shape = e.shape};
  t.bytes = needed_for([&] { return cat("the tensor '", e.name, "'"); },
                       [&] { return Tensor(DType::int8, shape); });
  if (t.bytes.bytes() > 0) std::memcpy(t.bytes.raw(), data, t.bytes.bytes());
  return t;
}

Tensor tensor_of(const TensorEntry& e, const char* data, const std::shared_ptr<void>& owner) {
  const auto bytes = static_cast<size_t>(e.end - e.begin);
  auto made = [&](DType dtype) {
    return needed_for([&] { return cat("the tensor '", e.name, "'"); },
                      [&] { return Tensor(dtype, e.shape); });
  };
  if (e.dtype == kBrainFloat) {  // the upper half of a float32
    Tensor t = made(DType::float32);
    for (size_t i = 0; i < bytes / 2; ++i) {
      uint16_t half = 0;
      std::memcpy(&half, data + 2 * i, sizeof half);
      t.data<float>()[i] = std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
    }
    return t;
  }
  const auto* named = std::find_if(std::begin(kElementNames), std::end(kElementNames),
                                   [&](const ElementName& n) { return n.name == e.dtype; });
  if (Tensor t = lent(named->dtype, e.shape, {data, bytes}, owner); t.defined()) return t;
  Tensor t = made(named->dtype);
  if (bytes > 0) std::memcpy(t.raw(), data, bytes);
  return t;
}

std::string_view name_of_elements(const std::string& name, DType dtype) {
  for (const ElementName& n : kElementNames)
    if (n.dtype == dtype) return n.name;
  throw value_error(cat("the tensor '", name, "' has no element type"));
}

// The length and the header.
std::string header_of(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  std::string json = "{";
  if (!metadata.empty()) {
    json += cat(json_string(kMetadata), ":{");
    json += join(metadata, ",",
                 [](const auto& m) { return cat(json_string(m.first), ":", json_string(m.second)); });
    json += '}';
  }
  std::set<std::string> names{kMetadata};
  size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined() || tensor.is_sparse())
      throw value_error(cat("the tensor '", name, "' must be dense")).remedy("give its to_dense()");
    if (name.empty() || !names.insert(name).second)
      throw value_error(cat("each tensor needs a name of its own, and '", name, "' is none"));
    if (json.size() > 1) json += ',';
    json += cat(json_string(name), ":{\"dtype\":\"", name_of_elements(name, tensor.dtype()), "\",\"shape\":[",
                join(tensor.shape(), ",", [](int64_t d) { return std::to_string(d); }),
                "],\"data_offsets\":[", offset, ",", offset + tensor.bytes(), "]}");
    offset += tensor.bytes();
  }
  json += '}';
  json.resize((json.size() + kLength - 1) / kLength * kLength, ' ');  // the numbers are aligned
  const auto length = static_cast<uint64_t>(json.size());
  std::string result(kLength, '\0');
  std::memcpy(result.data(), &length, kLength);
  return result + json;
}

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

// With an `owner` of the bytes large tensors keep them.
Safetensors read_tensors(std::string_view bytes, const std::shared_ptr<void>& owner) {
  if (bytes.size() < kLength) throw damaged(cat("it has ", bytes.size(), " bytes"));
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLength);
  if (length > kLongestHeader || length > bytes.size() - kLength)
    throw damaged(cat("its header has ", length, " bytes, and the file ", bytes.size()));
  Safetensors result;
  const std::vector<TensorEntry> entries = read_header(bytes.substr(kLength, length), result.metadata);
  const std::string_view data = bytes.substr(kLength + length);
  const auto size = static_cast<int64_t>(data.size());
  int64_t at = 0;
  for (const TensorEntry& e : entries) {
    const int64_t needed = bytes_of(e, size);
    if (e.begin != at || e.end < e.begin || e.end > size || e.end - e.begin != needed)
      throw damaged(cat("the numbers of '", e.name, "' are said to lie from byte ", e.begin, " to ", e.end,
                        " and must begin at ", at, " and be ", needed, " bytes"));
    if (is_other(e))
      result.others.push_back(other_of(e, data.data() + at));
    else
      result.tensors.emplace_back(e.name, tensor_of(e, data.data() + at, owner));
    at = e.end;
  }
  if (at != size) throw damaged(cat(size - at, " bytes belong to no tensor"));
  return result;
}

}  // namespace

std::string safetensors_to_bytes(const NamedTensors& tensors,
                                 const std::map<std::string, std::string>& metadata) {
  std::string bytes = header_of(tensors, metadata);
  for (const auto& [name, tensor] : tensors)
    bytes.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
  return bytes;
}

Safetensors safetensors_from_bytes(std::string_view bytes) { return read_tensors(bytes, nullptr); }

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const std::map<std::string, std::string>& metadata) {
  const std::string header = header_of(tensors, metadata);
  FileWriter file(path);
  file.write(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) file.write(tensor.raw(), tensor.bytes());
  file.commit();
}

Safetensors load_safetensors(const std::string& path) {
  const Bytes bytes = read_file(path);
  try {
    return read_tensors(bytes.view(), bytes.data);
  } catch (const Error& e) {
    throw Error(e).line("file", path);
  }
}

}  // namespace cantik
