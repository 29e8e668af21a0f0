// Where automatic seeds come from: one counter of the process, or one fixed number.
#include <algorithm>
#include <cstdint>
#include <mutex>

#include <cantik/initializer.h>

#include "base/launch.h"
#include "tensor/function_seed.h"

namespace cantik {
namespace {

std::mutex seed_mutex;
uint64_t seed_value = 0;
bool seed_fixed = false;

}  // namespace

uint64_t next_seed() { return next_worker_seed(1, 0); }

uint64_t next_function_seed() {
  static const Launch launched = launch();
  return next_worker_seed(static_cast<uint64_t>(std::max(1, launched.size)),
                          static_cast<uint64_t>(launched.rank));
}

uint64_t next_worker_seed(uint64_t workers, uint64_t rank) {
  std::lock_guard lock(seed_mutex);
  return seed_fixed ? seed_value : workers * seed_value++ + rank;
}

void set_fixed_random_seed(uint64_t seed) {
  std::lock_guard lock(seed_mutex);
  seed_value = seed;
  seed_fixed = true;
}

void reset_random_seed(uint64_t counter) {
  std::lock_guard lock(seed_mutex);
  seed_value = counter;
  seed_fixed = false;
}

uint64_t random_seed() {
  std::lock_guard lock(seed_mutex);
  return seed_value;
}

bool is_random_seed_fixed() {
  std::lock_guard lock(seed_mutex);
  return seed_fixed;
}

}  // namespace cantik
