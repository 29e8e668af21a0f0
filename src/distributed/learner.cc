// What distributed learners share: the local learner, the workers, counts.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>

#include "base/crc64.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "distributed/matching.h"

namespace cantik {
namespace {

constexpr const char* kCountedByAll = "DistributedCounts";  // in a learner's state
constexpr const char* kCounts[] = {"sample_count", "minibatchCount", "sweepCount"};

const LearnerPtr& checked(const LearnerPtr& local) {
  if (!local) throw value_error("a distributed learner was given a null pointer as its learner");
  if (dynamic_cast<const DistributedLearner*>(local.get()))
    throw value_error("a distributed learner was given a learner that is distributed already: " +
                      local->text())
        .remedy("give the local learner, such as sgd");
  return local;
}

}  // namespace

DistributedLearner::DistributedLearner(LearnerPtr local, CommunicatorPtr communicator, int64_t after,
                                       bool elastic)
    : Learner(checked(local)->parameters(), checked(local)->learning_rate_schedule(),
              checked(local)->options()),  // in whatever order they are evaluated
      local_(std::move(local)),
      communicator_(communicator ? std::move(communicator) : Communicator::world()),
      distributed_after_(after),
      is_elastic_(elastic),
      order_(parameters().size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  if (after < 0) throw value_error(cat("distributed_after must be at least 0, and is ", after));
  if (elastic)
    communicator_->keep_going();
  else if (communicator_->is_new())
    throw runtime_error("a new worker cannot be taken in by a training that is not elastic")
        .remedy("make its learners elastic, in all workers");
}

DistributedLearner::~DistributedLearner() = default;

void DistributedLearner::begin() {
  if (agreed_ || !exchanges()) return;
  order_ = distributed::agree_on_order(*communicator_, parameters());
  std::vector<Tensor> values;
  Crc64 sum;
  for (size_t i : order_) {
    values.push_back(parameters()[i].value().clone());
    sum.add(values.back().raw(), values.back().bytes());
  }
  const std::vector<std::string> sums = communicator_->gather(std::to_string(sum.value()), "parameters");
  if (std::any_of(sums.begin(), sums.end(), [&](const std::string& s) { return s != sums[0]; })) {
    communicator_->broadcast(values, 0, "parameters");
    for (size_t i = 0; i < values.size(); ++i) parameters()[order_[i]].set_value(values[i]);
  }
  agreed_ = true;
}

void DistributedLearner::tell_places() {
  tell_next_places();
  places_ = next_places_;
}

void DistributedLearner::tell_next_places() {
  if (place_) next_places_ = communicator_->gather(place_(), "places");
}

void DistributedLearner::has_stepped_together() {
  ++steps_together_;
  places_ = next_places_;
}

bool DistributedLearner::step(std::span<ParameterGradient> gradients, const Progress& progress) {
  check_gradients(gradients);
  begin();
  const MinibatchTotals all =
      exchange(gradients, {.samples = progress.samples, .sweep_end = progress.sweep_end});
  return !all.end_of_data && learn(gradients, all, progress.threads);
}

bool DistributedLearner::learn(std::span<ParameterGradient> gradients, const MinibatchTotals& totals,
                               int threads) {
  const Progress progress{.samples = totals.samples, .sweep_end = totals.sweep_end, .threads = threads};
  const Uninterrupted all_parameters;
  if (!update(gradients, progress)) return false;
  count(progress);
  return true;
}

bool DistributedLearner::update(std::span<ParameterGradient> gradients, const Progress& progress) {
  return local_->step(gradients, progress);
}

Dictionary DistributedLearner::state() const {
  Dictionary d = local_->state();
  const Dictionary own = Learner::state();
  Dictionary counts;
  for (const char* name : kCounts) counts[name] = own.at(name);
  d[kCountedByAll] = counts;
  return d;
}

void DistributedLearner::restore(const Dictionary& d) {
  local_->restore(d);
  Dictionary own = d;
  if (const DictionaryValue* counts = d.find(kCountedByAll))  // CNTK keeps none
    for (const char* name : kCounts) own[name] = counts->as<Dictionary>().at(name);
  Learner::restore(own);
}

}  // namespace cantik
