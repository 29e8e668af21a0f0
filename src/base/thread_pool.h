// Threads for one run at a time: a team of workers is woken when a run begins, waits actively between its instructions, and
// sleeps when the run ends. The calling thread is part of its team, so nested and concurrent calls cannot wait for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
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
  // Calls f(0) .. f(size() - 1), each on its thread. An exception reaches the caller.
  template <class F>
  void run(F&& f) {
    if (count_ == 0) return f(0);
    run_all([](void* c, int i) { (*static_cast<std::remove_reference_t<F>*>(c))(i); }, &f);
  }

 private:
  friend struct Worker;
  static constexpr int kMost = 255;
  void run_all(void (*f)(void*, int), void* context);
  int count_ = 0;
  Worker* workers_[kMost];
  std::atomic<uint64_t> phase_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> ended_{false};
  void (*function_)(void*, int) = nullptr;
  void* context_ = nullptr;
  std::atomic<void*> failure_{nullptr};  // a std::exception_ptr of a worker's
};

int hardware_threads();

}  // namespace cantik
