#include "memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

namespace naive {
namespace {

constexpr size_t kBytes = size_t{64} << 30;  // of addresses; pages cost memory once they are written
constexpr size_t kUnit = 64;

// Two ranges of addresses of the same length: one without access, for the host, and one with the numbers.
class Arena {
 public:
  Arena() {
    named_ = map(PROT_NONE);
    real_ = map(PROT_READ | PROT_WRITE);
    if (named_ && real_) free_[0] = kBytes;
  }

  void* allocate(size_t bytes) {
    bytes = (bytes + kUnit - 1) / kUnit * kUnit;
    const std::lock_guard lock(mutex_);
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second < bytes) continue;
      const size_t place = at->first, left = at->second - bytes;
      free_.erase(at);
      if (left) free_[place + bytes] = left;
      taken_[place] = bytes;
      return named_ + place;
    }
    return nullptr;
  }
  void release(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(static_cast<size_t>(static_cast<char*>(memory) - named_));
    auto [at, is_new] = free_.emplace(taken->first, taken->second);
    taken_.erase(taken);
    if (const auto next = std::next(at); next != free_.end() && at->first + at->second == next->first) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at == free_.begin()) return;
    const auto before = std::prev(at);
    if (before->first + before->second != at->first) return;
    before->second += at->second;
    free_.erase(at);
  }

  bool has(const void* address) const {
    const char* p = static_cast<const char*>(address);
    return named_ && p >= named_ && p < named_ + kBytes;
  }
  std::ptrdiff_t distance() const {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(real_) -
                                       reinterpret_cast<std::uintptr_t>(named_));
  }

 private:
  static char* map(int access) {
    void* p = mmap(nullptr, kBytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
  }

  char *named_ = nullptr, *real_ = nullptr;
  std::mutex mutex_;
  std::map<size_t, size_t> free_, taken_;  // where parts begin, and how long they are
};

Arena& arena() {
  static auto* all = new Arena;
  return *all;
}

cantik_status allocate(void*, int32_t, size_t bytes, void** memory, cantik_device_failure* f) {
  *memory = arena().allocate(bytes);
  if (*memory) return CANTIK_OK;
  std::snprintf(f->text, f->text_size, "the device has no %zu bytes left", bytes);
  return CANTIK_MEMORY;
}

}  // namespace

bool is_of_device(const void* address) { return arena().has(address); }
std::ptrdiff_t distance() { return arena().distance(); }

void give_memory(cantik_backend& b) {
  b.allocate = &allocate;
  b.release = [](void*, int32_t, void* memory) { arena().release(memory); };
}

}  // namespace naive
