// Batches of several sizes in one graph.
//
// In the user's graph a batch is a batch. Here the batch of the inputs has their axis, and a batch of another
// number of samples, made of a static axis or by an operator whose sizes come late, has an axis of its own:
// its values have rows of their own, like sequences of other lengths. Numbers decide, not where a batch came
// from: two that have as many samples are one, and may be joined.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "compile/graph.h"
#include "graph/types.h"

namespace cantik::ir {

int64_t Graph::samples() const {
  if (known.samples.empty()) return -1;
  for (const auto& [axes, n] : known.samples)
    if (!axes.has_sequence()) return n;
  return known.samples[0].second;
}

int64_t Graph::samples_of(const Axis& batch) const {
  for (const Batch& b : batches)
    if (b.axis == batch) return b.samples;
  return samples();
}

Axes Graph::with_batch_of(const Axes& axes, int64_t n) {
  if (!axes.has_batch() || samples() < 0) return axes;  // not known: all are one until a run says
  auto with = [&](const Axis& batch) { return axes.has_sequence() ? Axes({batch, axes[1]}) : Axes({batch}); };
  if (n == samples()) return axes_of_user(axes);
  auto at = std::find_if(batches.begin(), batches.end(), [&](const Batch& b) { return b.samples == n; });
  if (at == batches.end()) at = batches.insert(at, {Axis(cat("batch ", batches.size() + 1), false), n});
  return with(at->axis);
}

Axes Graph::axes_of_user(const Axes& axes) const {
  bool own = axes.has_batch() &&
             std::any_of(batches.begin(), batches.end(), [&](const Batch& b) { return b.axis == axes[0]; });
  if (!own) return axes;
  return axes.has_sequence() ? Axes({Axis::batch(), axes[1]}) : Axes::batch();
}

// What the user calls it: the input, or the function that made it.
std::string Graph::name_of(ValueId v) const {
  const ValueInfo& i = value(v);
  if (i.leaf == LeafKind::input) return display_name(leaves[i.leaf_index]);
  const Node* n = producer(v);
  if (!n || !n->source) return "an operand";
  return display_name(Variable(sources[n->source]->handle()));
}

void Graph::check_batches(const Values& in, const Operator* op, SourceId source) const {
  if (batches.empty() || !needs.results.empty()) return;  // sizes that come late may make them one
  ValueId first;
  for (ValueId v : in) {
    if (!type(v).axes.has_batch()) continue;
    if (!first) first = v;
    const Axis a = type(first).axes[0], b = type(v).axes[0];
    if (a == b) continue;
    const std::string name = source ? sources[source]->op->name : op ? op->name : "an expression";
    throw value_error(cat(name, ": the operands are batches of different sizes: ", name_of(first), " has ",
                          samples_of(a), " samples, ", name_of(v), " has ", samples_of(b)))
        .remedy("make both batches the same size, or reduce one of them over the batch axis");
  }
}

// Dynamic axes that become static ones, and the reverse: as large as the data of the run say.
void Graph::turn_rows(const Operator& op, const Type& from, Type& to) {
  if (op.has(CANTIK_ROWS_AS_AXIS)) {
    needs.samples |= axes_of_user(from.axes) == from.axes;
    if (int64_t n = samples_of(from.axes[0]); n >= 0) to.shape[0] = n;
  }
  if (op.has(CANTIK_STEPS_AS_AXIS)) {
    const Axes axes = axes_of_user(from.axes);
    if (std::find(needs.longest.begin(), needs.longest.end(), axes) == needs.longest.end())
      needs.longest.push_back(axes);
    for (const auto& [of, n] : known.longest)
      if (of == axes) to.shape[0] = n;
  }
  if (op.has(CANTIK_AXIS_AS_ROWS)) {
    makes_batches = true;
    if (from.shape[0] >= 0) to.axes = with_batch_of(to.axes, from.shape[0]);
  }
}

// A type rule knows nothing of this: it sees types as in the user's graph. Results have the batch of the
// operands, or as many samples as the operator tells in a run, where their sizes come late.
std::vector<Type> Graph::types_with_late_sizes(const Operator& op, std::span<const Attribute> attributes,
                                               const Values& in, SourceId source) {
  std::vector<Type> types;
  for (ValueId v : in) {
    types.push_back(type(v));
    types.back().axes = axes_of_user(types.back().axes);
  }
  Inferred inferred = infer_types(op, attributes, types);
  std::vector<Type>& made = inferred.outputs;
  auto told = std::find_if(known.results.begin(), known.results.end(),
                           [&](const auto& r) { return r.first == source; });
  if (told == known.results.end()) {
    const bool sized =
        std::all_of(types.begin(), types.end(), [](const Type& t) { return t.shape.is_static(); });
    const bool late = std::any_of(inferred.late.begin(), inferred.late.end(), [](char l) { return l != 0; });
    if (sized && late) {
      if (!source || sources[source]->op != &op)
        throw unsupported(cat(op.name, " has results whose sizes come late, in the body of another operator"))
            .remedy("call it in the network, or in a composite");
      if (std::find(needs.results.begin(), needs.results.end(), source) == needs.results.end())
        needs.results.push_back(source);
      needs.samples = true;
    }
  }
  for (size_t k = 0; k < made.size(); ++k) {
    Type& t = made[k];
    auto like =
        std::find_if(in.begin(), in.end(), [&](ValueId v) { return axes_of_user(type(v).axes) == t.axes; });
    if (like == in.end())
      like = std::find_if(in.begin(), in.end(), [&](ValueId v) { return type(v).axes.has_batch(); });
    if (like != in.end() && t.axes.has_batch())
      t.axes = with_batch_of(t.axes, samples_of(type(*like).axes[0]));
    if (told == known.results.end()) continue;
    const Shape& shape = told->second[k];
    if (t.axes.has_batch()) t.axes = with_batch_of(t.axes, shape[0]);
    t.shape = t.axes.has_batch() ? shape.sub(1, shape.rank()) : shape;
  }
  return std::move(made);
}

}  // namespace cantik::ir
