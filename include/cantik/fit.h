// A whole training in one call, with the defaults and the meaning of rates that users of PyTorch and Keras
// know: losses and gradients are means over a minibatch, and data are shuffled.
//
//   FitHistory history = fit(scores, {{x, Value::batch(images)}}, Value::batch(digits),
//                            {.epochs = 5, .validation_split = 0.1, .patience = 2});
//   std::puts(history.text().c_str());
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/callback.h>
#include <cantik/function.h>
#include <cantik/learner.h>
#include <cantik/progress.h>

namespace cantik {

// Options of fit().
struct FitOptions {
  // cross_entropy, focal (both of scores of classes), binary_cross_entropy (of scores), mse, mae, huber
  std::string loss = "cross_entropy";
  // in its place: a value for each sample, of the model's output and the label
  std::function<Variable(const Variable& output, const Variable& label)> own_loss = {};
  // beside the loss: accuracy, error (of classes), mse, mae; empty: the accuracy of classes, else the loss
  std::string metric = {};
  // sgd, momentum_sgd, nesterov, adam, adamw, rmsprop, adagrad
  std::string learner = "adam";
  // in its place: one of the model's parameters
  std::function<LearnerPtr(const std::vector<Variable>& parameters)> own_learner = {};
  std::optional<double> rate = {};  // of the learner by name; none: 0.001 of adam and adamw, else 0.01
  int64_t epochs = 10;              // sweeps over the data that is trained on
  int64_t batch_size = 32;          // samples; steps where there are sequences
  bool shuffle = true;              // a new order for each epoch, which the seed says
  uint64_t seed = 0;                // of the orders
  double validation_split = 0;      // which part of the data, from their end, is not trained on
  Feeds validation_data = {};       // or other data, and their labels
  Value validation_labels = {};     // of validation_data
  // epochs without a better metric of the validation data (of the training data where there are none) after
  // which the training ends with the parameters of the best epoch; 0: all epochs
  int64_t patience = 0;
  std::vector<CallbackPtr> callbacks = {};      // called in this order
  std::vector<ProgressWriterPtr> writers = {};  // told of the progress
  int threads = 0;                              // at most; 0: as many as set_thread_limit says
};

// What a training did, epoch by epoch.
struct CANTIK_API FitHistory {
  std::vector<EpochRecord> epochs;  // one record for each
  int64_t best_epoch = 0;           // whose parameters the model has, counted from 1

  // One entry over all epochs: "loss", "metric", "val_metric", "seconds", ...
  std::vector<double> of(std::string_view name) const;
  // A table: a line for each epoch.
  std::string text() const;
};

// Trains a model of one output. Labels are numbers of classes, [n] or [n, 1], from 0 on, or one-hot rows; or
// numbers in the shape of the output. Data and labels are batches or sequences, one label for each sample,
// or for each step where the output has steps. A ValueError names what does not fit.
CANTIK_API FitHistory fit(const Function& model, const Feeds& data, const Value& labels,
                          const FitOptions& options = {});

}  // namespace cantik
