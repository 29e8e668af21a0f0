// MXNet's operators on matrices and batches of them. Written by tools/generate from src/ops/linalg/: change
// those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// Sums of products: each axis of a sample has a letter, and what the result does not name is summed over.
// 'ij,jk->ik' is a product of matrices, 'ij->ji' a transposition, 'ij,ij->i' a product row by row, 'ii->i' a
// diagonal. Without an arrow the result has the letters that occur once, in the order of the alphabet. The
// axes of the batch and of sequences have no letters: they stay.
// equation: a letter for each axis of a sample, operands separated by commas: 'ij,jk->ik'
CANTIK_API Function einsum(const std::vector<Variable>& operands, const std::string& equation,
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

namespace linalg {

// The lower triangular L with x = L L^T for each symmetric positive definite matrix, of which the lower
// triangle is read.
//
// L with x = L L^T, for symmetric positive definite x. Of x its lower triangle is read.
CANTIK_API Function cholesky(const Variable& x, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// The determinant of each square matrix. Where it is 0 there is no gradient: the inverse is part of it.
CANTIK_API Function determinant(const Variable& x, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// Two results for each symmetric matrix: eigenvectors, the rows of U, and eigenvalues e in rising order, with
// x = U^T diag(e) U.
//
// U and e with x = U^T diag(e) U for symmetric x: the rows of U are orthonormal eigenvectors, e the
// eigenvalues in rising order. Of x its lower triangle is read. An eigenvector's sign is that which makes its
// largest element, the first of several, positive.
CANTIK_API Function eigh(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// The inverse of each square matrix. A singular one is an error.
CANTIK_API Function inverse(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// Two results, L and Q, with x = L Q for each matrix [n, m], n <= m: L [n, n] is lower triangular, the rows
// of Q [n, m] are orthonormal.
//
// L and Q with x = L Q: L lower triangular, the rows of Q orthonormal. By Householder's reflections of the
// rows (Golub, Van Loan, "Matrix computations", 5.2), with their signs: a diagonal element of L has the sign
// opposite to the element it comes from.
CANTIK_API Function lq(const Variable& x, const std::string& name = {},
                       SourceLocation where = SourceLocation::current());

// Products of matrices, pair by pair: [..., n, k] and [..., k, m] give [..., n, m]. The axes before the last
// two are the same in both.
//
// y = a b for each pair of matrices of two stacks.
// transpose_a: a's matrices are transposed first
// transpose_b: b's matrices are transposed first
CANTIK_API Function matmul(const Variable& a, const Variable& b, bool transpose_a = false,
                           bool transpose_b = false, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// Two results: the sign of each square matrix's determinant, -1, 0 or 1, and the logarithm of its absolute
// value.
CANTIK_API Function slogdet(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// The lower or upper triangle of each matrix; 0 elsewhere.
//
// y = x on one side of a diagonal, that included, 0 on the other.
// lower: what lies below the diagonal stays, else what lies above
// offset: which diagonal: 0 is the main one, positive ones lie above it
CANTIK_API Function triangle(const Variable& x, bool lower = true, int64_t offset = 0,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Options of triangular_solve().
struct LinalgTriangularSolveOptions {
  // t is its lower triangle, else its upper one
  bool lower = true;
  // t is transposed first
  bool transpose = false;
  // x t = b is solved, else t x = b
  bool right = false;
  // of the function
  std::string name = {};
};

// x with t x = b for each pair of a triangular matrix t, [..., n, n], and a matrix b, [..., n, m]; with
// right, x with x t = b, for b [..., m, n].
//
// x with t x = b, or x t = b, for triangular t. Of t its triangle alone is read.
CANTIK_API Function triangular_solve(const Variable& t, const Variable& b,
                                     const LinalgTriangularSolveOptions& options = {},
                                     SourceLocation where = SourceLocation::current());

}  // namespace linalg

}  // namespace cantik
