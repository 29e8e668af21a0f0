// Where automatic seeds come from: one source of the process.
#include <algorithm>
#include <cstdint>
#include <mutex>

#include <cantik/seed.h>

#include "base/launch.h"
#include "tensor/function_seed.h"

namespace cantik {
namespace {

std::mutex seed_mutex;
SeedSource current_source;

// The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood 2014).
uint64_t scatter(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// The seed of a request. Files of all kinds hold whole numbers of 53 bits.
uint64_t drawn_seed(uint64_t seed, uint64_t request) {
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  return scatter(scatter(seed + kStep) + kStep * request) >> 11;
}

}  // namespace

uint64_t next_seed() { return next_worker_seed(1, 0); }

uint64_t next_function_seed() {
  static const Launch launched = launch();
  return next_worker_seed(static_cast<uint64_t>(std::max(1, launched.size)),
                          static_cast<uint64_t>(launched.rank));
}

uint64_t next_worker_seed(uint64_t workers, uint64_t rank) {
  std::lock_guard lock(seed_mutex);
  const uint64_t request = workers * current_source.count + rank;
  if (current_source.kind == SeedSource::Kind::fixed) return current_source.seed;
  ++current_source.count;
  return current_source.kind == SeedSource::Kind::drawn ? drawn_seed(current_source.seed, request) : request;
}

void set_seed(uint64_t seed) { set_seed_source({SeedSource::Kind::drawn, seed, 0}); }

void set_fixed_random_seed(uint64_t seed) { set_seed_source({SeedSource::Kind::fixed, seed, 0}); }

void reset_random_seed(uint64_t counter) { set_seed_source({SeedSource::Kind::counted, 0, counter}); }

SeedSource seed_source() {
  std::lock_guard lock(seed_mutex);
  return current_source;
}

void set_seed_source(const SeedSource& source) {
  std::lock_guard lock(seed_mutex);
  current_source = source;
}

uint64_t random_seed() {
  const SeedSource source = seed_source();
  return source.kind == SeedSource::Kind::counted ? source.count : source.seed;
}

bool is_random_seed_fixed() { return seed_source().kind == SeedSource::Kind::fixed; }

}  // namespace cantik
