// Lists of numbers that parameters are.
#pragma once

#include <initializer_list>
#include <ostream>
#include <utility>
#include <vector>

namespace nnvm {

template <class T>
class Tuple {
 public:
  Tuple() = default;
  Tuple(std::initializer_list<T> values) : values_(values) {}
  template <class Iterator>
  Tuple(Iterator begin, Iterator end) : values_(begin, end) {}

  int ndim() const { return static_cast<int>(values_.size()); }
  T& operator[](int i) { return values_[static_cast<size_t>(i)]; }
  const T& operator[](int i) const { return values_[static_cast<size_t>(i)]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  void push_back(T value) { values_.push_back(std::move(value)); }
  friend bool operator==(const Tuple& a, const Tuple& b) { return a.values_ == b.values_; }
  friend std::ostream& operator<<(std::ostream& out, const Tuple& t) {
    out << '[';
    for (int i = 0; i < t.ndim(); ++i) out << (i ? "," : "") << t[i];
    return out << ']';
  }

 private:
  std::vector<T> values_;
};

}  // namespace nnvm

namespace mxnet {
using nnvm::Tuple;
}  // namespace mxnet
