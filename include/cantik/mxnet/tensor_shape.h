// Shapes whose number of axes the program knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

// Functions that operators' loops call.
#define MSHADOW_XINLINE inline
#define MSHADOW_CINLINE inline
#define MSHADOW_FORCE_INLINE inline

namespace mshadow {

using index_t = int64_t;

template <int dim>
struct Shape {
  index_t shape_[static_cast<size_t>(dim > 0 ? dim : 1)] = {};

  index_t& operator[](int i) { return shape_[i]; }
  const index_t& operator[](int i) const { return shape_[i]; }
  size_t Size() const {
    size_t n = 1;
    for (int i = 0; i < dim; ++i) n *= static_cast<size_t>(shape_[i]);
    return n;
  }
  // Without the first axis.
  Shape<dim - 1> SubShape() const {
    Shape<dim - 1> s;
    for (int i = 1; i < dim; ++i) s[i - 1] = shape_[i];
    return s;
  }
  // The last axis, and all before it together.
  Shape<2> FlatTo2D() const {
    Shape<2> s;
    s[1] = shape_[dim - 1], s[0] = 1;
    for (int i = 0; i < dim - 1; ++i) s[0] *= shape_[i];
    return s;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    for (int i = 0; i < dim; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Shape& s) {
    out << '(';
    for (int i = 0; i < dim; ++i) out << (i ? "," : "") << s[i];
    return out << (dim == 1 ? ",)" : ")");
  }
};

inline Shape<1> Shape1(index_t a) { return {{a}}; }
inline Shape<2> Shape2(index_t a, index_t b) { return {{a, b}}; }
inline Shape<3> Shape3(index_t a, index_t b, index_t c) { return {{a, b, c}}; }
inline Shape<4> Shape4(index_t a, index_t b, index_t c, index_t d) { return {{a, b, c, d}}; }
inline Shape<5> Shape5(index_t a, index_t b, index_t c, index_t d, index_t e) { return {{a, b, c, d, e}}; }

}  // namespace mshadow
