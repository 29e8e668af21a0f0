#include "serve/streams.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace cantik::serve {

ServedStreams::ServedStreams(std::shared_ptr<const ServedModel> model, int64_t most, Clock::duration idle,
                             ServerMetrics& metrics)
    : model_(std::move(model)),
      most_(most),
      idle_(idle),
      metrics_(metrics),
      session_(model_->function(), most, model_->evaluation().question().outputs) {
  for (int64_t place = most; place-- > 0;) free_.push_back(place);
}

ServedStreams::~ServedStreams() { metrics_.streams -= static_cast<int64_t>(streams_.size()); }

void ServedStreams::drop_idle() {
  const Clock::time_point now = Clock::now();
  for (auto at = streams_.begin(); at != streams_.end();) {
    if (at->second.requests > 0 || now - at->second.last < idle_) {
      ++at;
      continue;
    }
    free_.push_back(at->second.place);
    at = streams_.erase(at);
    --metrics_.streams;
  }
}

int64_t ServedStreams::place(const StreamPart& part) {
  const std::lock_guard lock(mutex_);
  drop_idle();
  auto at = streams_.find(part.id);
  if (at == streams_.end()) {
    if (!part.start)
      throw Refusal(kBadRequest,
                    cat("the sequence ", part.id,
                        " has not begun, has ended or was idle for too long: begin it with sequence_start"));
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
  return stream.place;
}

void ServedStreams::finished(const StreamPart& part, int64_t place) {
  const std::lock_guard lock(mutex_);
  const auto at = streams_.find(part.id);
  if (at == streams_.end() || at->second.place != place) return;
  Stream& stream = at->second;
  stream.last = Clock::now();
  stream.ending = stream.ending || part.end;
  if (--stream.requests > 0 || !stream.ending) return;
  free_.push_back(place);
  streams_.erase(at);
  --metrics_.streams;
}

std::vector<InferAnswer> ServedStreams::run(std::span<WaitingRequest* const> batch, int threads) {
  std::vector<const PreparedRequest*> requests;
  std::vector<int64_t> of;
  for (WaitingRequest* request : batch) {
    if (request->prepared.request.sequence->start) session_.reset(request->stream);
    requests.push_back(&request->prepared);
    of.push_back(request->stream);
  }
  std::vector<Value> values = model_->join(requests);
  Feeds feeds;
  for (size_t i = 0; i < values.size(); ++i)
    feeds.emplace_back(model_->inputs()[i].variable, std::move(values[i]));
  const std::vector<Value> results = session_.run(feeds, of, {.threads = threads});
  std::vector<InferAnswer> answers;
  for (size_t i = 0; i < batch.size(); ++i)
    answers.push_back(model_->answer(*requests[i], results, static_cast<int64_t>(i)));
  return answers;
}

}  // namespace cantik::serve
