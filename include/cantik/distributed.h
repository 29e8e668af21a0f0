// Training in several processes: who the workers are, what they exchange, learners that train together.
//
//   LearnerPtr learner = data_parallel(sgd(model.parameters(), 0.1));
//   Trainer trainer(model, loss, {learner});          // in each process that `mpiexec -n 4` has started
//   trainer.train_minibatch(share_of_this_worker);    // gradients and counts are those of all workers
//
// The processes are those that a launcher has started together: mpiexec, srun, `cantik launch`, or one that
// sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. A process without a launcher is alone: worker 0 of 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/option_field.h>
#include <cantik/tensor.h>
#include <cantik/value.h>

namespace cantik {

namespace distributed {
class GradientExchange;
class Meter;
}  // namespace distributed

// One of the processes that train together.
struct WorkerDescriptor {
  int64_t rank = 0;  // from 0
  std::string host;  // its machine
  // Whether it is the first, which writes files.
  bool is_main() const { return rank == 0; }
  friend bool operator==(const WorkerDescriptor&, const WorkerDescriptor&) = default;
};

// What the workers do together. All of them make the same calls in the same order. A worker that dies, leaves
// or makes another call is named by an error in all others; after it no exchange works any more.
class CANTIK_API Communicator {
 public:
  // The processes that were started together with this one. The first call joins them; it is an error where a
  // launcher has started several that cannot find each other.
  static std::shared_ptr<Communicator> world();
  // Whether world() has been called, and joined others.
  static bool has_joined();
  // The end of what the processes do together. The process may go on by itself. `why`: the others are told
  // that this worker ends early, and why; empty at the end of the program.
  static void finalize(const std::string& why = {});

  ~Communicator();
  Communicator(const Communicator&) = delete;

  // Which worker this process is.
  int64_t rank() const;
  // How many workers there are.
  int64_t size() const;
  // All of them, in the order of ranks.
  const std::vector<WorkerDescriptor>& workers() const;
  // This one.
  const WorkerDescriptor& current_worker() const;
  // Whether this is the worker that writes files.
  bool is_main() const { return rank() == 0; }
  // What moves the bytes: "Open MPI v5.0.11 ...", "TCP"; "none" of a process that is alone.
  std::string engine() const;
  // How many exchanges there have been.
  int64_t exchanges() const;

  // What the workers spend their time on, for trainers.
  distributed::Meter& meter() const;

  // Returns when all have called it.
  void barrier();
  // Each number of dense tensors becomes its sum over the workers: the numbers of worker 0 plus those of
  // worker 1, and so on, so that all have the same bits in every run. `name` is for messages.
  void sum(std::span<const Tensor> tensors, const std::string& name);
  void sum(std::span<double> numbers, const std::string& name);
  // The bytes of all workers, in the order of ranks.
  std::vector<std::string> gather(const std::string& bytes, const std::string& name);
  // Bytes for each worker; returns those that each worker has for this one.
  std::vector<std::string> all_to_all(const std::vector<std::string>& bytes, const std::string& name);
  // Dense tensors become those of one worker.
  void broadcast(std::span<const Tensor> tensors, int64_t from, const std::string& name);
  // Dense tensors of all workers, one behind the other along their first axis, in the order of ranks. Only
  // that axis may differ.
  std::vector<Tensor> concatenate(std::span<const Tensor> tensors, const std::string& name);
  // The samples or sequences of all workers as one batch.
  std::vector<Value> concatenate(std::span<const Value> values, const std::string& name);
  // The sums of tensors with few rows, such as gradients of embeddings: only these rows travel.
  std::vector<Tensor> sum_rows(std::span<const Tensor> tensors);
  // The communicator of some of the workers, which these ranks name; null in the others. All workers call it,
  // with the same ranks. In a group rank() counts from 0, and workers() says who they are among all.
  std::shared_ptr<Communicator> sub_group(std::vector<int64_t> ranks);

  // From now on the others go on without a worker that is lost, where their training does so. The main worker
  // takes in new ones.
  void keep_going();
  // Whether a worker has been lost since the others last met, so that they have to meet again.
  bool has_lost() const;
  // Those that live meet again, with new ranks, over TCP. All of them call it. An error where this worker may
  // be the one that is cut off: only the greater part goes on.
  void meet_again();
  // The new workers that have come to the main one's door since the last call meet all others. All workers
  // call it. True: there were some.
  bool take_in();
  // Whether this is a new worker that has not been taken in.
  bool is_new() const;
  // A new worker waits until the others take it in. An error where their training has ended.
  void wait_to_be_taken_in();
  // Where new workers are to come, as CANTIK_JOIN says it to them: "10.0.0.1:41233"; empty where none may.
  std::string door() const;

  struct Impl;
  // Over the workers of an engine.
  explicit Communicator(std::unique_ptr<Impl> impl);

 private:
  friend class distributed::GradientExchange;
  std::unique_ptr<Impl> impl_;
};
// How communicators are handed on.
using CommunicatorPtr = std::shared_ptr<Communicator>;

// What a worker, or all of them, did with a minibatch.
struct MinibatchTotals {
  int64_t samples = 0;          // as the loss counts them
  double loss = 0, metric = 0;  // sums over the samples
  bool sweep_end = false;       // the minibatch was the last of a sweep
  bool end_of_data = false;     // no worker has any data left
};

// Of how many workers something is for one: which one, from 0.
struct WorkerShare {
  int64_t workers = 1, rank = 0;  // how many workers there are, and which of them this is, from 0
  friend bool operator==(const WorkerShare&, const WorkerShare&) = default;
};

// A learner around a learner: the workers exchange what they have learned.
class CANTIK_API DistributedLearner : public Learner {
 public:
  ~DistributedLearner() override;

  // The learner that changes this worker's parameters.
  const LearnerPtr& local() const { return local_; }
  // The workers that train together.
  const CommunicatorPtr& communicator() const { return communicator_; }
  // So many samples are learned without an exchange, by each worker alone.
  int64_t distributed_after() const { return distributed_after_; }
  // Whether the others go on without a worker that is lost.
  bool is_elastic() const { return is_elastic_; }
  // Whether there are others, and the exchange has begun.
  bool exchanges() const { return communicator_->size() > 1 && samples_seen() >= distributed_after_; }

  // Called before a minibatch is run: the first time the workers agree on the parameters' values, those of
  // the main worker.
  virtual void begin();
  // What happens before an update: returns the totals to learn with and to tell, and makes the gradients
  // those of all workers where these learn from all samples. A worker whose minibatch is empty gives
  // gradients that are not defined. Called by trainers.
  virtual MinibatchTotals exchange(std::span<ParameterGradient> gradients, const MinibatchTotals& own) = 0;
  // Whether all that exchange() does is to sum totals and gradients, number by number: then the gradients may
  // be summed while the backward pass goes on, and totals come to learn() without it.
  virtual bool sums_gradients() const { return false; }
  // One minibatch after exchange(): updates, counts. False: nothing was done.
  virtual bool learn(std::span<ParameterGradient> gradients, const MinibatchTotals& totals, int threads);
  // begin(), exchange() and learn(), for a caller without a trainer.
  bool step(std::span<ParameterGradient> gradients, const Progress& progress) final;

  // How many samples, minibatches and sweeps a training has seen.
  struct Counts {
    int64_t samples = 0, minibatches = 0, sweeps = 0;  // of all workers together
  };
  // What all workers have learned from together, the same for each of them: what happens at intervals, and
  // needs all of them, is counted by it.
  virtual Counts counted_by_all() const { return {samples_seen(), minibatches_seen(), sweeps_seen()}; }
  // All workers have come to the same place, a checkpoint: those that learn apart bring their models
  // together.
  virtual void meet() {}
  // Sums of losses and of metrics.
  struct Sums {
    double loss = 0, metric = 0;  // over samples
  };
  // Of the sums since the last summary those that are told of: their averages over the workers, where each
  // has counted its own.
  virtual Sums averaged(const Sums& own) { return own; }
  // How many times as many samples as the schedule says a minibatch of all workers has.
  virtual int64_t minibatch_size_scale_factor() const { return 1; }
  // The learner whose losses and metrics a trainer of several learners takes; the first one where none is
  // marked.
  void set_as_metric_aggregator() { is_metric_aggregator_ = true; }
  // Whether it has been marked.
  bool is_metric_aggregator() const { return is_metric_aggregator_; }

  std::string name() const override { return local_->name(); }
  double learning_rate() const override { return local_->learning_rate(); }
  void reset_learning_rate(TrainingParameterSchedule rate) override { local_->reset_learning_rate(rate); }
  void set_minibatch_size(int64_t size) override { local_->set_minibatch_size(size); }
  void reset_smoothed_gradients() override { local_->reset_smoothed_gradients(); }
  SparseGradients sparse_gradients() const override { return local_->sparse_gradients(); }
  // As in CNTK, writers hear nothing of the rates of such learners: every worker would tell of them.
  void add_progress_writers(const std::vector<std::shared_ptr<ProgressWriter>>&) override {}

  // Where this worker's data stand, in bytes: what all workers tell each other with every step that they
  // make together, if they may go on without one of them. Set by training sessions.
  void set_place(std::function<std::string()> place) { place_ = std::move(place); }
  // The places of all workers, in the order of ranks, at their last step together.
  const std::vector<std::string>& places() const { return places_; }
  // All workers tell their places now. Called at the beginning of a training.
  void tell_places();
  // How many steps all workers have made together.
  int64_t steps_together() const { return steps_together_; }
  // The same as those of a worker that is further.
  void set_together(int64_t steps, std::vector<std::string> places) {
    steps_together_ = steps;
    places_ = std::move(places);
  }
  // The workers are others than before: goes back to the last step that all have made together; the
  // parameters' values are agreed on once more. Called by trainers.
  virtual void go_back() { agreed_ = false; }

  // The state that all workers share: that of the local learner, and the counts.
  Dictionary state() const override;
  void restore(const Dictionary& state) override;
  // What this worker alone knows, for checkpoints: residues, a model between two blocks.
  virtual Dictionary worker_state() const { return {}; }
  // Takes over worker_state() of a training with as many workers; an empty one begins anew.
  virtual void restore_worker(const Dictionary& state) { (void)state; }
  // The same where the workers are others: takes what all have in common of the main worker's state.
  virtual void restore_shared(const Dictionary& state) { (void)state, restore_worker({}); }

 protected:
  // A learner around `local`, which trains with the workers of `communicator`.
  DistributedLearner(LearnerPtr local, CommunicatorPtr communicator, int64_t distributed_after, bool elastic);
  // The workers have made a step together, at these places.
  void has_stepped_together();
  // The order in which all workers exchange their parameters, once they have agreed on it: indices into
  // parameters(), which may stand in another order on each of them.
  const std::vector<size_t>& order() const { return order_; }
  // Tells the places of a step that is about to be made.
  void tell_next_places();

  // The totals of a worker that exchanges nothing.
  static MinibatchTotals alone(MinibatchTotals own) {
    own.end_of_data = own.samples == 0;
    return own;
  }
  // The update of this worker's parameters.
  bool update(std::span<ParameterGradient> gradients, const Progress& progress) final;

 private:
  LearnerPtr local_;
  CommunicatorPtr communicator_;
  int64_t distributed_after_;
  bool is_elastic_;
  int64_t steps_together_ = 0;
  std::function<std::string()> place_;
  std::vector<std::string> places_, next_places_;
  std::vector<size_t> order_;
  bool agreed_ = false;  // on the parameters' order and values
  bool is_metric_aggregator_ = false;
};

// Options of data_parallel().
struct DataParallelOptions {
  int64_t distributed_after = 0;  // so many samples are learned before, by each worker alone
  // of a gradient's number on the wire: 32, or 1, 2, 4, 8 or 16 with error feedback
  int64_t num_quantization_bits = 32;
  // the others go on without a worker that is lost, from the last update that all of them know of, and take
  // in new workers at checkpoints; otherwise all end with an error that names it
  bool elastic = false;

  // The options by name.
  static constexpr auto fields() {
    using O = DataParallelOptions;
    return list(option("distributed_after", &O::distributed_after).at_least(0),
                option("num_quantization_bits", &O::num_quantization_bits).at_least(1),
                option("elastic", &O::elastic));
  }
};
// A learner whose gradients are summed over all workers before each update: the minibatch is what all of them
// have of it, and the result that of one process with all the data. With 1 bit the sign of each number is
// sent, with two values for each column, with more the nearest of so many levels; what this leaves out is
// added to the next gradient (Seide et al. 2014).
CANTIK_API LearnerPtr data_parallel(LearnerPtr learner, const DataParallelOptions& options = {},
                                    CommunicatorPtr communicator = nullptr);

// Options of block_momentum().
struct BlockMomentumOptions {
  int64_t block_size = 0;  // samples of all workers in a block
  // eta = exp(-block / time constant), in samples; none: eta is 1 - 1 / workers
  std::optional<double> time_constant = {};
  bool nesterov = true;            // W also looks ahead, by eta D
  bool reset_momentum = true;      // the local learner forgets earlier gradients after a block
  double block_learning_rate = 1;  // of the averages
  int64_t distributed_after = 0;   // so many samples are learned before, by each worker alone
  // the others go on without a worker that is lost, from the last block, and take in new workers at
  // checkpoints
  bool elastic = false;

  // The options by name.
  static constexpr auto fields() {
    using O = BlockMomentumOptions;
    return list(option("block_size", &O::block_size).required().at_least(1),
                option("block_momentum_as_time_constant", &O::time_constant).at_least(0),
                option("use_nestrov_momentum", &O::nesterov),
                option("reset_sgd_momentum_after_aggregation", &O::reset_momentum),
                option("block_learning_rate", &O::block_learning_rate),
                option("distributed_after", &O::distributed_after).at_least(0),
                option("elastic", &O::elastic));
  }
};
// A learner that learns by itself for a block of samples; then the models of all workers are averaged and go
// on with momentum (Chen and Huo 2016). With N workers and the model W that all began the block with:
// `D = eta D + (1 - eta) N block_learning_rate (average - W)`, `W = W + D`.
CANTIK_API LearnerPtr block_momentum(LearnerPtr learner, const BlockMomentumOptions& options,
                                     CommunicatorPtr communicator = nullptr);

// Options of local_sgd().
struct LocalSgdOptions {
  int64_t block_size = 0;         // samples of all workers in a block
  int64_t distributed_after = 0;  // so many samples are learned before, by each worker alone
  // the others go on without a worker that is lost, from the last block, and take in new workers at
  // checkpoints
  bool elastic = false;

  // The options by name.
  static constexpr auto fields() {
    using O = LocalSgdOptions;
    return list(option("block_size", &O::block_size).required().at_least(1),
                option("distributed_after", &O::distributed_after).at_least(0),
                option("elastic", &O::elastic));
  }
};
// A learner that learns by itself for a block of samples; then all workers go on from the mean of their
// models (McDonald et al. 2010, Stich 2019). Momentum and other states stay each worker's own.
CANTIK_API LearnerPtr local_sgd(LearnerPtr learner, const LocalSgdOptions& options,
                                CommunicatorPtr communicator = nullptr);

}  // namespace cantik
