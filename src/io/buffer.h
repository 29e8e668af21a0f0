// Buffer: plain numbers that are appended one by one; grows in place where the system can.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

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
  ~Buffer() { std::free(data_); }

  void push(T x) {
    if (size_ == capacity_) reserve(capacity_ + capacity_ / 2 + 64);
    data_[size_++] = x;
  }
  T* grow(int64_t count) {  // room for so many more, not initialised
    if (capacity_ - size_ < count) reserve(size_ + count);
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
    std::free(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  void fit() {  // no more memory than needed
    if (size_ == 0)
      clear();
    else if (size_ < capacity_)
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
  void set_capacity(int64_t capacity) {
    void* p = std::realloc(static_cast<void*>(data_), static_cast<size_t>(capacity) * sizeof(T));
    if (!p) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
    capacity_ = capacity;
  }
  void swap(Buffer& b) noexcept {
    std::swap(data_, b.data_);
    std::swap(size_, b.size_);
    std::swap(capacity_, b.capacity_);
  }
  T* data_ = nullptr;
  int64_t size_ = 0, capacity_ = 0;
};

}  // namespace cantik
