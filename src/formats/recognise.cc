// Blocks in files that are one of our operators: by what is inside them, never by their name alone.
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "formats/attributes.h"
#include "formats/foreign.h"
#include "formats/model.h"
#include "graph/compose.h"

namespace cantik {
namespace {

// Two graphs side by side, from their roots to the placeholders of their arguments.
class Comparison {
 public:
  void place(const Variable& a, const Variable& b) { same_[a.node().get()] = b.node().get(); }

  bool values(const Variable& a, const Variable& b) {
    Variable x = resolved(a), y = resolved(b);
    if (is_spread(x) && !is_spread(y)) x = resolved(x.node()->inputs[0]);
    if (x.index() != y.index() || x.node()->kind != y.node()->kind) return false;
    auto known = same_.find(x.node().get());
    if (known != same_.end()) return known->second == y.node().get();
    if (++steps_ > kMost) return false;
    if (x.is_output()) return functions(*x.node(), *y.node());
    return x.node() == y.node() || (x.is_constant() && constants(x, y));
  }

  bool functions(const Node& a, const Node& b) {
    same_[&a] = &b;  // a loop comes back here
    if (!a.block != !b.block) return false;
    if (a.block) return blocks(a, b);
    if (a.op != b.op || a.foreign || !attributes(a, b)) return false;
    return lists(a.inputs, b.inputs);
  }

 private:
  static constexpr int kMost = 10000;

  // A batch at the steps of sequences: in CNTK's files a function, here part of its reader.
  static bool is_spread(const Variable& v) {
    return v.is_output() && v.node()->op && v.node()->op->facts.file.number == kReconcileNumber;
  }

  bool lists(const std::vector<Edge>& a, const std::vector<Edge>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!values(a[i], b[i])) return false;
    return true;
  }

  bool blocks(const Node& a, const Node& b) {
    const Block &x = *a.block, &y = *b.block;
    if (x.op_name != y.op_name || x.arguments.size() != y.arguments.size()) return false;
    for (size_t i = 0; i < x.arguments.size(); ++i) {
      if (!values(x.arguments[i].second, y.arguments[i].second)) return false;
      place(x.arguments[i].first, y.arguments[i].first);
    }
    return functions(*x.root.node(), *y.root.node());
  }

  // An axis from the front is the same as one from the end.
  static bool attributes(const Node& a, const Node& b) {
    for (size_t i = 0; i < a.attributes.size(); ++i) {
      if (a.attributes[i] == b.attributes[i] || a.op->fields[i].role == CANTIK_NEW_AXIS) continue;
      if (a.op->fields[i].role != CANTIK_AXIS || a.inputs.empty()) return false;
      const Shape& shape = resolved(a.inputs[0]).shape();
      int64_t x = a.attributes[i].integer(), y = b.attributes[i].integer();
      if (!shape.is_known() || !axis_code::is_static(x) || !axis_code::is_static(y)) return false;
      int rank = shape.rank() + (a.op->facts.file.axes_of_result ? 1 : 0);
      if ((x < 0 ? x + rank : x) != (y < 0 ? y + rank : y)) return false;
    }
    return true;
  }

  static bool constants(const Variable& a, const Variable& b) {
    if (!(a.shape() == b.shape()) || a.dtype() != b.dtype() || !a.shape().is_static()) return false;
    Tensor x = a.value(), y = b.value();
    return x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), x.bytes()) == 0;
  }

  std::unordered_map<const Node*, const Node*> same_;
  int steps_ = 0;
};

// Whether the block's inside is what the operator makes of operands of these types.
bool is_made_by(const Node& block, const Operator& op, const std::vector<Attribute>& attributes) {
  std::vector<Variable> operands;
  const auto arguments = op.from_file_order(block.block->arguments);
  for (const auto& [inside, outside] : arguments)
    operands.push_back(placeholder(inside.node()->name, inside.node()->types[0]));
  if (static_cast<int>(operands.size()) < op.inputs_min || static_cast<int>(operands.size()) > op.inputs_max)
    return false;
  try {
    Function own = make_block(op, attributes, operands, {});
    Comparison c;
    const Block& made = *own.node()->block;
    for (size_t i = 0; i < operands.size(); ++i) c.place(arguments[i].first, made.arguments[i].first);
    return c.functions(*block.block->root.handle(), *made.root.node());
  } catch (const Error&) {
    return false;  // not with these operands
  }
}

// The offsets of the delays in a block.
std::vector<int64_t> delays_in(const Node& block) {
  std::vector<int64_t> found;
  preorder(block.block->root.handle(), [&](const std::shared_ptr<Node>& n) {
    if (n->op && n->op->has(CANTIK_DELAY))
      found.push_back(n->attributes[n->op->field("time_step")].integer());
    return false;
  });
  return found;
}

// Lists of attributes in which each of these fields is 0 or plus or minus one of the offsets.
std::vector<std::vector<Attribute>> with_delays(const Node& block, const Operator& op,
                                                std::vector<Attribute> read) {
  constexpr size_t kMostDelays = 2;
  std::vector<std::vector<Attribute>> list{std::move(read)};
  std::vector<int64_t> offsets = delays_in(block);
  if (offsets.size() > kMostDelays) return list;
  for (const size_t field : op.facts.file.delays) {
    const size_t n = list.size();
    for (size_t i = 0; i < n; ++i)
      for (int64_t k : offsets)
        for (int64_t value : {k, -k}) {
          list.push_back(list[i]);
          list.back()[field] = value;
        }
  }
  return list;
}

// CNTK does not write all attributes of its blocks: an axis that is not there is looked for.
std::vector<std::vector<Attribute>> candidates(const Node& block, const Operator& op,
                                               const Dictionary& given) {
  std::vector<std::vector<Attribute>> list;
  std::optional<std::vector<Attribute>> read = read_attributes(op, given);
  if (!read) return list;
  if (!op.facts.file.delays.empty()) return with_delays(block, op, *read);
  list.push_back(*read);
  if (block.block->arguments.empty()) return list;
  const Shape& shape = block.block->arguments[0].first.node()->types[0].shape;
  for (size_t i = 0; i < op.fields.size(); ++i)
    if (op.fields[i].role == CANTIK_AXIS && !given.contains(op.fields[i].key))
      for (int axis = 1; axis <= std::min(shape.rank(), 8); ++axis) {
        list.push_back(*read);
        list.back()[i] = static_cast<int64_t>(-axis);
      }
  return list;
}

}  // namespace

void recognise_block(Node& n, const Dictionary& attributes, const Catalog& catalog) {
  for (const Operator* op : catalog.blocks(n.block->op_name)) {
    if (!op->stands_as_block()) continue;
    for (const std::vector<Attribute>& a : candidates(n, *op, attributes))
      if (is_made_by(n, *op, a)) {
        n.op = op;
        n.attributes = a;
        n.foreign = nullptr;  // all that the file says is known now
        n.block->arguments = op->from_file_order(n.block->arguments);
        n.inputs = op->from_file_order(n.inputs);
        return;
      }
  }
}

}  // namespace cantik
