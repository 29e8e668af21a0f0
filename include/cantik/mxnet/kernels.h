// Kernels: a function of the number of an element, applied to all of them.
#pragma once

#include <utility>

#include <cantik/mxnet/functions.h>
#include <cantik/mxnet/switches.h>

namespace mxnet::op::mxnet_op {

using mshadow::cpu;
using mshadow::index_t;
using mshadow::Shape;
using mshadow::Stream;
using mshadow::Tensor;

// OP::Map(i, arguments...) for i from 0 to n - 1.
template <class OP, class xpu>
struct Kernel {
  template <class... Arguments>
  static bool Launch(Stream<xpu>*, size_t n, Arguments... arguments) {
    for (size_t i = 0; i < n; ++i) OP::Map(static_cast<int>(i), arguments...);
    return true;
  }
  template <class PrimitiveOP, class DType, class... Arguments>
  static void LaunchTuned(Stream<xpu>* s, size_t n, DType* out, Arguments... arguments) {
    Launch(s, n, out, arguments...);
  }
};

// ---- coordinates and places
// The coordinates of place `at` in an array of this shape.
template <int ndim>
Shape<ndim> unravel(index_t at, const Shape<ndim>& shape) {
  Shape<ndim> c;
  for (int i = ndim - 1; i >= 0; --i) c[i] = at % shape[i], at /= shape[i];
  return c;
}
// The place of these coordinates; along axes of size 1 there is one place.
template <int ndim>
index_t ravel(const Shape<ndim>& c, const Shape<ndim>& shape) {
  index_t at = 0;
  for (int i = 0; i < ndim; ++i) at = at * shape[i] + (shape[i] > c[i]) * c[i];
  return at;
}
template <int ndim>
index_t dot(const Shape<ndim>& c, const Shape<ndim>& stride) {
  index_t at = 0;
  for (int i = 0; i < ndim; ++i) at += c[i] * stride[i];
  return at;
}
template <int ndim>
index_t unravel_dot(index_t at, const Shape<ndim>& shape, const Shape<ndim>& stride) {
  return dot(unravel(at, shape), stride);
}
// Steps of each axis; 0 where it has one place, which is read again and again.
template <int ndim>
Shape<ndim> calc_stride(const Shape<ndim>& shape) {
  Shape<ndim> stride;
  index_t step = 1;
  for (int i = ndim - 1; i >= 0; --i) stride[i] = shape[i] > 1 ? step : 0, step *= shape[i];
  return stride;
}

// ---- kernels made of functions
// out[i] = OP(...), as the request says.
template <class OP, int req>
struct op_with_req {
  template <class DType>
  static void Map(index_t i, DType* out, const DType* in) {
    KERNEL_ASSIGN(out[i], req, OP::Map(in[i]));
  }
  template <class DType>
  static void Map(index_t i, DType* out, const DType* left, const DType* right) {
    KERNEL_ASSIGN(out[i], req, OP::Map(left[i], right[i]));
  }
  template <class DType>
  static void Map(index_t i, DType* out, const DType* in, const DType value) {
    KERNEL_ASSIGN(out[i], req, OP::Map(in[i], value));
  }
  template <class DType>
  static void Map(index_t i, DType* out, const DType* x, const DType* y, const DType* z) {
    KERNEL_ASSIGN(out[i], req, OP::Map(x[i], y[i], z[i]));
  }
};

// The gradient of the result times a derivative.
template <class Derivative>
struct backward_grad {
  template <class DType, class... Arguments>
  static DType Map(DType dy, Arguments... arguments) {
    return static_cast<DType>(dy * Derivative::Map(arguments...));
  }
};
template <class Derivative>
struct backward_grad_tuned : backward_grad<Derivative> {};

template <int value>
struct set_to_int {
  template <class DType>
  static void Map(index_t i, DType* out) {
    out[i] = DType(value);
  }
};
using set_zero = set_to_int<0>;
using set_one = set_to_int<1>;

}  // namespace mxnet::op::mxnet_op
