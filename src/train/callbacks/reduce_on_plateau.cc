// Reduces rates where a training no longer gets better.
#include <algorithm>
#include <utility>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/train.h>

#include "learners/state.h"
#include "train/callbacks/watched.h"
#include "train/calls.h"

namespace cantik {

ReduceOnPlateau::ReduceOnPlateau(ReduceOnPlateauOptions options)
    : options_(training::checked(std::move(options))) {}

void ReduceOnPlateau::on_epoch_end(TrainingSession& session, EpochRecord& record) {
  const double value = training::watched(record, options_.monitor);
  const bool rests = resting_ > 0;
  if (rests) --resting_;
  if (training::is_better(value, best_, options_.min_delta, *options_.larger_is_better)) {
    best_ = value;
    waited_ = 0;
    return;
  }
  if (rests || ++waited_ < options_.patience) return;
  waited_ = 0;
  resting_ = options_.cooldown;
  for (const LearnerPtr& learner : session.trainer()->parameter_learners()) {
    const double rate = learner->learning_rate();
    const double reduced = std::max(rate * options_.factor, options_.min_rate);
    if (reduced < rate) learner->reset_learning_rate(reduced);
  }
}

Dictionary ReduceOnPlateau::state() const {
  return {{"best", best_},
          {"waited", static_cast<uint64_t>(waited_)},
          {"resting", static_cast<uint64_t>(resting_)}};
}

void ReduceOnPlateau::restore(const Dictionary& d) {
  const double best = d.at("best").as<double>();
  const int64_t waited = count_in(d, "waited");
  resting_ = count_in(d, "resting");
  best_ = best;
  waited_ = waited;
}

void describe_reduce_on_plateau(CallDefinitions& calls) {
  calls.add("ReduceOnPlateau", "train", "class")
      .is("ReduceOnPlateau")
      .body("_cantik.ReduceOnPlateau")
      .options<ReduceOnPlateauOptions>("ReduceOnPlateauOptions")
      .example("reduce = C.train.ReduceOnPlateau('val_metric', factor=0.5, patience=3)");
}

}  // namespace cantik
