// Aligned memory for tensors and frames. Large blocks are kept for reuse: returning them to the system costs page faults.
#pragma once

#include <cstddef>
#include <memory>

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

}  // namespace cantik
