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

namespace cantik {
namespace {

class BlockMomentumLearner final : public DistributedLearner {
 public:
  BlockMomentumLearner(LearnerPtr local, CommunicatorPtr communicator, const BlockMomentumOptions& o)
      : DistributedLearner(std::move(local), std::move(communicator), o.distributed_after), options_(o) {
    if (o.block_size < 1) throw value_error(cat("block_size must be at least 1, and is ", o.block_size));
    if (o.time_constant && !(*o.time_constant >= 0))
      throw value_error(cat("block_momentum_as_time_constant must be at least 0, and is ", *o.time_constant));
    if (!std::isfinite(o.block_learning_rate))
      throw value_error(cat("block_learning_rate must be a number, and is ", o.block_learning_rate));
    const auto workers = static_cast<double>(this->communicator()->size());
    const auto size = static_cast<double>(o.block_size);
    block_ = std::max<int64_t>(1, o.block_size / this->communicator()->size());
    time_constant_ = (o.time_constant ? *o.time_constant
                      : workers > 1   ? size / -std::log(1 - 1 / workers)
                                      : 0) /
                     workers;
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

  void average_sums(double& loss, double& metric) override {
    if (!exchanges()) return;
    std::array<double, 2> sums = {loss, metric};
    communicator()->sum(std::span<double>(sums), "summary");
    loss = sums[0] / static_cast<double>(communicator()->size());
    metric = sums[1] / static_cast<double>(communicator()->size());
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
            {"local", local()->state()}};
  }

  void restore_worker(const Dictionary& d) override {
    anchor_.clear();
    delta_.clear();
    in_block_ = 0;
    if (d.size() == 0) return;
    for (const DictionaryValue& v : d.at("anchor").as<DictionaryVector>())
      anchor_.push_back(v.as<Tensor>().clone());
    for (const DictionaryValue& v : d.at("delta").as<DictionaryVector>())
      delta_.push_back(v.as<Tensor>().clone());
    const auto& values = d.at("values").as<DictionaryVector>();
    for (size_t i = 0; i < values.size() && i < parameters().size(); ++i)
      parameters()[i].set_value(values[i].as<Tensor>());
    in_block_ = static_cast<int64_t>(d.at("samples").as<uint64_t>());
    local()->restore(d.at("local").as<Dictionary>());
  }

 private:
  bool is_alone() const { return communicator()->size() == 1; }

  // Whether a minibatch of so many samples belongs to a block. The model of a worker without others moves by
  // the momentum of blocks, too; as in CNTK, its first block begins with the minibatch that reaches
  // distributed_after.
  bool filters(int64_t samples) const {
    return is_alone() ? samples_seen() + samples >= distributed_after() : exchanges();
  }

  void remember() {
    counts_ = DistributedLearner::counted_by_all();
    for (const Variable& p : parameters()) {
      anchor_.push_back(p.value().clone());
      delta_.push_back(Tensor::zeros(p.dtype(), p.shape()));
    }
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
    std::vector<Tensor> models;
    for (const Variable& p : parameters()) models.push_back(p.value().clone());
    communicator()->sum(models, "models");
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
    count_samples(static_cast<int64_t>(std::llround(sums[0])) - in_block_);
    in_block_ = 0;
    counts_ = {samples_seen(), static_cast<int64_t>(sums[1] / workers),
               static_cast<int64_t>(sums[2] / workers)};
    return together;
  }

  template <class T>
  void filter(std::span<T> models, std::span<T> anchor, std::span<T> delta, double momentum) const {
    const double workers = static_cast<double>(communicator()->size());
    const T eta = static_cast<T>(momentum);
    const T rate = static_cast<T>((1 - momentum) * options_.block_learning_rate);
    for (size_t i = 0; i < anchor.size(); ++i) {
      delta[i] = eta * delta[i] + rate * (models[i] - static_cast<T>(workers) * anchor[i]);
      anchor[i] += options_.nesterov ? (1 + eta) * delta[i] : delta[i];
    }
  }

  BlockMomentumOptions options_;
  int64_t block_ = 1;         // samples of this worker in a block
  double time_constant_ = 0;  // in samples of this worker
  int64_t in_block_ = 0;
  Counts counts_;                       // at the last average
  std::vector<Tensor> anchor_, delta_;  // W and D
};

}  // namespace

LearnerPtr block_momentum(LearnerPtr learner, const BlockMomentumOptions& options,
                          CommunicatorPtr communicator) {
  return std::make_shared<BlockMomentumLearner>(std::move(learner), std::move(communicator), options);
}

LearnerPtr local_sgd(LearnerPtr learner, const LocalSgdOptions& options, CommunicatorPtr communicator) {
  if (!communicator) communicator = Communicator::world();
  const double share = 1 / static_cast<double>(communicator->size());
  return block_momentum(std::move(learner),
                        {.block_size = options.block_size,
                         .time_constant = 0,
                         .nesterov = false,
                         .reset_momentum = false,
                         .block_learning_rate = share,
                         .distributed_after = options.distributed_after},
                        communicator);
}

}  // namespace cantik
