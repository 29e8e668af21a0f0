// Sparse rows under other shapes.
#pragma once

#include <cantik/tensor.h>

namespace cantik {

// The same elements with rows joined ([4, 3] seen as [2, 2, 3]) or split. Shares the values, unless a row's
// columns do not rise.
Tensor reshape_csr_rows(const Tensor& t, Shape shape);

}  // namespace cantik
