// What moves bytes between workers: the table that every engine fills in. libcantik links to none of the
// libraries below it; an engine of MPI is a module of its own, compiled from mpi/module.cc against each
// binary interface and loaded when a launcher has started several processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace cantik::distributed {

// Asked now and then by an engine that waits: false where waiting has become useless.
struct Waiting {
  bool (*go_on)(void* context);
  void* context;
  bool ask() const { return go_on(context); }
  // While it is true, other threads compute: to look again and again would take the processor from them.
  const std::atomic<bool>* computes;
};

// Results of the calls: 0, or one of these.
enum EngineStatus : int {
  kDone = 0,
  kGivenUp = 1,  // Waiting said so; the engine cannot be used any more
  kBroken = 2,   // failure() tells why
};

// All workers make the same calls in the same order. Sums are not an engine's: they are made above it, in the
// order of the ranks, so that they have the same bits with every engine.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const char* name() const = 0;  // of the library and its version
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Offsets have size() + 1 entries, in bytes. What lies in `send` from offsets[i] on is for worker i; what
  // comes from worker i goes to `receive` at its offsets[i].
  virtual int all_to_all(const char* send, const int64_t* send_offsets, char* receive,
                         const int64_t* receive_offsets, const Waiting& waiting) = 0;
  // Worker i's part of `all` begins at offsets[i]; the own one is there.
  virtual int all_gather(char* all, const int64_t* offsets, const Waiting& waiting) = 0;
  virtual int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) = 0;

  // Makes an engine of some of the workers, whose ranks these are, in the order of their new ones. All
  // workers make the call; it makes none in the others.
  virtual int part(const std::vector<int>& ranks, std::unique_ptr<Engine>& made, const Waiting& waiting) = 0;

  // Whether calls may come from another thread than the one that joined the workers, one at a time.
  virtual bool serves_threads() const = 0;
  // The rank of a worker that the engine itself knows to be dead; -1 where it knows of none.
  virtual int dead() = 0;
  // The last failure, for people.
  virtual const char* failure() const = 0;
  // Whether finish(true) waits for the others without asking: they have to be at their end, too.
  virtual bool ends_together() const = 0;
  // The end of the exchange: of all workers together, or of this one alone after a failure.
  virtual void finish(bool together) = 0;
};

// What a module exports under the name cantik_engine: joins the workers of the launcher. Null where that
// fails, with the reason in `why`.
constexpr int kEngineVersion = 4;
constexpr const char* kEngineSymbol = "cantik_engine";
using OpenEngine = Engine*(int version, const Waiting& waiting, char* why, int64_t length_of_why);

}  // namespace cantik::distributed
