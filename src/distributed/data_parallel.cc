// Gradients that are summed over the workers before every update.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>

#include "base/text.h"
#include "distributed/calls.h"
#include "distributed/few_bits.h"
#include "distributed/rows.h"

namespace cantik {
namespace {

class DataParallelLearner final : public DistributedLearner {
 public:
  DataParallelLearner(LearnerPtr local, CommunicatorPtr communicator, const DataParallelOptions& options)
      : DistributedLearner(std::move(local), std::move(communicator), options.distributed_after,
                           options.elastic) {
    check_options(options);
    const int64_t bits = options.num_quantization_bits;
    if (bits >= 32) return;
    if (bits > 16 || 64 % bits != 0)
      throw runtime_error(cat("num_quantization_bits must be a divisor of 64, and is ", bits))
          .remedy("give 1, 2, 4, 8, 16 or 32");
    few_bits_.emplace(*this->communicator(), static_cast<int>(bits));
  }

  // What a minibatch will have taken of the data is known before its gradients are.
  void begin() override {
    DistributedLearner::begin();
    if (exchanges()) tell_next_places();
  }

  MinibatchTotals exchange(std::span<ParameterGradient> gradients, const MinibatchTotals& own) override {
    if (!exchanges()) return alone(own);
    bool has_rows = false;
    for (const ParameterGradient& g : gradients) has_rows |= g.value.defined() && g.value.is_sparse();
    std::array<double, 5> sums = {static_cast<double>(own.samples), own.loss, own.metric,
                                  static_cast<double>(own.sweep_end), static_cast<double>(has_rows)};
    communicator()->sum(std::span<double>(sums), "totals");
    const MinibatchTotals all{static_cast<int64_t>(std::llround(sums[0])), sums[1], sums[2], sums[3] > 0,
                              sums[0] == 0};
    if (all.end_of_data) return all;
    std::vector<bool> as_rows(gradients.size());
    if (sums[4] > 0) find_rows(gradients, as_rows);
    std::vector<Tensor> dense;
    for (size_t i : order()) {
      ParameterGradient& g = gradients[i];
      const DType type = g.parameter.dtype();
      if (as_rows[i]) {
        g.value = distributed::sum_of_rows(*communicator(), g.value, type, g.parameter.shape());
        continue;
      }
      if (!g.value.defined()) g.value = Tensor::zeros(type, g.parameter.shape());
      if (g.value.is_sparse()) g.value = g.value.to_dense();
      dense.push_back(g.value);
    }
    if (few_bits_)
      few_bits_->sum(dense);
    else
      communicator()->sum(dense, "gradients");
    return all;
  }

  bool learn(std::span<ParameterGradient> gradients, const MinibatchTotals& totals, int threads) override {
    const bool updated = DistributedLearner::learn(gradients, totals, threads);
    if (is_elastic() && exchanges()) has_stepped_together();
    return updated;
  }

  // As in CNTK, a checkpoint ends what the bits have left out: a training that starts again from the
  // checkpoint and the one that goes on are the same.
  void meet() override { restore_worker({}); }

  bool sums_gradients() const override { return !few_bits_; }
  // What the bits of a step that has not been made have left out is lost.
  void go_back() override {
    DistributedLearner::go_back();
    restore_worker({});
  }

  Dictionary worker_state() const override { return few_bits_ ? few_bits_->state() : Dictionary(); }
  void restore_worker(const Dictionary& d) override {
    if (few_bits_) few_bits_->restore(d);
  }

 private:
  // Which gradients no worker has densely.
  void find_rows(std::span<ParameterGradient> gradients, std::vector<bool>& as_rows) {
    std::string forms;
    for (size_t i : order()) {
      const Tensor& g = gradients[i].value;
      forms += !g.defined() ? '-' : g.storage() == Storage::row_sparse ? 'r' : 'd';
    }
    const std::vector<std::string> all = communicator()->gather(forms, "forms of gradients");
    for (size_t i = 0; i < as_rows.size(); ++i) {
      auto has = [&](char form) {
        return std::any_of(all.begin(), all.end(),
                           [&](const std::string& s) { return i < s.size() && s[i] == form; });
      };
      as_rows[order()[i]] = has('r') && !has('d');
    }
  }

  std::optional<distributed::FewBits> few_bits_;
};

}  // namespace

LearnerPtr data_parallel(LearnerPtr learner, const DataParallelOptions& options,
                         CommunicatorPtr communicator) {
  return std::make_shared<DataParallelLearner>(std::move(learner), std::move(communicator), options);
}

void describe_data_parallel(CallDefinitions& calls) {
  using O = DataParallelOptions;
  calls.add("data_parallel_distributed_learner", "train.distributed", "function")
      .is("data_parallel")
      .body("_cantik.data_parallel")
      .given("learner", "Learner", "", kLocalLearnerDoc)
      .option<O>("DataParallelOptions", "distributed_after")
      .option<O>("DataParallelOptions", "num_quantization_bits")
      .given("use_async_buffered_parameter_update", "bool", "False", "must be False, as in CNTK")
      .option<O>("DataParallelOptions", "elastic")
      .given("communicator", "Communicator | None", "None", kCommunicatorDoc)
      .returns("DistributedLearner")
      .raises(
          "RuntimeError: if a launcher has started several processes that cannot find each other, or for "
          "other numbers of bits")
      .example(
          "learner = C.data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1))\n"
          "learner.is_elastic, learner.learning_rate()");
}

}  // namespace cantik
