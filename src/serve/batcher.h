// Batcher: requests that wait for a model, run side by side.
//
// There is no deliberate wait. A request that comes while the model is idle runs at once; requests that come
// during a run are the next minibatch. So the minibatch grows with the load, up to as many rows as are
// expected to take BatchLimits::run_time.
//
// Requests stand in line as Client::line_up() says. Where the line is full, the last one of it is refused,
// which need not be the one that came last.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "serve/metrics.h"
#include "serve/served_model.h"

namespace cantik::serve {

using Outcome = std::variant<InferAnswer, Refusal>;

// A request that waits, and who is told of its outcome; told once, from any thread.
struct WaitingRequest {
  PreparedRequest prepared;
  std::function<void(Outcome)> done;  // where it throws, it has not told
  Clock::time_point came = Clock::now();
  Clock::time_point stands = came;  // in the line
  double run_seconds = 0;           // expected when it came
  int64_t stream = -1;              // of a stateful model: the place of its states
  int64_t sequence = 0;             // which of that stream's
};

struct BatchLimits {
  size_t waiting = 1024;                           // requests of a model; those behind them are refused
  std::chrono::milliseconds run_time{20};          // of a minibatch, expected
  std::chrono::milliseconds request_time{60'000};  // of a request, until its run begins
};

// Where work goes: short runs on the thread that reads requests, after all those that it has read; long ones
// on others. Neither does it at once; one that throws does not do it at all.
struct Executors {
  std::function<void(std::function<void()>)> soon, aside;
};

class Batcher : public std::enable_shared_from_this<Batcher> {
 public:
  // Computes what belongs to the requests of a minibatch, in their order. Nothing has changed where it
  // throws.
  using Run = std::function<std::vector<InferAnswer>(std::span<WaitingRequest* const>, int threads)>;

  Batcher(Run run, bool batchable, BatchLimits limits, Executors executors,
          std::shared_ptr<ModelMetrics> metrics);

  // Adds a request; a Refusal where as many wait as may, and none of them stands behind it. Where it throws,
  // the request is not in line and is not told.
  void submit(std::unique_ptr<WaitingRequest> request);

 private:
  using Requests = std::vector<std::unique_ptr<WaitingRequest>>;

  // Refuses the last request of a full line, which may be the one that comes.
  void refuse_last(const WaitingRequest& comes);
  void schedule(int64_t rows);
  // Runs minibatches until the next turn is scheduled or no request waits.
  void turn();
  bool is_over();
  void run_next() noexcept;
  void take(Requests& batch);
  void run(const Requests& batch);
  std::vector<Outcome> outcomes(std::span<WaitingRequest* const> batch);
  bool may_join(const WaitingRequest& request, const Requests& batch) const;

  const Run run_;
  const bool batchable_;
  const BatchLimits limits_;
  const Executors executors_;
  const std::shared_ptr<ModelMetrics> metrics_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<WaitingRequest>> waiting_;  // as they stand
  bool running_ = false;
  static constexpr double kUnknown = 1;        // row_seconds_ before the first run, which is a long one
  std::atomic<double> row_seconds_{kUnknown};  // how long a row takes, of the last runs
};

}  // namespace cantik::serve
