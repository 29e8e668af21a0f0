// What an operator computes on: blocks of numbers with shape and element type, and how a result is to be
// written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cantik/dtype.h>
#include <cantik/mxnet/check.h>
#include <cantik/mxnet/tensor.h>

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
    if (mshadow::DataType<T>::kFlag != type_flag_)
      throw cantik::Failure(CANTIK_TYPE, "the numbers are not of the type that is asked for");
    return static_cast<T*>(dptr_);
  }
  size_t Size() const { return shape_.Size(); }
  int ndim() const { return static_cast<int>(shape_.ndim()); }
  int64_t size(size_t axis) const { return shape_[axis]; }

  // The numbers as a tensor of `dim` axes: of its own shape, of another one of as many elements, of one axis,
  // or of rows and all else.
  template <class Device, int dim, class DType>
  mshadow::Tensor<Device, dim, DType> get(mshadow::Stream<Device>* = nullptr) const {
    CHECK_EQ(ndim(), dim) << "the numbers have the shape " << shape_.text();
    return get_with_shape<Device, dim, DType>(shape_.get<dim>());
  }
  template <class Device, int dim, class DType>
  mshadow::Tensor<Device, dim, DType> get_with_shape(const mshadow::Shape<dim>& shape,
                                                     mshadow::Stream<Device>* = nullptr) const {
    CHECK_EQ(Size(), shape.Size()) << "the numbers have the shape " << shape_.text();
    return {dptr<DType>(), shape};
  }
  template <class Device, class DType>
  mshadow::Tensor<Device, 1, DType> FlatTo1D(mshadow::Stream<Device>* = nullptr) const {
    return {dptr<DType>(), mshadow::Shape1(static_cast<int64_t>(Size()))};
  }
  template <class Device, class DType>
  mshadow::Tensor<Device, 2, DType> FlatTo2D(mshadow::Stream<Device>* = nullptr) const {
    return {dptr<DType>(), shape_.FlatTo2D()};
  }
};

// What an operator has asked for beside its operands. There is temporary memory; random numbers are not
// there.
struct ResourceRequest {
  enum Type { kRandom, kTempSpace, kParallelRandom };
  Type type = kTempSpace;
  ResourceRequest() = default;
  ResourceRequest(Type kind) : type(kind) {}
};

class Resource {
 public:
  // Memory for this call; asked for again, it is another one.
  template <class Device, int dim, class DType>
  mshadow::Tensor<Device, dim, DType> get_space_typed(const mshadow::Shape<dim>& shape,
                                                      mshadow::Stream<Device>*) const {
    size_t numbers = (shape.Size() * sizeof(DType) + sizeof(double) - 1) / sizeof(double);
    space_ = std::make_shared<std::vector<double>>(numbers);
    return {reinterpret_cast<DType*>(space_->data()), shape};
  }
  template <class Device, int dim>
  mshadow::Tensor<Device, dim, float> get_space(const mshadow::Shape<dim>& shape,
                                                mshadow::Stream<Device>* s) const {
    return get_space_typed<Device, dim, float>(shape, s);
  }

 private:
  mutable std::shared_ptr<std::vector<double>> space_;
};

struct OpContext {
  bool is_train = false;
  std::vector<Resource> requested = {};

  template <class Device>
  mshadow::Stream<Device>* get_stream() const {
    static mshadow::Stream<Device> only;  // results are there when a call returns
    return &only;
  }
};

}  // namespace mxnet
