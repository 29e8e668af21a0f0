#include "base/memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include <cantik/memory.h>

#include "base/text.h"

namespace cantik {
namespace {

std::atomic<size_t> in_use{0}, peak{0};

void count(size_t bytes) {
  size_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

// Blocks of 128 KiB and more, by size class (four to the octave); at most kKept bytes lie idle.
class Cache {
 public:
  static constexpr size_t kSmallest = size_t{1} << 17;
  static constexpr size_t kKept = size_t{256} << 20;

  static size_t class_size(size_t bytes) {
    if (bytes < kSmallest) return (bytes + kAlignment - 1) / kAlignment * kAlignment;
    size_t quarter = std::bit_floor(bytes) / 4;
    return (bytes + quarter - 1) / quarter * quarter;
  }
  void* take(size_t size) {
    std::lock_guard lock(mutex_);
    for (size_t i = blocks_.size(); i-- > 0;)
      if (blocks_[i].size == size) {
        void* p = blocks_[i].data;
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
        idle_ -= size;
        return p;
      }
    return nullptr;
  }
  bool keep(void* p, size_t size) {
    std::lock_guard lock(mutex_);
    if (idle_ + size > kKept) return false;
    blocks_.push_back({p, size});
    idle_ += size;
    return true;
  }

 private:
  struct Idle {
    void* data;
    size_t size;
  };
  std::mutex mutex_;
  std::vector<Idle> blocks_;
  size_t idle_ = 0;
};

Cache& cache() {
  static Cache* c = new Cache;  // outlives every static that may free memory
  return *c;
}

void* get(size_t size, size_t used) {
  if (size >= Cache::kSmallest)
    if (void* p = cache().take(size)) return p;
  return system_memory(size, used);
}

}  // namespace

void refuse_bytes(int64_t count, size_t size) {
  throw memory_error(
      cat("there is not enough memory for ", count, " times ", size, size == 1 ? " byte" : " bytes"));
}

namespace {

// From here on memory has a mapping of its own, in large pages where the system gives them: a page's first
// touch takes longer than writing it, and the processor finds more memory without looking it up. The pages of
// the heap stay small, or the system would fill them up to large ones. Under the address sanitizer all is the
// heap's, which it watches.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kMapped = SIZE_MAX;
#else
constexpr size_t kMapped = size_t{4} << 20;
#endif
constexpr size_t kPage = 4096, kLargePage = size_t{2} << 20;

size_t mapped_size(size_t size) { return (size + kPage - 1) / kPage * kPage; }

// A mapping that is longer by a large page; what lies in front of the first one, and behind the end, goes.
void* mapped(size_t size, size_t used) {
  const size_t length = mapped_size(size), more = length + kLargePage;
  void* p = mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw no_memory(size);
  const size_t front = (kLargePage - reinterpret_cast<uintptr_t>(p) % kLargePage) % kLargePage;
  char* const begin = static_cast<char*>(p) + front;
  if (front) munmap(p, front);
  if (front < kLargePage) munmap(begin + length, kLargePage - front);
  // What is left at the end stays in small pages, so that no more memory is taken than is used.
  madvise(begin, used / kLargePage * kLargePage, MADV_HUGEPAGE);
  return begin;
}

}  // namespace

void* system_memory(size_t size, size_t used) {
  if (size >= kMapped) return mapped(size, used);
  void* p = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (!p) throw no_memory(size);
  return p;
}

void give_back_memory(void* p, size_t size) {
  if (size >= kMapped)
    munmap(p, mapped_size(size));
  else
    std::free(p);
}

Error no_memory(size_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  while (number >= 1024 && unit + 1 < std::size(kUnits)) number /= 1024, ++unit;
  char text[64];
  std::snprintf(text, sizeof text, "there is not enough memory for %.*f %s", unit ? 1 : 0, number,
                kUnits[unit]);
  return memory_error(text);
}

void FreeBlock::operator()(void* p) const {
  in_use.fetch_sub(bytes, std::memory_order_relaxed);
  if (bytes < Cache::kSmallest || !cache().keep(p, bytes)) give_back_memory(p, bytes);
}

MemoryBlock allocate_block(size_t bytes) {
  if (bytes > kMostBytes) throw no_memory(bytes);
  size_t size = Cache::class_size(std::max<size_t>(bytes, 1));
  void* p = get(size, bytes);
  count(size);
  return MemoryBlock(p, FreeBlock{size});
}

std::shared_ptr<void> allocate(size_t bytes) {
  MemoryBlock b = allocate_block(bytes);
  return std::shared_ptr<void>(std::move(b));
}

size_t memory_in_use() { return in_use.load(std::memory_order_relaxed); }
size_t memory_peak() { return peak.load(std::memory_order_relaxed); }
void reset_memory_peak() { peak.store(in_use.load(std::memory_order_relaxed), std::memory_order_relaxed); }

}  // namespace cantik
