// Bodies of <cantik/ops/math.h>. Written by tools/generate.
#include <cantik/ops/math.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function abs(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("abs", {x}, {}, name);
}

Function acos(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("acos", {x}, {}, name);
}

Function asin(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("asin", {x}, {}, name);
}

Function asinh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("asinh", {x}, {}, name);
}

Function atan(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("atan", {x}, {}, name);
}

Function atanh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("atanh", {x}, {}, name);
}

Function cbrt(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("cbrt", {x}, {}, name);
}

Function ceil(const Variable& arg, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("ceil", {arg}, {}, name);
}

Function clip(const Variable& x, const Variable& min_value, const Variable& max_value,
              const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("clip", {x, min_value, max_value}, {}, name);
}

Function cos(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("cos", {x}, {}, name);
}

Function cosh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("cosh", {x}, {}, name);
}

Function digamma(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("digamma", {x}, {}, name);
}

Function element_and(const Variable& x, const Variable& y, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("element_and", {x, y}, {}, name);
}

Function element_divide(const Variable& left, const Variable& right, const std::string& name,
                        SourceLocation where) {
  OriginScope scope(where);
  return call("element_divide", {left, right}, {}, name);
}

Function element_max(const Variable& left, const Variable& right, const std::string& name,
                     SourceLocation where) {
  OriginScope scope(where);
  return call("element_max", {left, right}, {}, name);
}

Function element_min(const Variable& left, const Variable& right, const std::string& name,
                     SourceLocation where) {
  OriginScope scope(where);
  return call("element_min", {left, right}, {}, name);
}

Function element_not(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("element_not", {x}, {}, name);
}

Function element_or(const Variable& x, const Variable& y, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("element_or", {x, y}, {}, name);
}

Function element_select(const Variable& flag, const Variable& value_if_true, const Variable& value_if_false,
                        const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("element_select", {flag, value_if_true, value_if_false}, {}, name);
}

Function element_times(const Variable& left, const Variable& right, const std::string& name,
                       SourceLocation where) {
  OriginScope scope(where);
  return call("element_times", {left, right}, {}, name);
}

Function element_xor(const Variable& x, const Variable& y, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("element_xor", {x, y}, {}, name);
}

Function elu(const Variable& x, double alpha, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("elu", {x}, {{"alpha", alpha}}, name);
}

Function equal(const Variable& left, const Variable& right, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("equal", {left, right}, {}, name);
}

Function erf(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("erf", {x}, {}, name);
}

Function erfinv(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("erfinv", {x}, {}, name);
}

Function exp(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("exp", {x}, {}, name);
}

Function expm1(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("expm1", {x}, {}, name);
}

Function floor(const Variable& arg, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("floor", {arg}, {}, name);
}

Function gamma(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("gamma", {x}, {}, name);
}

Function gelu(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("gelu", {x}, {}, name);
}

Function greater(const Variable& left, const Variable& right, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("greater", {left, right}, {}, name);
}

Function greater_equal(const Variable& left, const Variable& right, const std::string& name,
                       SourceLocation where) {
  OriginScope scope(where);
  return call("greater_equal", {left, right}, {}, name);
}

Function hard_sigmoid(const Variable& x, double alpha, double beta, const std::string& name,
                      SourceLocation where) {
  OriginScope scope(where);
  return call("hard_sigmoid", {x}, {{"alpha", alpha}, {"beta", beta}}, name);
}

Function leaky_relu(const Variable& x, double alpha, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("leaky_relu", {x}, {{"alpha", alpha}}, name);
}

Function less(const Variable& left, const Variable& right, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("less", {left, right}, {}, name);
}

Function less_equal(const Variable& left, const Variable& right, const std::string& name,
                    SourceLocation where) {
  OriginScope scope(where);
  return call("less_equal", {left, right}, {}, name);
}

Function log(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("log", {x}, {}, name);
}

Function log1p(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("log1p", {x}, {}, name);
}

Function log_add_exp(const Variable& left, const Variable& right, const std::string& name,
                     SourceLocation where) {
  OriginScope scope(where);
  return call("log_add_exp", {left, right}, {}, name);
}

Function log_gamma(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("log_gamma", {x}, {}, name);
}

Function mean(const std::vector<Variable>& operands, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("mean", operands, {}, name);
}

Function minus(const Variable& left, const Variable& right, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("minus", {left, right}, {}, name);
}

Function negate(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("negate", {x}, {}, name);
}

Function not_equal(const Variable& left, const Variable& right, const std::string& name,
                   SourceLocation where) {
  OriginScope scope(where);
  return call("not_equal", {left, right}, {}, name);
}

Function ones_like(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("ones_like", {x}, {}, name);
}

Function param_relu(const Variable& alpha, const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("param_relu", {alpha, x}, {}, name);
}

Function plus(const Variable& left, const Variable& right, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("plus", {left, right}, {}, name);
}

Function pow(const Variable& base, const Variable& exponent, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("pow", {base, exponent}, {}, name);
}

Function reciprocal(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reciprocal", {x}, {}, name);
}

Function relu(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("relu", {x}, {}, name);
}

Function remainder(const Variable& x, const Variable& y, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("remainder", {x, y}, {}, name);
}

Function round(const Variable& arg, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("round", {arg}, {}, name);
}

Function selu(const Variable& x, double scale, double alpha, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("selu", {x}, {{"scale", scale}, {"alpha", alpha}}, name);
}

Function sigmoid(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sigmoid", {x}, {}, name);
}

Function silu(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("silu", {x}, {}, name);
}

Function sin(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sin", {x}, {}, name);
}

Function sinh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sinh", {x}, {}, name);
}

Function smooth_l1(const Variable& x, double scalar, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("smooth_l1", {x}, {{"scalar", scalar}}, name);
}

Function softplus(const Variable& x, double steepness, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("softplus", {x}, {{"steepness", steepness}}, name);
}

Function softsign(const Variable& x, double steepness, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("softsign", {x}, {{"steepness", steepness}}, name);
}

Function sqrt(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sqrt", {x}, {}, name);
}

Function square(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("square", {x}, {}, name);
}

Function straight_through_impl(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("straight_through_impl", {x}, {}, name);
}

Function sum(const std::vector<Variable>& operands, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sum", operands, {}, name);
}

Function tan(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("tan", {x}, {}, name);
}

Function tanh(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("tanh", {x}, {}, name);
}

Function times(const Variable& left, const Variable& right, int64_t output_rank,
               int64_t infer_input_rank_to_map, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("times", {left, right},
              {{"output_rank", output_rank}, {"infer_input_rank_to_map", infer_input_rank_to_map}}, name);
}

Function times_transpose(const Variable& left, const Variable& right, const std::string& name,
                         SourceLocation where) {
  OriginScope scope(where);
  return call("times_transpose", {left, right}, {}, name);
}

Function zeros_like(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("zeros_like", {x}, {}, name);
}

}  // namespace cantik
