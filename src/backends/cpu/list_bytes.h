// Bytes of what kernels keep (Kernel::state_bytes): caches drop programs by their size.
#pragma once

#include <cstdint>
#include <vector>

namespace cantik::cpu {

template <class T>
int64_t bytes_of_list(const std::vector<T>& list) {
  return static_cast<int64_t>(list.capacity() * sizeof(T));
}

}  // namespace cantik::cpu
