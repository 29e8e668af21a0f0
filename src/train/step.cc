#include "train/step.h"

#include <algorithm>

#include "base/text.h"
#include "graph/node.h"

namespace cantik::train {

Variable total(const Variable& v) {
  if (v.shape() == Shape{} && v.axes().empty() && v.axes().is_known()) return v;
  return call("sum_to", {v}, {{"shape", Shape{}}, {"axes", int64_t{0}}});
}

Variable counted(const Variable& v) {
  if (v.axes().has_batch()) return v;
  if (!v.is_output()) return {};
  for (const Variable& in : v.owner().inputs())
    if (in.axes().has_batch()) return in;
  for (const Variable& in : v.owner().inputs())
    if (Variable found = counted(in)) return found;
  return {};
}

int64_t samples_of(const Variable& counted, const Feeds& feeds) {
  int64_t sequences = -1;
  for (const auto& [input, value] : feeds) {
    if (!value.layout) continue;
    if (input.axes() == counted.axes()) return value.rows();
    sequences = value.layout->sequences();
  }
  if (sequences >= 0 && !counted.axes().has_sequence()) return sequences;
  throw unsupported("counting samples along a sequence axis that no input has").line("node", counted.text()).remedy("reduce the loss over its sequence axis");
}

namespace {

Function joined(std::vector<Variable> all, const std::vector<Variable>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return combine(all);
}

}  // namespace

Step::Step(std::vector<Variable> scalars, Variable counted, Wanted wanted)
    : scalars_(std::move(scalars)), wanted_(std::move(wanted)), counted_(std::move(counted)), function_(joined(scalars_, wanted_.updates)) {
  compile({}, false, true);
}

void Step::compile(const std::vector<Variable>& outputs, bool apart, bool update) {
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
  r.apart = apart_ = apart;
  r.few_rows = wanted_.few_rows;
  executable_ = runtime::engine_of(function_).executable(r);
  outputs_ = outputs;
  update_ = update;
}

int64_t Step::run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options) {
  auto prepare = [&](bool update) {
    if (outputs != outputs_ || options.check_nan != apart_ || !executable_ || update != update_) compile(outputs, options.check_nan, update);
    return runtime::arrange(*executable_, feeds, function_);
  };
  std::vector<const Value*> list = prepare(true);
  int64_t samples = samples_of(feeds);
  if (samples == 0 && !wanted_.updates.empty()) list = prepare(false);
  executable_->run(list, out_, {.threads = options.threads, .check_nan = options.check_nan}, &states_);
  return out_.counted() >= 0 ? out_.counted() : samples;
}

double Step::scalar(size_t i) const {
  return scalars_[i].dtype() == DType::float64 ? *static_cast<const double*>(out_.data(i)) : *static_cast<const float*>(out_.data(i));
}

}  // namespace cantik::train
