#include "base/thread_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace cantik {
namespace {

void pause_a_little(int& spins) {
  if (++spins < 2000) __builtin_ia32_pause();
  else spins = 0, std::this_thread::yield();
}

}  // namespace

// Sleeps until a team takes it, works for the team until the team ends.
struct Worker {
  std::mutex mutex;
  std::condition_variable wake;
  Team* team = nullptr;
  int index = 0;

  void loop() {
    for (;;) {
      Team* t;
      int i;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return team != nullptr; });
        t = team;
        i = index;
      }
      serve(*t, i);
    }
  }

  void serve(Team& t, int i) {
    uint64_t seen = 0;
    for (int spins = 0;;) {
      uint64_t phase = t.phase_.load(std::memory_order_acquire);
      if (phase == seen) {
        pause_a_little(spins);
        continue;
      }
      seen = phase;
      spins = 0;
      if (t.ended_.load(std::memory_order_relaxed)) {
        {
          std::lock_guard lock(mutex);
          team = nullptr;
        }
        t.busy_.fetch_sub(1, std::memory_order_release);  // the team may be gone after this
        return;
      }
      try {
        t.function_(t.context_, i);
      } catch (...) {
        auto* e = new std::exception_ptr(std::current_exception());
        void* none = nullptr;
        if (!t.failure_.compare_exchange_strong(none, e)) delete e;
      }
      t.busy_.fetch_sub(1, std::memory_order_release);
    }
  }
};

namespace {

// Idle workers. They live as long as the process; a forked child starts with none.
struct Pool {
  std::mutex mutex;
  std::vector<Worker*> idle;
  int started = 0;
};

Pool& pool() {
  static Pool* p = [] {
    pthread_atfork(nullptr, nullptr, [] { new (&pool()) Pool; });
    return new Pool;
  }();
  return *p;
}

}  // namespace

int hardware_threads() {
  static const int n = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return n;
}

Team::Team(int threads) {
  if (threads <= 1) return;
  if (threads > kMost) threads = kMost;
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  while (count_ < threads - 1) {
    if (p.idle.empty()) {
      if (p.started >= kMost || p.started >= 4 * hardware_threads()) break;
      ++p.started;
      auto* w = new Worker;
      std::thread([w] { w->loop(); }).detach();
      p.idle.push_back(w);
    }
    Worker* w = p.idle.back();
    p.idle.pop_back();
    workers_[count_++] = w;
    {
      std::lock_guard worker_lock(w->mutex);
      w->team = this;
      w->index = count_;
    }
    w->wake.notify_one();
  }
}

Team::~Team() {
  if (count_ == 0) return;
  ended_.store(true, std::memory_order_relaxed);
  busy_.store(count_, std::memory_order_relaxed);
  phase_.fetch_add(1, std::memory_order_release);
  for (int spins = 0; busy_.load(std::memory_order_acquire) > 0;) pause_a_little(spins);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  for (int i = 0; i < count_; ++i) p.idle.push_back(workers_[i]);
}

void Team::run_all(void (*f)(void*, int), void* context) {
  function_ = f;
  context_ = context;
  busy_.store(count_, std::memory_order_relaxed);
  phase_.fetch_add(1, std::memory_order_release);
  std::exception_ptr own;
  try {
    f(context, 0);
  } catch (...) {
    own = std::current_exception();
  }
  for (int spins = 0; busy_.load(std::memory_order_acquire) > 0;) pause_a_little(spins);
  std::exception_ptr theirs;
  if (void* e = failure_.exchange(nullptr)) {
    theirs = *static_cast<std::exception_ptr*>(e);
    delete static_cast<std::exception_ptr*>(e);
  }
  if (own) std::rethrow_exception(own);
  if (theirs) std::rethrow_exception(theirs);
}

}  // namespace cantik
