// The workers over an engine: every exchange begins with a word of each worker on which one it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cantik/distributed.h>

#include "distributed/engine.h"
#include "distributed/meter.h"
#include "distributed/sum.h"
#include "distributed/watch.h"

namespace cantik {

struct Communicator::Impl {
  // How long others are waited for.
  struct Patience {
    double silence = 4;   // seconds without a word of a worker, which is dead then
    double stall = 1800;  // seconds of an exchange that a living worker does not join
  };
  // Alone.
  Impl();
  // Meets the others: the first exchange of the engine. `job`: the same of all that were started together.
  Impl(std::unique_ptr<distributed::Engine> engine, const Patience& patience, std::string job = {});
  // Is to be taken in by a training that goes on already, whose main worker listens there.
  Impl(const Address& main, const Patience& patience, std::string job);
  ~Impl();

  // What each worker says at the beginning of an exchange. Few bytes come with it.
  struct Notice {
    distributed::Standing position;
    char bytes[64];
    distributed::Work computed;
  };
  // Begins an exchange: the notices of all, which agree.
  std::vector<Notice> announce(distributed::Collective kind, const std::string& name, int64_t bytes,
                               const void* few = nullptr, size_t count = 0);
  // Runs a part of an exchange. An error names the worker that is missing.
  void move(const std::function<int(const distributed::Waiting&)>& part);
  [[noreturn]] void fail(const distributed::Watch::Loss& loss, bool stalled);
  // Whether there is nobody to exchange anything with; an error where this worker is still to be taken in.
  bool is_alone(distributed::Collective kind, const std::string& name) const;
  void end(const std::string& why);
  void wait_for_their_end();
  // The others are told that this worker has failed; no exchange works any more.
  void give_up(const std::string& why);

  // Those that live meet once more, over TCP: for the first meeting if it has a number, for others until all
  // have come.
  void meet_again(int64_t first);
  void meet(const std::vector<int>& alive, int64_t meeting);
  void open_door();
  void share_processors();

  distributed::Meter meter;
  std::unique_ptr<distributed::Engine> engine;  // null: alone
  std::unique_ptr<distributed::Watch> watch;    // null: has always been alone
  Patience patience;
  std::string job;
  std::optional<distributed::OrderedSum> summing;
  std::vector<WorkerDescriptor> workers;  // by rank in this group
  std::vector<int> numbers;               // of the watch, by rank
  int64_t rank = 0;
  bool serves_threads = false;  // the engines of all workers do
  std::atomic<bool> computes{false};
  std::vector<char> packed;  // tensors side by side, while they are summed
  std::mutex mutex;          // of an exchange
  distributed::Standing position;
  distributed::Standing met;  // the last exchange that all have come to
  std::string broken;         // why there are no exchanges any more
  bool ended = false;
  bool keeps_going = false;  // without workers that are lost
  int own_limit = 0;         // of threads, as the processors were shared out; 0: they were not
  bool has_lost = false;     // and one has been lost, so that those that live have to meet again
  Socket door;               // of the main worker: to which new workers come
  Socket main;               // of a new worker: to the main one, until it has been taken in
};

namespace distributed {

// The engine of this process's launcher, or null where there is none. An error where there is a launcher
// whose processes would not find each other.
std::unique_ptr<Engine> find_engine();

}  // namespace distributed
}  // namespace cantik
