// Shapes as MXNet's operators see them: a shape without axes is not known yet, nor is an axis of size 0.
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <cantik/mxnet/tensor_shape.h>
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
  // In a tensor's shape of `dim` axes; as rows and all else.
  template <int dim>
  mshadow::Shape<dim> get() const {
    mshadow::Shape<dim> s;
    for (int i = 0; i < dim; ++i) s[i] = dims_[i];
    return s;
  }
  mshadow::Shape<2> FlatTo2D() const {
    int64_t last = ndim() ? dims_[dims_.rank() - 1] : 1;
    return mshadow::Shape2(last ? static_cast<int64_t>(Size()) / last : 0, last);
  }
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

namespace mxnet {

using nnvm::TShape;
using ShapeVector = std::vector<TShape>;

// Whether the number of axes is known; whether an axis is; whether all are.
inline bool ndim_is_known(const TShape& s) { return s.ndim() != 0; }
inline bool ndim_is_known(int ndim) { return ndim > 0; }
inline bool dim_size_is_known(int64_t size) { return size > 0; }
inline bool dim_size_is_known(const TShape& s, int axis) { return s[static_cast<size_t>(axis)] > 0; }
inline bool shape_is_known(const TShape& s) {
  for (int64_t size : s)
    if (!dim_size_is_known(size)) return false;
  return ndim_is_known(s);
}
inline bool shape_is_known(const ShapeVector& all) {
  for (const TShape& s : all)
    if (!shape_is_known(s)) return false;
  return true;
}
inline bool shape_is_none(const TShape& s) { return s.ndim() == 0; }

}  // namespace mxnet
