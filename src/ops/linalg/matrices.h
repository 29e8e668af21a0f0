// What operators on stacks of matrices share: the last two axes are a matrix, the axes before them count
// matrices.
#pragma once

#include <algorithm>
#include <string>

#include <cantik/op.h>

namespace cantik::linalg {

struct Stack {
  int64_t count = 0, rows = 0, columns = 0;
  Stack() = default;
  explicit Stack(const Shape& s) : rows(s[s.rank() - 2]), columns(s[s.rank() - 1]) {
    count = 1;
    for (int i = 0; i < s.rank() - 2; ++i) count *= s[i];
  }
  int64_t size() const { return rows * columns; }
};

// The operand's shape, once it is known to be that of matrices.
inline Shape matrices(const Infer& in, int i, bool square) {
  Shape s = in.shape(i);
  if (!s.is_known()) return s;
  if (s.rank() < 2)
    throw shape_failure(
        "the operand must be a matrix, [rows, columns], or a stack of matrices, and has the shape " +
            s.text(),
        "reshape the operand");
  int64_t n = s[s.rank() - 2], m = s[s.rank() - 1];
  if (square && n >= 0 && m >= 0 && n != m)
    throw shape_failure("the matrix must be square, and has " + std::to_string(n) + " rows and " +
                            std::to_string(m) + " columns",
                        "give a square matrix");
  return s;
}

// The shape without its last two axes.
inline Shape leading(const Shape& s) { return s.sub(0, s.rank() - 2); }

// A matrix in float64, in which factorizations compute whatever the operand's type is.
template <class T>
void widen(const T* x, int64_t n, double* y) {
  std::copy_n(x, n, y);
}
template <class T>
void narrow(const double* x, int64_t n, T* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i]);
}

inline int64_t bytes(int64_t doubles) { return doubles * static_cast<int64_t>(sizeof(double)); }

inline Term transposed(Builder& b, Term x) {
  return b.call("transpose", {x}, {{"axis1", -1}, {"axis2", -2}});
}
inline Term product(Builder& b, Term x, Term y, bool transpose_x = false, bool transpose_y = false) {
  return b.call("linalg_matmul", {x, y}, {{"transpose_a", transpose_x}, {"transpose_b", transpose_y}});
}
// The lower triangle, from the given diagonal down.
inline Term lower_triangle(Builder& b, Term x, int64_t offset = 0) {
  return b.call("linalg_triangle", {x}, {{"offset", offset}});
}

}  // namespace cantik::linalg
