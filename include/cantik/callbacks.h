// The callbacks that are there: each a class with its options.
//
//   SessionOptions options{.progress = {50000}, .cross_validation = validation};
//   options.callbacks = {early_stopping({.monitor = "val_metric", .patience = 3}), throughput()};
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/callback.h>
#include <cantik/function.h>

namespace cantik {

// Options of EarlyStopping.
struct EarlyStoppingOptions {
  std::string monitor = "val_metric";  // the entry of EpochRecord that is to get better
  int64_t patience = 1;                // epochs without a better one after which the training ends
  double min_delta = 0;                // by how much a better one differs at least
  bool larger_is_better = false;       // as of an accuracy; otherwise smaller is
  bool restore_best = true;            // at the end the network gets the parameters of the best epoch
};

// Ends a training that no longer gets better.
class CANTIK_API EarlyStopping final : public Callback {
 public:
  // One with these options.
  explicit EarlyStopping(EarlyStoppingOptions options = {});
  // The best epoch, counted from 1; 0 before the first one.
  int64_t best_epoch() const { return best_epoch_; }
  // What the monitored entry was then.
  double best() const { return best_; }
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;
  void on_training_end(TrainingSession& session) override;
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  EarlyStoppingOptions options_;
  int64_t best_epoch_ = 0;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<Tensor> values_;  // of the network's parameters and constants, in the best epoch
};

// Options of ReduceOnPlateau.
struct ReduceOnPlateauOptions {
  std::string monitor = "val_metric";  // the entry of EpochRecord that is to get better
  double factor = 0.1;                 // by which the rate is multiplied
  int64_t patience = 10;               // epochs without a better one before that
  double min_delta = 1e-4;             // by how much a better one differs at least
  bool larger_is_better = false;       // as of an accuracy; otherwise smaller is
  int64_t cooldown = 0;                // epochs after a reduction that do not count
  double min_rate = 0;                 // below which no rate is reduced
};

// Reduces the rates of all learners where a training no longer gets better. From then on they are constant.
class CANTIK_API ReduceOnPlateau final : public Callback {
 public:
  // One with these options.
  explicit ReduceOnPlateau(ReduceOnPlateauOptions options = {});
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  ReduceOnPlateauOptions options_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  int64_t waited_ = 0, resting_ = 0;  // epochs
};

// Options of GradientNorm.
struct GradientNormOptions {
  int64_t every = 50;  // minibatches
};

// Tells the writers "Gradient norm": the Euclidean norm of the gradient of the mean loss over all parameters;
// its mean over an epoch is the record's "gradient_norm".
class CANTIK_API GradientNorm final : public Callback {
 public:
  // One with these options.
  explicit GradientNorm(GradientNormOptions options = {});
  void on_minibatch_end(TrainingSession& session) override;
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  GradientNormOptions options_;
  double sum_ = 0;
  int64_t measured_ = 0, seen_ = 0;  // minibatches
};

// Tells the writers "Samples per second" of each epoch; the record has it as "samples_per_second".
class CANTIK_API Throughput final : public Callback {
 public:
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;
};

// Calls a function with the record of each epoch. False ends the training.
class CANTIK_API EpochCallback final : public Callback {
 public:
  // What is called.
  using Call = std::function<bool(EpochRecord& record)>;
  // One that calls `call`.
  explicit EpochCallback(Call call) : call_(std::move(call)) {}
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;

 private:
  Call call_;
};

// The same as objects that sessions take: EarlyStopping,
inline CallbackPtr early_stopping(EarlyStoppingOptions options = {}) {
  return std::make_shared<EarlyStopping>(std::move(options));
}
// ReduceOnPlateau,
inline CallbackPtr reduce_on_plateau(ReduceOnPlateauOptions options = {}) {
  return std::make_shared<ReduceOnPlateau>(std::move(options));
}
// GradientNorm,
inline CallbackPtr gradient_norm(GradientNormOptions options = {}) {
  return std::make_shared<GradientNorm>(options);
}
// and Throughput.
inline CallbackPtr throughput() { return std::make_shared<Throughput>(); }

}  // namespace cantik
