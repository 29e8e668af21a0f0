// Shapes as MXNet's operators see them: a shape without axes is not known yet, nor is an axis of size 0.
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <cantik/shape.h>

namespace nnvm {

class TShape {
 public:
  TShape() = default;
  TShape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  TShape(int ndim, int64_t value) : dims_(std::vector<int64_t>(static_cast<size_t>(ndim), value)) {}
  template <class Iterator>
    requires(!std::is_arithmetic_v<Iterator>)
  TShape(Iterator begin, Iterator end) : dims_(std::vector<int64_t>(begin, end)) {}
  explicit TShape(cantik::Shape dims) : dims_(std::move(dims)) {}

  uint32_t ndim() const { return static_cast<uint32_t>(dims_.rank()); }
  int64_t operator[](size_t i) const { return dims_[static_cast<int>(i)]; }
  int64_t& operator[](size_t i) { return dims_[static_cast<int>(i)]; }
  const int64_t* begin() const { return dims_.begin(); }
  const int64_t* end() const { return dims_.end(); }
  int64_t* begin() { return dims_.begin(); }
  int64_t* end() { return dims_.end(); }
  size_t Size() const { return static_cast<size_t>(dims_.elements()); }
  // The product of the axes from `begin` up to `end`.
  size_t ProdShape(int begin, int end) const { return static_cast<size_t>(dims_.sub(begin, end).elements()); }
  const cantik::Shape& shape() const { return dims_; }
  friend bool operator==(const TShape& a, const TShape& b) { return a.dims_ == b.dims_; }
  friend bool operator!=(const TShape& a, const TShape& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const TShape& s) { return out << s.text(); }

  // As Python writes a tuple: (2,3), (2,).
  std::string text() const {
    std::string t = "(";
    for (int64_t d : dims_) t += std::to_string(d) + ",";
    if (dims_.rank() > 1) t.pop_back();
    return t + ")";
  }

 private:
  cantik::Shape dims_;
};

}  // namespace nnvm
