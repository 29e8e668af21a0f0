// fit: a training session made of names and defaults.
#include <cantik/fit.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/operators.h>
#include <cantik/ops.h>
#include <cantik/train.h>

#include "base/text.h"

namespace cantik {
namespace {

[[noreturn]] void no_such(const char* what, const std::string& name, const char* names) {
  throw value_error(cat("fit: there is no ", what, " '", name, "'")).remedy(names);
}

// ---- labels ----

// Whether the loss tells classes apart, so that labels may be their numbers.
bool has_classes(const FitOptions& o) {
  return !o.own_loss && (o.loss == "cross_entropy" || o.loss == "focal");
}

bool are_numbers_of_classes(const Value& labels, int64_t classes) {
  const Shape& s = labels.data.shape();
  return !labels.data.is_sparse() && (s.rank() == 1 || (s.rank() == 2 && s[1] == 1 && classes != 1));
}

std::vector<int32_t> indices_of(const Tensor& numbers, int64_t classes) {
  const Tensor exact = numbers.cast(DType::float64);
  std::vector<int32_t> list;
  for (int64_t i = 0; i < exact.elements(); ++i) {
    const double c = exact.at(i);
    if (!(c >= 0) || c >= static_cast<double>(classes) || c != std::floor(c))
      throw value_error(cat("fit: label ", i, " is ", c, ", and the model has ", classes, " classes"))
          .remedy("number the classes from 0 on, and give the model an output for each");
    list.push_back(static_cast<int32_t>(c));
  }
  return list;
}

Value one_hot(const Value& labels, int64_t classes, DType dtype) {
  const std::vector<int32_t> all = indices_of(labels.data, classes);
  if (labels.layout->is_batch()) return Value::one_hot(all, Shape{classes}, dtype);
  std::vector<std::vector<int32_t>> lists;
  const auto offsets = labels.layout->offsets();
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    lists.emplace_back(all.begin() + offsets[i], all.begin() + offsets[i + 1]);
  return Value::one_hot_sequences(lists, Shape{classes}, dtype);
}

// Labels as a loss of this output takes them.
Value prepared(const Value& labels, const Variable& output, const FitOptions& o) {
  if (!labels.data.defined() || !labels.layout)
    throw value_error("fit: labels need a first axis that counts the samples")
        .remedy("give Value::batch(tensor), or Value::sequences(list)");
  const Shape& shape = output.shape();
  if (has_classes(o) && shape.is_static() && are_numbers_of_classes(labels, shape.elements())) {
    if (shape.rank() != 1)
      throw value_error(cat("fit: the output has the shape ", shape.text(), ", and classes need one axis"));
    return one_hot(labels, shape[0], output.dtype());
  }
  Value v = labels;
  if (!v.data.is_sparse()) v.data = v.data.cast(output.dtype());
  // [n] for an output of one number
  if (v.data.shape().rank() == 1 && shape.is_static() && shape.elements() == 1)
    v.data = v.data.reshape(Shape{v.data.shape()[0]} + shape);
  return v;
}

// ---- parts by name ----

Variable loss_of(const FitOptions& o, const Variable& z, const Variable& y) {
  if (o.own_loss) return o.own_loss(z, y);
  if (o.loss == "cross_entropy") return cross_entropy_with_softmax(z, y);
  if (o.loss == "focal") return focal_loss(z, y);
  if (o.loss == "binary_cross_entropy") return binary_cross_entropy_with_logits(z, y);
  if (o.loss == "mse") return mse(z, y);
  if (o.loss == "mae") return mae(z, y);
  if (o.loss == "huber") return huber(z, y);
  no_such("loss", o.loss, "cross_entropy, focal, binary_cross_entropy, mse, mae or huber; or own_loss");
}

std::string metric_name(const FitOptions& o) {
  return !o.metric.empty() ? o.metric : has_classes(o) ? "accuracy" : "loss";
}

Variable metric_of(const std::string& name, const Variable& loss, const Variable& z, const Variable& y) {
  if (name == "loss") return loss;
  if (name == "error") return classification_error(z, y);
  if (name == "accuracy") return minus(constant(Shape{}, 1.0, z.dtype()), classification_error(z, y));
  if (name == "mse") return mse(z, y);
  if (name == "mae") return mae(z, y);
  no_such("metric", name, "accuracy, error, mse or mae");
}

LearnerPtr learner_of(const FitOptions& o, const std::vector<Variable>& parameters) {
  if (o.own_learner) return o.own_learner(parameters);
  const bool adam_like = o.learner == "adam" || o.learner == "adamw";
  const double rate = o.rate.value_or(adam_like ? 0.001 : 0.01);
  if (!(rate > 0) || std::isinf(rate))
    throw value_error(cat("fit: rate must be above 0 and finite, and is ", rate));
  if (o.learner == "sgd") return sgd(parameters, rate, {.use_mean_gradient = true});
  if (o.learner == "momentum_sgd")
    return momentum_sgd(parameters, rate, {.momentum = 0.9, .unit_gain = false, .use_mean_gradient = true});
  if (o.learner == "nesterov")
    return nesterov(parameters, rate, {.momentum = 0.9, .unit_gain = false, .use_mean_gradient = true});
  // CNTK's Adam adds epsilon in another place; AdamW without decay is Adam as it was published.
  if (o.learner == "adam") return adamw(parameters, rate, {.weight_decay = 0, .use_mean_gradient = true});
  if (o.learner == "adamw") return adamw(parameters, rate, {.use_mean_gradient = true});
  // CNTK's RMSProp has a factor for each element, and scales steps to an average, as its AdaGrad does.
  if (o.learner == "rmsprop")
    return adamw(parameters, rate,
                 {.momentum = 0,
                  .variance_momentum = 0.99,
                  .weight_decay = 0,
                  .use_mean_gradient = true,
                  .correct_bias = false});
  if (o.learner == "adagrad")
    return adagrad(parameters, rate, {.need_ave_multiplier = false, .use_mean_gradient = true});
  no_such("learner", o.learner,
          "sgd, momentum_sgd, nesterov, adam, adamw, rmsprop or adagrad; or own_learner");
}

// ---- data ----

void check_options(const FitOptions& o) {
  auto at_least = [](const char* what, int64_t value, int64_t least) {
    if (value < least) throw value_error(cat("fit: ", what, " must be at least ", least, ", and is ", value));
  };
  at_least("epochs", o.epochs, 1);
  at_least("batch_size", o.batch_size, 1);
  at_least("patience", o.patience, 0);
  if (!(o.validation_split >= 0) || o.validation_split >= 1)
    throw value_error(
        cat("fit: validation_split must be at least 0 and below 1, and is ", o.validation_split));
  if (o.validation_split > 0 && !o.validation_data.empty())
    throw value_error("fit: validation_split and validation_data are mutually exclusive");
}

struct SplitData {
  Feeds training, validation;
};

// The last samples of all values are kept for validation.
SplitData split(const Feeds& all, double share) {
  const int64_t n = all[0].second.size();
  const auto kept = static_cast<int64_t>(std::llround(share * static_cast<double>(n)));
  if (share > 0 && (kept == 0 || kept == n))
    throw value_error(cat("fit: a part of ", share, " of ", n, " samples leaves none to ",
                          kept == 0 ? "validate with" : "train on"));
  if (kept == 0) return {all, {}};
  SplitData parts;
  for (const auto& [variable, value] : all) {
    parts.training.emplace_back(variable, value.part(0, n - kept));
    parts.validation.emplace_back(variable, value.part(n - kept, n));
  }
  return parts;
}

Feeds with_labels(Feeds data, const Variable& label, const Value& labels) {
  data.emplace_back(label, labels);
  for (const auto& [variable, value] : data)
    if (!value.data.defined() || !value.layout || value.size() != data[0].second.size())
      throw value_error(cat("fit: ", variable.text(), " has ", value.layout ? value.size() : 0,
                            " samples, and ", data[0].first.text(), " has ",
                            data[0].second.layout ? data[0].second.size() : 0));
  return data;
}

}  // namespace

std::vector<double> FitHistory::of(std::string_view name) const {
  std::vector<double> list;
  for (const EpochRecord& e : epochs) list.push_back(e.at(name));
  return list;
}

std::string FitHistory::text() const {
  if (epochs.empty()) return "";
  std::string table = "epoch";
  for (const auto& [name, value] : epochs[0].entries()) table += cat("  ", name);
  table += "\n";
  for (const EpochRecord& e : epochs) {
    char number[32];
    std::snprintf(number, sizeof number, "%5lld", static_cast<long long>(e.epoch()));
    table += number;
    for (const auto& [name, value] : e.entries()) {
      std::snprintf(number, sizeof number, "  %*.5g", static_cast<int>(name.size()), value);
      table += number;
    }
    table += "\n";
  }
  return table;
}

FitHistory fit(const Function& model, const Feeds& data, const Value& labels, const FitOptions& o) {
  check_options(o);
  if (model.outputs().size() != 1)
    throw value_error(cat("fit: the model has ", model.outputs().size(), " outputs, and one is trained"));
  if (data.empty()) throw value_error("fit: there are no data");
  const Variable z = model.output();
  if (z.axes().is_known() && z.axes().empty())
    throw value_error(
        cat("fit: the model's result ", z.text(), " has no batch axis: it must have a row for each sample"))
        .remedy("where its first axis counts the samples, fit to_batch(model)");
  const Value first = prepared(labels, z, o);
  const Shape all = first.data.shape();
  const Variable y =
      input(all.sub(1, all.rank()), {.dtype = z.dtype(),
                                     .sparse = first.data.is_sparse(),
                                     .axes = first.layout->is_batch() ? Axes::batch() : z.axes(),
                                     .name = "label"});
  const Variable loss = loss_of(o, z, y);
  const std::string name = metric_name(o);
  const Variable metric = metric_of(name, loss, z, y);
  SplitData parts = split(with_labels(data, y, first), o.validation_split);
  if (!o.validation_data.empty())
    parts.validation = with_labels(o.validation_data, y, prepared(o.validation_labels, z, o));

  auto source = std::make_shared<ArraySource>(parts.training);
  source->end_after(o.epochs);
  if (o.shuffle) source->shuffle(o.seed);
  SessionOptions session;
  session.minibatch_size = static_cast<double>(o.batch_size);
  session.progress = {1, DataUnit::sweep};
  session.threads = o.threads;
  if (!parts.validation.empty())
    session.cross_validation = CrossValidationConfig{
        .test = {std::make_shared<ArraySource>(parts.validation), static_cast<double>(o.batch_size)},
        .frequency = {1, DataUnit::sweep}};
  session.callbacks = o.callbacks;
  FitHistory history;
  std::shared_ptr<EarlyStopping> stopping;
  if (o.patience > 0) {
    stopping = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.monitor = parts.validation.empty() ? "metric" : "val_metric",
                             .patience = o.patience,
                             .larger_is_better = name == "accuracy"});
    session.callbacks.push_back(stopping);
  }
  session.callbacks.push_back(std::make_shared<EpochCallback>([&](EpochRecord& record) {
    history.epochs.push_back(record);
    return true;
  }));
  auto trainer = std::make_shared<Trainer>(
      model, loss, metric, std::vector<LearnerPtr>{learner_of(o, model.parameters())}, o.writers);
  TrainingSession(trainer, source, std::move(session)).train();
  history.best_epoch = stopping ? stopping->best_epoch() : static_cast<int64_t>(history.epochs.size());
  return history;
}

}  // namespace cantik
