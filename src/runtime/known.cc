#include "runtime/known.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/node.h"
#include "runtime/engine.h"

namespace cantik::runtime {

std::vector<std::pair<Axes, int64_t>> samples_fed(std::span<const Variable> inputs,
                                                  std::span<const Value* const> values) {
  std::vector<std::pair<Axes, int64_t>> list;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_input() || !values[i] || !values[i]->layout) continue;
    const Axes& axes = inputs[i].axes();
    if (std::none_of(list.begin(), list.end(), [&](const auto& s) { return s.first == axes; }))
      list.emplace_back(axes, values[i]->size());
  }
  if (list.empty()) list.emplace_back(Axes::batch(), 1);
  return list;
}

void Inquiry::ask(const ir::Needs& needs, const Feeds& feeds, ObjectStates& states, ir::Known& known) {
  if (!needs.longest.empty()) known.longest = longest_.of(needs.longest, feeds);
  for (const ObjectOperator* object : needs.results)
    known.results.emplace_back(object, call(*object, feeds, states));
}

std::shared_ptr<Executable> Inquiry::operands_of(const ObjectOperator& object) {
  const Uninterrupted while_locked;
  std::lock_guard lock(mutex_);
  for (const auto& [of, x] : operands_)
    if (of == &object) return x;
  ir::Request own;
  own.outputs = object.operands();
  own.mode = request_.mode;
  own.unlike_batches = true;
  operands_.emplace_back(&object, make_executable(own, draws_));
  return operands_.back().second;
}

const std::vector<Shape>& Inquiry::call(const ObjectOperator& object, const Feeds& feeds,
                                        ObjectStates& states) {
  auto find = [&] {
    return std::find_if(states.sizes.begin(), states.sizes.end(),
                        [&](const auto& s) { return s.first == &object; });
  };
  if (auto at = find(); at != states.sizes.end()) {
    if (at->second.empty())
      throw object
          .at_node(unsupported(object.op.name + " leaves the size of its result open inside a recurrence"))
          .remedy("compute it from the operands' shapes in infer_outputs");
    return at->second;
  }
  // What it reads, with the random numbers that the run itself will draw.
  ObjectStates before;
  before.sizes = states.sizes;
  before.made = states.made;
  before.sizes.emplace_back(&object, std::vector<Shape>());
  const Outputs out = operands_of(object)->rehearse(feeds, before);

  const std::vector<Variable> in = object.operands(), results = object.results();
  std::vector<Value> values;
  std::vector<Type> types;
  std::vector<cantik_operand> operands;
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& v = values.emplace_back(out.value(i));
    const Shape& s = v.data.shape();
    Type& t = types.emplace_back(in[i].type());
    t.shape = v.layout ? s.sub(1, s.rank()) : s;
    t.storage = v.data.storage();
    cantik_operand o{};
    o.data = v.data.raw(), o.starts = v.data.starts(), o.columns = v.data.columns();
    o.rows = v.rows(), o.stride = v.layout ? t.shape.elements() : 0;
    o.sequences = v.size();
    o.offsets = v.layout && !v.layout->is_batch() ? v.layout->offsets().data() : nullptr;
    operands.push_back(o);
  }
  for (const Variable& v : results) types.push_back(v.type());
  std::vector<ObjectRows> rows;
  for (size_t i = 0; i < types.size(); ++i)
    rows.push_back({&types[i], i < in.size() ? &operands[i] : nullptr});
  ObjectCall c;
  c.x = {rows.data(), in.size()};
  c.y = {rows.data() + in.size(), results.size()};
  c.training = request_.mode == ir::Mode::training;
  c.states = &states;
  std::vector<Shape> shapes(results.size());
  c.made = object.make(c);
  states.made.emplace_back(&object, c.made);
  object.sizes(c, shapes);
  states.go_out();
  states.sizes.emplace_back(&object, std::move(shapes));
  return states.sizes.back().second;
}

}  // namespace cantik::runtime
