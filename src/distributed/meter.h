// Where the time of workers goes, and how many bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "distributed/engine.h"

namespace cantik::distributed {

// What one worker has computed since the workers met.
struct Work {
  double seconds = 0, samples = 0;
};

// What this worker has spent since the workers met. Exchanges behind a backward pass take place while it
// computes: seconds may overlap.
struct Spent {
  Work computing;
  double waiting = 0;     // seconds until the others had come to an exchange
  double exchanging = 0;  // seconds in which bytes moved
  int64_t bytes = 0;      // sent
};

// Any thread adds and looks.
class Meter {
 public:
  void computed(double seconds, int64_t samples);
  void waited(double seconds);  // in an engine's call, which has counted them as exchanging
  void exchanged(double seconds);
  void sent(int64_t bytes);
  Spent spent() const;
  // What each worker has computed, as all have told at the last exchange.
  void told(std::vector<Work> all);
  std::vector<Work> workers() const;

 private:
  mutable std::mutex mutex_;
  Spent spent_;
  std::vector<Work> workers_;
};

// What a worker has done since the last summary, for people: its share of the samples, its times, its bytes;
// and which workers take 20 % longer for a sample than the others.
class WorkReport {
 public:
  std::vector<std::string> lines(const Meter& meter, int64_t rank);

 private:
  Spent last_;
  std::vector<Work> last_workers_;
};

// An engine that counts the bytes it sends.
std::unique_ptr<Engine> counted(std::unique_ptr<Engine> engine, Meter& meter);

}  // namespace cantik::distributed
