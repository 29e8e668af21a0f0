// What every learner does: checks, rates, counts, state.
#include <cantik/learner.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <cantik/progress.h>
#include <cantik/seed.h>

#include "base/interrupt.h"
#include "base/required.h"
#include "base/text.h"
#include "graph/unresolved.h"
#include "learners/state.h"

namespace cantik {
namespace {

std::atomic<bool> unit_gain{true};

void check_parameters(const std::vector<Variable>& parameters) {
  if (parameters.empty()) throw value_error("The parameters list specified to a Learner must not be empty.");
  std::unordered_set<Variable> seen;
  for (const Variable& v : parameters) {
    if (!v.is_parameter()) throw type_error("a learner needs parameters, and was given " + v.text());
    if (!seen.insert(v).second)
      throw value_error("Learner's parameters list must not contain duplicates.").line("node", v.text());
    if (!v.shape().is_static()) throw unresolved_shape(v);
  }
}

}  // namespace

bool default_unit_gain() { return unit_gain; }
void set_default_unit_gain(bool on) { unit_gain = on; }
TrainingParameterSchedule default_variance_momentum() { return {std::exp(-1.0 / (2 * 3600 * 100)), 1}; }

Learner::Learner(std::vector<Variable> parameters, TrainingParameterSchedule learning_rate,
                 LearnerOptions options)
    : noise_seed_(next_seed()),
      parameters_(std::move(parameters)),
      learning_rate_(std::move(learning_rate)),
      options_(std::move(options)) {
  check_parameters(parameters_);
  adopt_minibatch_size(learning_rate_);
}

void Learner::adopt_minibatch_size(TrainingParameterSchedule& s) const {
  if (options_.minibatch_size && !s.has_own_minibatch_size()) s.set_minibatch_size(*options_.minibatch_size);
}

bool Learner::is_compatible_mode() const {
  return options_.minibatch_size ? *options_.minibatch_size == kAnyMinibatchSize
                                 : options_.use_mean_gradient.value_or(false);
}

void Learner::set_minibatch_size(int64_t size) {
  if (size < 0)
    throw value_error(cat("minibatch_size must be at least 0, and is ", size))
        .remedy("give 0 for minibatches of any size");
  options_.minibatch_size = size;
}

void Learner::reset_learning_rate(TrainingParameterSchedule rate) {
  rate.set_minibatch_size(learning_rate_.minibatch_size());
  learning_rate_ = rate.beginning_at(rate.is_sweep_based() ? sweeps_ : samples_);
}

double Learner::rate_for(int64_t samples) const {
  double rate = learning_rate(), n = static_cast<double>(samples);
  if (learning_rate_.is_compatible_mode()) return is_compatible_mode() ? rate : rate / n;
  double reference = static_cast<double>(learning_rate_.minibatch_size());
  return is_compatible_mode() ? rate * (n / reference) : rate / reference;
}

std::string Learner::text() const {
  size_t n = parameters_.size();
  return cat(name(), " of ", n, n == 1 ? " parameter" : " parameters", ", learning rate ",
             learning_rate_.text());
}

double Learner::momentum_for(const TrainingParameterSchedule& s, int64_t samples) const {
  double momentum = now(s);
  return s.is_compatible_mode()
             ? momentum
             : std::pow(momentum, static_cast<double>(samples) / static_cast<double>(s.minibatch_size()));
}

void Learner::report(const TrainingParameterSchedule& s, const char* name, double& last) const {
  if (writers_.empty()) return;
  double value = now(s);
  if (value == last) return;
  last = value;
  std::string unit = s.is_compatible_mode() ? " per minibatch" : cat(" per ", s.minibatch_size(), " samples");
  for (const std::shared_ptr<ProgressWriter>& w : writers_) w->write(name + unit, value);
}

void Learner::count(const Progress& progress) {
  samples_ += progress.samples;
  ++minibatches_;
  sweeps_ += progress.sweep_end;
}

namespace {

// [1, 1, 3] is [3] to programs that give gradients as a batch of one.
Shape without_leading_ones(const Shape& s) {
  int first = 0;
  while (first < s.rank() && s[first] == 1) ++first;
  return s.sub(first, s.rank());
}

bool fits(const Tensor& gradient, const Shape& parameter) {
  if (!gradient.defined()) return false;
  if (gradient.storage() == Storage::row_sparse)
    return gradient.shape() == parameter;  // its rows are numbered
  return without_leading_ones(gradient.shape()) == without_leading_ones(parameter);
}

}  // namespace

void Learner::check_gradients(std::span<const ParameterGradient> gradients) const {
  if (gradients.size() != parameters_.size())
    throw runtime_error(cat("step() needs the gradients of the learner's ", parameters_.size(),
                            " parameters, and was given ", gradients.size(), " gradients"))
        .line("has", join(parameters_, ", ", [](const Variable& v) { return v.text(); }))
        .line("given", join(gradients, ", ", [](const ParameterGradient& g) { return g.parameter.text(); }))
        .remedy("give one gradient for each parameter, in the order of parameters()");
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].parameter != parameters_[i])
      throw runtime_error(cat("gradient ", i, " is for ", gradients[i].parameter.text(), ", but parameter ",
                              i, " of the learner is ", parameters_[i].text()))
          .remedy("give the gradients in the order of parameters()");
  for (const ParameterGradient& g : gradients)
    if (!fits(g.value, g.parameter.shape()))
      throw value_error(
          cat("the gradient of ", g.parameter.text(), " has the shape ", g.value.shape().text()))
          .remedy("give a gradient of the parameter's shape");
}

bool Learner::step(std::span<ParameterGradient> gradients, const Progress& progress) {
  if (progress.samples <= 0)
    throw value_error("Learner::Update() cannot perform an update with an empty minibatch.");
  check_gradients(gradients);
  const Uninterrupted all_parameters;
  if (!update(gradients, progress)) return false;
  count(progress);
  return true;
}

void Learner::add_progress_writers(const std::vector<std::shared_ptr<ProgressWriter>>& writers) {
  check_not_null(writers, "a progress writer");
  for (const std::shared_ptr<ProgressWriter>& w : writers)
    if (std::find(writers_.begin(), writers_.end(), w) == writers_.end()) writers_.push_back(w);
}

Dictionary Learner::state() const {
  Dictionary d;
  d["version"] = Learner::kVersion;
  d["type"] = "Learner";
  d["sample_count"] = static_cast<uint64_t>(samples_);
  d["minibatchCount"] = static_cast<uint64_t>(minibatches_);
  d["sweepCount"] = static_cast<uint64_t>(sweeps_);
  d["learnig_rate_schedule"] = learning_rate_.state();  // so it is spelled
  d["noise_injection_seed"] = noise_seed_;
  d["master_parameter_updated"] = minibatches_ > 0;
  DictionaryVector none;
  for (const Variable& v : parameters_)
    none.push_back(Tensor::zeros(v.dtype() == DType::float64 ? DType::float64 : DType::float32, {}));
  d["smoothed_gradients"] = none;
  return d;
}

void Learner::restore(const Dictionary& d) {
  if (const DictionaryValue* type = d.find("type"); type && type->as<std::string>() != "Learner")
    throw runtime_error("the dictionary holds a " + type->as<std::string>() + ", and a learner was expected");
  TrainingParameterSchedule rate(d.at("learnig_rate_schedule").as<Dictionary>());
  int64_t samples = count_in(d, "sample_count"),
          minibatches = d.contains("minibatchCount") ? count_in(d, "minibatchCount") : 0,
          sweeps = d.contains("sweepCount") ? count_in(d, "sweepCount") : 0;
  if (const DictionaryValue* seed = d.find("noise_injection_seed")) noise_seed_ = seed->as<uint64_t>();
  learning_rate_ = std::move(rate);
  samples_ = samples;
  minibatches_ = minibatches;
  sweeps_ = sweeps;
}

}  // namespace cantik
