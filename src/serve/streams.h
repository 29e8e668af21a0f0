// Streams of a served model: sequences whose steps come in requests of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/session.h>

#include "serve/batcher.h"

namespace cantik::serve {

// One Session holds the states of all streams of a model; steps of several streams run side by side.
class ServedStreams {
 public:
  // At most `most` streams, each of which is dropped `idle` after its last request where another one needs
  // its place.
  ServedStreams(std::shared_ptr<const ServedModel> model, int64_t most, Clock::duration idle,
                ServerMetrics& metrics);
  ~ServedStreams();

  // The next steps of the streams. A Refusal where a request's sequence_start was refused or failed. Whatever
  // it throws, no sequence goes on from states that are not its own.
  std::vector<InferAnswer> run(std::span<WaitingRequest* const> batch, int threads);

 private:
  friend class StreamTurn;

  // A stream has one sequence after the other, each from a sequence_start on.
  struct Stream {
    int64_t place = 0;
    int64_t sequence = 0;  // of requests that come: the one that the last sequence_start began
    int requests = 0;      // that are not finished
    Clock::time_point last = {};
  };
  struct Turn {
    int64_t place = 0, sequence = 0;
  };
  // A Refusal where the sequence has not begun, or where all places are taken.
  Turn enter(const StreamPart& part);
  void leave(const std::string& id);
  std::map<std::string, Stream>::iterator erase(std::map<std::string, Stream>::iterator at);
  void drop_idle();
  // Resets the states of sequences that begin. A Refusal where a sequence does not have its place's states:
  // nothing has changed then.
  void begin(std::span<WaitingRequest* const> batch);
  // Sequences go on from the states that a run left where their clients have the answers.
  void set_holders(std::span<WaitingRequest* const> batch, bool answered);

  const std::shared_ptr<const ServedModel> model_;
  const int64_t most_;
  const Clock::duration idle_;
  ServerMetrics& metrics_;
  Session session_;  // used by one run at a time
  std::mutex mutex_;
  std::map<std::string, Stream> streams_;
  std::vector<int64_t> free_;
  std::vector<int64_t> holders_;  // for each place, the sequence whose states are there, or kNobody
  int64_t last_sequence_ = kNobody;
  static constexpr int64_t kNobody = 0;
};

// A request's part in its stream, which keeps the place of its states meanwhile.
class StreamTurn {
 public:
  // A Refusal where the sequence has not begun, or where all places are taken.
  StreamTurn(std::shared_ptr<ServedStreams> streams, const StreamPart& part)
      : streams_(std::move(streams)), id_(part.id), turn_(streams_->enter(part)) {}
  ~StreamTurn() { streams_->leave(id_); }
  StreamTurn(const StreamTurn&) = delete;

  int64_t place() const { return turn_.place; }
  int64_t sequence() const { return turn_.sequence; }

 private:
  const std::shared_ptr<ServedStreams> streams_;
  const std::string id_;
  const ServedStreams::Turn turn_;
};

}  // namespace cantik::serve
