// What an operator computes on: blocks of numbers with shape and element type, and how a result is to be written.
#pragma once

#include <vector>

#include <cantik/dtype.h>
#include <cantik/mxnet/shape.h>
#include <cantik/op/infer.h>

namespace mshadow {

enum TypeFlag { kFloat32 = 0, kFloat64 = 1, kFloat16 = 2, kUint8 = 3, kInt32 = 4, kInt8 = 5, kInt64 = 6 };
struct cpu {};

template <class T> struct DataType;
template <> struct DataType<float> { static constexpr int kFlag = kFloat32; };
template <> struct DataType<double> { static constexpr int kFlag = kFloat64; };

}  // namespace mshadow

namespace mxnet {

using nnvm::TShape;

enum OpReqType { kNullOp, kWriteTo, kWriteInplace, kAddTo };

// A block of memory, row-major.
struct TBlob {
  void* dptr_ = nullptr;
  TShape shape_;
  int type_flag_ = mshadow::kFloat32;

  template <class T>
  T* dptr() const {
    if (mshadow::DataType<T>::kFlag != type_flag_) throw cantik::Failure(CANTIK_TYPE, "the numbers are not of the type that is asked for");
    return static_cast<T*>(dptr_);
  }
  size_t Size() const { return shape_.Size(); }
  int ndim() const { return static_cast<int>(shape_.ndim()); }
  int64_t size(size_t axis) const { return shape_[axis]; }
};

struct OpContext {
  bool is_train = false;
};

}  // namespace mxnet

// Runs its body with DType standing for the type behind the flag.
#define MSHADOW_REAL_TYPE_SWITCH(type, DType, ...)                                                      \
  switch (type) {                                                                                       \
    case ::mshadow::kFloat32: { using DType = float; { __VA_ARGS__ } } break;                           \
    case ::mshadow::kFloat64: { using DType = double; { __VA_ARGS__ } } break;                          \
    default: throw ::cantik::Failure(CANTIK_TYPE, "the operator computes float32 and float64 only");    \
  }
#define MSHADOW_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH

// Writes one element as the request says.
#define KERNEL_ASSIGN(out, req, value)                            \
  do {                                                            \
    if ((req) == ::mxnet::kAddTo) (out) += (value);               \
    else if ((req) != ::mxnet::kNullOp) (out) = (value);          \
  } while (0)
