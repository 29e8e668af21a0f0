// Callbacks: code that sees a training go on, measures it, changes rates and ends it. Those that are there
// are in callbacks.h.
//
//   struct Enough final : Callback {
//     void on_epoch_end(TrainingSession& session, EpochRecord& record) override {
//       if (record.at("loss") < 0.1) session.end();
//     }
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/stateful.h>

namespace cantik {

class TrainingSession;

// The measurements of an epoch by name, in the order in which they were made: "loss", "metric" (where the
// training has one), "val_metric" (where it has been validated), "rate", "samples", "seconds", and those of
// callbacks.
class CANTIK_API EpochRecord {
 public:
  // A name and its number.
  using Entry = std::pair<std::string, double>;
  // The record of an epoch, counted from 1.
  explicit EpochRecord(int64_t epoch) : epoch_(epoch) {}

  // Which epoch it is, counted from 1.
  int64_t epoch() const { return epoch_; }
  // Adds a measurement, or changes the one of this name.
  void set(std::string_view name, double value);
  // Null where there is none of this name.
  const double* find(std::string_view name) const;
  // A ValueError names the measurements that are there.
  double at(std::string_view name) const;
  // All of them.
  std::span<const Entry> entries() const { return entries_; }

 private:
  int64_t epoch_;
  std::vector<Entry> entries_;
};

// What a session calls while it trains: all of it on the thread of train(). A callback with a state gives it
// to checkpoints, so that a training that goes on goes on bit for bit.
class CANTIK_API Callback : public Stateful {
 public:
  // Before the first minibatch; a checkpoint has been restored.
  virtual void on_training_start(TrainingSession& session) { (void)session; }
  // After the last one and the last checkpoint, before the test; not where a training was interrupted.
  virtual void on_training_end(TrainingSession& session) { (void)session; }
  // Before a minibatch is asked for.
  virtual void on_minibatch_start(TrainingSession& session) { (void)session; }
  // After it has been trained on, or where there was none.
  virtual void on_minibatch_end(TrainingSession& session) { (void)session; }
  // After the summary of an epoch, and cross-validation where it is due. What a callback adds to the record
  // is seen by the callbacks after it.
  virtual void on_epoch_end(TrainingSession& session, EpochRecord& record) { (void)session, (void)record; }
  // Before a checkpoint is taken; `index` counts them from 0.
  virtual void on_checkpoint_start(TrainingSession& session, int64_t index) { (void)session, (void)index; }
  // Once its file is there: of one written in the background after a later minibatch.
  virtual void on_checkpoint_end(TrainingSession& session, int64_t index) { (void)session, (void)index; }
  // Before a cross-validation; `index` counts them from 0.
  virtual void on_cross_validation_start(TrainingSession& session, int64_t index) {
    (void)session, (void)index;
  }

  Dictionary state() const override { return {}; }
  void restore(const Dictionary& state) override { (void)state; }
};

// How callbacks are handed on.
using CallbackPtr = std::shared_ptr<Callback>;

}  // namespace cantik
