#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "base/interrupt.h"

namespace cantik {
namespace {

constexpr int64_t kPause = 50;  // work that could have been done in the meantime
// A worker that a team lets go stays awake for so long: about what waking it costs. So it costs at most twice
// as much as the best of the two, to stay awake and to sleep at once, whenever the next team comes.
constexpr std::chrono::microseconds kLinger{60};

using Clock = std::chrono::steady_clock;

void pause_a_little(int& spins) {
  if (++spins < 2000)
    __builtin_ia32_pause();
  else
    spins = 0, std::this_thread::yield();
}

}  // namespace

// A thread of the pool. It belongs to one team at a time, and a team never waits for it unless it has begun a
// part: parts have numbers that only grow, the team offers one after another, and whoever moves `claimed` on
// to it, worker or team, does it. So the team may leave at once, and a worker that wakes late finds nothing
// that it could do twice, or on behalf of a team that is gone.
struct Worker {
  std::atomic<uint64_t> offered{0}, claimed{0}, finished{0};  // parts
  // Of the part on offer. Written when no part is on offer, read by who has claimed it.
  void (*function)(void*, int) = nullptr;
  void* context = nullptr;
  std::atomic<bool>* failed = nullptr;  // of the team
  int index = 0;
  std::exception_ptr failure;

  std::atomic<bool> serves{false};  // a team has it: it looks out for parts; otherwise it sleeps
  std::mutex mutex;
  std::condition_variable wake;

  bool claim(uint64_t part) {
    uint64_t before = part - 1;
    return claimed.compare_exchange_strong(before, part, std::memory_order_acq_rel);
  }

  void do_part() {
    try {
      function(context, index);
    } catch (...) {
      failure = std::current_exception();
      failed->store(true, std::memory_order_relaxed);
    }
  }

  // Whether a team has come while it was still awake.
  bool is_soon_wanted() const {
    for (const auto until = Clock::now() + kLinger; Clock::now() < until;)
      for (int i = 0; i < 16; ++i) {
        if (serves.load(std::memory_order_acquire)) return true;
        __builtin_ia32_pause();
      }
    return false;
  }

  void loop() {
    for (bool is_new = true;; is_new = false) {
      if (is_new || !is_soon_wanted()) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return serves.load(std::memory_order_acquire); });
      }
      for (int spins = 0; serves.load(std::memory_order_acquire);) {
        uint64_t part = offered.load(std::memory_order_acquire);
        if (part == claimed.load(std::memory_order_relaxed) || !claim(part)) {
          pause_a_little(spins);
          continue;
        }
        do_part();
        finished.store(part, std::memory_order_release);
        spins = 0;
      }
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

namespace {
std::atomic<int64_t> last_run{0};  // when it ended, in nanoseconds of the clock
int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}
}  // namespace

bool runs_follow_closely() {
  const std::chrono::nanoseconds linger = kLinger;
  return nanoseconds() - last_run.load(std::memory_order_relaxed) < linger.count();
}
void run_has_ended() { last_run.store(nanoseconds(), std::memory_order_relaxed); }

int hardware_threads() {
  static const int n = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return n;
}

namespace {

// Null where the system gives the process no further thread: a team has then as many as there are.
Worker* started_worker() {
  auto worker = std::make_unique<Worker>();
  try {
    std::thread([w = worker.get()] { w->loop(); }).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return worker.release();
}

}  // namespace

Team::Team(int threads) {
  if (threads <= 1) return;
  if (threads > kMost) threads = kMost;
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  while (count_ < threads - 1) {
    if (p.idle.empty()) {
      if (p.started >= kMost || p.started >= 4 * hardware_threads()) break;
      Worker* w = started_worker();
      if (!w) break;
      ++p.started;
      p.idle.push_back(w);
    }
    Worker* w = p.idle.back();
    p.idle.pop_back();
    workers_[count_++] = w;
    w->index = count_;
    {
      std::lock_guard worker_lock(w->mutex);
      w->serves.store(true, std::memory_order_release);
    }
    w->wake.notify_one();
  }
}

Team::~Team() {
  if (count_ == 0) return;
  for (int i = 0; i < count_; ++i) workers_[i]->serves.store(false, std::memory_order_release);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  for (int i = 0; i < count_; ++i) p.idle.push_back(workers_[i]);
}

void Team::run_all(void (*f)(void*, int), void* context) {
  failed_.store(false, std::memory_order_relaxed);
  for (int i = 0; i < count_; ++i) {
    Worker& w = *workers_[i];
    w.function = f;
    w.context = context;
    w.failed = &failed_;
    w.offered.store(w.offered.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::exception_ptr failure;
  auto unless_it_fails = [&](auto&& part) {
    try {
      part();
    } catch (...) {
      failure = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  };
  unless_it_fails([&] { f(context, 0); });
  // Parts that no worker has begun are done here: it may be long before the system lets the worker run.
  for (int i = 0; i < count_; ++i) {
    Worker& w = *workers_[i];
    const uint64_t part = w.offered.load(std::memory_order_relaxed);
    if (!w.claim(part)) continue;
    if (!failure) w.do_part();
    w.finished.store(part, std::memory_order_relaxed);
  }
  for (int i = 0; i < count_; ++i) {
    Worker& w = *workers_[i];
    const uint64_t part = w.offered.load(std::memory_order_relaxed);
    for (int spins = 0; w.finished.load(std::memory_order_acquire) != part;) {
      pause_a_little(spins);
      if (!failure) unless_it_fails([] { may_end(kPause); });
    }
    if (!failure) failure = w.failure;
    w.failure = nullptr;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cantik
