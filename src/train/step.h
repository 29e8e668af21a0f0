// What trainers and evaluators share: sums of losses and metrics in one plan, the number of samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cantik/evaluator.h>

#include "runtime/engine.h"

namespace cantik::train {

// The value summed over all its rows and elements: a scalar.
Variable total(const Variable& v);

// Which operand's rows are the samples of a loss or metric: its own, if it has a batch axis. Empty if there is none.
Variable counted(const Variable& v);

// How many samples a minibatch has, by the feeds.
int64_t samples_of(const Variable& counted, const runtime::Executable& x, const std::vector<const Value*>& feeds);

// A plan for scalars (and whatever else is asked for) of one function, kept for as long as the same is asked for.
class Step {
 public:
  // `scalars`: loss and metric, summed; `wrt`: parameters whose gradients of the first scalar are wanted, `few_rows`: if so, as few rows.
  Step(std::vector<Variable> scalars, std::vector<Variable> wrt, Variable counted, bool few_rows = false);

  // The samples of the minibatch.
  int64_t run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options);
  double scalar(size_t i) const;
  Value value(size_t i) const { return out_.value(scalars_.size() + i); }  // of the outputs asked for
  // Gradients, in the order of wrt.
  size_t first_gradient() const { return scalars_.size() + outputs_.size(); }
  const runtime::Outputs& results() const { return out_; }
  const Function& function() const { return function_; }
  runtime::CarriedStates& states() { return states_; }

 private:
  void compile(const std::vector<Variable>& outputs, bool apart);

  std::vector<Variable> scalars_, wrt_, outputs_;
  bool apart_ = false;  // compiled for check_nan
  bool few_rows_;
  Variable counted_;
  Function function_;
  std::shared_ptr<runtime::Executable> executable_;
  runtime::CarriedStates states_;  // of recurrences, from minibatch to minibatch, whatever else is asked for
  runtime::Outputs out_;
};

}  // namespace cantik::train
