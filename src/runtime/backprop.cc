// Function::forward and backward: the two parts of one differentiated graph. The state between them owns what
// the second part reads, so later calls leave it alone, and it may be used more than once.
#include <algorithm>
#include <memory>
#include <vector>

#include <cantik/user_operator.h>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/bound_plans.h"
#include "runtime/feeds.h"
#include "runtime/run.h"

namespace cantik {

using namespace runtime;

class BackPropState {
 public:
  Function function;
  ir::Request request;  // of the first part
  Feeds feeds;          // kept: the second part may read them
  std::vector<Value> saved;
  Sizes sizes;
  RunKeeper keeper = RunKeeper::for_parts();  // of what operators left
};

namespace {

std::vector<Variable> differentiable(const Function& f) {
  std::vector<Variable> list;
  for (const Variable& v : f.inputs())
    if (v.needs_gradient() && !v.is_constant()) list.push_back(v);
  return list;
}

// In the function's order: one plan serves them in whichever order they are given.
std::vector<Variable> in_order(const Function& f, const std::vector<Variable>& roots) {
  auto has = [](const std::vector<Variable>& list, const Variable& v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  };
  std::vector<Variable> list;
  for (const Variable& output : f.outputs())
    if (has(roots, output) && !has(list, output)) list.push_back(output);
  for (const Variable& root : roots)
    if (!has(list, root)) list.push_back(root);
  return list;
}

}  // namespace

ForwardPass Function::forward(const Feeds& feeds, const std::vector<Variable>& wanted,
                              const std::vector<Variable>& keep, const RunOptions& options) const try {
  Function f = as_composite();
  std::vector<Variable> outputs = wanted.empty() ? f.outputs() : wanted;
  if (keep.empty()) return {eval(feeds, outputs, options), nullptr};
  auto state = std::make_shared<BackPropState>();
  state->function = f;
  state->feeds = feeds;
  state->request = {outputs, in_order(f, keep), differentiable(f), ir::Mode::training};
  state->request.part = ir::Part::forward;
  state->request.device = options.device.value_or(Device::used());
  std::shared_ptr<BoundPlan> plan = bound_plans_of(f).of(state->request, &feeds);
  const std::vector<const Value*> list = arrange(*plan, feeds, f);
  Outputs out;
  runtime::GraphRun run(*plan, list, out);
  run.options = options;
  run.keeper = &state->keeper;
  run.sizes = &state->sizes;
  run.go();
  std::vector<Value> values = out.values();
  state->saved.assign(values.begin() + static_cast<std::ptrdiff_t>(outputs.size()), values.end());
  values.resize(outputs.size());
  return {std::move(values), std::move(state)};
} catch (const OtherSamples&) {
  bound_plans_of(as_composite()).ask_for_samples();
  return forward(feeds, wanted, keep, options);
}

std::vector<Value> Function::backward(const std::shared_ptr<BackPropState>& state,
                                      const Feeds& root_gradients, const std::vector<Variable>& wrt) const {
  if (!state)
    throw value_error("backward needs the state of a forward run, and the given state is empty")
        .remedy("name the roots in forward's outputs_to_retain_backward_state_for");
  if (wrt.empty()) throw value_error("backward was asked for the gradients of no variable").node(text());
  ir::Request request = state->request;
  request.part = ir::Part::backward;
  std::vector<int32_t> places;  // of wrt, in the request's
  for (const Variable& v : wrt) {
    auto at = std::find(request.wrt.begin(), request.wrt.end(), v);
    if (at == request.wrt.end())
      throw value_error(cat("the gradient of ", v.text(), " is not computed: it does not need one"))
          .node(text())
          .remedy("declare the input with needs_gradient=True");
    places.push_back(static_cast<int32_t>(at - request.wrt.begin()));
  }
  // One plan, in whichever order they are asked for.
  request.only = places;
  std::sort(request.only.begin(), request.only.end());
  request.only.erase(std::unique(request.only.begin(), request.only.end()), request.only.end());
  std::shared_ptr<BoundPlan> plan = bound_plans_of(state->function).of(request);
  auto given = [](const Feeds& values, const Variable& v) {
    auto at = std::find_if(values.begin(), values.end(), [&](const auto& feed) { return feed.first == v; });
    return at == values.end() ? nullptr : &at->second;
  };
  std::vector<const Value*> list;
  for (const Variable& leaf : plan->leaves()) list.push_back(given(state->feeds, leaf));
  for (const Variable& root : request.roots) list.push_back(given(root_gradients, root));
  for (const Value& value : state->saved) list.push_back(&value);
  Outputs out;
  RunKeeper keeper(state->keeper);
  Sizes sizes = state->sizes;
  runtime::GraphRun run(*plan, list, out);
  run.keeper = &keeper;
  run.sizes = &sizes;
  run.go();
  std::vector<Value> gradients;
  for (int32_t place : places) {
    auto at = std::lower_bound(request.only.begin(), request.only.end(), place);
    gradients.push_back(out.value(static_cast<size_t>(at - request.only.begin())));
  }
  return gradients;
}

}  // namespace cantik
