#include "train/step.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <cantik/error.h>
#include <cantik/user_operator.h>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/feeds.h"
#include "runtime/run.h"
#include "runtime/sizes.h"

namespace cantik::training {

Variable total(const Variable& v) {
  // Totals of short numbers would leave their range, and are read as one of these two types.
  const bool is_read = v.dtype() == DType::float32 || v.dtype() == DType::float64;
  const Variable x = is_read ? v : Variable(call("cast", {v}, {{"dtype", DType::float32}}));
  if (x.shape() == Shape{} && x.axes().empty() && x.axes().is_known()) return x;
  return call("sum_to", {x}, {{"shape", Shape{}}, {"axes", int64_t{0}}});
}

namespace {

// `seen`: a recurrence whose types are open leads back to itself.
Variable counted_below(const Variable& v, std::unordered_set<Variable>& seen) {
  if (!v.is_output() || !seen.insert(v).second) return {};
  for (const Variable& in : v.owner().inputs())
    if (in.axes().has_batch()) return in;
  for (const Variable& in : v.owner().inputs())
    if (Variable found = counted_below(in, seen)) return found;
  return {};
}

}  // namespace

Variable counted(const Variable& v) {
  std::unordered_set<Variable> seen;
  return v.axes().has_batch() ? v : counted_below(v, seen);
}

int64_t samples_of(const Variable& counted, const Feeds& feeds) {
  int64_t sequences = -1;
  for (const auto& [input, value] : feeds) {
    if (!value.layout) continue;
    if (input.axes() == counted.axes()) return value.rows();
    sequences = value.layout->sequences();
  }
  return sequences;
}

void refuse_no_samples(const Feeds& feeds) {
  for (const auto& [input, value] : feeds)
    if (value.layout && value.size() == 0)
      throw runtime_error("the minibatch has no samples")
          .line("input", input.text())
          .remedy("give at least one sample; an empty dictionary stands for the end of the data");
}

namespace {

Function joined(std::vector<Variable> all, const std::vector<Variable>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return combine(all);
}

}  // namespace

TrainingStep::TrainingStep(std::vector<Variable> scalars, Variable counted, Wanted wanted)
    : TrainingStep(std::move(scalars), std::move(counted), std::move(wanted), nullptr) {}

TrainingStep::TrainingStep(std::vector<Variable> scalars, Variable counted, const TrainingStep& training)
    : TrainingStep(std::move(scalars), std::move(counted), Wanted(), &training) {}

TrainingStep::TrainingStep(std::vector<Variable> scalars, Variable counted, Wanted wanted,
                           const TrainingStep* training)
    : scalars_(std::move(scalars)), wanted_(std::move(wanted)), counted_(std::move(counted)) {
  if (counted_ && counted_.axes().has_sequence()) {
    const std::vector<Variable> inputs = joined(scalars_, {counted_}).arguments();
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const Variable& v) { return v.axes() == counted_.axes(); })) {
      counter_ = call("row_count", {counted_});
      scalars_.push_back(counter_.output());
    }
  }
  const Function needed = joined(scalars_, training ? training->function_.outputs() : wanted_.updates);
  const std::vector<Variable> read = needed.parameters();
  for (const Variable& p : wanted_.wrt)
    if (std::find(read.begin(), read.end(), p) == read.end())
      throw value_error(cat("neither the loss nor the metric reads ", p.text(), ", which is to be learned"))
          .node(needed.text())
          .remedy("give the learner the parameters of the loss");
  function_ = training ? needed : joined(needed.outputs(), wanted_.beside);
  if (training) runtime::bound_plans_of(function_).draw_from(runtime::bound_plans_of(training->function_));
  if (!runtime::await_sizes(nodes_below(function_.node().get())))
    compile({}, false, true, Device::used(), nullptr);
}

int64_t TrainingStep::samples_of(const Feeds& feeds) const {
  if (!counted_) return 1;
  if (!counter_) return training::samples_of(counted_, feeds);
  const std::vector<Variable> reads = counter_.arguments();
  Feeds given;
  std::copy_if(feeds.begin(), feeds.end(), std::back_inserter(given), [&](const auto& feed) {
    return std::find(reads.begin(), reads.end(), feed.first) != reads.end();
  });
  return static_cast<int64_t>(std::llround(*static_cast<const double*>(counter_.eval(given).data.raw())));
}

void TrainingStep::compile(const std::vector<Variable>& outputs, bool unfused, bool update,
                           const Device& device, const Feeds* feeds) {
  ir::Request r;
  r.outputs = scalars_;
  r.outputs.insert(r.outputs.end(), outputs.begin(), outputs.end());
  if (!wanted_.wrt.empty()) r.roots = {scalars_[0]};
  r.wrt = wanted_.wrt;
  if (update) {
    r.updates = wanted_.updates;
    r.gradients = wanted_.gradients;
  }
  r.counted = counted_;
  r.mode = r.wrt.empty() && r.updates.empty() ? ir::Mode::evaluation : ir::Mode::training;
  r.unfused = unfused_ = unfused;
  r.sparse_gradients = wanted_.sparse_gradients;
  r.device = device_ = device;
  plan_ = runtime::bound_plans_of(function_).of(r, feeds);
  outputs_ = outputs;
  update_ = update;
}

int64_t TrainingStep::run(const Feeds& feeds, const std::vector<Variable>& outputs,
                          const TrainOptions& options, runtime::ResultListener* listener) {
  const Device device = options.device.value_or(Device::used());
  auto prepare = [&](bool update) {
    if (!plan_ || outputs != outputs_ || options.check_nan != unfused_ || update != update_ ||
        device != device_ || !plan_->fits(checked_mode()))
      compile(outputs, options.check_nan, update, device, &feeds);
    return runtime::arrange(*plan_, feeds, function_);
  };
  std::vector<const Value*> list = prepare(true);
  // Sequences that the step makes itself are counted by it, unless that comes too late to leave the
  // parameters alone.
  const bool counts = counter_ && wanted_.updates.empty();
  int64_t samples = counts ? 0 : samples_of(feeds);
  if (samples == 0 && !wanted_.updates.empty()) list = prepare(false);
  runtime::GraphRun run(*plan_, list, out_);
  run.options = {.threads = options.threads, .check_nan = options.check_nan};
  if (samples > 0 && !options.check_nan) run.listener = listener;
  run.states = &states_;
  try {
    run.go();
  } catch (const OtherSamples&) {
    runtime::bound_plans_of(function_).ask_for_samples();
    plan_ = nullptr;
    return this->run(feeds, outputs, options, listener);
  }
  if (counts) samples = static_cast<int64_t>(std::llround(scalar(scalars_.size() - 1)));
  if (out_.counted() >= 0) samples = out_.counted();
  if (samples < 0)
    throw unsupported("the samples cannot be counted: no input has the batch axis of the loss")
        .line("node", counted_.text())
        .remedy("feed an input with a batch axis");
  return samples;
}

double TrainingStep::scalar(size_t i) const {
  return scalars_[i].dtype() == DType::float64 ? *static_cast<const double*>(out_.data(i))
                                               : *static_cast<const float*>(out_.data(i));
}

}  // namespace cantik::training
