#include "plan/cache.h"

namespace cantik::runtime {

// Where all shelves stand. It is never torn down: threads may still run when the process ends.
struct Shelf::Room {
  std::mutex mutex;
  std::vector<Shelf*> shelves;
  std::atomic<uint64_t> clock{kSpared};
  std::atomic<size_t> bytes{0}, budget{size_t{256} << 20};
  std::atomic<int64_t> dropped{0};
  std::atomic<uint64_t> swept{0};  // when there was nothing more to drop

  void sweep();

 private:
  uint64_t find_old();
  void drop(uint64_t until);
};

Shelf::Room& Shelf::room() {
  static Room* room = new Room;
  return *room;
}

uint64_t Shelf::now() {
  static const std::atomic<uint64_t>& clock = room().clock;
  return clock.load(std::memory_order_relaxed);
}

void Shelf::enter() {
  Room& r = room();
  std::lock_guard lock(r.mutex);
  r.shelves.push_back(this);
}

void Shelf::leave() {
  Room& r = room();
  std::lock_guard lock(r.mutex);
  auto at = std::find(r.shelves.rbegin(), r.shelves.rend(), this);
  *at = r.shelves.back();
  r.shelves.pop_back();
}

// Until when things were used last that have to go.
uint64_t Shelf::Room::find_old() {
  const size_t most = budget.load(), have = bytes.load();
  if (have <= most) return 0;
  const uint64_t now = clock.load();
  std::vector<Thing> things;
  for (Shelf* s : shelves) s->list(things);
  std::erase_if(things, [&](const Thing& t) { return t.used + kSpared > now; });
  size_t old = 0;
  for (const Thing& t : things) old += t.bytes;
  // What stays may be more than the budget by itself. Programs of sizes that come back would go at once.
  const size_t others = have - std::min(have, old);
  const size_t room = std::max(most - std::min(most, others), most / 4);
  // Not for each thing that is made: a quarter of the room is freed at once.
  size_t excess = old > room ? old - room + room / 4 : 0;
  std::sort(things.begin(), things.end(), [](const Thing& a, const Thing& b) { return a.used < b.used; });
  uint64_t until = 0;
  for (const Thing& t : things) {
    if (excess == 0) break;
    excess -= std::min(excess, t.bytes);
    until = t.used;
  }
  return until;
}

void Shelf::Room::drop(uint64_t until) {
  std::vector<std::shared_ptr<const void>> gone;  // destroyed without the lock: shelves may go with it
  std::lock_guard lock(mutex);
  for (Shelf* s : shelves) s->drop(until, gone);
  dropped += static_cast<int64_t>(gone.size());
}

void Shelf::Room::sweep() {
  uint64_t until = 0;
  {
    std::lock_guard lock(mutex);
    until = find_old();
  }
  if (until > 0) {
    drop(until);
    drop(until);  // what those held: frames their programs
  }
  // Where no more can go for now, things age first.
  swept = bytes.load() > budget.load() ? clock.load() + kSpared : 0;
}

void Shelf::made() {
  Room& r = room();
  const uint64_t now = r.clock.fetch_add(1, std::memory_order_relaxed);
  if (r.bytes.load(std::memory_order_relaxed) > r.budget.load(std::memory_order_relaxed) && now >= r.swept)
    r.sweep();
}

void Charge::set(size_t bytes) {
  if (bytes == bytes_) return;
  Shelf::room().bytes.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  bytes_ = bytes;
}

}  // namespace cantik::runtime

namespace cantik {

CacheUse cache_use() {
  const auto& r = runtime::Shelf::room();
  return {r.bytes.load(), r.budget.load(), r.dropped.load()};
}

void set_cache_budget(size_t bytes) {
  auto& r = runtime::Shelf::room();
  r.budget = bytes;
  r.sweep();
}

}  // namespace cantik
