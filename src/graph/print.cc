// Texts of graphs: CNTK's printed forms, and descriptions for errors.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "graph/node.h"

namespace cantik {

std::string uid_of(const Node& n) {
  if (!n.uid.empty()) return n.uid;
  switch (n.kind) {
    case Node::Kind::input: return cat("Input", n.id);
    case Node::Kind::parameter: return cat("Parameter", n.id);
    case Node::Kind::constant: return cat("Constant", n.id);
    case Node::Kind::placeholder: return cat("Placeholder", n.id);
    case Node::Kind::function: break;
  }
  return cat(n.block ? "Block" : n.op->cntk_name(), n.id);
}

std::string display_name(const Variable& v) {
  if (!v.name().empty()) return v.name();
  return v.is_output()
             ? cat(v.node()->block ? v.node()->block->op_name : v.node()->op->name, "_", v.node()->id)
             : v.uid();
}

namespace {

// Of a block's argument: what the program gave for it.
Variable given_for(Variable v) {
  while (v.is_placeholder() && v.node()->bound) v = v.node()->bound;
  return v;
}

}  // namespace

std::string describe(const Node& n) {
  std::string s = n.name.empty() ? cat(n.block ? n.block->op_name : n.op->name, "_", n.id) : n.name;
  std::vector<Variable> in = n.block ? block_inputs(n) : resolved_inputs(n);
  for (size_t i = 0; i < in.size(); ++i) {
    const Variable v = given_for(in[i]);
    s += i ? ", " : ", inputs ";
    s += display_name(v) + " : " + v.type().text();
  }
  return s;
}

void rethrow_with(const Error& e, const Node& n) {
  if (e.has("node")) throw e;
  // The node and where it was made come before the remedy.
  std::string what = e.what(), remedy;
  if (size_t at = what.find("\n  remedy   "); at != std::string::npos) {
    remedy = what.substr(at + 12);
    what.resize(at);
  }
  throw Error(e.kind(), what).node(describe(n)).made_at(n.made_at.text()).remedy(remedy);
}

namespace {

// What the values of a type are, seen along its sequence axis, which a program may name before the batch
// axis.
std::string sequence_of(const Type& t, std::string item) {
  if (!t.axes.is_known()) return "Sequence[" + item + "]";
  for (int i = t.axes.size(); i-- > 0;)
    if (const Axis a = t.axes[i]; a.is_sequence())
      item = (a == Axis::sequence() ? "Sequence[" : "SequenceOver[" + a.name() + "][") + item + "]";
  return item;
}

// Tensor[3], Tensor[np.float64,3], SparseTensor[10], Sequence[Tensor[2]], SequenceOver[axis][Tensor[2]],
// np.float32 for a number, float where its type is not known, ParameterTensor[3] without a batch axis; tensor
// where the shape is not known. As in CNTK, only what is fed is told to be sparse.
std::string type_name(const Variable& v) {
  const Type& t = v.type();
  if (!t.shape.is_known()) return sequence_of(t, "tensor");
  if (t.shape.rank() == 0)
    return sequence_of(t, t.dtype == DType::unknown ? "float" : cat("np.", name_of(t.dtype)));
  std::string type =
      t.dtype == DType::unknown || t.dtype == DType::float32 ? "" : cat("np.", name_of(t.dtype), ",");
  bool alone = t.axes.is_known() && t.axes.empty();
  return sequence_of(t, (v.is_sparse() && !v.is_output() ? "SparseTensor["
                         : alone                         ? "ParameterTensor["
                                                         : "Tensor[") +
                            type + join(t.shape, ",", [](int64_t d) { return std::to_string(d); }) + "]");
}

// In CNTK an elementwise operator takes an operand without the result's sequence axis through an operator of
// its own, which repeats it.
bool is_repeated(const Function& f, const Variable& operand) {
  const Operator* op = f.node()->op;
  if (!op || op->expression.empty() || !operand.axes().is_known() || operand.axes().empty()) return false;
  const Axes axes = f.outputs()[0].axes();
  return axes.is_known() && operand.axes().size() < axes.size();
}

// As in CNTK: where the inputs of the network begin as those of its root do. What is behind the shorter of
// the two lists does not count.
bool prints_as_root(const Function& f) {
  if (f.outputs().empty()) return false;
  const Function root = f.root();
  const std::vector<Variable> whole = f.inputs(), own = root.inputs();
  for (size_t i = 0; i < std::min(whole.size(), own.size()); ++i)
    if (own[i] != whole[i] || is_repeated(root, own[i])) return false;
  return true;
}

}  // namespace

std::string Function::text() const {
  auto list = [](const std::vector<Variable>& v) {
    return join(v, ", ", [](const Variable& x) { return x.text(); });
  };
  std::vector<Variable> in;
  for (const Variable& v : inputs())
    if (!v.is_parameter() && !v.is_constant()) in.push_back(v);
  std::string head = is_composite() ? "Composite(" + root().op_name() + ")" : op_name();
  const std::vector<Variable> out = outputs();
  return head + ": " + list(in) + " -> " + (out.empty() ? "Unknown" : list(out));
}

std::string Function::signature() const {
  std::string head = "Composite";
  if (!is_composite() || prints_as_root(*this)) head = root().op_name();
  std::vector<Variable> args = arguments();
  std::string s = name().empty() ? "" : name() + ": ";
  s += head + "(";
  s += join(args, ", ",
            [&](const Variable& v) { return (v.name().empty() ? "" : v.name() + ": ") + type_name(v); });
  s += ") -> ";
  std::vector<Variable> outs = outputs();
  if (outs.size() == 1) return s + type_name(outs[0]);
  return s + "Tuple[" + join(outs, ", ", type_name) + "]";
}

}  // namespace cantik
