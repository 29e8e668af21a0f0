// SciPy's CSR matrices and sparse tensors; the values are never copied.
#pragma once

#include "binding/common.h"

namespace cantik::python {

bool is_sparse_matrix(nb::handle h);  // anything of scipy.sparse
// Of element type `dtype` (unknown: the matrix' own). Rows of the matrix may be joined to rows of a tensor of this shape.
Tensor tensor_of_csr(nb::handle matrix, DType dtype, const Shape& shape = Shape::unknown());
nb::object csr_of_tensor(const Tensor& t);
Tensor join_rows(const std::vector<Tensor>& parts);  // sparse rows below one another

}  // namespace cantik::python
