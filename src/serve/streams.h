// Streams of a served model: sequences whose steps come in requests of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
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

  // The place of the request's stream; a Refusal where it has not begun, or where all places are taken.
  int64_t place(const StreamPart& part);
  // To be told of each request that got a place, once it is done with, whatever its outcome.
  void finished(const StreamPart& part, int64_t place);
  // The next steps of the streams.
  std::vector<InferAnswer> run(std::span<WaitingRequest* const> batch, int threads);

 private:
  struct Stream {
    int64_t place = 0;
    int requests = 0;     // that are not finished
    bool ending = false;  // after them
    Clock::time_point last = {};
  };
  void drop_idle();

  const std::shared_ptr<const ServedModel> model_;
  const int64_t most_;
  const Clock::duration idle_;
  ServerMetrics& metrics_;
  Session session_;  // used by one run at a time
  std::mutex mutex_;
  std::map<std::string, Stream> streams_;
  std::vector<int64_t> free_;
};

}  // namespace cantik::serve
