// What holds for all runs of the process.
#include <atomic>

#include <cantik/error.h>
#include <cantik/function.h>

#include "base/launch.h"
#include "base/text.h"
#include "base/thread_pool.h"

namespace cantik {

namespace {
std::atomic<int> limit{0};
std::atomic<bool> checked{false};
}  // namespace

void set_checked_mode(bool on) { checked = on; }
bool checked_mode() { return checked.load(std::memory_order_relaxed); }

void set_thread_limit(int threads) {
  if (threads < 0)
    throw value_error(cat("the thread limit must be at least 0, and is ", threads))
        .remedy("give 0 for one thread on each processor");
  limit = threads;
}
int thread_limit() {
  // what users of OpenMP's libraries set
  static const int asked = environment_number("OMP_NUM_THREADS");
  const int n = limit.load(std::memory_order_relaxed);
  return n > 0 ? n : asked > 0 ? asked : hardware_threads();
}

}  // namespace cantik
