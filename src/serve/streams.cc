#include "serve/streams.h"

#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace cantik::serve {
namespace {

[[noreturn]] void refuse_step(const std::string& id) {
  throw Refusal(kBadRequest,
                cat("the sequence ", id,
                    " has not begun, has ended or was idle for too long: begin it with sequence_start"));
}

const StreamPart& part_of(const WaitingRequest& request) { return *request.prepared.request.sequence; }

}  // namespace

ServedStreams::ServedStreams(std::shared_ptr<const ServedModel> model, int64_t most, Clock::duration idle,
                             ServerMetrics& metrics)
    : model_(std::move(model)),
      most_(most),
      idle_(idle),
      metrics_(metrics),
      session_(model_->function(), most, model_->evaluation().question().outputs),
      holders_(static_cast<size_t>(most), kNobody) {
  free_.reserve(holders_.size());
  for (int64_t place = most; place-- > 0;) free_.push_back(place);
}

ServedStreams::~ServedStreams() { metrics_.streams -= static_cast<int64_t>(streams_.size()); }

std::map<std::string, ServedStreams::Stream>::iterator ServedStreams::erase(
    std::map<std::string, Stream>::iterator at) {
  free_.push_back(at->second.place);  // has room for all places
  --metrics_.streams;
  return streams_.erase(at);
}

void ServedStreams::drop_idle() {
  const Clock::time_point now = Clock::now();
  for (auto at = streams_.begin(); at != streams_.end();)
    at = at->second.requests == 0 && now - at->second.last >= idle_ ? erase(at) : std::next(at);
}

ServedStreams::Turn ServedStreams::enter(const StreamPart& part) {
  const std::lock_guard lock(mutex_);
  drop_idle();
  auto at = streams_.find(part.id);
  if (at == streams_.end()) {
    if (!part.start) refuse_step(part.id);
    if (free_.empty())
      throw Refusal(Shortage::sequences,
                    cat("the model carries ", most_,
                        " sequences, as many as may: end one with sequence_end, or try again later"));
    at = streams_.emplace(part.id, Stream{.place = free_.back()}).first;
    free_.pop_back();
    ++metrics_.streams;
  }
  Stream& stream = at->second;
  ++stream.requests;
  stream.last = Clock::now();
  if (part.start) stream.sequence = ++last_sequence_;
  return {stream.place, stream.sequence};
}

// A stream whose last sequence has ended, or has not begun, has nothing to carry.
void ServedStreams::leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto at = streams_.find(id);
  Stream& stream = at->second;
  stream.last = Clock::now();
  if (--stream.requests == 0 && holders_[stream.place] != stream.sequence) erase(at);
}

void ServedStreams::begin(std::span<WaitingRequest* const> batch) {
  const std::lock_guard lock(mutex_);
  for (const WaitingRequest* request : batch)
    if (!part_of(*request).start && holders_[request->stream] != request->sequence)
      refuse_step(part_of(*request).id);
  for (const WaitingRequest* request : batch) {
    if (!part_of(*request).start) continue;
    holders_[request->stream] = kNobody;
    session_.reset(request->stream);
  }
}

void ServedStreams::set_holders(std::span<WaitingRequest* const> batch, bool answered) {
  const std::lock_guard lock(mutex_);
  for (const WaitingRequest* request : batch)
    holders_[request->stream] = answered && !part_of(*request).end ? request->sequence : kNobody;
}

std::vector<InferAnswer> ServedStreams::run(std::span<WaitingRequest* const> batch, int threads) {
  begin(batch);
  std::vector<const PreparedRequest*> requests;
  std::vector<int64_t> of;
  for (const WaitingRequest* request : batch) {
    requests.push_back(&request->prepared);
    of.push_back(request->stream);
  }
  std::vector<Value> values = model_->join(requests);
  Feeds feeds;
  for (size_t i = 0; i < values.size(); ++i)
    feeds.emplace_back(model_->inputs()[i].variable, std::move(values[i]));
  const std::vector<Value> results = session_.run(feeds, of, {.threads = threads});
  // The states have gone on. A client without the answers would ask for the same steps again.
  set_holders(batch, false);
  std::vector<InferAnswer> answers;
  for (size_t i = 0; i < batch.size(); ++i)
    answers.push_back(model_->answer(*requests[i], results, static_cast<int64_t>(i)));
  set_holders(batch, true);
  return answers;
}

}  // namespace cantik::serve
