// Records to protobuf. A message's size stands in front of it: sizes first, then the bytes in one stream, so
// that large weights are never in memory twice.
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/interrupt.h"
#include "onnx/model.h"
#include "onnx/wire.h"

namespace cantik::onnx {
namespace {

using protozero::pbf_wire_type;

// Goes through a model twice: the first time sizes of messages are found in the order in which they are
// closed, the second time they are written.
class OnnxEncoder {
 public:
  void put(const ModelRecord& r) {
    namespace f = field::model;
    number(f::kIr, r.ir_version);
    text(f::kProducer, r.producer);
    text(f::kProducerVersion, r.producer_version);
    text(f::kDomain, r.domain);
    if (r.model_version) number(f::kVersion, r.model_version);
    message(f::kGraph, [&] { put(r.graph); });
    for (const auto& [domain, version] : r.operator_sets)
      message(f::kSets, [&, d = domain, v = version] {
        text(field::set::kDomain, d);
        number(field::set::kVersion, v);
      });
    for (const auto& [key, value] : r.metadata)
      message(f::kMetadata, [&, k = key, v = value] {
        text(field::entry::kKey, k);
        text(field::entry::kValue, v);
      });
  }

  void write(const ModelRecord& r, Sink& sink) {
    put(r);
    sink_ = &sink;
    next_ = 0;
    put(r);
  }

 private:
  void put(const GraphRecord& r) {
    namespace f = field::graph;
    for (const NodeRecord& n : r.nodes) message(f::kNode, [&] { put(n); });
    text(f::kName, r.name);
    text(f::kDoc, r.doc);
    for (const TensorRecord& t : r.initializers) message(f::kInitializer, [&] { put(t); });
    for (const ValueRecord& v : r.inputs) message(f::kInput, [&] { put(v); });
    for (const ValueRecord& v : r.outputs) message(f::kOutput, [&] { put(v); });
    for (const ValueRecord& v : r.values) message(f::kValue, [&] { put(v); });
  }
  void put(const NodeRecord& r) {
    namespace f = field::node;
    may_end(200);
    for (std::string_view s : r.inputs) bytes(f::kInput, s);
    for (std::string_view s : r.outputs) bytes(f::kOutput, s);
    text(f::kName, r.name);
    text(f::kOp, r.op);
    for (const AttributeRecord& a : r.attributes) message(f::kAttribute, [&] { put(a); });
    text(f::kDomain, r.domain);
  }
  void put(const AttributeRecord& r) {
    using Kind = AttributeRecord::Kind;
    namespace f = field::attribute;
    text(f::kName, r.name);
    switch (r.kind) {
      case Kind::real: single(f::kReal, static_cast<float>(r.real)); break;
      case Kind::integer: number(f::kInteger, r.integer); break;
      case Kind::text: bytes(f::kText, r.text); break;
      case Kind::tensor: message(f::kTensor, [&] { put(r.tensors[0]); }); break;
      case Kind::graph: message(f::kGraph, [&] { put(r.graphs[0]); }); break;
      case Kind::reals:
        for (double v : r.reals) single(f::kReals, static_cast<float>(v));
        break;
      case Kind::integers:
        for (int64_t v : r.integers) number(f::kIntegers, v);
        break;
      case Kind::texts:
        for (std::string_view s : r.texts) bytes(f::kTexts, s);
        break;
      default: break;
    }
    number(f::kType, static_cast<int64_t>(r.kind));
  }
  void put(const TensorRecord& r) {
    namespace f = field::tensor;
    for (int64_t d : r.dims) number(f::kDims, d);
    number(f::kType, r.type);
    text(f::kName, r.name);
    if (r.external) {
      for (const auto& [key, value] : r.location)
        message(f::kExternal, [&, k = key, v = value] {
          text(field::entry::kKey, k);
          text(field::entry::kValue, v);
        });
      number(f::kLocation, 1);
    } else {
      bytes(f::kRaw, r.raw);
    }
  }
  void put(const ValueRecord& r) {
    text(field::value::kName, r.name);
    message(field::value::kType, [&] {
      message(field::type::kTensor, [&] {
        number(field::tensor_type::kElement, r.type);
        if (!r.has_shape) return;
        message(field::tensor_type::kShape, [&] {
          for (const Dimension& d : r.dims)
            message(field::shape::kDim, [&] {
              if (d.size >= 0)
                number(field::dim::kSize, d.size);
              else
                text(field::dim::kName, d.name);
            });
        });
      });
    });
  }

  // ---- fields
  template <class F>
  void message(uint32_t f, F&& content) {
    const size_t at = next_++;
    if (sink_) {
      head(f, sizes_[at]);
      content();
      return;
    }
    sizes_.push_back(0);
    const uint64_t before = size_;
    size_ = 0;
    content();
    sizes_[at] = size_;
    size_ += before;
    head(f, sizes_[at]);
  }
  void text(uint32_t f, std::string_view s) {
    if (!s.empty()) bytes(f, s);
  }
  void bytes(uint32_t f, std::string_view s) {
    head(f, s.size());
    raw(s.data(), s.size());
  }
  void number(uint32_t f, int64_t v) {
    tag(f, pbf_wire_type::varint);
    varint(static_cast<uint64_t>(v));
  }
  void single(uint32_t f, float v) {
    tag(f, pbf_wire_type::fixed32);
    raw(&v, sizeof v);
  }
  void head(uint32_t f, uint64_t size) {
    tag(f, pbf_wire_type::length_delimited);
    varint(size);
  }
  void tag(uint32_t f, pbf_wire_type type) { varint((uint64_t{f} << 3) | static_cast<uint32_t>(type)); }
  void varint(uint64_t v) {
    char buffer[protozero::max_varint_length];
    raw(buffer, static_cast<size_t>(protozero::add_varint_to_buffer(buffer, v)));
  }
  void raw(const void* data, size_t count) {
    if (sink_)
      sink_->write(data, count);
    else
      size_ += count;
  }

  Sink* sink_ = nullptr;
  uint64_t size_ = 0;  // of the message that is open
  std::vector<uint64_t> sizes_;
  size_t next_ = 0;
};

}  // namespace

void write_record(const ModelRecord& model, Sink& sink) { OnnxEncoder().write(model, sink); }

}  // namespace cantik::onnx
