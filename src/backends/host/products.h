// Kernels of matrix products over flattened operands; see ops/math/product.cc for what they compute.
#pragma once

#include <memory>

#include <cantik/op/kernel.h>

namespace cantik::host {

// Weights in panels: [panels, k, width], the columns past the last one zero.
Shape panels_shape(DType dtype, const Shape& b, int inner, bool transposed);
std::unique_ptr<Kernel> make_pack_panels(const Prepare& p, int inner, bool transposed);
// a · panels, and the epilogue on each block of rows while it is in cache.
std::unique_ptr<Kernel> make_packed_product(const Prepare& p, int inner);
// A product for each row by itself: b has rows too.
std::unique_ptr<Kernel> make_each_product(const Prepare& p, int inner, bool transpose_a, bool transpose_b);
// Products of matrices, pair by pair: the last two axes are matrices, `count` of them in a row.
std::unique_ptr<Kernel> make_stack_product(const Prepare& p, int64_t count, bool transpose_a,
                                           bool transpose_b);
// aᵀ · b summed over rows.
std::unique_ptr<Kernel> make_row_product(const Prepare& p, int inner);

// The same with sparse rows in a or b.
std::unique_ptr<Kernel> make_sparse_product(const Prepare& p, int inner, bool transpose_a, bool transpose_b);
std::unique_ptr<Kernel> make_sparse_row_product(const Prepare& p, int inner);

}  // namespace cantik::host
