// Reduces rates where a training no longer gets better.
#include <algorithm>
#include <utility>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/train.h>

#include "learners/state.h"
#include "train/callbacks/watched.h"

namespace cantik {

ReduceOnPlateau::ReduceOnPlateau(ReduceOnPlateauOptions options) : options_(std::move(options)) {
  const ReduceOnPlateauOptions& o = options_;
  training::check_watch(o.monitor, o.patience, o.min_delta);
  if (!(o.factor > 0 && o.factor < 1))
    throw value_error(cat("factor must be between 0 and 1, and is ", o.factor));
  if (o.cooldown < 0) throw value_error(cat("cooldown must be at least 0, and is ", o.cooldown));
  if (!(o.min_rate >= 0)) throw value_error(cat("min_rate must be at least 0, and is ", o.min_rate));
}

void ReduceOnPlateau::on_epoch_end(TrainingSession& session, EpochRecord& record) {
  const double value = training::watched(record, options_.monitor);
  const bool rests = resting_ > 0;
  if (rests) --resting_;
  if (training::is_better(value, best_, options_.min_delta, options_.larger_is_better)) {
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

}  // namespace cantik
