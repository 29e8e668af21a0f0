// Learner: how parameters follow their gradients. Open to users; the built-in ones are in learners.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/dictionary.h>
#include <cantik/function.h>
#include <cantik/schedule.h>
#include <cantik/stateful.h>

namespace cantik {

class ProgressWriter;

// The gradient of one parameter, summed over the samples of a minibatch: dense, or only those rows that are
// not zero.
struct ParameterGradient {
  Variable parameter;  // that it is the gradient of
  Tensor value;        // in the parameter's shape
};

// What a learner is told of the minibatch its gradients come from.
struct Progress {
  int64_t samples = 0;     // how many, as the loss counts them
  bool sweep_end = false;  // it was the last of a sweep over the data
  int threads = 0;         // at most; 0: as many as set_thread_limit says
};

// Options of every learner.
struct LearnerOptions {
  double l1_regularization_weight = 0;                               // of |w|, a sample
  double l2_regularization_weight = 0;                               // of |w|²/2, a sample
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0.0;  // of noise on the gradient
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  bool gradient_clipping_with_truncation = true;  // each element; otherwise the norm
  // gradients are divided by the number of samples before anything else
  std::optional<bool> use_mean_gradient = {};
  // The minibatch size that schedules without one of their own are meant for. 0: any, and mean gradients.
  std::optional<int64_t> minibatch_size = {};
  // The most that the norm of all gradients together, means over the samples, may be; all are scaled alike.
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// Changes parameters by their gradients, by a rate that follows a schedule.
class CANTIK_API Learner : public Stateful {
 public:
  // The minibatch size of schedules whose values are as they are.
  static constexpr int64_t kAnyMinibatchSize = TrainingParameterSchedule::kAnyMinibatchSize;
  static constexpr uint64_t kVersion = 3;  // of `state`, as CNTK 2.7 writes it

  // A learner of these parameters. An empty list of them is an error.
  Learner(std::vector<Variable> parameters, TrainingParameterSchedule learning_rate,
          LearnerOptions options = {});
  Learner(const Learner&) = delete;

  // One minibatch: reports rates that changed, updates, counts. Gradients in the order of parameters(), which
  // is checked. False: the rate is 0, nothing was done.
  virtual bool step(std::span<ParameterGradient> gradients, const Progress& progress);

  virtual std::string name() const { return "learner"; }  // of what it does: sgd
  // sgd of 2 parameters, learning rate 0.1 per minibatch
  std::string text() const;
  // The parameters that it changes.
  const std::vector<Variable>& parameters() const { return parameters_; }
  // The options that it was made with.
  const LearnerOptions& options() const { return options_; }
  // The schedule of its rate.
  const TrainingParameterSchedule& learning_rate_schedule() const { return learning_rate_; }
  // The rate now.
  virtual double learning_rate() const { return now(learning_rate_); }
  // The new rate is meant for the same minibatch size as the old one; its schedule begins now.
  virtual void reset_learning_rate(TrainingParameterSchedule learning_rate);
  // Forgets everything that it remembers of earlier gradients.
  virtual void reset_smoothed_gradients() {}

  // The minibatch size that schedules without one of their own are meant for; 0: any.
  int64_t minibatch_size() const { return options_.minibatch_size.value_or(kAnyMinibatchSize); }
  // Whether it was given, or set, or follows from use_mean_gradient.
  bool has_own_minibatch_size() const {
    return options_.minibatch_size || options_.use_mean_gradient.value_or(false);
  }
  // Changes minibatch_size().
  virtual void set_minibatch_size(int64_t size);
  // Rates are for mean gradients, whatever the minibatch size is.
  bool is_compatible_mode() const;

  // How many samples it has learned from.
  int64_t samples_seen() const { return samples_; }
  // How many minibatches it has learned from.
  int64_t minibatches_seen() const { return minibatches_; }
  // How many sweeps over the data have ended.
  int64_t sweeps_seen() const { return sweeps_; }

  // Which gradients may be row_sparse. A row that is missing rests: its numbers stay as they are, and so does
  // what the learner remembers of them.
  virtual SparseGradients sparse_gradients() const { return SparseGradients::none; }

  // They are told of rates that change.
  virtual void add_progress_writers(const std::vector<std::shared_ptr<ProgressWriter>>& writers);

  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 protected:
  // What a user's learner does: change the parameters' values (and raise their versions) by gradients summed
  // over samples.
  virtual bool update(std::span<ParameterGradient> gradients, const Progress& progress) = 0;

  // What step() checks: a gradient for each parameter, in their order.
  void check_gradients(std::span<const ParameterGradient> gradients) const;
  // An update has happened.
  void count(const Progress& progress);
  // Other workers have learned from so many samples for this one.
  void count_samples(int64_t samples) { samples_ += samples; }
  // The value of a schedule now.
  double now(const TrainingParameterSchedule& s) const { return s[s.is_sweep_based() ? sweeps_ : samples_]; }
  // The rate by which a gradient of so many samples is multiplied.
  double rate_for(int64_t samples) const;
  // Momentum over a minibatch of so many samples.
  double momentum_for(const TrainingParameterSchedule& s, int64_t samples) const;
  // Tells the writers, if the value differs from the last one told.
  void report(const TrainingParameterSchedule& s, const char* name, double& last) const;
  // A schedule without a minibatch size of its own takes that of the options.
  void adopt_minibatch_size(TrainingParameterSchedule& s) const;

  uint64_t noise_seed_;  // of the next draw

 private:
  std::vector<Variable> parameters_;
  TrainingParameterSchedule learning_rate_;
  LearnerOptions options_;
  int64_t samples_ = 0, minibatches_ = 0, sweeps_ = 0;
  std::vector<std::shared_ptr<ProgressWriter>> writers_;
};

// How learners are handed on.
using LearnerPtr = std::shared_ptr<Learner>;

// Whether momentum learners scale the new gradient by 1 - momentum where nobody says.
CANTIK_API bool default_unit_gain();
// Sets default_unit_gain() for learners that are made from now on.
CANTIK_API void set_default_unit_gain(bool unit_gain);
// What the variance momentum of Adam and FSAdaGrad is where nobody says.
CANTIK_API TrainingParameterSchedule default_variance_momentum();

// A learner whose updates are a user's graph: a function of assignments, made once from the parameters and
// inputs for their gradients.
using UpdateGraph =
    std::function<Function(const std::vector<Variable>& parameters, const std::vector<Variable>& gradients)>;
// A learner whose updates are the graph that `update` makes.
CANTIK_API LearnerPtr universal(const UpdateGraph& update, std::vector<Variable> parameters);
// The same of a function that is there: inputs without dynamic axes, or constants, stand for the gradients,
// one for each parameter.
CANTIK_API LearnerPtr universal(std::vector<Variable> parameters, std::vector<Variable> gradients,
                                const Function& update);

}  // namespace cantik
