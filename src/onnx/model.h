// A model as ONNX's files hold it: what the messages say, with nothing believed yet. Texts and numbers point
// into the bytes that were read, or are owned by what is written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "tensor/element_type.h"

namespace cantik::onnx {

// "float", "int64": as ONNX spells it.
std::string_view element_name(int32_t type);

struct TensorRecord {
  std::string_view name;
  int32_t type = kUndefined;
  std::vector<int64_t> dims;
  std::string_view raw;  // little-endian, as in memory
  // Where there is no raw: one of these.
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
  bool has_strings = false, segmented = false;
  bool external = false;  // in another file
  std::vector<std::pair<std::string_view, std::string_view>> location;
};

// Who wrote a model, where its files have to be read otherwise than others.
constexpr std::string_view kCantik = "Cantik", kCntk = "CNTK";

// The first size of inputs and outputs of models that are written here.
constexpr std::string_view kBatchSize = "batch";

struct Dimension {
  int64_t size = -1;      // negative: none is given
  std::string_view name;  // of a size that each run chooses
};

struct ValueRecord {
  std::string_view name;
  int32_t type = kUndefined;
  bool is_tensor = false;
  bool has_shape = false;
  std::vector<Dimension> dims;
};

struct GraphRecord;

struct AttributeRecord {
  enum class Kind : int32_t {
    none = 0,
    real = 1,
    integer = 2,
    text = 3,
    tensor = 4,
    graph = 5,
    reals = 6,
    integers = 7,
    texts = 8,
    other = 9
  };
  std::string_view name;
  std::string_view reference;  // inside a function: the attribute of its call
  Kind kind = Kind::none;
  double real = 0;
  int64_t integer = 0;
  std::string_view text;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<std::string_view> texts;
  std::vector<TensorRecord> tensors;  // one, of a tensor
  std::vector<GraphRecord> graphs;    // one, of a graph
};

struct NodeRecord {
  std::string_view name, op, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<AttributeRecord> attributes;
  const AttributeRecord* find(std::string_view attribute) const {
    for (const AttributeRecord& a : attributes)
      if (a.name == attribute) return &a;
    return nullptr;
  }
};

struct GraphRecord {
  std::string_view name;
  std::string_view doc;  // written only
  std::vector<NodeRecord> nodes;
  std::vector<TensorRecord> initializers;
  std::vector<ValueRecord> inputs, outputs, values;
  bool has_sparse = false;
};

struct FileFunction {
  std::string_view name, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<NodeRecord> nodes;
  std::vector<AttributeRecord> defaults;
  std::vector<std::pair<std::string_view, int64_t>> operator_sets;
};

struct ModelRecord {
  int64_t ir_version = 0, model_version = 0;
  std::string_view producer, producer_version, domain;
  std::vector<std::pair<std::string_view, int64_t>> operator_sets;
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  std::vector<FileFunction> functions;
  GraphRecord graph;
  bool has_graph = false;
  // Texts and numbers that were made while the model was: what the views above point to.
  std::deque<std::string> owned;
  std::string_view own(std::string text) { return owned.emplace_back(std::move(text)); }
};

// What the bytes say. RuntimeError for anything malformed; memory stays within a multiple of the bytes.
ModelRecord read_record(std::string_view bytes, bool is_own = false);
// The message of a model.
void write_record(const ModelRecord& model, Sink& sink);
// Whether the bytes begin as a model of ONNX's does, and not as one of CNTK's.
bool is_model(std::string_view bytes);

// Attributes of one whole number, of a text, and of several numbers.
inline AttributeRecord number_attribute(std::string_view name, int64_t value) {
  AttributeRecord a;
  a.name = name;
  a.kind = AttributeRecord::Kind::integer;
  a.integer = value;
  return a;
}
inline AttributeRecord text_attribute(std::string_view name, std::string_view text) {
  AttributeRecord a;
  a.name = name;
  a.kind = AttributeRecord::Kind::text;
  a.text = text;
  return a;
}
inline AttributeRecord numbers_attribute(std::string_view name, std::vector<int64_t> values) {
  AttributeRecord a;
  a.name = name;
  a.kind = AttributeRecord::Kind::integers;
  a.integers = std::move(values);
  return a;
}

}  // namespace cantik::onnx
