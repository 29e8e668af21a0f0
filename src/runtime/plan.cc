// Programs of a plan: one for each combination of free dimensions that came.
#include "graph/types.h"
#include "runtime/executable.h"

namespace cantik::runtime {
namespace {

// What a closing sum leaves of its terms' shape. An axis that was free stays as long as it is.
Shape sum_shape(const ir::Node& n, const Shape& terms) {
  Shape s(*n.attributes[0].get<std::vector<int64_t>>());
  for (int i = 0; i < s.rank(); ++i)
    if (s[i] == kFree) s[i] = terms[terms.rank() - s.rank() + i];
  return s;
}

// The same graph, its inputs of these shapes: every type is inferred again, nothing else is decided anew.
ir::Graph with_shapes(const ir::Graph& graph, const std::vector<int32_t>& leaves, const std::vector<Shape>& shapes) {
  ir::Graph g = graph;
  for (ir::ValueInfo& v : g.values)
    if (v.leaf == ir::LeafKind::input)
      for (size_t i = 0; i < leaves.size(); ++i)
        if (leaves[i] == v.leaf_index) v.type.shape = shapes[i];
  for (ir::NodeId id : g.order()) {
    const ir::Node& n = g.node(id);
    std::vector<Type> in;
    for (ir::ValueId v : n.in) in.push_back(g.type(v));
    if (n.in.empty()) continue;  // a constant
    if (n.kind == ir::NodeKind::map) {
      Type t = broadcast(in, "map");
      if (n.closes) t.shape = sum_shape(n, t.shape);
      for (ir::ValueId v : n.out) g.value(v).type.shape = t.shape;
    } else {
      in.resize(in.size() - static_cast<size_t>(n.epilogue_inputs));
      Inferred inferred = infer_types(*n.op, n.attributes, in);
      for (size_t i = 0; i < n.out.size(); ++i) g.value(n.out[i]).type.shape = inferred.outputs[i].shape;
    }
  }
  return g;
}

}  // namespace

Plan::Plan(ir::Graph graph) : graph_(std::move(graph)) {
  reads_.assign(graph_.leaves.size(), false);
  auto read = [&](ir::ValueId v) {
    const ir::ValueInfo& i = graph_.value(v);
    if (i.leaf == ir::LeafKind::input || i.leaf == ir::LeafKind::parameter || i.leaf == ir::LeafKind::constant) reads_[static_cast<size_t>(i.leaf_index)] = true;
  };
  for (const ir::Node& n : graph_.nodes)
    for (ir::ValueId v : n.in) read(v);
  for (ir::ValueId v : graph_.outputs) read(v);
  count_rows();
  graph_.sources.clear();  // the plan may outlive the user's graph
  graph_.leaves.clear();
  for (const ir::ValueInfo& v : graph_.values)
    if (v.leaf == ir::LeafKind::input && v.type.shape.has_free()) free_.push_back(v.leaf_index);
}

// Where values have rows, but no input that is read says how many (a sum of ones over the batch), inputs are wanted for that alone.
void Plan::count_rows() {
  bool any = false, told = false;
  for (const ir::Node& n : graph_.nodes)
    for (ir::ValueId v : n.out) any |= graph_.type(v).axes.has_batch();
  for (size_t i = 0; i < reads_.size(); ++i) told |= reads_[i] && graph_.leaves[i].is_input() && graph_.leaves[i].axes().has_batch();
  if (!any || told) return;
  for (size_t i = 0; i < reads_.size(); ++i)
    if (graph_.leaves[i].is_input() && graph_.leaves[i].axes().has_batch()) reads_[i] = true;
}

std::shared_ptr<const Program> Plan::program(const std::vector<Shape>& shapes, std::span<const std::shared_ptr<Node>> sources) const {
  std::lock_guard lock(mutex_);
  for (const auto& [known, program] : programs_)
    if (known == shapes) return program;
  auto program = std::make_shared<const Program>(free_.empty() ? graph_ : with_shapes(graph_, free_, shapes), sources);
  programs_.emplace_back(shapes, program);
  return program;
}

}  // namespace cantik::runtime
