// What trainers and evaluators share: sums of losses and metrics in one plan, the number of samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cantik/evaluator.h>

#include "runtime/bound_plans.h"
#include "execute/finals.h"
#include "execute/outputs.h"

namespace cantik::training {

// The value summed over all its rows and elements: a scalar.
Variable total(const Variable& v);

// Which operand's rows are the samples of a loss or metric: its own, if it has a batch axis. Empty if there
// is none.
Variable counted(const Variable& v);

// How many samples a minibatch has, by the feeds; -1 where these have no batch axis.
int64_t samples_of(const Variable& counted, const Feeds& feeds);

// An error, as in CNTK, where feeds have no samples: the end of the data is no feeds at all.
void refuse_no_samples(const Feeds& feeds);

// A plan for scalars (and whatever else is asked for) of one function, kept for as long as the same is asked
// for.
class TrainingStep {
 public:
  // What is to happen beside the scalars: gradients of the first one with respect to `wrt`, as few rows where
  // `sparse_gradients` says so; `updates`, in which `gradients` stand for those with respect to `wrt`: all as
  // ir::Request has them. `beside`: what may be asked for though nothing else needs it.
  struct Wanted {
    std::vector<Variable> wrt, updates, gradients, beside;
    std::vector<SparseGradients> sparse_gradients;
  };
  // `scalars`: loss and metric, summed. Without `counted` a minibatch is one sample.
  TrainingStep(std::vector<Variable> scalars, Variable counted, Wanted wanted);
  TrainingStep(std::vector<Variable> scalars, Variable counted)
      : TrainingStep(std::move(scalars), std::move(counted), Wanted()) {}
  // A test beside a training, as CNTK has both in one network: it takes what `training` reads, and draws from
  // its streams of random numbers.
  TrainingStep(std::vector<Variable> scalars, Variable counted, const TrainingStep& training);

  // The samples of the minibatch. Without any, there are no updates.
  // `listener`: takes gradients while the run goes on; not asked where the samples are known only afterwards.
  int64_t run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options,
              runtime::ResultListener* listener = nullptr);
  int64_t samples_of(const Feeds& feeds) const;
  double scalar(size_t i) const;
  Value value(size_t i) const { return out_.value(scalars_.size() + i); }  // of the outputs asked for
  // Gradients, in the order of wrt, without those that updates read.
  size_t first_gradient() const { return first_gradient_after(outputs_); }
  // The same in a run that these are asked of.
  size_t first_gradient_after(const std::vector<Variable>& outputs) const {
    return scalars_.size() + outputs.size();
  }
  const runtime::Outputs& results() const { return out_; }
  const Function& function() const { return function_; }
  const runtime::Draws& draws() const { return runtime::bound_plans_of(function_).draws(); }
  runtime::CarriedStates& states() { return states_; }

 private:
  // The streams are those of `training`, if there is one.
  TrainingStep(std::vector<Variable> scalars, Variable counted, Wanted wanted, const TrainingStep* training);
  void compile(const std::vector<Variable>& outputs, bool unfused, bool update, const Device& device,
               const Feeds* feeds);

  std::vector<Variable> scalars_, outputs_;
  Wanted wanted_;
  bool unfused_ = false, update_ = false;  // compiled for check_nan, with updates
  Device device_;                          // and for this device
  Variable counted_;
  // of samples along a sequence axis that no input has; its result is the last of the scalars
  Function counter_;
  Function function_;
  std::shared_ptr<runtime::BoundPlan> plan_;
  runtime::CarriedStates states_;  // of recurrences, from minibatch to minibatch, whatever else is asked for
  runtime::Outputs out_;
};

}  // namespace cantik::training
