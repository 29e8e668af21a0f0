// Aligned memory for tensors and frames. Large blocks are kept for reuse: returning them to the system costs
// page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <cantik/error.h>

namespace cantik {

inline constexpr size_t kAlignment = 64;

// Owned by the pointer; not initialised.
std::shared_ptr<void> allocate(size_t bytes);

struct FreeBlock {
  size_t bytes = 0;
  void operator()(void* p) const;
};
using MemoryBlock = std::unique_ptr<void, FreeBlock>;
MemoryBlock allocate_block(size_t bytes);

// Memory that is not kept for reuse and not counted; given back with the same size. Of its bytes the first
// `used` will be written.
void* system_memory(size_t size, size_t used);
void give_back_memory(void* p, size_t size);

inline constexpr size_t kMostBytes = size_t{1} << 48;  // beyond what a process can address
[[noreturn]] void refuse_bytes(int64_t count, size_t size);

// count * size. A product that no machine has is a memory error, too.
inline size_t bytes_of(int64_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(static_cast<size_t>(count), size, &bytes) || bytes > kMostBytes)
    refuse_bytes(count, size);
  return bytes;
}

// The error for memory that is not there.
Error no_memory(size_t bytes);

// get() needs memory; an error says what for: what() is a text. What is further out says where that belongs.
template <class What, class Get>
auto needed_for(What&& what, Get&& get) -> decltype(get()) {
  try {
    return get();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::memory) throw;
    const char* label = !e.has("needed for") ? "needed for" : !e.has("part of") ? "part of" : nullptr;
    if (!label) throw;
    throw Error(e).line(label, what());
  } catch (const std::bad_alloc&) {
    throw memory_error("there is not enough memory").line("needed for", what());
  }
}

}  // namespace cantik
