// Numbers in the bytes of a file as tensors that keep these bytes: large ones are not copied.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <cantik/tensor.h>

namespace cantik {

inline constexpr size_t kLent = size_t{1} << 16;  // bytes; a tensor of fewer is copied

// Large numbers, aligned to four bytes. They move forward by up to three bytes, over the end of their own
// header: it says their length, so that it has at least four, and it has been read. The bytes are the
// reader's own.
inline std::string_view word_aligned(std::string_view numbers) {
  const size_t beyond = reinterpret_cast<uintptr_t>(numbers.data()) % 4;
  if (numbers.size() < kLent || beyond == 0) return numbers;
  char* to = const_cast<char*>(numbers.data()) - beyond;
  std::memmove(to, numbers.data(), numbers.size());
  return {to, numbers.size()};
}

// As many numbers as the shape has elements. An undefined tensor where they are few or not aligned, or nobody
// keeps the bytes.
inline Tensor lent(DType dtype, const Shape& shape, std::string_view numbers,
                   const std::shared_ptr<void>& bytes) {
  if (!bytes || numbers.size() < kLent || reinterpret_cast<uintptr_t>(numbers.data()) % size_of(dtype) != 0)
    return {};
  return Tensor::borrow(dtype, shape, const_cast<char*>(numbers.data()), bytes);
}

}  // namespace cantik
