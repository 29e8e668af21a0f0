#include "runtime/known.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "execute/kept_calls.h"
#include "graph/boundary.h"
#include "graph/loops.h"
#include "graph/node.h"
#include "graph/types.h"
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

void Inquiry::ask(const ir::Needs& needs, const Sources& sources, const Feeds& feeds, RunKeeper& keeper,
                  ir::Known& known) {
  for (const Axes& axes : needs.longest) known.longest.emplace_back(axes, longest(axes, feeds, keeper));
  for (ir::SourceId source : needs.results)
    known.results.emplace_back(source, sizes_of(sources[source], feeds, keeper));
}

Outputs Inquiry::rehearse(const ir::Request& part, const Feeds& feeds, RunKeeper& keeper) {
  std::shared_ptr<BoundPlan> plan = parts_.of(part);
  std::vector<const Value*> values(plan->leaves().size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i)
    for (const auto& [input, value] : feeds)
      if (input == plan->leaves()[i]) values[i] = &value;
  Outputs out;
  GraphRun run(*plan, values, out);
  run.keeper = &keeper;
  run.rehearses = true;
  run.go();
  return out;
}

int64_t Inquiry::longest(const Axes& axes, const Feeds& feeds, RunKeeper& keeper) {
  for (const auto& [input, value] : feeds)
    if (input.axes() == axes && value.layout) return value.layout->longest();
  for (const auto& [known, steps] : keeper.longest)
    if (known == axes) return steps;
  for (const std::vector<Variable>* roots : {&request_.outputs, &request_.roots})
    for (const Variable& v : *roots) {
      Variable maker = v.is_output() ? maker_of_axes(v.node(), axes) : Variable();
      if (!maker) continue;
      RunKeeper before;  // what it finds out on its way counts for all
      before.longest = keeper.longest;
      const int64_t steps =
          rehearse({{maker}, {}, {}, request_.mode}, feeds, before).value(0).layout->longest();
      keeper.longest = std::move(before.longest);
      keeper.longest.emplace_back(axes, steps);
      return steps;
    }
  throw unsupported(cat("the steps on the axes ", axes.text(),
                        " become a static axis, but no input that is fed has these axes"))
      .remedy("feed an input on these axes");
}

namespace {

// A question for sizes that come late, and the answer.
struct SizesAsked {
  const Node& function;
  std::vector<Value> values;  // of the operands
  std::vector<Type> types;    // of operands, then of results
  std::vector<cantik_operand> rows;
  std::vector<Shape> told;
  Boundary boundary = {};

  void add(const Value& v, Type t) {
    const Shape& s = v.data.shape();
    t.shape = v.layout ? s.sub(1, s.rank()) : s;
    t.storage = v.data.storage();
    cantik_operand o{};
    o.data = v.data.raw(), o.starts = v.data.starts(), o.columns = v.data.columns();
    o.rows = v.rows(), o.stride = v.layout ? t.shape.elements() : 0;
    o.sequences = v.size();
    o.offsets = v.layout && !v.layout->is_batch() ? v.layout->offsets().data() : nullptr;
    values.push_back(v);
    types.push_back(std::move(t));
    rows.push_back(o);
  }

  void tell(int32_t i, const Shape& given) {
    const std::string& name = function.op->name;
    if (i < 0 || static_cast<size_t>(i) >= told.size())
      throw runtime_error(cat(name, " told the size of output ", i, ", and has ", told.size(), " outputs"));
    const Type& t = types[rows.size() + static_cast<size_t>(i)];
    const int lead = t.axes.has_batch();
    bool fits = given.is_static() && given.rank() == t.shape.rank() + lead;
    for (int k = 0; fits && k < t.shape.rank(); ++k) fits = t.shape[k] < 0 || t.shape[k] == given[k + lead];
    if (!fits)
      throw runtime_error(cat(name, " told the sizes ", given.text(), " of output ", i, ", which is ",
                              t.text(), lead ? ": the number of rows comes first" : ""));
    told[i] = given;
  }

  void ask(bool training, RunKeeper& keeper) {
    std::vector<cantik_type> c;
    for (const Type& t : types) c.push_back(to_c(t));
    const AttributesInC attributes = to_c(function.attributes);
    cantik_sizes question{};
    question.size = sizeof question;
    question.self = this;
    question.inputs = static_cast<int32_t>(rows.size());
    question.outputs = static_cast<int32_t>(told.size());
    question.in = c.data();
    question.out = c.data() + rows.size();
    question.rows = rows.data();
    question.attributes = attributes.data();
    question.keeper = keeper.c();
    question.training = training ? 1 : 0;
    question.fail = [](void* self, int32_t kind, const char* text, const char* remedy) {
      static_cast<SizesAsked*>(self)->boundary.fail(kind, text, remedy);
    };
    question.set = [](void* self, int32_t i, int32_t rank, const int64_t* dims) {
      auto& asked = *static_cast<SizesAsked*>(self);
      return asked.boundary.serve(
          [&] { asked.tell(i, Shape(dims, static_cast<size_t>(std::max(rank, 0)))); });
    };
    keeper.enter(&function);
    HeldLock lock;
    lock.take(function.op->facts.lock);
    boundary.call(*function.op, "sizes",
                  [&] { return function.op->facts.sizes(function.op->user, &question); });
    for (size_t i = 0; i < told.size(); ++i)
      if (!told[i].is_known()) throw runtime_error(cat(function.op->name, " told no size of output ", i));
  }
};

}  // namespace

const std::vector<Shape>& Inquiry::sizes_of(const std::shared_ptr<Node>& function, const Feeds& feeds,
                                            RunKeeper& keeper) {
  auto at = std::find_if(keeper.sizes.begin(), keeper.sizes.end(),
                         [&](const auto& s) { return s.first == function.get(); });
  if (at != keeper.sizes.end() && !at->second.empty()) return at->second;
  try {
    if (at != keeper.sizes.end())
      throw unsupported("the sizes of " + function->op->name + " come late, and it stands in a recurrence")
          .remedy("let its type rule compute them from the operands' shapes");
    // What it reads, with the random numbers that the run itself will draw.
    RunKeeper before;
    before.sizes = keeper.sizes;
    before.longest = keeper.longest;
    before.take_kept(keeper);
    before.sizes.emplace_back(function.get(), std::vector<Shape>());
    const std::vector<Variable> in = resolved_inputs(*function), results = outputs_of(function);
    ir::Request part{in, {}, {}, request_.mode};
    part.unlike_batches = true;
    const Outputs out = rehearse(part, feeds, before);
    SizesAsked asked{*function, {}, {}, {}, {}};
    for (size_t i = 0; i < in.size(); ++i) asked.add(out.value(i), in[i].type());
    for (const Variable& v : results) asked.types.push_back(v.type());
    asked.told.assign(results.size(), Shape::unknown());
    asked.ask(request_.mode == ir::Mode::training, keeper);
    keeper.sizes.emplace_back(function.get(), std::move(asked.told));
  } catch (const Error& e) {
    rethrow_with(e, *function);
  }
  return keeper.sizes.back().second;
}

}  // namespace cantik::runtime
