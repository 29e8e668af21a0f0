// Gradients are summed over the workers while the backward pass goes on: a thread of its own takes them in
// buckets, as they become final, so that the wire and the processor work at the same time.
//
// Of a minibatch the workers exchange, one after the other: who has data and who can take part, the gradients
// bucket by bucket in an order that the main worker has found in its first run, and the totals. A bucket
// decides no bits: each number is summed in the order of ranks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <cantik/distributed.h>

#include "execute/finals.h"

namespace cantik::distributed {

class GradientExchange final : public runtime::ResultListener {
 public:
  // Whether it is worth its while: small networks are exchanged in one go after the run, without a word about
  // who has data.
  static bool is_worthwhile(std::span<const Variable> parameters);

  GradientExchange(CommunicatorPtr workers, std::span<const Variable> parameters);
  ~GradientExchange() override;

  // Whether the workers of now can do so, which all of them answer alike: their engines have to serve more
  // than one thread. Workers that come and go meet over another engine.
  bool serves() const;

  // A minibatch comes, of whose run the gradients are the results from `first` on.
  void expect(size_t first) { first_ = first; }
  void begins(runtime::Outputs& out, const std::vector<size_t>& order) override;
  void is_final(size_t output) override;

  // The run is over, or there has been none. Returns the totals of all workers, whose gradients are summed
  // then; none where this minibatch's gradients have to be exchanged in another way.
  std::optional<MinibatchTotals> finish(const MinibatchTotals& own);
  // The gradients after finish(): this worker's memory of the run, or memory of its own where it had no data.
  const std::vector<Tensor>& gradients() const { return gradients_; }
  // The workers are others: an order is agreed on once more.
  void begin_anew() { buckets_.clear(); }
  // The run has failed: the others are told, and no exchange works any more. Does nothing where none has
  // begun.
  void abandon();

 private:
  enum class Part : uint8_t { data, no_data, cannot };
  void start(Part part);
  void loop();
  void exchange();
  void agree_on_order();
  // order: places of gradients; parameters: which stands in each place.
  void make_buckets(std::span<const int32_t> order, std::span<const size_t> parameters);
  template <class F>
  void wait_for(F&& ready);
  Communicator::Impl& workers() { return *communicator_->impl_; }

  CommunicatorPtr communicator_;
  std::vector<Variable> parameters_;
  std::vector<std::vector<size_t>> buckets_;  // empty: no order has been agreed on
  size_t first_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;  // for the thread
  std::condition_variable done_;     // for the caller
  Part part_ = Part::no_data;
  std::vector<Tensor> gradients_;
  std::vector<char> is_final_;
  std::vector<int32_t> order_;  // of this worker's run
  bool begun_ = false, run_over_ = false, ends_ = false;
  std::atomic<bool> abandoned_{false};
  MinibatchTotals own_;
  std::optional<MinibatchTotals> all_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace cantik::distributed
