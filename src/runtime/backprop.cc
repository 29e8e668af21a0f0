// Function::forward and backward: one differentiated graph, cut in two. The state between them owns what the
// second part reads, so later calls leave it alone, and it may be used more than once.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/node.h"
#include "graph/object.h"
#include "runtime/engine.h"
#include "runtime/known.h"

namespace cantik {
namespace runtime {

// The two parts of one request; shared by all states it makes.
class TwoParts {
 public:
  using Shapes = std::vector<std::pair<Variable, Shape>>;
  using Samples = std::vector<std::pair<Axes, int64_t>>;

  TwoParts(const ir::Request& r, const Shapes& shapes, const Samples& samples, const Feeds& feeds,
           ObjectStates& objects, std::shared_ptr<Draws> draws)
      : request(r), shapes(shapes), draws(draws), inquiry(request, draws) {
    ir::Graph g = ir::imported(r, shapes);
    while (needs_more(g)) {
      known = ask(samples, feeds, objects);
      g = ir::imported(r, shapes, known);
    }
    ir::Halves h = ir::split_passes(std::move(g), r);
    saved_as = h.saved_as;
    seeds = h.seeds;
    backward_ = std::move(h.backward);
    ir::run_later_passes(h.forward);
    forward = executable(std::move(h.forward));
  }

  // Whether it was made for such sizes.
  bool serves(const Shapes& given, const Samples& samples, const Feeds& feeds, ObjectStates& objects) {
    return given == shapes && (!needs.samples || samples == known.samples) &&
           (!needs.any() || ask(samples, feeds, objects) == known);
  }

  // The gradients of these only.
  std::shared_ptr<Executable> backward(const std::vector<size_t>& which) {
    const Uninterrupted while_locked;
    std::lock_guard lock(mutex_);
    for (const auto& [known, x] : backwards_)
      if (known == which) return x;
    ir::Graph g = backward_;
    std::vector<ir::ValueId> outputs;
    for (size_t i : which) outputs.push_back(g.outputs[i]);
    g.outputs = outputs;
    g.remove_unused();
    ir::run_later_passes(g);
    backwards_.emplace_back(which, executable(std::move(g)));
    return backwards_.back().second;
  }

  ir::Request request;
  const bool checked = checked_mode();
  Shapes shapes;
  ir::Needs needs;
  ir::Known known;
  std::shared_ptr<Draws> draws;
  Inquiry inquiry;
  std::shared_ptr<Executable> forward;
  std::vector<Variable> saved_as, seeds;

 private:
  ir::Known ask(const Samples& samples, const Feeds& feeds, ObjectStates& objects) {
    ir::Known k;
    if (needs.samples) k.samples = samples;
    inquiry.ask(needs, feeds, objects, k);
    return k;
  }
  // What the types need to know that is not known yet, added to `needs`. Objects may turn up when others have
  // been called.
  bool needs_more(const ir::Graph& g) {
    const ir::Needs before = needs;
    needs.samples |= g.needs.samples;
    needs.longest = g.needs.longest;
    for (const ObjectOperator* object : g.needs.results)
      if (std::find(needs.results.begin(), needs.results.end(), object) == needs.results.end())
        needs.results.push_back(object);
    return !(needs == before);
  }
  std::shared_ptr<Executable> executable(ir::Graph g) const {
    std::vector<Variable> leaves = g.leaves;
    std::vector<std::shared_ptr<Node>> sources;
    for (const Node* n : g.sources) sources.push_back(n->handle());
    return std::make_shared<Executable>(std::make_shared<const Plan>(std::move(g)), std::move(leaves),
                                        std::move(sources), draws, ir::Request{.checked = checked});
  }
  ir::Graph backward_;
  std::mutex mutex_;
  std::vector<std::pair<std::vector<size_t>, std::shared_ptr<Executable>>> backwards_;
};

}  // namespace runtime

using namespace runtime;

class BackPropState {
 public:
  std::shared_ptr<TwoParts> parts;
  Feeds feeds;  // kept: the second part may read them
  std::vector<Value> saved;
  ObjectStates objects;  // what objects of the user's program left
};

namespace {

std::vector<Variable> differentiable(const Function& f) {
  std::vector<Variable> list;
  for (const Variable& v : f.inputs())
    if (v.needs_gradient() && !v.is_constant()) list.push_back(v);
  return list;
}

}  // namespace

std::shared_ptr<BackPropState> Function::forward(const Feeds& feeds, const std::vector<Variable>& wanted,
                                                 const std::vector<Variable>& keep,
                                                 std::vector<Value>& values,
                                                 const RunOptions& options) const {
  Function f = as_composite();
  std::vector<Variable> outputs = wanted.empty() ? f.outputs() : wanted;
  if (keep.empty()) {
    values = eval(feeds, outputs, options);
    return nullptr;
  }
  std::vector<Variable> wrt = differentiable(f);
  TwoParts::Shapes shapes;
  std::vector<Variable> inputs;
  std::vector<const Value*> fed;
  for (const auto& [v, value] : feeds) {
    const Shape& s = value.data.shape();
    if (!v.shape().is_static()) shapes.emplace_back(v, v.axes().has_batch() ? s.sub(1, s.rank()) : s);
    inputs.push_back(v);
    fed.push_back(&value);
  }
  auto state = std::make_shared<BackPropState>();
  state->objects.once = false;
  std::shared_ptr<TwoParts> parts = engine_of(f).two_parts({outputs, keep, wrt, ir::Mode::training}, shapes,
                                                           samples_fed(inputs, fed), feeds, state->objects);
  Outputs out;
  parts->forward->run(arrange(*parts->forward, feeds, f), out, options, nullptr, &state->objects);
  state->parts = parts;
  state->feeds = feeds;
  values.clear();
  for (size_t i = 0; i < out.size(); ++i)
    (i < outputs.size() ? values : state->saved).push_back(out.value(i));
  return state;
}

std::vector<Value> Function::backward(const std::shared_ptr<BackPropState>& state,
                                      const Feeds& root_gradients, const std::vector<Variable>& wrt) const {
  if (!state)
    throw value_error("backward needs the state of a forward that kept something")
        .remedy("name the roots in forward's outputs_to_retain_backward_state_for");
  if (wrt.empty()) throw value_error("backward was asked for the gradients of no variables").node(text());
  TwoParts& parts = *state->parts;
  std::vector<size_t> which;
  for (const Variable& v : wrt) {
    auto at = std::find(parts.request.wrt.begin(), parts.request.wrt.end(), v);
    if (at == parts.request.wrt.end())
      throw value_error(cat("no gradient is taken for ", v.text()))
          .node(text())
          .remedy("declare the input with needs_gradient=True");
    which.push_back(static_cast<size_t>(at - parts.request.wrt.begin()));
  }
  std::shared_ptr<Executable> x = parts.backward(which);
  std::vector<const Value*> list(x->leaves().size(), nullptr);
  std::vector<Value> zeros;
  zeros.reserve(parts.seeds.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Variable& leaf = x->leaves()[i];
    for (const auto& [v, value] : state->feeds)
      if (v == leaf) list[i] = &value;
    if (!x->wants(i)) continue;
    for (size_t k = 0; k < parts.saved_as.size(); ++k)
      if (parts.saved_as[k] == leaf) list[i] = &state->saved[k];
    for (size_t k = 0; k < parts.seeds.size(); ++k) {
      if (!(parts.seeds[k] == leaf)) continue;
      for (const auto& [v, value] : root_gradients)
        if (v == parts.request.roots[k]) {
          check_feed(leaf, value);
          list[i] = &value;
        }
      if (!list[i])
        throw value_error(cat("no gradient was given for the root ", parts.request.roots[k].text()));
    }
  }
  Outputs out;
  ObjectStates objects(state->objects, ObjectStates::AgainTag{});
  x->run(list, out, {}, nullptr, &objects);
  std::vector<Value> gradients;
  for (size_t i = 0; i < out.size(); ++i) gradients.push_back(out.value(i));
  return gradients;
}

namespace runtime {

std::shared_ptr<TwoParts> Engine::two_parts(const ir::Request& r,
                                            const std::vector<std::pair<Variable, Shape>>& shapes,
                                            const std::vector<std::pair<Axes, int64_t>>& samples,
                                            const Feeds& feeds, ObjectStates& objects) {
  std::vector<std::shared_ptr<TwoParts>> known;
  {
    std::lock_guard lock(mutex_);
    known = parts_;
  }
  for (const auto& p : known)
    if (p->request.outputs == r.outputs && p->request.roots == r.roots && p->request.wrt == r.wrt &&
        p->serves(shapes, samples, feeds, objects))
      return p;
  check(r);
  // without the lock: types may be asked of objects of the user's
  auto p = std::make_shared<TwoParts>(r, shapes, samples, feeds, objects, draws_);
  std::lock_guard lock(mutex_);
  if (parts_.size() >= 16) parts_.erase(parts_.begin());
  parts_.push_back(p);
  return p;
}

}  // namespace runtime
}  // namespace cantik
