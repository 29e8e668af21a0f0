// Gradients with few rows (Storage::row_sparse) of several workers, and their sum.
#pragma once

#include <span>
#include <string>

#include <cantik/distributed.h>
#include <cantik/tensor.h>

namespace cantik::distributed {

// The sum over the workers: the rows that any of them has. What is not defined, or dense, is not given.
Tensor sum_of_rows(Communicator& communicator, const Tensor& own, DType type, const Shape& shape);

}  // namespace cantik::distributed
