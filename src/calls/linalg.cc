// Bodies of <cantik/ops/linalg.h>. Written by tools/generate.
#include <cantik/ops/linalg.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function einsum(const std::vector<Variable>& operands, const std::string& equation, const std::string& name,
                SourceLocation where) {
  OriginScope scope(where);
  return call("einsum", operands, {{"equation", equation}}, name);
}

namespace linalg {

Function cholesky(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_cholesky", {x}, {}, name);
}

Function determinant(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_determinant", {x}, {}, name);
}

Function eigh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_eigh", {x}, {}, name);
}

Function inverse(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_inverse", {x}, {}, name);
}

Function lq(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_lq", {x}, {}, name);
}

Function matmul(const Variable& a, const Variable& b, bool transpose_a, bool transpose_b,
                const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_matmul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}}, name);
}

Function slogdet(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_slogdet", {x}, {}, name);
}

Function triangle(const Variable& x, bool lower, int64_t offset, const std::string& name,
                  SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_triangle", {x}, {{"lower", lower}, {"offset", offset}}, name);
}

Function triangular_solve(const Variable& t, const Variable& b, const LinalgTriangularSolveOptions& options,
                          SourceLocation where) {
  OriginScope scope(where);
  return call("linalg_triangular_solve", {t, b},
              {{"lower", options.lower}, {"transpose", options.transpose}, {"right", options.right}},
              options.name);
}

}  // namespace linalg

}  // namespace cantik
