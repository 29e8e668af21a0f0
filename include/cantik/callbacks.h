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
#include <cantik/option_field.h>

namespace cantik {

// Options of EarlyStopping.
struct EarlyStoppingOptions {
  // the entry of the records of epochs that is to get better: "loss", "metric", "val_metric" (of a
  // cross-validation), or an entry of another callback
  std::string monitor = "val_metric";
  int64_t patience = 1;  // epochs without a better one after which the training ends
  double min_delta = 0;  // by how much a better one differs at least
  // none: by the name; entries that end in accuracy, precision, recall, f1, auc or r2 are to grow, others to
  // fall
  std::optional<bool> larger_is_better = {};
  bool restore_best = true;  // whether the network gets the parameters of the best epoch

  // The options by name.
  static constexpr auto fields() {
    using O = EarlyStoppingOptions;
    return list(option("monitor", &O::monitor), option("patience", &O::patience).at_least(1),
                option("min_delta", &O::min_delta).at_least(0),
                option("larger_is_better", &O::larger_is_better), option("restore_best", &O::restore_best));
  }
};

// Ends a training that no longer gets better, and gives the network the parameters of its best epoch: at the
// end, before a test.
class CANTIK_API EarlyStopping final : public Callback {
 public:
  // One with these options.
  explicit EarlyStopping(EarlyStoppingOptions options = {});
  // The best epoch, counted from 1; 0 before the first one.
  int64_t best_epoch() const { return best_epoch_; }
  // What the monitored entry was then.
  double best() const { return best_; }
  void on_training_start(TrainingSession& session) override;
  void on_epoch_end(TrainingSession& session, EpochRecord& record) override;
  void on_training_end(TrainingSession& session) override;
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  bool is_over() const { return epoch_ - best_epoch_ >= options_.patience; }
  EarlyStoppingOptions options_;
  int64_t best_epoch_ = 0, epoch_ = 0;  // of all epochs that were seen: the best one, and the last
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<Tensor> values_;  // of the network's parameters and constants, in the best epoch
};

// Options of ReduceOnPlateau.
struct ReduceOnPlateauOptions {
  std::string monitor = "val_metric";         // as for EarlyStopping
  double factor = 0.1;                        // by which rates are multiplied
  int64_t patience = 10;                      // epochs without a better one before that
  double min_delta = 1e-4;                    // by how much a better one differs at least
  std::optional<bool> larger_is_better = {};  // as for EarlyStopping
  int64_t cooldown = 0;                       // epochs after a reduction that do not count
  double min_rate = 0;                        // rates are not reduced below

  // The options by name.
  static constexpr auto fields() {
    using O = ReduceOnPlateauOptions;
    return list(option("monitor", &O::monitor), option("factor", &O::factor).above(0).below(1),
                option("patience", &O::patience).at_least(1), option("min_delta", &O::min_delta).at_least(0),
                option("larger_is_better", &O::larger_is_better),
                option("cooldown", &O::cooldown).at_least(0), option("min_rate", &O::min_rate).at_least(0));
  }
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
  int64_t every = 50;  // minibatches from one measurement to the next

  // The options by name.
  static constexpr auto fields() { return list(option("every", &GradientNormOptions::every).at_least(1)); }
};

// Tells the progress writers "Gradient norm": the Euclidean norm, over all parameters, of the gradient of the
// mean loss. The record of an epoch has its mean as `gradient_norm`.
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

// Tells the progress writers "Samples per second" of each epoch, which the record has as
// `samples_per_second`.
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
  explicit EpochCallback(Call call);
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
