#include "serve/batcher.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::serve {
namespace {

// Runs that are shorter cost less than handing them to another thread and back.
constexpr double kShort = 100e-6;

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::value:
    case ErrorKind::shape:
    case ErrorKind::type:
    case ErrorKind::key: return kBadRequest;
    case ErrorKind::memory: return kTooLarge;
    case ErrorKind::runtime:
    case ErrorKind::unsupported: break;
  }
  return kFailed;
}

}  // namespace

Batcher::Batcher(Run run, bool batchable, BatchLimits limits, Executors executors,
                 std::shared_ptr<ModelMetrics> metrics)
    : run_(std::move(run)),
      batchable_(batchable),
      limits_(limits),
      executors_(std::move(executors)),
      metrics_(std::move(metrics)) {}

void Batcher::submit(std::unique_ptr<WaitingRequest> request) {
  const int64_t rows = request->prepared.rows;
  if (Client* client = request->prepared.request.client.get()) {
    const double each = row_seconds_.load(std::memory_order_relaxed);
    request->run_seconds = each < kUnknown ? each * static_cast<double>(rows) : 0;
    request->stands = client->line_up(request->run_seconds, request->came);
  }
  const WaitingRequest* const came = request.get();
  std::unique_ptr<WaitingRequest> last;
  bool begins = false;
  {
    const std::lock_guard lock(mutex_);
    last = stand(std::move(request));
    metrics_->waiting.store(static_cast<int64_t>(waiting_.size()), std::memory_order_relaxed);
    begins = last.get() != came && !std::exchange(running_, true);
  }
  if (begins) schedule(rows);
  if (!last) return;
  if (const auto& client = last->prepared.request.client)
    client->give_back(last->run_seconds, last->came, Clock::now());
  const std::string text = cat("the model has ", limits_.waiting, " requests waiting, as many as may");
  if (last.get() == came) throw Refusal(Shortage::places, text + ": try again later");
  // Not at once: its connection may be the one that asks, amid reading.
  executors_.soon([done = std::move(last->done), text] {
    done(Refusal(Shortage::overtaken, text + ", and others ask for less: try again later"));
  });
}

std::unique_ptr<WaitingRequest> Batcher::stand(std::unique_ptr<WaitingRequest> request) {
  std::unique_ptr<WaitingRequest> last;
  if (waiting_.size() >= limits_.waiting) {
    if (waiting_.back()->stands <= request->stands) return request;
    last = std::move(waiting_.back());
    waiting_.pop_back();
  }
  const auto behind = [](const auto& a, const auto& b) { return a->stands < b->stands; };
  const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), request, behind);
  waiting_.insert(place, std::move(request));
  return last;
}

void Batcher::schedule(int64_t rows) {
  const double expected = row_seconds_.load(std::memory_order_relaxed) * static_cast<double>(rows);
  const auto& executor = expected < kShort ? executors_.soon : executors_.aside;
  executor([me = shared_from_this()] { me->turn(); });
}

void Batcher::turn() {
  run(take());
  int64_t rows = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      running_ = false;
      return;
    }
    for (const auto& request : waiting_) rows += request->prepared.rows;
  }
  schedule(rows);
}

// Steps of a stream follow one another: a minibatch has one request of each.
bool Batcher::may_join(const WaitingRequest& request,
                       const std::vector<std::unique_ptr<WaitingRequest>>& batch) const {
  if (batch.empty()) return true;
  if (!batchable_ || request.prepared.key != batch[0]->prepared.key) return false;
  return request.stream < 0 ||
         std::none_of(
             batch.begin(), batch.end(), [&](const auto& other) { return other->stream == request.stream; });
}

std::vector<std::unique_ptr<WaitingRequest>> Batcher::take() {
  std::vector<std::unique_ptr<WaitingRequest>> batch;
  const double most =
      seconds(limits_.run_time) / std::max(row_seconds_.load(std::memory_order_relaxed), 1e-12);
  const std::lock_guard lock(mutex_);
  // The first request that may not join ends the minibatch, so that requests of one stream keep their order.
  double rows = 0;
  while (!waiting_.empty() && may_join(*waiting_.front(), batch)) {
    rows += static_cast<double>(waiting_.front()->prepared.rows);
    if (!batch.empty() && rows > most) break;
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  metrics_->waiting.store(static_cast<int64_t>(waiting_.size()), std::memory_order_relaxed);
  return batch;
}

std::vector<Outcome> Batcher::outcomes(std::span<WaitingRequest* const> batch) {
  try {
    int64_t rows = 0;
    for (const WaitingRequest* request : batch) rows += request->prepared.rows;
    const bool is_short = row_seconds_.load(std::memory_order_relaxed) * static_cast<double>(rows) < kShort;
    const Clock::time_point begin = Clock::now();
    std::vector<InferAnswer> answers = run_(batch, is_short ? 1 : 0);
    const double took = seconds(Clock::now() - begin), each = took / static_cast<double>(rows);
    // The first run compiles, so it says little of the next one.
    const double before = row_seconds_.load(std::memory_order_relaxed);
    row_seconds_.store(before >= kUnknown || each < before / 4 ? each : 0.8 * before + 0.2 * each,
                       std::memory_order_relaxed);
    metrics_->run_time.add(took);
    metrics_->batch_size.add(static_cast<double>(batch.size()));
    return {std::make_move_iterator(answers.begin()), std::make_move_iterator(answers.end())};
  } catch (const Refusal& refusal) {
    if (batch.size() == 1) return {refusal};
  } catch (const Error& e) {
    if (batch.size() == 1) return {Refusal(status_of(e.kind()), e.what())};
  } catch (const std::bad_alloc&) {
    if (batch.size() == 1) return {Refusal(kTooLarge, "there is not enough memory for the request")};
  } catch (const std::exception& e) {
    if (batch.size() == 1) return {Refusal(kFailed, e.what())};
  }
  // Somebody's request fails: alone, each has its own outcome.
  std::vector<Outcome> all;
  for (WaitingRequest* request : batch) all.push_back(std::move(outcomes(std::span(&request, 1))[0]));
  return all;
}

void Batcher::run(std::vector<std::unique_ptr<WaitingRequest>> batch) {
  const Clock::time_point now = Clock::now();
  std::vector<WaitingRequest*> timely;
  for (auto& request : batch) {
    request->begun = now;
    const InferRequest& asked = request->prepared.request;
    const bool is_given_up = asked.given_up && *asked.given_up;
    if (!is_given_up && now - request->came <= limits_.request_time) {
      timely.push_back(request.get());
      continue;
    }
    if (asked.client) asked.client->give_back(request->run_seconds, request->came, now);
    request->done(Refusal(kTooLate, is_given_up ? "the request has been given up by who asked"
                                                : "the request waited longer than it may"));
  }
  if (timely.empty()) return;
  std::vector<Outcome> all = outcomes(timely);
  for (size_t i = 0; i < timely.size(); ++i) {
    metrics_->wait_time.add(seconds(now - timely[i]->came));
    metrics_->count(std::holds_alternative<InferAnswer>(all[i]));
    timely[i]->done(std::move(all[i]));
  }
}

}  // namespace cantik::serve
