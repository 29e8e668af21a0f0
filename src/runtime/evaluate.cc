// Evaluation, Function::eval and grad: from a question to its answer.
#include <memory>
#include <span>
#include <vector>

#include <cantik/evaluation.h>
#include <cantik/user_operator.h>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/bound_plans.h"
#include "runtime/feeds.h"
#include "runtime/run.h"

namespace cantik {

using namespace runtime;

namespace {

ir::Request request_of(const Question& q) {
  ir::Request r{q.outputs, {}, {}, ir::Mode::evaluation, {}, q.check_nan};
  if (!q.wrt.empty()) {
    r.roots = {q.root};
    r.wrt = q.wrt;
    r.mode = ir::Mode::training;
    r.sparse_gradients.assign(q.wrt.size(), q.row_sparse ? SparseGradients::all : SparseGradients::none);
  }
  r.device = q.device.value_or(Device::used());
  return r;
}

Feeds named(const std::vector<Variable>& inputs, std::span<const Value> values) {
  Feeds feeds;
  for (size_t i = 0; i < values.size(); ++i) feeds.emplace_back(inputs[i], values[i]);
  return feeds;
}

}  // namespace

Evaluation::Evaluation(const Function& network, Question question)
    : network_(network.as_composite()), question_(std::move(question)) {
  if (question_.wrt.empty()) {
    if (question_.outputs.empty()) question_.outputs = network_.outputs();
  } else if (!question_.root) {
    question_.root = network_.output();
  }
  plan_ = bound_plans_of(network_).unless_sizes_are_awaited(request_of(question_));
  if (!plan_) inputs_ = network_.arguments();
  if (!question_.share_states) states_ = std::make_shared<CarriedStates>();
}

const std::vector<Variable>& Evaluation::inputs() const { return plan_ ? plan_->inputs() : inputs_; }

bool Evaluation::may_keep_inputs() const { return !plan_ || plan_->plan().lends(); }

Answer Evaluation::run(std::span<const Value> values, const RunOptions& options) const {
  if (values.size() != inputs().size())
    throw value_error(cat("the evaluation has ", inputs().size(), " inputs, ", values.size(), " values came"))
        .node(network_.text())
        .remedy("give a value for each of inputs(), in their order");
  if (!plan_) return run(named(inputs_, values), options);
  try {
    std::vector<const Value*> list(plan_->leaves().size(), nullptr);
    for (size_t i = 0; i < values.size(); ++i) {
      check_feed(inputs()[i], values[i]);
      list[plan_->input_leaves()[i]] = &values[i];
    }
    return run_all(*plan_, list, options);
  } catch (const OtherSamples&) {
    return run_anew(named(inputs(), values), options);
  }
}

Answer Evaluation::run(const Feeds& feeds, const RunOptions& options) const {
  const std::shared_ptr<BoundPlan> plan =
      plan_ ? plan_ : bound_plans_of(network_).of(request_of(question_), &feeds);
  try {
    return run_all(*plan, arrange(*plan, feeds, network_), options);
  } catch (const OtherSamples&) {
    return run_anew(feeds, options);
  }
}

// A user's operator turned out to tell its number of samples: with plans that ask it.
Answer Evaluation::run_anew(const Feeds& feeds, const RunOptions& options) const {
  BoundPlans& plans = bound_plans_of(network_);
  plans.ask_for_samples();
  const std::shared_ptr<BoundPlan> plan = plans.of(request_of(question_), &feeds);
  return run_all(*plan, arrange(*plan, feeds, network_), options);
}

Answer Evaluation::run_all(BoundPlan& plan, const std::vector<const Value*>& leaves,
                           const RunOptions& options) const {
  Outputs out;
  runtime::GraphRun run(plan, leaves, out);
  run.options = options;
  run.options.check_nan |= question_.check_nan;
  run.states = states_.get();
  run.go();
  Answer answer;
  const size_t outputs = question_.outputs.size();
  answer.outputs.reserve(outputs);
  answer.gradients.reserve(question_.wrt.size());
  for (size_t i = 0; i < out.size(); ++i)
    (i < outputs ? answer.outputs : answer.gradients).push_back(out.value(i));
  return answer;
}

std::vector<Value> Function::eval(const Feeds& feeds, std::span<const Variable> asked,
                                  const RunOptions& options) const {
  const Evaluation evaluation(*this, {.outputs = {asked.begin(), asked.end()},
                                      .check_nan = options.check_nan,
                                      .device = options.device,
                                      .share_states = true});
  return evaluation.run(feeds, options).outputs;
}

Value Function::eval(const Feeds& feeds, const RunOptions& options) const {
  return eval(feeds, {output()}, options)[0];
}

Answer Function::grad(const Feeds& feeds, const std::vector<Variable>& wrt, std::span<const Variable> outputs,
                      const RunOptions& options) const {
  if (wrt.empty())
    throw value_error("grad() was asked for the gradients of no variable: wrt is empty")
        .remedy("name parameters, or inputs with needs_gradient");
  const Evaluation evaluation(*this, {.outputs = {outputs.begin(), outputs.end()},
                                      .wrt = wrt,
                                      .check_nan = options.check_nan,
                                      .device = options.device,
                                      .share_states = true});
  return evaluation.run(feeds, options);
}

std::vector<Value> Function::grad(const Feeds& feeds, const std::vector<Variable>& wrt,
                                  const RunOptions& options) const {
  return grad(feeds, wrt, std::span<const Variable>(), options).gradients;
}

}  // namespace cantik
