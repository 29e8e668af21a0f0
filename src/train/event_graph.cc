#include "train/event_graph.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>
#include <string>
#include <vector>

namespace cantik {
namespace {

// Numbers of fields: tensorflow/core/framework/{graph,node_def,attr_value,tensor_shape,types}.proto.
enum GraphField : uint32_t { kNodes = 1 };
enum NodeDef : uint32_t { kName = 1, kOperator = 2, kInputs = 3, kAttributes = 5 };
enum Entry : uint32_t { kKey = 1, kValue = 2 };
enum AttributeValue : uint32_t { kList = 1, kType = 6, kShape = 7 };
enum TensorShape : uint32_t { kDimensions = 2, kSize = 1 };
enum DataType : int32_t { kFloat = 1, kDouble = 2, kInt32 = 3, kInt16 = 5, kInt8 = 6, kHalf = 19 };

int32_t type_number(DType t) {
  switch (t) {
    case DType::float64: return kDouble;
    case DType::float16: return kHalf;
    case DType::int32: return kInt32;
    case DType::int16: return kInt16;
    case DType::int8: return kInt8;
    default: return kFloat;
  }
}

class GraphWriter {
 public:
  explicit GraphWriter(std::string& out) : out_(out) {}

  void network(const Function& f) {
    for (const Variable& v : f.as_composite().root().outputs()) write(v, "", {});
  }

 private:
  // The placeholders of a block, and the nodes that they stand for.
  using Outside = std::map<std::string, std::string>;

  static std::string own_name(const Function& f) { return f.name().empty() ? f.uid() : f.name(); }
  // The variable inside of a block that is this result of it.
  static Variable inside_of(const Function& block, const Variable& v) {
    const std::vector<Variable> all = block.outputs();
    const size_t i = static_cast<size_t>(std::ranges::find(all, v) - all.begin());
    return block.block_composite().outputs()[i];
  }

  // The name of the node that makes the variable: of a block, the one inside.
  std::string name_of(const Variable& v, const std::string& scope, const Outside& outside) {
    if (const auto found = outside.find(v.uid()); found != outside.end()) return found->second;
    if (!v.is_output()) return named(v.uid(), scope + (v.name().empty() ? v.uid() : v.name()));
    const Function f = v.owner();
    if (!f.is_block()) return named(f.uid(), scope + own_name(f));
    const Variable inside = inside_of(f, v);
    for (const auto& [placeholder, given] : f.block_arguments())
      if (placeholder == inside) return name_of(given, scope, outside);
    return name_of(inside, scope + own_name(f) + "/", {});
  }
  std::string named(const std::string& uid, const std::string& wanted) {
    const auto [name, is_new] = names_.try_emplace(uid);
    if (is_new) name->second = unique(wanted);
    return name->second;
  }

  // Writes the nodes that lead to the variable, those of a block as a group.
  void write(const Variable& v, const std::string& scope, const Outside& outside) {
    if (outside.contains(v.uid())) return;
    const Function f = v.is_output() ? v.owner() : Function();
    if (!written_.insert(f ? f.uid() : v.uid()).second) return;
    if (!f) return node(name_of(v, scope, outside), kind_of(v), {}, v);
    if (f.is_block()) {
      Outside inside;
      for (const auto& [placeholder, given] : f.block_arguments()) {
        inside[placeholder.uid()] = name_of(given, scope, outside);
        write(given, scope, outside);
      }
      for (const Variable& out : f.block_composite().outputs()) write(out, scope + own_name(f) + "/", inside);
      return;
    }
    std::vector<std::string> inputs;
    for (const Variable& in : f.inputs()) inputs.push_back(name_of(in, scope, outside));
    node(name_of(v, scope, outside), f.op_name(), inputs, v);
    for (const Variable& in : f.inputs()) write(in, scope, outside);
  }

  static const char* kind_of(const Variable& leaf) {
    if (leaf.is_parameter()) return "Parameter";
    if (leaf.is_constant()) return "Constant";
    return leaf.is_placeholder() ? "Placeholder" : "Input";
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 1; !taken_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
    return name;
  }

  static void dimensions(protozero::pbf_writer& into, const Shape& s) {
    protozero::pbf_writer shape(into, kShape);
    for (int64_t n : s) {
      protozero::pbf_writer dimension(shape, kDimensions);
      dimension.add_int64(kSize, std::max<int64_t>(n, -1));
    }
  }
  template <class Fill>
  static void attribute(protozero::pbf_writer& node, const char* key, const Fill& fill) {
    protozero::pbf_writer entry(node, kAttributes);
    entry.add_string(kKey, key);
    protozero::pbf_writer value(entry, kValue);
    fill(value);
  }

  void node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
            const Variable& v) {
    protozero::pbf_writer graph(out_);
    protozero::pbf_writer n(graph, kNodes);
    n.add_string(kName, name);
    n.add_string(kOperator, op);
    for (const std::string& in : inputs) n.add_string(kInputs, in);
    const Shape shape = v.shape().is_known() ? v.shape() : Shape{};
    attribute(n, "shape", [&](protozero::pbf_writer& value) { dimensions(value, shape); });
    attribute(n, "_output_shapes", [&](protozero::pbf_writer& value) {
      protozero::pbf_writer list(value, kList);
      dimensions(list, shape);
    });
    attribute(n, "dtype",
              [&](protozero::pbf_writer& value) { value.add_int32(kType, type_number(v.dtype())); });
  }

  std::string& out_;
  std::map<std::string, std::string> names_;  // by the uid of a function or of a leaf
  std::set<std::string> taken_, written_;
};

}  // namespace

std::string graph_def_of(const Function& model) {
  std::string out;
  GraphWriter(out).network(model);
  return out;
}

}  // namespace cantik
