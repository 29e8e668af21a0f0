// Models that learn by themselves for a block of samples and are averaged then (Chen and Huo: Scalable
// training of deep learning machines by incremental block training with intra-block parallel optimization and
// blockwise model-update filtering, 2016). With W the model that all began the block with, A the average of
// the N models at its end, eta the momentum of blocks and zeta their learning rate:
//
//   D <- eta D + (1 - eta) N zeta (A - W)      W <- W + D, with Nesterov's look ahead W + (1 + eta) D
//
// By itself eta is 1 - 1 / N, and the updates of all workers add up in the long run, as if one had made them.
// With eta = 0 and zeta = 1 / N the model becomes A: local SGD.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>

#include "base/text.h"
#include "distributed/calls.h"

namespace cantik {
namespace {

class BlockMomentumLearner final : public DistributedLearner {
 public:
  // What all go on from after a block: the average with momentum, or the mean as it is.
  enum class After : uint8_t { momentum, mean };
  BlockMomentumLearner(LearnerPtr local, CommunicatorPtr communicator, const BlockMomentumOptions& o,
                       After after)
      : DistributedLearner(std::move(local), std::move(communicator), o.distributed_after, o.elastic),
        options_(o),
        after_(after) {
    check_options(o);
    if (!std::isfinite(o.block_learning_rate))
      throw value_error(cat("block_learning_rate must be a number, and is ", o.block_learning_rate));
    share_block();
  }

  // A worker whose data have ended joins the averages of the others until all are at their end.
  MinibatchTotals exchange(std::span<ParameterGradient>, const MinibatchTotals& own) override {
    if (!exchanges() || own.samples > 0) return alone(own);
    return {.end_of_data = average(Purpose::end_of_data)};
  }

  bool learn(std::span<ParameterGradient> gradients, const MinibatchTotals& totals, int threads) override {
    if (totals.samples == 0) return true;  // has joined the others
    const bool in_block = filters(totals.samples);
    if (anchor_.empty() && (in_block || is_alone())) remember();
    if (!DistributedLearner::learn(gradients, totals, threads)) return false;
    if (!in_block) return true;
    in_block_ += totals.samples;
    if (in_block_ >= block_) average(Purpose::block);
    return true;
  }

  Counts counted_by_all() const override {
    return exchanges() ? counts_ : DistributedLearner::counted_by_all();
  }

  Sums averaged(const Sums& own) override {
    if (!exchanges()) return own;
    const auto learned = static_cast<double>(in_block_ - summed_);
    std::array<double, 3> sums = {own.loss, own.metric, learned};
    communicator()->sum(std::span<double>(sums), "summary");
    const auto workers = static_cast<double>(communicator()->size());
    summed_ = in_block_;
    count_others(sums[2] - learned);
    return {sums[0] / workers, sums[1] / workers};
  }

  // Each worker has minibatches of the size that the schedule says.
  int64_t minibatch_size_scale_factor() const override { return communicator()->size(); }

  // Others may have a few blocks to learn before they come.
  void meet() override {
    begin();
    if (!filters(0)) return;
    while (!average(Purpose::meeting)) continue;
  }

  Dictionary worker_state() const override {
    DictionaryVector anchor, delta, values;
    for (const Tensor& t : anchor_) anchor.push_back(t.clone());
    for (const Tensor& t : delta_) delta.push_back(t.clone());
    for (const Variable& p : parameters()) values.push_back(p.value().clone());
    return {{"anchor", anchor},
            {"delta", delta},
            {"values", values},
            {"samples", static_cast<uint64_t>(in_block_)},
            {"counted", DictionaryVector{static_cast<uint64_t>(counts_.samples),
                                         static_cast<uint64_t>(counts_.minibatches),
                                         static_cast<uint64_t>(counts_.sweeps)}},
            {"local", local()->state()}};
  }

  void restore_worker(const Dictionary& d) override {
    restore_block(d);
    if (d.size() == 0) return;
    set_values(tensors_in(d.at("values")));
    in_block_ = static_cast<int64_t>(d.at("samples").as<uint64_t>());
    if (is_elastic()) at_block_ = state();
  }
  // All begin a block, with the momentum of the last ones.
  void restore_shared(const Dictionary& d) override {
    share_block();
    restore_block(d);
    set_values(anchor_);
    if (is_elastic()) at_block_ = state();
  }

  void go_back() override {
    DistributedLearner::go_back();
    share_block();
    begin_block();
    if (anchor_.empty()) return;
    set_values(anchor_);
    restore(at_block_);
  }

 private:
  bool is_alone() const { return communicator()->size() == 1; }

  // Whether a minibatch of so many samples belongs to a block. The model of a worker without others moves by
  // the momentum of blocks, too; as in CNTK, its first block begins with the minibatch that reaches
  // distributed_after.
  bool filters(int64_t samples) const {
    return is_alone() ? samples_seen() + samples >= distributed_after() : exchanges();
  }

  // The block of a worker is its part of that of all.
  void share_block() {
    const auto workers = static_cast<double>(communicator()->size());
    const auto size = static_cast<double>(options_.block_size);
    block_ = std::max<int64_t>(1, options_.block_size / communicator()->size());
    time_constant_ = (options_.time_constant ? *options_.time_constant
                      : workers > 1          ? size / -std::log(1 - 1 / workers)
                                             : 0) /
                     workers;
  }
  void begin_block() { in_block_ = summed_ = others_ = 0; }

  static std::vector<Tensor> tensors_in(const DictionaryValue& list) {
    std::vector<Tensor> all;
    for (const DictionaryValue& v : list.as<DictionaryVector>()) all.push_back(v.as<Tensor>().clone());
    return all;
  }
  void set_values(const std::vector<Tensor>& values) const {
    for (size_t i = 0; i < values.size() && i < parameters().size(); ++i)
      parameters()[i].set_value(values[i]);
  }

  void restore_block(const Dictionary& d) {
    anchor_.clear();
    delta_.clear();
    begin_block();
    if (d.size() == 0) return;
    anchor_ = tensors_in(d.at("anchor"));
    delta_ = tensors_in(d.at("delta"));
    const DictionaryValue* found = d.find("counted");  // earlier releases have kept none
    counts_ = DistributedLearner::counted_by_all();
    if (found) {
      const auto& counted = found->as<DictionaryVector>();
      auto count = [&](size_t i) { return static_cast<int64_t>(counted.at(i).as<uint64_t>()); };
      counts_ = {count(0), count(1), count(2)};
    }
    local()->restore(d.at("local").as<Dictionary>());
  }

  void remember() {
    counts_ = DistributedLearner::counted_by_all();
    for (const Variable& p : parameters()) {
      anchor_.push_back(p.value().clone());
      delta_.push_back(Tensor::zeros(p.dtype(), p.shape()));
    }
    if (is_elastic()) at_block_ = state();
  }

  // Samples of the others in the block at hand.
  void count_others(double samples) {
    const int64_t n = std::llround(samples);
    others_ += n;
    count_samples(n);
  }

  // Why a worker brings its model: it has learned from a block, has no more data, or is at a checkpoint.
  enum class Purpose { block, end_of_data, meeting };

  // The end of a block. True: all workers have come for the same purpose.
  bool average(Purpose purpose) {
    if (anchor_.empty()) remember();
    const auto workers = static_cast<double>(communicator()->size());
    std::array<double, 5> sums = {static_cast<double>(in_block_), static_cast<double>(minibatches_seen()),
                                  static_cast<double>(sweeps_seen()),
                                  purpose == Purpose::end_of_data ? 1.0 : 0.0,
                                  purpose == Purpose::meeting ? 1.0 : 0.0};
    communicator()->sum(std::span<double>(sums), "samples of a block");
    const bool together = sums[purpose == Purpose::meeting ? 4 : 3] == workers;
    // Nobody has learned anything since the last time.
    if (sums[0] == 0) return together;
    if (is_elastic()) tell_next_places();
    std::vector<Tensor> models;
    for (const Variable& p : parameters()) models.push_back(p.value().clone());
    std::vector<Tensor> exchanged;
    for (size_t i : order()) exchanged.push_back(models[i]);
    communicator()->sum(exchanged, "models");
    // The momentum is that of as many samples as a worker has had.
    const double samples = sums[0] / workers;
    const double momentum = time_constant_ > 0 ? std::exp(-samples / time_constant_) : 0;
    for (size_t i = 0; i < models.size(); ++i) {
      if (models[i].dtype() == DType::float64)
        filter(models[i].span<double>(), anchor_[i].span<double>(), delta_[i].span<double>(), momentum);
      else
        filter(models[i].span<float>(), anchor_[i].span<float>(), delta_[i].span<float>(), momentum);
      parameters()[i].set_value(anchor_[i]);
    }
    if (options_.reset_momentum) local()->reset_smoothed_gradients();
    count_others(sums[0] - static_cast<double>(in_block_ + others_));
    begin_block();
    counts_ = {samples_seen(), static_cast<int64_t>(sums[1] / workers),
               static_cast<int64_t>(sums[2] / workers)};
    if (is_elastic()) {
      at_block_ = state();
      has_stepped_together();
    }
    return together;
  }

  template <class T>
  void filter(std::span<T> models, std::span<T> anchor, std::span<T> delta, double momentum) const {
    const double workers = static_cast<double>(communicator()->size());
    const T eta = static_cast<T>(momentum);
    const double share = after_ == After::mean ? 1 / workers : 1;
    const T rate = static_cast<T>((1 - momentum) * options_.block_learning_rate * share);
    for (size_t i = 0; i < anchor.size(); ++i) {
      delta[i] = eta * delta[i] + rate * (models[i] - static_cast<T>(workers) * anchor[i]);
      anchor[i] += options_.nesterov ? (1 + eta) * delta[i] : delta[i];
    }
  }

  BlockMomentumOptions options_;
  After after_;
  int64_t block_ = 1;         // samples of this worker in a block
  double time_constant_ = 0;  // in samples of this worker
  int64_t in_block_ = 0;
  int64_t summed_ = 0, others_ = 0;     // of these, those that all know of since a summary; of all others
  Counts counts_;                       // at the last average
  std::vector<Tensor> anchor_, delta_;  // W and D
  Dictionary at_block_;                 // the learner's state when the block began, if it may have to go back
};

}  // namespace

LearnerPtr block_momentum(LearnerPtr learner, const BlockMomentumOptions& options,
                          CommunicatorPtr communicator) {
  return std::make_shared<BlockMomentumLearner>(std::move(learner), std::move(communicator), options,
                                                BlockMomentumLearner::After::momentum);
}

LearnerPtr local_sgd(LearnerPtr learner, const LocalSgdOptions& options, CommunicatorPtr communicator) {
  const BlockMomentumOptions blocks{.block_size = options.block_size,
                                    .time_constant = 0,
                                    .nesterov = false,
                                    .reset_momentum = false,
                                    .distributed_after = options.distributed_after,
                                    .elastic = options.elastic};
  return std::make_shared<BlockMomentumLearner>(std::move(learner), std::move(communicator), blocks,
                                                BlockMomentumLearner::After::mean);
}

void describe_block_learners(CallDefinitions& calls) {
  calls.add("block_momentum_distributed_learner", "train.distributed", "function")
      .is("block_momentum")
      .body("_cantik.block_momentum")
      .given("learner", "Learner", "", kLocalLearnerDoc)
      .options<BlockMomentumOptions>("BlockMomentumOptions")
      .given("communicator", "Communicator | None", "None", kCommunicatorDoc)
      .returns("DistributedLearner")
      .example(
          "learner = C.block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)\n"
          "learner.total_number_of_samples_seen");
  calls.add("local_sgd_distributed_learner", "train.distributed", "function")
      .is("local_sgd")
      .body("_cantik.local_sgd")
      .given("learner", "Learner", "", kLocalLearnerDoc)
      .options<LocalSgdOptions>("LocalSgdOptions")
      .given("communicator", "Communicator | None", "None", kCommunicatorDoc)
      .returns("DistributedLearner")
      .example(
          "learner = C.local_sgd_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)\n"
          "learner.total_number_of_samples_seen");
}

}  // namespace cantik
