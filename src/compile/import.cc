// From the user's graph to the compiler's: placeholders followed, blocks opened unless a kernel stands for
// them.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "compile/core.h"
#include "compile/crop_offsets.h"
#include "compile/graph.h"
#include "graph/loops.h"
#include "graph/types.h"
#include "graph/unresolved.h"

namespace cantik::ir {
namespace {

using UserNode = cantik::Node;

class Importer {
 public:
  // The shapes of values that close loops, where they have free dimensions: found in rounds, see
  // Graph::import.
  using States = std::map<std::pair<const UserNode*, size_t>, Shape>;

  Importer(Graph& g, std::span<const Variable> wanted, std::span<const std::pair<Variable, Shape>> shapes,
           const States& states)
      : graph_(g), wanted_(wanted), shapes_(shapes), states_(states) {}

  // What the values that close loops came out as. Where not even that is a number, the state is as small as
  // can be: a 1 broadcasts.
  States states() const {
    States found;
    for (const auto& [key, cell] : cells_) {
      Shape shape = graph_.type(known_.at(key.first)[key.second]).shape;
      for (int i = 0; i < shape.rank(); ++i)
        if (shape[i] < 0) shape[i] = 1;
      if (auto before = states_.find(key); before != states_.end() || !graph_.type(cell).shape.is_static())
        found[key] = shape;
    }
    return found;
  }

  // Every value is there: what stood for those that closed loops goes.
  void bind_cells() {
    std::unordered_map<ValueId, ValueId> real;
    for (const auto& [key, cell] : cells_) real[cell] = known_.at(key.first)[key.second];
    for (const auto& [key, cell] : cells_) {
      ValueId to = real[cell];
      for (size_t hops = 0; real.count(to); to = real[to])
        if (++hops > real.size())
          throw value_error("a value is computed from itself without a delay")
              .node(describe(*key.first))
              .remedy("put sequence.past_value or sequence.future_value into the cycle");
      graph_.replace_uses(cell, to);
    }
  }

  // Operands first, without recursion: user graphs may be deep.
  ValueId value(const Variable& wanted) {
    std::vector<Frame> stack;
    if (!enter(seen(wanted), stack)) return lookup(seen(wanted));
    while (!stack.empty()) {
      Frame& f = stack.back();
      if (f.next < f.in.size()) {
        Variable v = seen(f.in[f.next++]);
        enter(v, stack);
        continue;
      }
      finish(f);
      stack.pop_back();
    }
    return lookup(seen(wanted));
  }

 private:
  struct Frame {
    const UserNode* node;
    std::vector<Variable> in;
    size_t next = 0;
  };

  // The variable whose value is computed: a block is a node of its own only where the operator that made it
  // has a body.
  static Variable seen(const Variable& v) {
    Variable at = v;
    for (;;) {
      const UserNode& n = *at.node();
      if (n.kind == UserNode::Kind::placeholder) {
        if (!n.bound) return at;
        at = n.bound;
      } else if (n.block && !runs_whole(n)) {
        at = outputs_of(n.block->root.handle())[at.index()];
      } else {
        return at;
      }
    }
  }
  static bool runs_whole(const UserNode& n) {
    return n.op && (!n.op->kernels.empty() || !n.op->expression.empty() || n.op->lower);
  }

  // Pushes the node unless its values are there. True if it was pushed.
  bool enter(const Variable& v, std::vector<Frame>& stack) {
    const UserNode* n = v.node().get();
    if (known_.count(n)) return false;
    if (n->is_leaf()) {
      known_[n] = {leaf(v)};
      return false;
    }
    // the edge that closes a loop: a cell stands for the value until it is there
    if (!open_.insert(n).second) {
      cells_.emplace(std::pair(n, v.index()), cell(v));
      return false;
    }
    stack.push_back({n, variables(n->inputs)});
    return true;
  }

  void finish(Frame& f) {
    const SourceId source = graph_.sources.add(f.node);
    Values in;
    for (const Variable& v : f.in) in.push_back(lookup(seen(v)));
    try {
      share_dtype(*f.node->op, in);
      if (f.node->op->lower || f.node->op->compose) check_types(*f.node, in);
      const NodeId first = graph_.nodes.end_id();
      std::vector<Attribute> attributes = f.node->attributes;
      std::span<const ValueId> operands(in.begin(), in.size());
      if (is_crop_without_offsets(*f.node))
        if (auto offsets = crop_offsets(*f.node, [this](const Variable& v) { return shape_of(v); })) {
          attributes[0] = Attribute(std::move(*offsets));
          operands = operands.first(2);  // ancestors have been of use
        }
      known_[f.node] = graph_.call(*f.node->op, std::move(attributes), operands, source);
      for (NodeId made : graph_.nodes.ids_from(first)) graph_.node(made).of_user = true;
    } catch (const Error& e) {
      rethrow_with(e, *f.node);
    }
  }

  // Parameters may have got their shapes from another function since this one was built. What has a rule of
  // its own says so in its words; lowered operators would not look.
  void check_types(const UserNode& n, const Values& in) {
    if (!n.op->infer) return;
    std::vector<Type> types;
    for (ValueId v : in) types.push_back(graph_.type(v));
    infer_types(*n.op, n.attributes, types);
  }

  // Constants follow the element type of the other operands, where no digits are lost.
  void share_dtype(const Operator& op, Values& in) {
    if (in.size() < 2) return;
    const bool changes = op.has(CANTIK_EFFECT);  // its first operand, which stays as it is
    auto is_constant = [&](ValueId v) { return graph_.value(v).leaf == LeafKind::constant; };
    DType common = DType::unknown;
    for (ValueId v : in)
      if (changes || !is_constant(v)) {
        common = graph_.type(v).dtype;
        break;
      }
    if (common != DType::float32 && common != DType::float64 && common != DType::float16) return;
    for (ValueId& v : std::span(in).subspan(changes ? 1 : 0)) {
      DType mine = graph_.type(v).dtype;
      if (!is_constant(v) || mine == common || !follows(graph_.leaves[graph_.value(v).leaf_index], common))
        continue;
      if (mine == DType::float64)
        throw value_error(
            cat("a constant has the element type float64, but the other operands have ", name_of(common)))
            .remedy("make the constant with dtype=numpy.float32, or cast it");
      v = graph_.call(core::cast.op(), {Attribute(common)}, {&v, 1}, {})[0];
    }
  }

  ValueId leaf(const Variable& v) {
    const UserNode& n = *v.node();
    if (n.kind == UserNode::Kind::placeholder)
      throw value_error(cat("the placeholder ", v.text(), " is not bound to anything"))
          .made_at(n.made_at.text())
          .remedy("call the function with an input, or replace_placeholders");
    if (!v.type().is_known())
      throw runtime_error(cat("the type of ", v.text(), " is not completely known"))
          .made_at(n.made_at.text())
          .remedy("give the missing dimensions, or use the variable where they can be inferred");
    if (n.kind != UserNode::Kind::input && !v.shape().is_static()) throw unresolved_shape(v);
    int32_t index = static_cast<int32_t>(graph_.leaves.size());
    graph_.leaves.push_back(v);
    LeafKind kind = n.kind == UserNode::Kind::input       ? LeafKind::input
                    : n.kind == UserNode::Kind::parameter ? LeafKind::parameter
                                                          : LeafKind::constant;
    Type t = v.type();
    for (const auto& [input, shape] : shapes_)
      if (input == v) t.shape = shape;
    for (const auto& [axes, samples] : graph_.known.samples)
      if (kind == LeafKind::input && axes == t.axes) {
        t.axes = graph_.with_batch_of(t.axes, samples);
        break;
      }
    return graph_.add_leaf(kind, t, index);
  }

  // In this run, where that is known.
  Shape shape_of(const Variable& v) const {
    Variable at = seen(v);
    auto known = known_.find(at.node().get());
    return known == known_.end() ? v.shape()
                                 : graph_.type(known->second[at.node()->is_leaf() ? 0 : at.index()]).shape;
  }

  ValueId lookup(const Variable& v) const {
    auto at = known_.find(v.node().get());
    if (at == known_.end()) return cells_.at({v.node().get(), v.index()});
    return at->second[v.node()->is_leaf() ? 0 : v.index()];
  }

  ValueId cell(const Variable& v) {
    if (auto at = cells_.find({v.node().get(), v.index()}); at != cells_.end()) return at->second;
    if (!v.type().axes.is_known() || v.type().dtype == DType::unknown || !v.type().shape.is_known())
      throw runtime_error(cat("the type of ", v.text(),
                              ", which a recurrence carries from step to step, is not completely known"))
          .made_at(v.node()->made_at.text())
          .remedy("give the missing dimensions");
    Type t = v.type();
    t.axes = axes_of_loop(v);
    if (auto at = states_.find({v.node().get(), v.index()}); at != states_.end()) t.shape = at->second;
    return graph_.add_leaf(LeafKind::none, t, -1);
  }

  // With the batch that the steps have in this run: of what is fed on these axes, or of what makes them. That
  // is imported now, whatever is known of the run: leaves and sources have the same numbers each time.
  Axes axes_of_loop(const Variable& v) {
    const Axes& axes = v.type().axes;
    if (!axes.has_sequence()) return axes;
    if (is_of_an_input(axes)) {
      for (const auto& [fed, n] : graph_.known.samples)
        if (fed == axes) return graph_.with_batch_of(axes, n);
      return axes;
    }
    for (const Variable& root : wanted_)
      if (Variable maker = maker_of_axes(root.node(), axes)) return graph_.type(value(maker)).axes;
    return axes;
  }
  bool is_of_an_input(const Axes& axes) {
    if (!axes_of_inputs_) {
      axes_of_inputs_.emplace();
      for (const Variable& root : wanted_)
        for (const Variable& v : leaves(root.node()))
          if (v.is_input()) axes_of_inputs_->push_back(v.axes());
    }
    return std::find(axes_of_inputs_->begin(), axes_of_inputs_->end(), axes) != axes_of_inputs_->end();
  }

  Graph& graph_;
  std::map<std::pair<const UserNode*, size_t>, ValueId> cells_;
  std::span<const Variable> wanted_;
  std::span<const std::pair<Variable, Shape>> shapes_;
  const States& states_;
  std::unordered_map<const UserNode*, Values> known_;
  std::unordered_set<const UserNode*> open_;
  std::optional<std::vector<Axes>> axes_of_inputs_;  // found when first asked for
};

}  // namespace

void Graph::import(std::span<const Variable> wanted, std::span<const std::pair<Variable, Shape>> shapes) {
  // a state takes its sizes from what it meets in a step, which may be another state
  constexpr int kRounds = 16;
  constexpr size_t kUsual = 64;  // nodes of a small network and its gradients: to grow is to move all of them
  nodes.reserve(kUsual);
  values.reserve(2 * kUsual);
  const Graph fresh = *this;
  Importer::States states;
  for (int round = 0;; ++round) {
    Importer importer(*this, wanted, shapes, states);
    for (const Variable& v : wanted) outputs.push_back(importer.value(v));
    const bool sized = !shapes.empty() || known != Known();  // sizes that nobody gave stay free
    Importer::States found = sized ? importer.states() : states;
    if (found == states) return importer.bind_cells();
    if (round == kRounds)
      throw shape_error("the shape of the recurrence's state grows with every step")
          .remedy("return a state of the same shape as the state that the step was given");
    states = std::move(found);
    *this = fresh;
  }
}

}  // namespace cantik::ir
