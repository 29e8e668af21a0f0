#include "serve/batcher.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::serve {
namespace {

// Runs that are shorter cost less than handing them to another thread and back.
constexpr double kShort = 100e-6;

// What an operator says of its operands is about the request's data, in whichever class CNTK raises it: the
// last step of a sequence without steps is a runtime error. Others of that class are failures of the run.
int status_of(const Error& e) {
  switch (e.kind()) {
    case ErrorKind::value:
    case ErrorKind::shape:
    case ErrorKind::type:
    case ErrorKind::key: return kBadRequest;
    case ErrorKind::memory: return kTooLarge;
    case ErrorKind::runtime: return e.has("node") ? kBadRequest : kFailed;
    case ErrorKind::unsupported: break;
  }
  return kFailed;
}

// Tells the outcome, unless one has been told. Telling may need memory that is not there: the second attempt
// has that of the outcome, and its text is short enough to need none.
void tell(WaitingRequest& request, Outcome outcome) noexcept {
  const auto done = std::exchange(request.done, nullptr);
  if (!done) return;
  try {
    return done(std::move(outcome));
  } catch (...) {
  }
  try {
    done(Refusal(kFailed, "the run failed"));
  } catch (...) {
  }
}

// The run that the request was charged for will not be.
void give_back(const WaitingRequest& request, Clock::time_point now) {
  if (const auto& client = request.prepared.request.client)
    client->give_back(request.run_seconds, request.came, now);
}

// Why a request does not run any more; nothing where it does.
std::string_view lateness(const WaitingRequest& request, const BatchLimits& limits, Clock::time_point now) {
  const auto& given_up = request.prepared.request.given_up;
  if (given_up && *given_up) return "the request has been given up by who asked";
  if (now - request.came > limits.request_time) return "the request waited longer than it may";
  return {};
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
  const std::lock_guard lock(mutex_);
  // The request is in line once nothing can throw any more. A turn without requests does nothing.
  if (waiting_.size() >= limits_.waiting) refuse_last(*request);
  if (!running_) schedule(rows);
  running_ = true;
  const auto behind = [](const auto& a, const auto& b) { return a->stands < b->stands; };
  const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), request, behind);
  waiting_.insert(place, std::move(request));
  metrics_->waiting.store(static_cast<int64_t>(waiting_.size()), std::memory_order_relaxed);
}

void Batcher::refuse_last(const WaitingRequest& comes) {
  const std::string text = cat("the model has ", limits_.waiting, " requests waiting, as many as may");
  const WaitingRequest& last = *waiting_.back();
  if (last.stands <= comes.stands) {
    give_back(comes, Clock::now());
    throw Refusal(Shortage::places, text + ": try again later");
  }
  // Not at once: its connection may be the one that asks, amid reading.
  executors_.soon([done = last.done, text] {
    done(Refusal(Shortage::overtaken, text + ", and others ask for less: try again later"));
  });
  give_back(last, Clock::now());
  waiting_.pop_back();
}

void Batcher::schedule(int64_t rows) {
  const double expected = row_seconds_.load(std::memory_order_relaxed) * static_cast<double>(rows);
  const auto& executor = expected < kShort ? executors_.soon : executors_.aside;
  executor([me = shared_from_this()] { me->turn(); });
}

void Batcher::turn() {
  do run_next();
  while (!is_over());
}

bool Batcher::is_over() {
  int64_t rows = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      running_ = false;
      return true;
    }
    for (const auto& request : waiting_) rows += request->prepared.rows;
  }
  try {
    schedule(rows);
    return true;
  } catch (...) {  // there is not enough memory: this thread goes on
    return false;
  }
}

// Whatever is thrown, the requests are told and the batcher goes on.
void Batcher::run_next() noexcept {
  Requests batch;
  try {
    take(batch);
    run(batch);
  } catch (...) {
  }
  for (const auto& request : batch) tell(*request, Refusal(kFailed, "the run failed"));
}

// Steps of a stream follow one another: a minibatch has one request of each.
bool Batcher::may_join(const WaitingRequest& request, const Requests& batch) const {
  if (batch.empty()) return true;
  if (!batchable_ || request.prepared.key != batch[0]->prepared.key) return false;
  return request.stream < 0 ||
         std::none_of(
             batch.begin(), batch.end(), [&](const auto& other) { return other->stream == request.stream; });
}

void Batcher::take(Requests& batch) {
  const double most =
      in_seconds(limits_.run_time) / std::max(row_seconds_.load(std::memory_order_relaxed), 1e-12);
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
}

std::vector<Outcome> Batcher::outcomes(std::span<WaitingRequest* const> batch) {
  try {
    int64_t rows = 0;
    for (const WaitingRequest* request : batch) rows += request->prepared.rows;
    const bool is_short = row_seconds_.load(std::memory_order_relaxed) * static_cast<double>(rows) < kShort;
    const Clock::time_point begin = Clock::now();
    std::vector<InferAnswer> answers = run_(batch, is_short ? 1 : 0);
    const double took = in_seconds(Clock::now() - begin), each = took / static_cast<double>(rows);
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
    if (batch.size() == 1) return {Refusal(status_of(e), e.what())};
  } catch (const std::bad_alloc&) {
    if (batch.size() == 1) return {Refusal(kTooLarge, "there is not enough memory for the request")};
  } catch (const std::exception& e) {
    if (batch.size() == 1) return {Refusal(kFailed, e.what())};
  }
  // Somebody's request fails: alone, each has its own outcome.
  std::vector<Outcome> all;
  all.reserve(batch.size());
  for (WaitingRequest* request : batch) all.push_back(std::move(outcomes(std::span(&request, 1))[0]));
  return all;
}

void Batcher::run(const Requests& batch) {
  const Clock::time_point now = Clock::now();
  std::vector<WaitingRequest*> timely;
  for (const auto& request : batch) {
    const std::string_view late = lateness(*request, limits_, now);
    if (late.empty()) {
      timely.push_back(request.get());
      continue;
    }
    give_back(*request, now);
    tell(*request, Refusal(kTooLate, std::string(late)));
  }
  if (timely.empty()) return;
  std::vector<Outcome> all = outcomes(timely);
  for (size_t i = 0; i < timely.size(); ++i) {
    metrics_->wait_time.add(in_seconds(now - timely[i]->came));
    metrics_->count(std::holds_alternative<InferAnswer>(all[i]));
    tell(*timely[i], std::move(all[i]));
  }
}

}  // namespace cantik::serve
