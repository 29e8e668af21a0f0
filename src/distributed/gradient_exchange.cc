#include "distributed/gradient_exchange.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "distributed/communicator.h"
#include "distributed/matching.h"
#include "execute/outputs.h"
#include "execute/profiler.h"

namespace cantik::distributed {
namespace {

// Bytes of all gradients from which on a thread of its own is worth its while.
constexpr int64_t kWorthwhile = 256 << 10;
// The first bucket is small, so that the wire has work early. The others are small enough for the last one,
// which nothing hides, and large enough for the three rounds of an exchange not to count.
constexpr int64_t kFirstBucket = 1 << 20, kBucket = 4 << 20;

const std::string kWire = "workers.wire";  // in profiles

int64_t gradient_bytes(const Variable& p) {
  return p.shape().elements() * static_cast<int64_t>(size_of(p.dtype()));
}

Error failed_minibatch() { return runtime_error("its minibatch failed"); }

}  // namespace

bool GradientExchange::is_worthwhile(std::span<const Variable> parameters) {
  int64_t bytes = 0;
  for (const Variable& p : parameters) bytes += gradient_bytes(p);
  return bytes >= kWorthwhile;
}

bool GradientExchange::serves() const {
  return communicator_->size() > 1 && communicator_->impl_->serves_threads;
}

GradientExchange::GradientExchange(CommunicatorPtr workers, std::span<const Variable> parameters)
    : communicator_(std::move(workers)), parameters_(parameters.begin(), parameters.end()) {}

GradientExchange::~GradientExchange() {
  abandon();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void GradientExchange::start(Part part) {
  {
    const std::lock_guard lock(mutex_);
    part_ = part;
    is_final_.assign(parameters_.size(), part == Part::no_data);
    run_over_ = false;
    all_.reset();
    failure_ = nullptr;
    begun_ = true;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  changed_.notify_one();
}

void GradientExchange::begins(runtime::Outputs& out, const std::vector<size_t>& order) {
  bool dense = out.size() - first_ == parameters_.size();
  for (size_t i = first_; i < out.size(); ++i) dense &= out.is_dense(i);
  {
    const std::lock_guard lock(mutex_);
    gradients_.clear();
    order_.clear();
    for (size_t i = 0; dense && i < parameters_.size(); ++i)
      gradients_.push_back(
          Tensor::borrow(parameters_[i].dtype(), parameters_[i].shape(), out.data(first_ + i), nullptr));
    for (size_t output : order)
      if (output >= first_) order_.push_back(static_cast<int32_t>(output - first_));
  }
  workers().computes.store(true, std::memory_order_relaxed);
  if (!begun_) start(dense ? Part::data : Part::cannot);
}

void GradientExchange::is_final(size_t output) {
  if (output < first_) return;
  {
    const std::lock_guard lock(mutex_);
    is_final_[output - first_] = 1;
  }
  changed_.notify_one();
}

std::optional<MinibatchTotals> GradientExchange::finish(const MinibatchTotals& own) {
  workers().computes.store(false, std::memory_order_relaxed);
  if (!begun_) {
    if (own.samples == 0) {
      gradients_.clear();
      for (const Variable& p : parameters_) gradients_.push_back(Tensor::zeros(p.dtype(), p.shape()));
    }
    start(own.samples == 0 ? Part::no_data : Part::cannot);
  }
  std::unique_lock lock(mutex_);
  own_ = own;
  run_over_ = true;
  is_final_.assign(parameters_.size(), 1);
  changed_.notify_one();
  while (begun_) {
    done_.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    try {
      may_end_now();
    } catch (...) {
      abandon();
      throw;
    }
    lock.lock();
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return all_;
}

void GradientExchange::abandon() {
  std::unique_lock lock(mutex_);
  if (!begun_) return;
  abandoned_.store(true);
  changed_.notify_one();
  done_.wait(lock, [&] { return !begun_; });
  abandoned_.store(false);
}

template <class F>
void GradientExchange::wait_for(F&& ready) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return abandoned_.load() || ready(); });
  if (abandoned_.load()) throw failed_minibatch();
}

void GradientExchange::loop() {
  auto ask = [&] {
    if (abandoned_.load()) throw failed_minibatch();
  };
  const Interruption scope(ask);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return begun_ || ends_; });
    if (ends_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      exchange();
    } catch (...) {
      failure = std::current_exception();
    }
    if (abandoned_.load()) workers().give_up("its minibatch failed");
    lock.lock();
    failure_ = failure;
    begun_ = false;
    done_.notify_all();
  }
}

void GradientExchange::exchange() {
  std::array<double, 2> parts = {part_ != Part::no_data ? 1.0 : 0.0, part_ == Part::cannot ? 1.0 : 0.0};
  communicator_->sum(std::span<double>(parts), "minibatch");
  if (parts[0] == 0) {
    all_ = MinibatchTotals{.end_of_data = true};
    return;
  }
  if (parts[1] > 0)
    return wait_for([&] { return run_over_; });  // finish() expects an exchange that has begun
  if (buckets_.empty()) agree_on_order();
  std::vector<Tensor> tensors;
  for (const std::vector<size_t>& bucket : buckets_) {
    wait_for(
        [&] { return std::all_of(bucket.begin(), bucket.end(), [&](size_t i) { return is_final_[i]; }); });
    tensors.clear();
    for (size_t i : bucket) tensors.push_back(gradients_[i]);
    const runtime::ProfileScope profile(kWire);
    communicator_->sum(tensors, "gradients");
  }
  wait_for([&] { return run_over_; });
  std::array<double, 4> sums = {static_cast<double>(own_.samples), own_.loss, own_.metric,
                                static_cast<double>(own_.sweep_end)};
  communicator_->sum(std::span<double>(sums), "totals");
  all_ = MinibatchTotals{static_cast<int64_t>(std::llround(sums[0])), sums[1], sums[2], sums[3] > 0, false};
}

// The order in which the gradients of the first worker with data become final. Workers tell each other places
// in the order of all, which their own lists may be in another order than.
void GradientExchange::agree_on_order() {
  const std::vector<size_t> in_order = distributed::agree_on_order(*communicator_, parameters_);
  std::vector<int32_t> places(parameters_.size());
  for (size_t i = 0; i < in_order.size(); ++i) places[in_order[i]] = static_cast<int32_t>(i);
  for (int32_t& i : order_) i = places[static_cast<size_t>(i)];
  std::string own(order_.size() * sizeof(int32_t), '\0');
  std::memcpy(own.data(), order_.data(), own.size());
  std::vector<int32_t> order;
  for (const std::string& bytes : communicator_->gather(own, "order of gradients")) {
    if (bytes.empty()) continue;
    order.resize(bytes.size() / sizeof(int32_t));
    std::memcpy(order.data(), bytes.data(), bytes.size());
    break;
  }
  make_buckets(order, in_order);
}

void GradientExchange::make_buckets(std::span<const int32_t> order, std::span<const size_t> parameters) {
  std::vector<size_t> all;
  for (int32_t i : order) all.push_back(static_cast<size_t>(i));
  for (size_t i = 0; i < parameters_.size(); ++i)  // final at the end
    if (std::find(order.begin(), order.end(), static_cast<int32_t>(i)) == order.end()) all.push_back(i);
  int64_t filled = 0;
  for (size_t place : all) {
    const size_t i = parameters[place];
    const int64_t most = buckets_.size() <= 1 ? kFirstBucket : kBucket;
    if (buckets_.empty() || filled >= most) {
      buckets_.emplace_back();
      filled = 0;
    }
    buckets_.back().push_back(i);
    filled += gradient_bytes(parameters_[i]);
  }
}

}  // namespace cantik::distributed
