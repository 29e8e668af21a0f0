// Tensors: views of numbers, row-major, whose number of axes and element type the program knows; and the
// flags of element types.
#pragma once

#include <algorithm>
#include <string>

#include <cantik/mxnet/shape.h>
#include <cantik/op/infer.h>

namespace mshadow {

enum TypeFlag {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kUint8 = 3,
  kInt32 = 4,
  kInt8 = 5,
  kInt64 = 6,
  kBool = 7
};
struct cpu {
  static constexpr bool kDevCPU = true;
};

template <class T>
struct DataType;
template <>
struct DataType<float> {
  static constexpr int kFlag = kFloat32;
};
template <>
struct DataType<double> {
  static constexpr int kFlag = kFloat64;
};

template <class Device>
struct Stream {};

template <class Device, int dim, class DType = float>
struct Tensor {
  DType* dptr_ = nullptr;
  Shape<dim> shape_;
  index_t stride_ = 0;
  Stream<Device>* stream_ = nullptr;

  Tensor() = default;
  Tensor(DType* dptr, const Shape<dim>& shape) : dptr_(dptr), shape_(shape), stride_(shape[dim - 1]) {}
  index_t size(int axis) const { return shape_[axis]; }
  size_t MSize() const { return shape_.Size(); }
  // A part of the first axis; of one axis, a number.
  decltype(auto) operator[](index_t i) const {
    if constexpr (dim == 1)
      return (dptr_[i]);
    else
      return Tensor<Device, dim - 1, DType>(dptr_ + i * static_cast<index_t>(shape_.SubShape().Size()),
                                            shape_.SubShape());
  }
  Tensor<Device, 2, DType> FlatTo2D() const { return {dptr_, shape_.FlatTo2D()}; }
  const Tensor& operator=(DType value) const {
    std::fill_n(dptr_, shape_.Size(), value);
    return *this;
  }
};

}  // namespace mshadow

namespace mxnet {

using mshadow::cpu;
using mshadow::index_t;

inline std::string type_string(int flag) {
  switch (flag) {
    case mshadow::kFloat32: return "float32";
    case mshadow::kFloat64: return "float64";
    case mshadow::kFloat16: return "float16";
    case mshadow::kUint8: return "uint8";
    case mshadow::kInt32: return "int32";
    case mshadow::kInt8: return "int8";
    case mshadow::kInt64: return "int64";
    case mshadow::kBool: return "bool";
    default: return "unknown";
  }
}

}  // namespace mxnet
