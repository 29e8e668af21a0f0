// Function::eval and grad: from a request to its results.
#include <memory>
#include <span>
#include <vector>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/bound_plans.h"
#include "runtime/feeds.h"
#include "runtime/run.h"

namespace cantik {

using namespace runtime;

namespace {

std::vector<Value> results(const Function& f, const ir::Request& r, const Feeds& feeds,
                           const RunOptions& options) {
  std::shared_ptr<BoundPlan> plan = bound_plans_of(f).of(r);
  const std::vector<const Value*> list = arrange(*plan, feeds, f);
  Outputs out;
  runtime::GraphRun run(*plan, list, out);
  run.options = options;
  run.go();
  return out.values();
}

}  // namespace

std::vector<Value> Function::eval(const Feeds& feeds, std::span<const Variable> asked,
                                  const RunOptions& options) const {
  Function f = as_composite();
  std::vector<Variable> outputs(asked.begin(), asked.end());
  return results(
      f, {outputs.empty() ? f.outputs() : outputs, {}, {}, ir::Mode::evaluation, {}, options.check_nan},
      feeds, options);
}

Value Function::eval(const Feeds& feeds, const RunOptions& options) const {
  return eval(feeds, {output()}, options)[0];
}

std::vector<Value> Function::grad(const Feeds& feeds, const std::vector<Variable>& wrt,
                                  const std::vector<Variable>& outputs, std::vector<Value>* output_values,
                                  const RunOptions& options) const {
  Function f = as_composite();
  if (wrt.empty())
    throw value_error("grad() was asked for the gradients of no variable: wrt is empty")
        .remedy("name parameters, or inputs with needs_gradient");
  std::vector<Value> all =
      results(f, {outputs, {output()}, wrt, ir::Mode::training, {}, options.check_nan}, feeds, options);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(outputs.size());
  if (output_values) output_values->insert(output_values->end(), all.begin(), first);
  return {first, all.end()};
}

}  // namespace cantik
