// Threads for one run at a time: a team of workers is woken when a run begins, waits actively between its
// instructions, and sleeps soon after the run has ended. The calling thread is part of its team, and does
// what no worker has begun yet: nested and concurrent calls cannot wait for each other, and on a busy machine
// nobody waits for a thread that the system does not let run.
#pragma once

#include <atomic>
#include <type_traits>

namespace cantik {

struct Worker;

class Team {
 public:
  // At most `threads` threads, the caller included; fewer if others use them. 1: no worker is touched.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;

  int size() const { return 1 + count_; }
  // A part has thrown: what the others do is for nothing.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  // Calls f(0) .. f(size() - 1), on so many threads or on fewer: no part may wait for one that has not begun.
  // f(0) is the caller's. An exception reaches the caller; parts that had not begun are left out then. What
  // ends the call (interrupt.h) is one, too: while it waits, the caller asks.
  template <class F>
  void run(F&& f) {
    if (count_ == 0) return f(0);
    run_all([](void* c, int i) { (*static_cast<std::remove_reference_t<F>*>(c))(i); }, &f);
  }

 private:
  static constexpr int kMost = 255;
  void run_all(void (*f)(void*, int), void* context);
  std::atomic<bool> failed_{false};
  int count_ = 0;
  Worker* workers_[kMost];
};

// Whether the last run has ended just now: then a worker that is woken stays awake until the next one, and
// smaller runs are worth a team.
bool runs_follow_closely();
void run_has_ended();

int hardware_threads();

}  // namespace cantik
