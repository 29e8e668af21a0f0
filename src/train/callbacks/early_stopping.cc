// Ends a training that no longer gets better, and keeps the best parameters.
#include <utility>
#include <vector>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/train.h>

#include "learners/state.h"
#include "train/callbacks/watched.h"
#include "train/calls.h"

namespace cantik {
namespace {

// Parameters, and constants too: batch normalization keeps its statistics in them.
std::vector<Variable> remembered(const TrainingSession& session) {
  const Function function = session.trainer()->training_function();
  std::vector<Variable> all = function.parameters();
  for (const Variable& v : function.constants()) all.push_back(v);
  return all;
}

}  // namespace

EarlyStopping::EarlyStopping(EarlyStoppingOptions options)
    : options_(training::checked(std::move(options))) {}

// A checkpoint may be that of the epoch in which the training stopped.
void EarlyStopping::on_training_start(TrainingSession& session) {
  if (is_over()) session.end();
}

void EarlyStopping::on_epoch_end(TrainingSession& session, EpochRecord& record) {
  const double value = training::watched(record, options_.monitor);
  if (training::is_better(value, best_, options_.min_delta, *options_.larger_is_better)) {
    best_ = value;
    best_epoch_ = record.epoch();
    values_.clear();
    if (options_.restore_best)
      for (const Variable& v : remembered(session)) values_.push_back(v.value().clone());
  }
  epoch_ = record.epoch();
  if (is_over()) session.end();
}

void EarlyStopping::on_training_end(TrainingSession& session) {
  epoch_ = best_epoch_;  // a training of its own may follow
  if (values_.empty()) return;
  const std::vector<Variable> variables = remembered(session);
  if (variables.size() != values_.size())
    throw value_error("early stopping keeps the parameters of another network")
        .remedy("make a new EarlyStopping for each training");
  for (size_t i = 0; i < variables.size(); ++i) variables[i].set_value(values_[i]);
}

Dictionary EarlyStopping::state() const {
  DictionaryVector values;
  for (const Tensor& t : values_) values.push_back(t);
  return {{"best_epoch", static_cast<uint64_t>(best_epoch_)},
          {"epoch", static_cast<uint64_t>(epoch_)},
          {"best", best_},
          {"values", std::move(values)}};
}

void EarlyStopping::restore(const Dictionary& d) {
  if (d.size() == 0) return;  // the training went on without it, and it begins here
  std::vector<Tensor> values;
  for (const DictionaryValue& v : d.at("values").as<DictionaryVector>()) values.push_back(v.as<Tensor>());
  const double best = d.at("best").as<double>();
  best_epoch_ = count_in(d, "best_epoch");
  epoch_ = d.contains("epoch") ? count_in(d, "epoch") : best_epoch_;  // earlier releases have kept none
  best_ = best;
  values_ = std::move(values);
}

void describe_early_stopping(CallDefinitions& calls) {
  calls.add("EarlyStopping", "train", "class")
      .is("EarlyStopping")
      .doc("An epoch is what `progress_frequency` says.")
      .body("_cantik.EarlyStopping")
      .options<EarlyStoppingOptions>("EarlyStoppingOptions")
      .example(
          "x, y = C.input_variable(2), C.input_variable(1)\n"
          "z = C.layers.Dense(1)(x)\n"
          "data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)\n"
          "stop = C.train.EarlyStopping('loss', patience=2, min_delta=1e-6)\n"
          "progress = C.squared_error(z, y).train(\n"
          "    data, parameter_learners=[C.sgd(z.parameters, 0.1)], max_epochs=1000, callbacks=[stop]\n"
          ")\n"
          "len(progress.epoch_summaries) < 1000");
}

}  // namespace cantik
