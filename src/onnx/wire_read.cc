// Protobuf to records. Nothing in the bytes is believed before it has been checked against what is there.
#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/utf8.h"
#include "onnx/model.h"
#include "onnx/wire.h"
#include "tensor/lend.h"

namespace cantik::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr int kDeepest = 64;  // graphs in attributes of nodes of graphs
constexpr int64_t kWorkPerMessage = 200;

class OnnxDecoder {
 public:
  // What a file may cost: small ones a fixed sum, and each byte beyond that a few.
  // With bytes of the reader's own, large numbers are moved to where tensors can keep them.
  OnnxDecoder(size_t bytes, bool is_own) : left_((64u << 20) + 16 * uint64_t{bytes}), is_own_(is_own) {}

  ModelRecord model(pbf_reader m) {
    ModelRecord r;
    namespace f = field::model;
    while (m.next()) switch (m.tag()) {
        case f::kIr: r.ir_version = integer(m); break;
        case f::kProducer: r.producer = text(m); break;
        case f::kProducerVersion: r.producer_version = text(m); break;
        case f::kDomain: r.domain = text(m); break;
        case f::kVersion: r.model_version = integer(m); break;
        case f::kSets: r.operator_sets.push_back(set(message(m))); break;
        case f::kMetadata: r.metadata.push_back(entry(message(m))); break;
        case f::kFunctions: r.functions.push_back(function(message(m))); break;
        case f::kGraph:
          if (r.has_graph) refuse("there are two graphs");
          r.has_graph = true;
          r.graph = graph(message(m));
          break;
        default: m.skip();
      }
    return r;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) {
    throw runtime_error("the file is no model of ONNX's: " + why);
  }
  static void expect(const pbf_reader& m, pbf_wire_type type) {
    if (m.wire_type() != type) refuse(cat("field ", m.tag(), " has another type than it should have"));
  }
  void pay(uint64_t cost) {
    may_end(kWorkPerMessage);
    if (cost > left_) refuse("it would take far more memory than it has bytes");
    left_ -= cost;
  }
  pbf_reader message(pbf_reader& m) {
    expect(m, pbf_wire_type::length_delimited);
    pay(256);
    return m.get_message();
  }
  static std::string_view bytes(pbf_reader& m) {
    expect(m, pbf_wire_type::length_delimited);
    const auto v = m.get_view();
    return {v.data(), v.size()};
  }
  static std::string_view text(pbf_reader& m) {
    const std::string_view s = bytes(m);
    if (!is_utf8(s)) refuse("a text in it is not UTF-8");
    return s;
  }
  static int64_t integer(pbf_reader& m) {
    expect(m, pbf_wire_type::varint);
    return m.get_int64();
  }
  // A list of whole numbers, packed or one by one.
  void integers(pbf_reader& m, std::vector<int64_t>& to) {
    if (m.wire_type() == pbf_wire_type::varint) {
      pay(8);
      to.push_back(m.get_int64());
      return;
    }
    expect(m, pbf_wire_type::length_delimited);
    for (auto [at, end] = m.get_packed_int64(); at != end; ++at) {
      pay(8);
      to.push_back(*at);
    }
  }
  template <class T, class To>
  void reals(pbf_reader& m, std::vector<To>& to) {
    constexpr bool single = std::is_same_v<T, float>;
    pay(16);
    if (m.wire_type() == (single ? pbf_wire_type::fixed32 : pbf_wire_type::fixed64)) {
      if constexpr (single)
        to.push_back(static_cast<To>(m.get_float()));
      else
        to.push_back(static_cast<To>(m.get_double()));
      return;
    }
    expect(m, pbf_wire_type::length_delimited);
    const auto range = [&] {
      if constexpr (single)
        return m.get_packed_float();
      else
        return m.get_packed_double();
    }();
    const size_t count = static_cast<size_t>(range.end() - range.begin());
    pay(count * sizeof(To));
    to.reserve(to.size() + count);
    for (auto v : range) to.push_back(static_cast<To>(v));
  }

  std::pair<std::string_view, int64_t> set(pbf_reader m) {
    std::pair<std::string_view, int64_t> r{"", 0};
    while (m.next()) switch (m.tag()) {
        case field::set::kDomain: r.first = text(m); break;
        case field::set::kVersion: r.second = integer(m); break;
        default: m.skip();
      }
    return r;
  }
  std::pair<std::string_view, std::string_view> entry(pbf_reader m) {
    std::pair<std::string_view, std::string_view> r;
    while (m.next()) switch (m.tag()) {
        case field::entry::kKey: r.first = text(m); break;
        case field::entry::kValue: r.second = text(m); break;
        default: m.skip();
      }
    return r;
  }

  FileFunction function(pbf_reader m) {
    FileFunction r;
    namespace f = field::function;
    while (m.next()) switch (m.tag()) {
        case f::kName: r.name = text(m); break;
        case f::kDomain: r.domain = text(m); break;
        case f::kInput: r.inputs.push_back(text(m)); break;
        case f::kOutput: r.outputs.push_back(text(m)); break;
        case f::kNode: r.nodes.push_back(node(message(m))); break;
        case f::kSets: r.operator_sets.push_back(set(message(m))); break;
        case f::kDefaults: r.defaults.push_back(attribute(message(m))); break;
        default: m.skip();
      }
    return r;
  }

  GraphRecord graph(pbf_reader m) {
    if (++depth_ > kDeepest) refuse("graphs lie in one another too deeply");
    GraphRecord r;
    namespace f = field::graph;
    while (m.next()) switch (m.tag()) {
        case f::kName: r.name = text(m); break;
        case f::kNode: r.nodes.push_back(node(message(m))); break;
        case f::kInitializer: r.initializers.push_back(tensor(message(m))); break;
        case f::kInput: r.inputs.push_back(value(message(m))); break;
        case f::kOutput: r.outputs.push_back(value(message(m))); break;
        case f::kValue: r.values.push_back(value(message(m))); break;
        case f::kSparse: r.has_sparse = true, m.skip(); break;
        default: m.skip();
      }
    --depth_;
    drop_given_inputs(r);
    return r;
  }

  // Files before IR 4 list initializers among the inputs, those of the bodies of loops, too.
  static void drop_given_inputs(GraphRecord& r) {
    std::unordered_set<std::string_view> given;
    for (const TensorRecord& t : r.initializers) given.insert(t.name);
    if (!given.empty()) std::erase_if(r.inputs, [&](const ValueRecord& v) { return given.contains(v.name); });
  }

  NodeRecord node(pbf_reader m) {
    NodeRecord r;
    namespace f = field::node;
    while (m.next()) switch (m.tag()) {
        case f::kInput: pay(16), r.inputs.push_back(text(m)); break;
        case f::kOutput: pay(16), r.outputs.push_back(text(m)); break;
        case f::kName: r.name = text(m); break;
        case f::kOp: r.op = text(m); break;
        case f::kDomain: r.domain = text(m); break;
        case f::kAttribute: r.attributes.push_back(attribute(message(m))); break;
        default: m.skip();
      }
    if (r.domain == "ai.onnx") r.domain = "";
    return r;
  }

  AttributeRecord attribute(pbf_reader m) {
    using Kind = AttributeRecord::Kind;
    AttributeRecord r;
    namespace f = field::attribute;
    Kind seen = Kind::none;
    while (m.next()) switch (m.tag()) {
        case f::kName: r.name = text(m); break;
        case f::kReference: r.reference = text(m); break;
        case f::kReal:
          expect(m, pbf_wire_type::fixed32);
          r.real = m.get_float(), seen = Kind::real;
          break;
        case f::kInteger: r.integer = integer(m), seen = Kind::integer; break;
        case f::kText: r.text = bytes(m), seen = Kind::text; break;
        case f::kTensor: r.tensors.push_back(tensor(message(m))), seen = Kind::tensor; break;
        case f::kGraph: r.graphs.push_back(graph(message(m))), seen = Kind::graph; break;
        case f::kReals: reals<float>(m, r.reals), seen = Kind::reals; break;
        case f::kIntegers: integers(m, r.integers), seen = Kind::integers; break;
        case f::kTexts: pay(16), r.texts.push_back(bytes(m)), seen = Kind::texts; break;
        case f::kTensors:
        case f::kGraphs: seen = Kind::other, m.skip(); break;
        case f::kType: {
          const int64_t t = integer(m);
          r.kind = t >= 1 && t <= 8 ? static_cast<Kind>(t) : Kind::other;
          break;
        }
        default: m.skip();
      }
    if (r.kind == Kind::none) r.kind = seen;  // the first versions had no field for it
    // The texts of attributes are bytes to ONNX. Those that are no text are of a kind that is not read.
    if (!is_utf8(r.text) || !std::all_of(r.texts.begin(), r.texts.end(), is_utf8))
      r.kind = Kind::other, r.text = {}, r.texts.clear();
    const bool whole =
        (r.kind != Kind::tensor || r.tensors.size() == 1) && (r.kind != Kind::graph || r.graphs.size() == 1);
    if (!whole && r.reference.empty()) refuse(cat("the attribute ", r.name, " lacks its value"));
    return r;
  }

  TensorRecord tensor(pbf_reader m) {
    TensorRecord r;
    namespace f = field::tensor;
    while (m.next()) switch (m.tag()) {
        case f::kDims: integers(m, r.dims); break;
        case f::kType: r.type = static_cast<int32_t>(integer(m)); break;
        case f::kName: r.name = text(m); break;
        case f::kRaw: r.raw = is_own_ ? word_aligned(bytes(m)) : bytes(m); break;
        case f::kFloats: reals<float>(m, r.floats); break;
        case f::kDoubles: reals<double>(m, r.doubles); break;
        case f::kInt32s:
        case f::kInt64s:
        case f::kUint64s: integers(m, r.integers); break;
        case f::kStrings: r.has_strings = true, m.skip(); break;
        case f::kSegment: r.segmented = true, m.skip(); break;
        case f::kExternal: r.location.push_back(entry(message(m))); break;
        case f::kLocation: r.external = integer(m) == 1; break;
        default: m.skip();
      }
    return r;
  }

  ValueRecord value(pbf_reader m) {
    ValueRecord r;
    while (m.next()) switch (m.tag()) {
        case field::value::kName: r.name = text(m); break;
        case field::value::kType: type(message(m), r); break;
        default: m.skip();
      }
    return r;
  }
  void type(pbf_reader m, ValueRecord& r) {
    while (m.next()) {
      if (m.tag() != field::type::kTensor) {
        m.skip();
        continue;
      }
      r.is_tensor = true;
      pbf_reader t = message(m);
      while (t.next()) switch (t.tag()) {
          case field::tensor_type::kElement: r.type = static_cast<int32_t>(integer(t)); break;
          case field::tensor_type::kShape: {
            r.has_shape = true;
            pbf_reader s = message(t);
            while (s.next()) {
              if (s.tag() == field::shape::kDim)
                r.dims.push_back(dimension(message(s)));
              else
                s.skip();
            }
            break;
          }
          default: t.skip();
        }
    }
  }
  Dimension dimension(pbf_reader m) {
    Dimension d;
    while (m.next()) switch (m.tag()) {
        case field::dim::kSize: d.size = integer(m); break;
        case field::dim::kName: d.name = text(m); break;
        default: m.skip();
      }
    return d;
  }

  uint64_t left_;
  bool is_own_;
  int depth_ = 0;
};

}  // namespace

ModelRecord read_record(std::string_view bytes, bool is_own) {
  try {
    ModelRecord r = OnnxDecoder(bytes.size(), is_own).model(pbf_reader(bytes.data(), bytes.size()));
    if (!r.has_graph) throw runtime_error("the file is no model of ONNX's: it has no graph");
    return r;
  } catch (const protozero::exception& e) {
    throw runtime_error(cat("the file is no model of ONNX's, or it is damaged: ", e.what()))
        .remedy("export or copy the file again");
  }
}

// Both begin with field 1, a version: of ONNX's messages field 7, a graph, has a length; CNTK's dictionaries
// consist of fields 1, 2, 14 and 15 alone. What ends too early is known by the name of its producer.
bool is_model(std::string_view bytes) {
  bool has_producer = false;
  try {
    bool graph = false;
    for (pbf_reader m(bytes.data(), bytes.size()); m.next(); m.skip()) {
      if (m.tag() == 2 && m.wire_type() == pbf_wire_type::length_delimited) {
        // the producer's name, not an entry of a dictionary with its key
        const auto v = pbf_reader(m).get_view();
        if (v.size() > 1 && v.data()[0] == 0x0a) return false;
        has_producer = v.size() > 1 && std::all_of(v.data(), v.data() + v.size(),
                                                   [](char c) { return c >= 0x20 && c < 0x7f; });
      }
      graph = graph || (m.tag() == field::model::kGraph && m.wire_type() == pbf_wire_type::length_delimited);
    }
    return graph;
  } catch (const protozero::exception&) {
    return has_producer;
  }
}

std::string_view element_name(int32_t type) {
  switch (type) {
    case kFloat: return "float";
    case kUint8: return "uint8";
    case kInt8: return "int8";
    case kUint16: return "uint16";
    case kInt16: return "int16";
    case kInt32: return "int32";
    case kInt64: return "int64";
    case kString: return "string";
    case kBool: return "bool";
    case kFloat16: return "float16";
    case kDouble: return "double";
    case kUint32: return "uint32";
    case kUint64: return "uint64";
    case kBfloat16: return "bfloat16";
    case 14: return "complex64";
    case 15: return "complex128";
    case 17: return "float8e4m3fn";
    case 18: return "float8e4m3fnuz";
    case 19: return "float8e5m2";
    case 20: return "float8e5m2fnuz";
    case kUint4: return "uint4";
    case kInt4: return "int4";
    case 23: return "float4e2m1";
    case 24: return "float8e8m0";
    case kUint2: return "uint2";
    case kInt2: return "int2";
    default: return type == 0 ? "undefined" : "an unknown type";
  }
}

}  // namespace cantik::onnx
