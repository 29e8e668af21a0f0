// Elements by index: indices of the compiler are signed and narrow, those of containers are not.
#pragma once

#include <cstddef>

namespace cantik {

template <class List, class Index>
[[gnu::always_inline]] inline decltype(auto) nth(List&& list, Index i) {
  return list[static_cast<size_t>(i)];
}

}  // namespace cantik
