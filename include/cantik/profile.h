// Profile: what runs spend their time and memory on.
//
//   Profile profile;                                  // records from here on
//   for (const Feeds& f : minibatches) trainer.train_minibatch(f);
//   profile.pause();
//   std::puts(profile.table().c_str());               // by operator, the most expensive first
//   std::ofstream("profile.json") << profile.trace();  // for chrome://tracing or Perfetto
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/memory.h>

namespace cantik {

namespace runtime {
class Recording;
}

// One call of a kernel. Times are in nanoseconds of a clock that only goes forward.
struct ProfileEvent {
  std::string name;  // of the kernel
  int64_t begin = 0, end = 0;
  uint64_t thread = 0;  // by its number, from 0
};

// All calls of one kernel.
struct ProfileRow {
  std::string name;                    // of the operator or pass
  int64_t calls = 0, nanoseconds = 0;  // how often it ran, and how long in all
};

// Records the runs of the whole process while it lives or until pause(). Any number may record at once; each
// has all the events of its time.
class CANTIK_API Profile {
 public:
  // Begins to record.
  Profile();
  Profile(const Profile&) = delete;
  ~Profile();

  // Stops recording. A paused profile stays as it is.
  void pause();
  // Goes on recording, behind the events that are there.
  void resume();

  // The events so far, in the order in which they ended.
  std::vector<ProfileEvent> events() const;
  // The sums by kernel, the most expensive first.
  std::vector<ProfileRow> rows() const;
  // The most bytes that tensors, results and runs held while it recorded.
  size_t memory() const;
  // Bytes kept for further runs (programs, the memory of runs, packed weights) when it was last paused, and
  // the budget for them.
  CacheUse kept() const { return kept_; }

  // The rows and the memory as text.
  std::string table() const;
  // The events in Chrome's form, JSON.
  std::string trace() const;

 private:
  std::shared_ptr<runtime::Recording> recording_;
  bool records_ = false;
  size_t memory_ = 0;
  CacheUse kept_;
};

// The time of one kernel for one function.
struct NodeTime {
  std::string uid, kernel;             // of the function; what ran for it, gradients included
  int64_t calls = 0, nanoseconds = 0;  // how often it ran, and how long in all
};

// From now on the kernels of each function are timed, or no longer. Times stay when it is switched off, and
// begin anew when it is switched on.
CANTIK_API void time_functions(bool on);
// The times so far, by function and kernel.
CANTIK_API std::vector<NodeTime> function_times();

}  // namespace cantik
