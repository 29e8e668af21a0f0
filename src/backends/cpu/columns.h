// Where the columns of a row are in an operand that broadcasts to it.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/shape.h>

namespace cantik::cpu {

// What the list of a kernel takes.
template <class T>
int64_t bytes_of_list(const std::vector<T>& list) {
  return static_cast<int64_t>(list.capacity() * sizeof(T));
}

std::vector<int32_t> column_table(const Shape& result, const Shape& operand);

}  // namespace cantik::cpu
