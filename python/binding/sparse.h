// SciPy's CSR matrices and sparse tensors; the values are never copied.
#pragma once

#include "binding/common.h"

namespace cantik::python {

bool is_sparse_matrix(nb::handle h);  // anything of scipy.sparse
// Of element type `dtype` (unknown: the matrix' own). Rows of the matrix may be joined to rows of a tensor of
// this shape. An error where its arrays do not make a matrix; columns out of order are put in order, numbers
// at one place added, as SciPy does.
Tensor tensor_of_csr(nb::handle matrix, DType dtype, const Shape& shape = Shape::unknown());
nb::object csr_of_tensor(const Tensor& t);

}  // namespace cantik::python
