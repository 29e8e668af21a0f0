// Trainer: a model, a loss, learners; a minibatch at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/evaluator.h>
#include <cantik/learner.h>

namespace cantik {

class CheckpointWriter;

// Whether parameters were updated, and the outputs that were asked for.
struct TrainedStep {
  bool updated = false;        // whether parameters have changed
  std::vector<Value> outputs;  // from before the update
};

// Losses and metrics are summed over the samples of a minibatch and over their elements; averages divide by
// the number of samples, gradients are sums, which learners scale by their schedules.
class CANTIK_API Trainer : public Evaluator {
 public:
  // The model may be empty; its outputs are part of what is saved, and can be asked for in a step. The metric
  // may be empty.
  Trainer(Function model, Variable loss, Variable metric, std::vector<LearnerPtr> learners,
          std::vector<ProgressWriterPtr> writers = {});
  Trainer(Function model, Variable loss, std::vector<LearnerPtr> learners,
          std::vector<ProgressWriterPtr> writers = {})
      : Trainer(std::move(model), std::move(loss), Variable(), std::move(learners), std::move(writers)) {}
  ~Trainer() override;

  // Forward, backward, updates, progress. False: nothing was updated (no samples, or all rates 0).
  bool train_minibatch(const Feeds& feeds, const TrainOptions& options = {});
  // The same, and outputs from before the update: auto [updated, values] = trainer.train_minibatch(feeds,
  // {z});
  TrainedStep train_minibatch(const Feeds& feeds, std::span<const Variable> outputs,
                              const TrainOptions& options = {});
  TrainedStep train_minibatch(const Feeds& feeds, std::initializer_list<Variable> outputs,
                              const TrainOptions& options = {}) {
    return train_minibatch(feeds, std::span(outputs.begin(), outputs.size()), options);
  }

  // The workers that train together; null where this process trains alone.
  CommunicatorPtr workers() const;
  // Which part of a minibatch is this process's: that of a worker once the learners exchange what they learn.
  WorkerShare share() const;
  // What all workers have been trained on together, the same for each.
  DistributedLearner::Counts counted_by_all() const;
  // How many times as many samples as a schedule says a minibatch of all workers has.
  int64_t minibatch_size_scale_factor() const;
  // All workers have come to the same place.
  void meet() const;
  // Whether the others go on without a worker that is lost: the learners are elastic.
  bool is_elastic() const;
  // Whether this is a new worker that the training of the others has not taken in yet.
  bool is_new() const;
  // How many samples the loss counts in these.
  int64_t samples_in(const Feeds& feeds) const;
  // The loss of the last minibatch, divided by its samples.
  double previous_minibatch_loss_average() const;
  // The metric of the last minibatch, divided by its samples. A training without a metric is a ValueError,
  // none yet a RuntimeError.
  double previous_minibatch_evaluation_average() const;
  // The number of samples in the last minibatch, as the loss counts them.
  int64_t previous_minibatch_sample_count() const;
  // The Euclidean norm, over all parameters, of the gradient of the last minibatch's mean loss. A NaN where
  // all learners are graphs, whose gradients stay in the step. To be asked before the next minibatch.
  double previous_minibatch_gradient_norm() const;
  // How many samples it has been trained on.
  int64_t total_number_of_samples_seen() const;
  // How many minibatches it has been trained on.
  int64_t total_number_of_minibatches_seen() const;
  // How many sweeps over the data have ended.
  int64_t total_number_of_sweeps_seen() const;
  // Tells the writers the averages since the last summary.
  void summarize_training_progress();
  std::string text() const;  // its model, loss, metric and learners, and how far it is: a line each

  // The model; empty where none was given.
  const Function& model() const;
  // The loss.
  const Variable& loss_function() const;
  // The learners, which share out the parameters.
  const std::vector<LearnerPtr>& parameter_learners() const;
  // All of it as one function: outputs of the model, the loss and its sum "aggregateLoss", the metric and its
  // sum "aggregateEvalMetric". What a checkpoint's model file holds.
  Function training_function() const;

  // One file from which the training goes on bit for bit, and which Function::load opens, too: the training
  // function, the learners' state, the caller's own. Written crash-safe. All workers call it; the main one
  // writes, and all return when the file is there.
  // Afterwards an elastic training takes in the new workers that have come; where a worker is lost, the
  // others write it without that one.
  void save_checkpoint(const std::string& path, const Dictionary& external_state = {});
  // From such a file, or from the pair of files (one ends in .ckp) that CNTK writes. Gives the external state
  // back. A new worker of an elastic training waits for the next checkpoint of the others instead, and has
  // what they have then.
  Dictionary restore_from_checkpoint(const std::string& path);

  // What save_checkpoint writes, in memory of its own, and back.
  Dictionary checkpoint(const Dictionary& external_state = {}) const;
  Dictionary restore_checkpoint(const Dictionary& checkpoint);  // gives the external state back

  // Of the learners, with the caller's own state (the position in the data) beside it.
  Dictionary state(const Dictionary& external_state = {}) const;
  Dictionary restore(const Dictionary& state);  // gives the external state back

 private:
  friend class CheckpointWriter;
  friend class TrainingSession;
  Dictionary restore(const Dictionary& model, const Dictionary& training);
  Dictionary restore_training(const Dictionary& model, const Dictionary& training);
  void write_checkpoint(const std::string& path, const Dictionary& external_state) const;
  Dictionary trained_model() const;  // for checkpoints: with the positions of the training's random numbers
  struct Training;
  TrainedStep step(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options);
  Dictionary state_without_workers(const Dictionary& external_state) const;
  Dictionary state_of_this_worker() const;
  Dictionary state_of_workers() const;
  void restore_worker(const Dictionary& trainer);
  void restore_worker(const Dictionary& state, bool own);

  // What an elastic training does when its workers change; `external` is what the caller adds to the state,
  // and gets of a worker that is further than this one: by steps, or by what has_acted() since.
  bool has_lost_worker() const;
  int64_t steps_together() const;
  void set_place(std::function<std::string()> place);
  void tell_places();
  std::vector<Dictionary> places() const;
  void tell(const std::string& line) const;
  Dictionary all_in_common(const Dictionary& external) const;
  void has_acted();
  Dictionary catch_up(const Dictionary& external);
  Dictionary meet_again(const Dictionary& external, const std::string& why);
  bool take_in(const Dictionary& external);
  Dictionary wait_to_be_taken_in();
  int64_t run(const Feeds& feeds, const std::vector<Variable>& outputs, const TrainOptions& options);
  void point_gradients(bool has_run);
  MinibatchTotals exchange(const MinibatchTotals& own);
  bool learn(const MinibatchTotals& own, const TrainOptions& options);
  std::unique_ptr<Training> training_;
};

}  // namespace cantik
