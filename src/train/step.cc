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

int64_t samples_of(const Variable& counted, const runtime::Executable& x, const std::vector<const Value*>& feeds) {
  int64_t sequences = -1;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!feeds[i] || !feeds[i]->layout) continue;
    if (x.leaves()[i].axes() == counted.axes()) return feeds[i]->rows();
    sequences = feeds[i]->layout->sequences();
  }
  if (sequences >= 0 && !counted.axes().has_sequence()) return sequences;
  throw unsupported("counting samples along a sequence axis that no input has").line("node", counted.text()).remedy("reduce the loss over its sequence axis");
}

Step::Step(std::vector<Variable> scalars, std::vector<Variable> wrt, Variable counted, bool few_rows)
    : scalars_(std::move(scalars)), wrt_(std::move(wrt)), few_rows_(few_rows), counted_(std::move(counted)), function_(combine(scalars_)) {
  compile({}, false);
}

void Step::compile(const std::vector<Variable>& outputs, bool apart) {
  ir::Request r;
  r.outputs = scalars_;
  r.outputs.insert(r.outputs.end(), outputs.begin(), outputs.end());
  if (!wrt_.empty()) r.roots = {scalars_[0]};
  r.wrt = wrt_;
  r.mode = wrt_.empty() ? ir::Mode::evaluation : ir::Mode::training;
  r.apart = apart_ = apart;
  r.few_rows = few_rows_;
  executable_ = runtime::engine_of(function_).executable(r);
  outputs_ = outputs;
}

int64_t Step::run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options) {
  if (outputs != outputs_ || options.check_nan != apart_ || !executable_) compile(outputs, options.check_nan);
  std::vector<const Value*> list = runtime::arrange(*executable_, feeds, function_);
  executable_->run(list, out_, {.threads = options.threads, .check_nan = options.check_nan}, &states_);
  return samples_of(counted_, *executable_, list);
}

double Step::scalar(size_t i) const {
  return scalars_[i].dtype() == DType::float64 ? *static_cast<const double*>(out_.data(i)) : *static_cast<const float*>(out_.data(i));
}

}  // namespace cantik::train
