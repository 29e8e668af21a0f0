// Measurements for the log: the norm of gradients, samples a second.
#include <algorithm>
#include <cmath>

#include <cantik/callbacks.h>
#include <cantik/train.h>

#include "base/required.h"
#include "learners/state.h"
#include "train/calls.h"

namespace cantik {

GradientNorm::GradientNorm(GradientNormOptions options) : options_(options) { check_options(options_); }

void GradientNorm::on_minibatch_end(TrainingSession& session) {
  const Trainer& trainer = *session.trainer();
  const int64_t seen = trainer.total_number_of_minibatches_seen();
  if (seen == seen_) return;  // there was none
  seen_ = seen;
  if ((seen - 1) % options_.every != 0) return;
  const double norm = trainer.previous_minibatch_gradient_norm();
  sum_ += norm;
  ++measured_;
  session.write("Gradient norm", norm);
}

void GradientNorm::on_epoch_end(TrainingSession&, EpochRecord& record) {
  const double n = static_cast<double>(measured_);
  record.set("gradient_norm", measured_ > 0 ? sum_ / n : std::nan(""));
  sum_ = 0;
  measured_ = 0;
}

Dictionary GradientNorm::state() const {
  return {
      {"sum", sum_}, {"measured", static_cast<uint64_t>(measured_)}, {"seen", static_cast<uint64_t>(seen_)}};
}

void GradientNorm::restore(const Dictionary& d) {
  const double sum = d.at("sum").as<double>();
  measured_ = count_in(d, "measured");
  seen_ = d.contains("seen") ? count_in(d, "seen") : 0;
  sum_ = sum;
}

void Throughput::on_epoch_end(TrainingSession& session, EpochRecord& record) {
  const double speed = record.at("samples") / std::max(record.at("seconds"), 1e-9);
  record.set("samples_per_second", speed);
  session.write("Samples per second", speed);
}

EpochCallback::EpochCallback(Call call) : call_(callable(std::move(call), "what an EpochCallback calls")) {}

void EpochCallback::on_epoch_end(TrainingSession& session, EpochRecord& record) {
  if (!call_(record)) session.end();
}

void describe_measures(CallDefinitions& calls) {
  calls.add("GradientNorm", "train", "class")
      .is("GradientNorm")
      .body("_cantik.GradientNorm")
      .options<GradientNormOptions>("GradientNormOptions")
      .example("norm = C.train.GradientNorm(every=10)");
  calls.add("Throughput", "train", "class")
      .is("Throughput")
      .body("_cantik.Throughput")
      .example("speed = C.train.Throughput()");
}

}  // namespace cantik
