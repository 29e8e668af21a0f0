// What is known of a value before there are data: element type, static shape, dynamic axes, storage.
#pragma once

#include <string>

#include <cantik/axis.h>
#include <cantik/dtype.h>
#include <cantik/shape.h>
#include <cantik/tensor.h>

namespace cantik {

// The type of a variable.
struct CANTIK_API Type {
  DType dtype = DType::unknown;      // of the elements
  Shape shape;                       // the static axes
  Axes axes;                         // the dynamic ones
  Storage storage = Storage::dense;  // dense, or which kind of sparse
  int64_t entries = 0;               // of csr: at most so many in a row; 0: as many as there are elements

  // The type of which nothing is known: that of a placeholder.
  static Type unknown() { return {DType::unknown, Shape::unknown(), Axes::unknown(), Storage::dense, 0}; }
  // Whether element type, rank and dynamic axes are known.
  bool is_known() const { return dtype != DType::unknown && shape.is_known() && axes.is_known(); }
  std::string text() const;  // float32[#, 64]
  friend bool operator==(const Type& a, const Type& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.axes == b.axes && a.storage == b.storage;
  }
};

}  // namespace cantik
