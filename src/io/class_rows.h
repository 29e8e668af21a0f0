// Numbers of classes as sparse rows with a one.
#pragma once

#include <cstdint>
#include <memory>

#include <cantik/tensor.h>

#include "base/memory.h"

namespace cantik {

class ClassRows {
 public:
  // With room for so many rows.
  ClassRows(int64_t rows, int64_t classes)
      : classes_(classes), columns_(allocate(bytes_of(rows, sizeof(int32_t)))) {}

  int64_t classes() const { return classes_; }
  // Of each row; the caller fills it.
  int32_t* columns() { return static_cast<int32_t*>(columns_.get()); }
  // The first rows, which have been filled.
  Tensor tensor(int64_t rows) const {
    std::shared_ptr<void> starts = allocate(bytes_of(rows + 1, sizeof(int64_t)));
    int64_t* start = static_cast<int64_t*>(starts.get());
    for (int64_t i = 0; i <= rows; ++i) start[i] = i;
    return Tensor::csr(DType::float32, {rows, classes_}, {starts, start},
                       {columns_, static_cast<int32_t*>(columns_.get())}, {columns_, nullptr});
  }

 private:
  int64_t classes_;
  std::shared_ptr<void> columns_;
};

}  // namespace cantik
