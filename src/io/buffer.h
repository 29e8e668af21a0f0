// Buffer: plain numbers that are appended one by one, in blocks of memory that are kept for the next one: the
// first touch of memory from the system costs more than writing a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/memory.h"

namespace cantik {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& b) noexcept { swap(b); }
  Buffer& operator=(Buffer&& b) noexcept {
    swap(b);
    return *this;
  }

  void push(T x) {
    if (size_ == capacity_) reserve_for(1);
    data_[size_++] = x;
  }
  T* grow(int64_t count) {  // room for so many more, not initialised
    if (capacity_ - size_ < count) reserve_for(count);
    T* at = data_ + size_;
    size_ += count;
    return at;
  }
  void reserve(int64_t capacity) {
    if (capacity <= capacity_) return;
    if (static_cast<uint64_t>(capacity) > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    set_capacity(capacity);
  }
  void truncate(int64_t size) { size_ = size; }  // to fewer
  void clear() {
    block_.reset();
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  void fit() {  // not much more memory than needed
    if (size_ == 0)
      clear();
    else if (size_ < capacity_ - capacity_ / 4)
      set_capacity(size_);
  }

  bool empty() const { return size_ == 0; }
  int64_t size() const { return size_; }
  size_t bytes() const { return static_cast<size_t>(capacity_) * sizeof(T); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

 private:
  void reserve_for(int64_t count) { reserve(std::max(size_ + count, capacity_ + capacity_ / 2 + 64)); }
  void set_capacity(int64_t capacity) {
    MemoryBlock larger = allocate_block(static_cast<size_t>(capacity) * sizeof(T));
    if (size_ > 0) std::memcpy(larger.get(), data_, static_cast<size_t>(size_) * sizeof(T));
    block_ = std::move(larger);
    data_ = static_cast<T*>(block_.get());
    capacity_ = capacity;
  }
  void swap(Buffer& b) noexcept {
    std::swap(block_, b.block_);
    std::swap(data_, b.data_);
    std::swap(size_, b.size_);
    std::swap(capacity_, b.capacity_);
  }
  MemoryBlock block_;
  T* data_ = nullptr;
  int64_t size_ = 0, capacity_ = 0;
};

}  // namespace cantik
