// A vector of trivially copyable items with room for the first N in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace cantik {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) {
    for (const T& t : items) push_back(t);
  }
  SmallVector(const SmallVector& o) { append(o.begin(), o.size_); }
  SmallVector(SmallVector&& o) noexcept { steal(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) size_ = 0, append(o.begin(), o.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) release(), steal(o);
    return *this;
  }
  ~SmallVector() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return heap_ ? heap_ : few_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return heap_ ? heap_ : few_; }
  const T* end() const { return begin() + size_; }
  const T* data() const { return begin(); }
  T* data() { return begin(); }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& back() { return begin()[size_ - 1]; }
  const T& back() const { return begin()[size_ - 1]; }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  void push_back(const T& t) {
    T copy = t;
    if (size_ == capacity_) grow(size_ + 1);
    begin()[size_++] = copy;
  }
  void resize(size_t n, T fill = T{}) {
    if (n > capacity_) grow(n);
    for (size_t i = size_; i < n; ++i) begin()[i] = fill;
    size_ = n;
  }
  void append(const T* items, size_t n) {
    if (size_ + n > capacity_) grow(size_ + n);
    std::copy(items, items + n, end());
    size_ += n;
  }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void grow(size_t least) {
    size_t capacity = std::max(least, capacity_ * 2);
    T* heap = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (!heap) throw std::bad_alloc();
    std::copy(begin(), end(), heap);
    std::free(heap_);
    heap_ = heap;
    capacity_ = capacity;
  }
  void release() {
    std::free(heap_);
    heap_ = nullptr;
    capacity_ = N;
    size_ = 0;
  }
  void steal(SmallVector& o) {
    heap_ = o.heap_;
    size_ = o.size_;
    capacity_ = o.capacity_;
    std::copy(o.few_, o.few_ + N, few_);
    o.heap_ = nullptr;
    o.size_ = 0;
    o.capacity_ = N;
  }
  T few_[N] = {};
  T* heap_ = nullptr;
  size_t size_ = 0, capacity_ = N;
};

}  // namespace cantik
