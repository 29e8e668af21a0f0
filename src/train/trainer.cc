#include <cantik/trainer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <span>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>
#include <cantik/ops/reduce.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/socket.h"
#include "formats/model.h"
#include "graph/node.h"
#include "learners/builtin.h"
#include "execute/profiler.h"
#include "train/training.h"
#include "train/work.h"

namespace cantik {

namespace {

using training::kDistributed, training::kExternalStates, training::kStates;

const std::string kUpdate = "learner.update", kExchange = "workers.exchange";  // in profiles

// Learners update parameters of the model, and none twice.
void check_learners(const std::vector<LearnerPtr>& learners, const std::vector<Variable>& parameters) {
  if (learners.empty())
    throw value_error("These must be at least one learner.")
        .remedy("give one that changes the model's parameters, for example sgd(model.parameters(), 0.1)");
  std::unordered_set<Variable> known(parameters.begin(), parameters.end());
  std::unordered_map<Variable, int> covered;
  std::vector<Variable> foreign;
  for (const LearnerPtr& l : learners) {
    if (!l) throw value_error("the trainer was given a null pointer as a learner");
    for (const Variable& p : l->parameters()) {
      ++covered[p];
      if (!known.count(p)) foreign.push_back(p);
    }
  }
  for (const LearnerPtr& l : learners)
    for (const Variable& p : l->parameters())
      if (covered[p] > 1)
        throw value_error(
            cat("Parameter '", p.text(), "' is covered by ", covered[p], " different learners"));
  if (!foreign.empty())
    throw value_error(cat("Trainer ctor: ", foreign.size(), " of the learner parameters '",
                          join(foreign, ", ", [](const Variable& v) { return v.text(); }),
                          "' are not part of the model specified"));
}

// Parameters that only some workers' gradients reach would drift apart, and so would workers whose learners
// exchange at different times.
void check_distributed_learners(const std::vector<LearnerPtr>& learners) {
  const auto* first = dynamic_cast<const DistributedLearner*>(learners[0].get());
  for (const LearnerPtr& l : learners) {
    const auto* other = dynamic_cast<const DistributedLearner*>(l.get());
    if (!first != !other)
      throw value_error(
          "Cannot use a non-distributed learner for some parameters together with a distributed learner for "
          "other parameters, in a single Trainer.")
          .remedy("make all learners distributed ones, or none");
    if (!other) continue;
    if (first->distributed_after() != other->distributed_after())
      throw value_error("All distributed learners need to have the same DistributeAfterSamples limit.")
          .line("they have", cat(first->distributed_after(), " and ", other->distributed_after()))
          .remedy("give all of them the same distributed_after");
    if (typeid(*first) != typeid(*other))
      throw runtime_error("distributed learners of different kinds cannot be in one trainer")
          .line("they are", cat(first->text(), " and ", other->text()))
          .remedy("exchange gradients for all parameters, or models for all");
  }
}

// A result whose first size each run chooses holds rows that belong to samples, which without a batch axis
// the loss would compare with all the labels.
void check_batch(const Function& model, const Variable& loss) {
  if (!model || !loss.axes().has_batch()) return;
  for (const Variable& z : model.outputs())
    if (z.axes().is_known() && z.axes().empty() && z.shape().rank() > 0 && z.shape()[0] == kFree)
      throw value_error(cat("the model's result ", z.text(),
                            " has no batch axis: the loss compares all its rows with each sample"))
          .node(loss.text())
          .remedy("make its first axis the batch: loss and metric of to_batch(z), for the model to_batch(z)");
}

// A loss or metric among the outputs of what is trained, and beside it, as in CNTK's checkpoints, its sum
// over all samples; where it is such a sum already, the operand that counts the samples.
void add_criterion(std::vector<Variable>& outputs, const Variable& criterion, const std::string& sum) {
  outputs.push_back(criterion);
  if (!criterion.axes().empty())
    outputs.push_back(reduce_sum(criterion, {Axis::all()}, true, sum).output());
  else if (const Variable counted = training::counted(criterion))
    outputs.push_back(counted);
}

template <class T>
double sum_of_squares(const T* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

}  // namespace

Trainer::Trainer(Function model, Variable loss, Variable metric, std::vector<LearnerPtr> learners,
                 std::vector<ProgressWriterPtr> writers)
    : Evaluator(std::move(metric), std::move(writers), true), training_(std::make_unique<Training>()) {
  Training& t = *training_;
  t.model = std::move(model);
  t.loss = std::move(loss);
  t.learners = std::move(learners);
  t.has_metric = static_cast<bool>(work_->metric);
  if (!t.loss) throw value_error("Trainer: Loss function is not allowed to be null.");
  check_batch(t.model, t.loss);
  std::vector<Variable> all = t.model ? t.model.outputs() : std::vector<Variable>();
  add_criterion(all, t.loss, "aggregateLoss");
  if (t.has_metric) add_criterion(all, work_->metric, "aggregateEvalMetric");
  t.whole = combine(all);
  check_learners(t.learners, t.whole.parameters());
  check_distributed_learners(t.learners);
  Variable counted = training::counted(t.loss);
  if (!counted)
    throw value_error(
        cat("Trainer: Failed to find a variable underlying the graph rooted at specified loss function '",
            t.loss.text(), "', from which the training sample count can be determined."));
  std::vector<Variable> scalars{training::total(t.loss)};
  training::TrainingStep::Wanted wanted;
  if (t.has_metric) scalars.push_back(training::total(work_->metric));
  for (const LearnerPtr& l : t.learners) {
    std::vector<ParameterGradient>& list = t.gradients.emplace_back();
    auto* graph = dynamic_cast<UniversalLearner*>(l.get());
    auto* distributed = dynamic_cast<DistributedLearner*>(l.get());
    const bool alone = distributed && distributed->communicator()->size() == 1;
    if (alone && distributed->worker_state().size() == 0) distributed = nullptr;  // it is its local learner
    for (size_t i = 0; i < l->parameters().size(); ++i) {
      if (graph && !graph->gradients()[i]) continue;
      wanted.wrt.push_back(l->parameters()[i]);
      wanted.gradients.push_back(graph ? graph->gradients()[i] : Variable());
      wanted.sparse_gradients.push_back(l->sparse_gradients());
      if (!graph) list.push_back({l->parameters()[i], {}});
    }
    if (graph)
      for (const Variable& v : graph->graph().outputs()) wanted.updates.push_back(v);
    t.compiled.push_back(graph);
    t.builtin.push_back(!distributed && dynamic_cast<BuiltinLearner*>(l.get()) != nullptr);
    t.distributed.push_back(distributed);
    t.is_distributed |= distributed && !alone;
    l->add_progress_writers(writers_);
  }
  if (t.is_distributed) work_->workers = t.of_workers()->communicator();
  if (wanted.updates.empty()) wanted.gradients.clear();
  const bool sums = std::all_of(t.distributed.begin(), t.distributed.end(), [&](const DistributedLearner* d) {
    return d && d->sums_gradients() && d->communicator() == work_->workers;
  });
  if (sums && distributed::GradientExchange::is_worthwhile(wanted.wrt))
    t.exchange = std::make_unique<distributed::GradientExchange>(work_->workers, wanted.wrt);
  if (t.model) wanted.beside = t.model.outputs();
  t.step = std::make_unique<training::TrainingStep>(std::move(scalars), counted, std::move(wanted));
  work_->training = t.step.get();
}

Trainer::~Trainer() = default;

bool Trainer::train_minibatch(const Feeds& feeds, const TrainOptions& options) {
  return train_minibatch(feeds, std::span<const Variable>(), options).updated;
}

TrainedStep Trainer::train_minibatch(const Feeds& feeds, std::span<const Variable> wanted,
                                     const TrainOptions& options) {
  const std::vector<Variable> outputs(wanted.begin(), wanted.end());
  for (;;) {
    const int64_t steps = steps_together();
    try {
      return step(feeds, outputs, options);
    } catch (const Error& e) {
      if (!options.again || !has_lost_worker()) throw;
      meet_again({}, e.what());
      if (steps_together() <= steps) continue;
    }
    // The others had made this step; this worker has it of them.
    TrainedStep result{.updated = true, .outputs = {}};
    if (!feeds.empty())
      for (size_t i = 0; i < outputs.size(); ++i) result.outputs.push_back(training_->step->value(i));
    return result;
  }
}

TrainedStep Trainer::step(const Feeds& feeds, const std::vector<Variable>& outputs,
                          const TrainOptions& options) {
  TrainedStep result;
  Training& t = *training_;
  if (is_new())
    throw runtime_error("this new worker has not been taken in by the training of the others yet")
        .remedy(
            "begin with trainer.restore_from_checkpoint(path), which waits for their next checkpoint, or "
            "with "
            "a training_session");
  t.samples = 0;
  if (feeds.empty() && !t.is_distributed) return result;  // the end of the data
  if (!t.is_distributed) training::refuse_no_samples(feeds);
  for (DistributedLearner* d : t.distributed)
    if (d) d->begin();
  const double begun = clock_seconds();
  const int64_t samples = feeds.empty() ? 0 : run(feeds, outputs, options);
  const double run_until = clock_seconds();
  if (!feeds.empty())
    for (size_t i = 0; i < outputs.size(); ++i) result.outputs.push_back(t.step->value(i));
  if (samples == 0 && !t.is_distributed) return result;
  MinibatchTotals own{.samples = samples, .sweep_end = options.sweep_end};
  if (samples > 0) {
    own.loss = t.step->scalar(0);
    own.metric = t.has_metric ? t.step->scalar(1) : 0;
  }
  point_gradients(samples > 0);
  const MinibatchTotals all = exchange(own);
  if (all.end_of_data) return result;
  t.samples = all.samples;
  t.loss_sum = all.loss;
  t.metric_sum = all.metric;
  const Uninterrupted all_learners;  // parameters are those from before the minibatch, or from after it
  const double exchanged = clock_seconds();
  result.updated = learn(own, options);
  if (t.is_distributed)
    work_->workers->meter().computed(run_until - begun + clock_seconds() - exchanged, samples);
  return result;
}

int64_t Trainer::run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options) {
  Training& t = *training_;
  distributed::GradientExchange* during_backward = t.during_backward();
  if (!during_backward) return t.step->run(feeds, outputs, options);
  during_backward->expect(t.step->first_gradient_after(outputs));
  try {
    return t.step->run(feeds, outputs, options, during_backward);
  } catch (...) {
    during_backward->abandon();
    throw;
  }
}

// Gradients as the learners take them.
void Trainer::point_gradients(bool has_run) {
  Training& t = *training_;
  if (!has_run) {
    for (std::vector<ParameterGradient>& list : t.gradients)
      for (ParameterGradient& g : list) g.value = {};
    t.block = nullptr;
    return;
  }
  const runtime::Outputs& out = t.step->results();
  size_t i = t.step->first_gradient();
  // Dense gradients share one block; if the first did not move, none did.
  size_t dense = i;
  while (dense + 1 < out.size() && out.is_sparse(dense)) ++dense;
  const void* block = dense < out.size() ? out.data(dense) : nullptr;
  const bool moved = t.block != block;
  t.block = block;
  for (size_t l = 0; l < t.learners.size(); ++l) {
    if (t.compiled[l]) continue;
    for (ParameterGradient& g : t.gradients[l]) {
      // A user's learner may keep what it is given; for others the memory of the last run is borrowed.
      if (!t.builtin[l] || out.is_sparse(i))
        g.value = out.value(i).data;
      else if (moved || !g.value.defined())
        g.value =
            Tensor::borrow(g.parameter.dtype(), g.parameter.shape(), const_cast<void*>(out.data(i)), nullptr);
      ++i;
    }
  }
}

// The totals of all workers, where learners make them so; each has its own afterwards.
MinibatchTotals Trainer::exchange(const MinibatchTotals& own) {
  Training& t = *training_;
  t.totals.assign(t.learners.size(), own);
  const runtime::ProfileScope profile(kExchange);
  if (distributed::GradientExchange* e = t.during_backward())
    if (const std::optional<MinibatchTotals> all = e->finish(own)) {
      t.totals.assign(t.learners.size(), *all);
      if (own.samples > 0 || all->end_of_data) return *all;
      auto value = e->gradients().begin();
      for (std::vector<ParameterGradient>& list : t.gradients)
        for (ParameterGradient& g : list) g.value = *value++;
      return *all;
    }
  for (size_t l = 0; l < t.learners.size(); ++l)
    if (t.distributed[l]) t.totals[l] = t.distributed[l]->exchange(t.gradients[l], own);
  const DistributedLearner* first = t.of_workers();
  for (size_t l = 0; l < t.learners.size(); ++l)
    if (t.distributed[l] == first) return t.totals[l];
  return own;
}

bool Trainer::learn(const MinibatchTotals& own, const TrainOptions& options) {
  Training& t = *training_;
  const DistributedLearner* workers = t.of_workers();
  const int64_t shared = workers ? workers->counted_by_all().samples : 0;
  bool any = false;
  for (size_t l = 0; l < t.learners.size(); ++l) {
    if (t.compiled[l]) {
      t.compiled[l]->has_run({.samples = t.samples, .sweep_end = options.sweep_end});
      any = true;
      continue;
    }
    runtime::ProfileScope profile(kUpdate);
    if (t.distributed[l])
      any |= t.distributed[l]->learn(t.gradients[l], t.totals[l], options.threads);
    else if (own.samples > 0)
      any |= t.learners[l]->step(
          t.gradients[l],
          {.samples = own.samples, .sweep_end = options.sweep_end, .threads = options.threads});
    if (!t.builtin[l])
      for (ParameterGradient& g : t.gradients[l]) g.value = {};
  }
  if (t.samples == 0) return any;
  t.told_loss.add(t.loss_sum, t.loss.dtype());
  if (t.has_metric) t.told_metric.add(t.metric_sum, t.loss.dtype());
  const auto metric = t.has_metric ? std::optional(t.told_metric.sum) : std::nullopt;
  for (const ProgressWriterPtr& w : writers_) w->update_training_to(t.samples, t.told_loss.sum, metric);
  if (workers && workers->exchanges())
    if (const int64_t more = workers->counted_by_all().samples - shared; more > 0)  // learned together
      for (const ProgressWriterPtr& w : writers_) w->update_distributed_sync(more, t.metric_sum);
  return any;
}

std::string Trainer::text() const {
  std::string s = cat("Trainer, ", total_number_of_samples_seen(), " samples seen");
  if (model()) s += "\n  model    " + model().signature();
  auto said = [](const Variable& v) {
    return v.is_output() ? v.owner().as_composite().signature() : v.text();
  };
  s += "\n  loss     " + said(loss_function());
  if (work_->metric) s += "\n  metric   " + said(work_->metric);
  for (const LearnerPtr& l : parameter_learners()) s += "\n  learner  " + l->text();
  return s;
}

double Trainer::previous_minibatch_loss_average() const {
  if (training_->samples == 0)
    throw runtime_error("There was no preceding call to TrainMinibatch or the minibatch was empty.");
  return training_->loss_sum / static_cast<double>(training_->samples);
}

double Trainer::previous_minibatch_evaluation_average() const {
  if (!training_->has_metric)
    throw value_error(
        "Trainer::PreviousMinibatchEvaluationAverage: Cannot get evaluation criterion value when no "
        "evaluation function was specified during 'this' trainer's construction");
  if (training_->samples == 0)
    throw runtime_error("There was no preceding call to TrainMinibatch or the minibatch was empty.");
  return training_->metric_sum / static_cast<double>(training_->samples);
}

double Trainer::previous_minibatch_gradient_norm() const {
  const Training& t = *training_;
  if (t.samples == 0)
    throw runtime_error("There was no preceding call to TrainMinibatch or the minibatch was empty.");
  const runtime::Outputs& out = t.step->results();
  const size_t first = t.step->first_gradient();
  if (first >= out.size()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (size_t i = first; i < out.size(); ++i) {
    const Tensor gradient = out.value(i).data;
    const int64_t n = gradient.stored();
    if (gradient.dtype() == DType::float64)
      sum += sum_of_squares(static_cast<const double*>(gradient.raw()), n);
    else
      sum += sum_of_squares(static_cast<const float*>(gradient.raw()), n);
  }
  return std::sqrt(sum) / static_cast<double>(t.samples);
}

int64_t Trainer::samples_in(const Feeds& feeds) const { return training_->step->samples_of(feeds); }
int64_t Trainer::previous_minibatch_sample_count() const { return training_->samples; }
int64_t Trainer::total_number_of_samples_seen() const { return training_->learners[0]->samples_seen(); }
int64_t Trainer::total_number_of_minibatches_seen() const {
  return training_->learners[0]->minibatches_seen();
}
int64_t Trainer::total_number_of_sweeps_seen() const { return training_->learners[0]->sweeps_seen(); }

void Trainer::summarize_training_progress() {
  Training& t = *training_;
  DistributedLearner::Sums sums{t.told_loss.sum, t.told_metric.sum};
  if (DistributedLearner* d = t.of_workers()) sums = d->averaged(sums);
  for (const ProgressWriterPtr& w : writers_) w->write_training_summary_of(sums.loss, sums.metric);
  if (t.is_distributed)
    for (const std::string& line : t.report.lines(work_->workers->meter(), work_->workers->rank()))
      for (const ProgressWriterPtr& w : writers_) w->tell(line);
  t.told_loss = t.told_metric = {};
}

const Function& Trainer::model() const { return training_->model; }
const Variable& Trainer::loss_function() const { return training_->loss; }
const std::vector<LearnerPtr>& Trainer::parameter_learners() const { return training_->learners; }

Function Trainer::training_function() const { return training_->whole; }

Dictionary Trainer::trained_model() const {
  return write_model(training_function(), training_->step->draws());
}

Dictionary Trainer::state(const Dictionary& external_state) const {
  Dictionary d = state_without_workers(external_state);
  d[kDistributed] = state_of_workers();
  if (DictionaryVector all = training_->external_states(external_state); !all.empty())
    d[kExternalStates] = std::move(all);
  return d;
}

Dictionary Trainer::state_without_workers(const Dictionary& external_state) const {
  DictionaryVector learners;
  for (const LearnerPtr& l : training_->learners) learners.push_back(l->state());
  Dictionary d;
  d["Version"] = uint64_t{1};
  d["Learners"] = std::move(learners);
  d["ExternalState"] = external_state;
  if (DictionaryVector states = training_->step->states().state(); !states.empty())
    d[kStates] = std::move(states);
  return d;
}

Dictionary Trainer::restore(const Dictionary& d) {
  const DictionaryVector& learners = d.at("Learners").as<DictionaryVector>();
  if (learners.size() != training_->learners.size())
    throw runtime_error(cat("the checkpoint has the states of ", learners.size(),
                            " learners, but the trainer has ", training_->learners.size(), " learners"))
        .remedy("restore into a trainer with the same learners");
  for (size_t i = 0; i < learners.size(); ++i) training_->learners[i]->restore(learners[i].as<Dictionary>());
  const DictionaryValue* states = d.find(kStates);  // CNTK keeps none
  training_->step->states().restore(states ? states->as<DictionaryVector>() : DictionaryVector());
  restore_worker(d);
  return training_->external_state(d);
}

}  // namespace cantik
