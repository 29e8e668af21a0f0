// Large blocks of memory on large pages, where the system has them: the first touch of each small page costs
// a trap into the system, which is more than what a reader does with the page.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace cantik {

// Before the block is touched. Where it cannot be had nothing changes.
inline void prefer_large_pages(void* block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  const uintptr_t at = reinterpret_cast<uintptr_t>(block);
  const uintptr_t begin = (at + kPage - 1) / kPage * kPage, end = (at + bytes) / kPage * kPage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  static_cast<void>(block), static_cast<void>(bytes);
#endif
}

}  // namespace cantik
