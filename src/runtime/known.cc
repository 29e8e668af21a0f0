#include "runtime/known.h"

#include <algorithm>

#include "base/text.h"
#include "graph/loops.h"
#include "graph/node.h"
#include "runtime/run.h"

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

void Inquiry::ask(const ir::Needs& needs, const Feeds& feeds, UserStates& states, ir::Known& known) {
  for (const Axes& axes : needs.longest) known.longest.emplace_back(axes, longest(axes, feeds));
  for (const UserOperator* object : needs.results)
    known.results.emplace_back(object, call(*object, feeds, states));
}

Outputs Inquiry::rehearse(const ir::Request& part, const Feeds& feeds, UserStates& states) {
  std::shared_ptr<BoundPlan> plan = parts_.of(part);
  std::vector<const Value*> values(plan->leaves().size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i)
    for (const auto& [input, value] : feeds)
      if (input == plan->leaves()[i]) values[i] = &value;
  Outputs out;
  GraphRun run(*plan, values, out);
  run.objects = &states;
  run.rehearses = true;
  run.go();
  return out;
}

int64_t Inquiry::longest(const Axes& axes, const Feeds& feeds) {
  for (const auto& [input, value] : feeds)
    if (input.axes() == axes && value.layout) return value.layout->longest();
  for (const std::vector<Variable>* roots : {&request_.outputs, &request_.roots})
    for (const Variable& v : *roots) {
      Variable maker = v.is_output() ? maker_of_axes(v.node(), axes) : Variable();
      if (!maker) continue;
      UserStates objects;
      return rehearse({{maker}, {}, {}, request_.mode}, feeds, objects).value(0).layout->longest();
    }
  throw unsupported(cat("the steps on the axes ", axes.text(),
                        " become a static axis, but no input that is fed has these axes"))
      .remedy("feed an input on these axes");
}

const std::vector<Shape>& Inquiry::call(const UserOperator& object, const Feeds& feeds, UserStates& states) {
  auto find = [&] {
    return std::find_if(states.sizes.begin(), states.sizes.end(),
                        [&](const auto& s) { return s.first == &object; });
  };
  if (auto at = find(); at != states.sizes.end()) {
    if (at->second.empty())
      throw object
          .at_node(unsupported("the type rule of " + object.name() +
                               " returned a shape with an unknown size inside a recurrence"))
          .remedy("compute it from the operands' shapes in infer_outputs");
    return at->second;
  }
  // What it reads, with the random numbers that the run itself will draw.
  UserStates before;
  before.sizes = states.sizes;
  before.made = states.made;
  before.sizes.emplace_back(&object, std::vector<Shape>());
  const std::vector<Variable> in = object.operands(), results = object.results();
  ir::Request part{in, {}, {}, request_.mode};
  part.unlike_batches = true;
  const Outputs out = rehearse(part, feeds, before);
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
  std::vector<UserRows> rows;
  for (size_t i = 0; i < types.size(); ++i)
    rows.push_back({&types[i], i < in.size() ? &operands[i] : nullptr});
  UserCall c;
  c.x = {rows.data(), in.size()};
  c.y = {rows.data() + in.size(), results.size()};
  c.training = request_.mode == ir::Mode::training;
  c.run = &states;
  std::vector<Shape> shapes(results.size());
  c.made = object.make(c);
  states.made.emplace_back(&object, c.made);
  object.sizes(c, shapes);
  states.go_out();
  states.sizes.emplace_back(&object, std::move(shapes));
  return states.sizes.back().second;
}

}  // namespace cantik::runtime
