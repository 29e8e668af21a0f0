// What is computed from whole arrays as the node of ONNX's that it was read from. Values have ONNX's element
// types there, and those of their holders here.
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/operator.h"
#include "graph/types.h"
#include "onnx/computed.h"
#include "onnx/numbers.h"
#include "onnx/writer.h"
#include "tensor/element_type.h"

namespace cantik::onnx {

bool OnnxWriter::write_computed(const Node& n) {
  const Computed* what = computed_of(*n.object);
  if (!what || what->written.op.empty()) return false;
  if (!what->written.domain.empty())
    use_set(what->written.domain, what->written.since);
  else if (what->written.since > options.version)
    throw unsupported(
        cat(what->written.op, " is like this in ONNX's operators from version ", what->written.since, " on"));
  const std::vector<Variable> operands = resolved_inputs(n);
  std::vector<int> in;
  size_t next = 0;
  for (int32_t element : what->elements) {
    if (element == kUndefined) {
      in.push_back(-1);
      continue;
    }
    const Variable& v = operands.at(next++);
    const int x = lookup(v, v.dtype());
    in.push_back(is_whole(element) ? cast(x, element) : x);
  }
  std::vector<int> made;
  if (what->written.op == "Size") {  // of an axis
    const int64_t axis = what->written.attributes.at(0).second.integer();
    const int all = node("Shape", "", in, {}, 1)[0];
    made = {node("Squeeze", "", {slice(all, axis, axis + 1), whole_numbers({1}, {0})}, {}, 1)[0]};
  } else if (what->written.op == "ConstantOfShape") {
    const Tensor number = Tensor::full(n.types[0].dtype, Shape(), what->written.number);
    made = node("Expand", "", {tensor(number, "number"), in.at(0)}, {}, 1);
    return keep(n, made), true;
  } else {
    std::vector<AttributeRecord> attributes;
    for (const auto& [name, value] : what->written.attributes)
      attributes.push_back(attribute(name, to_c(value)));
    for (const WrittenTensor& t : what->written.tensors) {
      AttributeRecord a;
      a.name = t.name;
      a.kind = AttributeRecord::Kind::tensor;
      TensorRecord& r = a.tensors.emplace_back();
      r.type = t.element;
      r.dims = t.dims;
      r.raw = t.bytes;  // lives as long as the function
      attributes.push_back(std::move(a));
    }
    made = node(what->written.op, what->written.domain, in, std::move(attributes),
                static_cast<int>(what->results.size()));
  }
  for (size_t i = 0; i < made.size(); ++i)
    if (is_whole(what->results[i].element)) made[i] = cast(made[i], element_of_dtype(n.types[i].dtype));
  keep(n, made);
  return true;
}

}  // namespace cantik::onnx
