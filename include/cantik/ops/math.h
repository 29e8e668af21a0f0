// Arithmetic, functions of one number, comparisons, products of matrices. Written by tools/generate from
// src/ops/math/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// y = |x|, with the derivative 0 at 0.
CANTIK_API Function abs(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// y = arccos x, |x| <= 1.
CANTIK_API Function acos(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// y = arcsin x, |x| <= 1.
CANTIK_API Function asin(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// y = arsinh x.
CANTIK_API Function asinh(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// y = arctan x.
CANTIK_API Function atan(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// y = artanh x, |x| < 1.
CANTIK_API Function atanh(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The cube root, of negative numbers too. Its derivative at 0 is infinite.
CANTIK_API Function cbrt(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// The smallest whole number that is not below x.
//
// y = the smallest whole number that is not below x. In graphs and files, -floor(-x).
CANTIK_API Function ceil(const Variable& arg, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// min_value where x is smaller, max_value where it is larger, else x, element by element. The bounds have no
// gradient.
//
// y = x, but not below min_value nor above max_value. What is no number stays so.
CANTIK_API Function clip(const Variable& x, const Variable& min_value, const Variable& max_value,
                         const std::string& name = {}, SourceLocation where = SourceLocation::current());

// y = cos x.
CANTIK_API Function cos(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// y = cosh x.
CANTIK_API Function cosh(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// The derivative of log_gamma.
CANTIK_API Function digamma(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// 1 where both are above 0, else 0; the operands broadcast.
CANTIK_API Function element_and(const Variable& x, const Variable& y, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// Element by element; the operands broadcast. A quotient by 0 is 0.
//
// y = left / right, element by element; 0 where right is 0.
CANTIK_API Function element_divide(const Variable& left, const Variable& right, const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// The larger one, element by element; the operands broadcast.
CANTIK_API Function element_max(const Variable& left, const Variable& right, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The smaller one, element by element; the operands broadcast.
CANTIK_API Function element_min(const Variable& left, const Variable& right, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// 1 where x is not above 0, else 0.
CANTIK_API Function element_not(const Variable& x, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// 1 where one of the two is above 0, else 0; the operands broadcast.
CANTIK_API Function element_or(const Variable& x, const Variable& y, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// value_if_true where flag is not 0, value_if_false elsewhere; the operands broadcast. The flag has no
// gradient.
//
// y = value_if_true where flag is not 0, value_if_false elsewhere.
CANTIK_API Function element_select(const Variable& flag, const Variable& value_if_true,
                                   const Variable& value_if_false, const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// Element by element; the operands broadcast.
//
// y = left * right, element by element.
CANTIK_API Function element_times(const Variable& left, const Variable& right, const std::string& name = {},
                                  SourceLocation where = SourceLocation::current());

// 1 where one of the two, but not both, is above 0, else 0; the operands broadcast.
CANTIK_API Function element_xor(const Variable& x, const Variable& y, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// x where x >= 0, alpha * (e^x - 1) below (Clevert et al. 2016).
//
// y = x where x >= 0, alpha (e^x - 1) below.
// alpha: the limit at minus infinity is -alpha
CANTIK_API Function elu(const Variable& x, double alpha = 1, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// 1 where left equals right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function equal(const Variable& left, const Variable& right, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
CANTIK_API Function erf(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// The inverse of the error function: y with erf(y) = x. Infinite at -1 and 1, NaN beyond.
CANTIK_API Function erfinv(const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// y = e^x.
CANTIK_API Function exp(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// e^x - 1, without loss of digits near 0.
CANTIK_API Function expm1(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// y = the largest whole number that is not above x.
CANTIK_API Function floor(const Variable& arg, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The gamma function: (x - 1)! for whole x.
CANTIK_API Function gamma(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// x times the probability that a standard normal number is at most x (Hendrycks and Gimpel 2016).
//
// y = x P(X <= x) for a standard normal X: (1 + erf(x / sqrt 2)) / 2 of x (Hendrycks, Gimpel 2016).
CANTIK_API Function gelu(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// 1 where left is above right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function greater(const Variable& left, const Variable& right, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// 1 where left is not below right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function greater_equal(const Variable& left, const Variable& right, const std::string& name = {},
                                  SourceLocation where = SourceLocation::current());

// max(0, min(1, alpha * x + beta)).
//
// y = alpha x + beta, but not below 0 nor above 1.
// alpha: slope between the two ends
// beta: the value at 0
CANTIK_API Function hard_sigmoid(const Variable& x, double alpha, double beta, const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// x where x >= 0, alpha * x below.
//
// y = x where x >= 0, alpha x below.
// alpha: slope below zero
CANTIK_API Function leaky_relu(const Variable& x, double alpha = 0.01, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// 1 where left is below right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function less(const Variable& left, const Variable& right, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// 1 where left is not above right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function less_equal(const Variable& left, const Variable& right, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// Natural logarithm. Of numbers below 1e-37, negative ones too, it is -85.1.
//
// y = log x. As in CNTK, numbers below 1e-37 have the logarithm -85.1, and a gradient as if they were
// e^-85.1.
CANTIK_API Function log(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// log(1 + x), without loss of digits near 0. Minus infinity at -1, NaN below.
CANTIK_API Function log1p(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// log(e^left + e^right), element by element; the operands broadcast.
//
// y = log(e^left + e^right), element by element, without overflow.
CANTIK_API Function log_add_exp(const Variable& left, const Variable& right, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The logarithm of the absolute value of the gamma function.
CANTIK_API Function log_gamma(const Variable& x, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// The mean of the operands, element by element; they broadcast.
//
// y = the mean of the operands, which broadcast.
CANTIK_API Function mean(const std::vector<Variable>& operands, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// Element by element; the operands broadcast.
//
// y = left - right, element by element.
CANTIK_API Function minus(const Variable& left, const Variable& right, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// y = -x.
CANTIK_API Function negate(const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// 1 where left differs from right, else 0; the operands broadcast. The gradient is 0.
CANTIK_API Function not_equal(const Variable& left, const Variable& right, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// Ones in the shape of x.
CANTIK_API Function ones_like(const Variable& x, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// x where x >= 0, alpha * x below; alpha, a parameter as a rule, broadcasts (He et al. 2015).
//
// y = x where x >= 0, alpha x below; alpha is learnt.
CANTIK_API Function param_relu(const Variable& alpha, const Variable& x, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// Element by element; the operands broadcast.
//
// y = left + right, element by element.
CANTIK_API Function plus(const Variable& left, const Variable& right, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// Element by element; the operands broadcast. 0^0 is 1, 0 to any other power 0; a negative base to a broken
// power is NaN.
//
// y = base^exponent, element by element; 0 to a negative power is 0.
CANTIK_API Function pow(const Variable& base, const Variable& exponent, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// 1 / x; 0 of 0.
//
// y = 1 / x, and 0 where x is 0.
CANTIK_API Function reciprocal(const Variable& x, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// y = max(0, x), with the derivative 0 at 0. What is no number stays so: max takes its second operand where
// none is the larger one.
CANTIK_API Function relu(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// What is left of x, taken y off as often as it is in it: x - y floor(x / y), without loss of digits, with
// the sign of y. 0 where y is 0. The operands have one shape.
CANTIK_API Function remainder(const Variable& x, const Variable& y, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// floor(x + 1/2): the nearest whole number, halves go up.
//
// y = floor(x + 1/2): halves go up. In graphs and files, just that.
CANTIK_API Function round(const Variable& arg, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// scale * x where x >= 0, scale * alpha * (e^x - 1) below (Klambauer et al. 2017).
//
// y = scale x where x >= 0, scale alpha (e^x - 1) below: activations keep mean 0 and variance 1.
// scale: factor of everything
// alpha: factor below zero
CANTIK_API Function selu(const Variable& x, double scale = 1.0507009873554805,
                         double alpha = 1.6732632423543772, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// y = 1 / (1 + e^-x).
CANTIK_API Function sigmoid(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// x times its sigmoid; also called Swish (Elfwing et al. 2017).
//
// y = x sigmoid(x), also called Swish (Elfwing et al. 2017; Ramachandran et al. 2017).
CANTIK_API Function silu(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// y = sin x.
CANTIK_API Function sin(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// y = sinh x.
CANTIK_API Function sinh(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// (s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1 / (2 s^2): squared near 0, absolute elsewhere.
// scalar: s: the square ends at 1 / s^2
CANTIK_API Function smooth_l1(const Variable& x, double scalar = 1, const std::string& name = {},
                              SourceLocation where = SourceLocation::current());

// log(1 + e^(steepness * x)) / steepness.
//
// y = log(1 + e^(steepness x)) / steepness: a smooth relu.
// steepness: the larger, the nearer to relu
CANTIK_API Function softplus(const Variable& x, double steepness = 1, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// x / (1 + |x|). As in CNTK, steepness changes nothing.
//
// y = x / (1 + |x|). CNTK takes a steepness, and makes no use of it; neither do we.
// steepness: not used
CANTIK_API Function softsign(const Variable& x, double steepness = 1, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// Square root; 0 of negative numbers.
//
// y = sqrt(x), and 0 where x is negative.
CANTIK_API Function sqrt(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// x * x.
//
// y = x * x. In graphs and files, an element_times.
CANTIK_API Function square(const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// 1 where x > 0, else -1. The gradient is that of x where |x| <= 1, else 0 (Courbariaux et al. 2016).
//
// y = 1 where x > 0, else -1, with the gradient of x where |x| <= 1 and 0 elsewhere (binary networks).
CANTIK_API Function straight_through_impl(const Variable& x, const std::string& name = {},
                                          SourceLocation where = SourceLocation::current());

// The sum of the operands, element by element; they broadcast.
//
// y = the sum of the operands, which broadcast.
CANTIK_API Function sum(const std::vector<Variable>& operands, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// y = tan x.
CANTIK_API Function tan(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// y = tanh x.
CANTIK_API Function tanh(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// Matrix product over the last axes of left and the first of right; right keeps output_rank axes.
//
// y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].
// output_rank: how many axes of right stay in the result
// infer_input_rank_to_map: leading axes of left to map over, where right's rank is to be inferred
CANTIK_API Function times(const Variable& left, const Variable& right, int64_t output_rank = 1,
                          int64_t infer_input_rank_to_map = kNoInferredInputRank,
                          const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Product with the transpose of right: [m..., n] and [k, n] give [m..., k]. Two vectors [n] give their inner
// product, [1].
//
// y = left · rightᵀ: [m..., n] and [k, n] give [m..., k].
CANTIK_API Function times_transpose(const Variable& left, const Variable& right, const std::string& name = {},
                                    SourceLocation where = SourceLocation::current());

// Zeros in the shape of x.
CANTIK_API Function zeros_like(const Variable& x, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

}  // namespace cantik
