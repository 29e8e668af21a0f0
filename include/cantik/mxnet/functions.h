// Functions of one or two numbers, and derivatives of them. Those of a comment "of the result" take the
// function's value.
#pragma once

#include <cmath>

// Define such a function: DType is the type of the numbers a and b.
#define MXNET_UNARY_MATH_OP(name, ...)        \
  struct name {                               \
    template <class DType>                    \
    static inline DType Map(DType a) {        \
      return static_cast<DType>(__VA_ARGS__); \
    }                                         \
  }
#define MXNET_UNARY_MATH_OP_NC MXNET_UNARY_MATH_OP
#define MXNET_SIMPLE_UNARY_MATH_OP(name) MXNET_UNARY_MATH_OP(name, std::name(a))
#define MXNET_BINARY_MATH_OP(name, ...)         \
  struct name {                                 \
    template <class DType>                      \
    static inline DType Map(DType a, DType b) { \
      return static_cast<DType>(__VA_ARGS__);   \
    }                                           \
  }
#define MXNET_BINARY_MATH_OP_NC MXNET_BINARY_MATH_OP

namespace mxnet::op::mshadow_op {

namespace detail {
// The remainder with the divisor's sign; 0 where that is 0.
template <class DType>
DType remainder(DType a, DType b) {
  if (b == 0) return 0;
  DType left = std::fmod(a, b);
  return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}
constexpr double kPi = 3.14159265358979323846;
constexpr double kSelu = 1.0507009873554804934, kSeluAlpha = 1.6732632423543772848;
}  // namespace detail

MXNET_UNARY_MATH_OP(identity, a);
MXNET_UNARY_MATH_OP(identity_grad, 1 + 0 * a);
MXNET_UNARY_MATH_OP(negation, -a);
MXNET_UNARY_MATH_OP(abs, std::fabs(a));
MXNET_UNARY_MATH_OP(sign, (a > 0) - (a < 0));
MXNET_UNARY_MATH_OP(sign_grad, 0 * a);
MXNET_UNARY_MATH_OP(nt, a == 0);
MXNET_UNARY_MATH_OP(reciprocal, 1 / a);
MXNET_UNARY_MATH_OP(reciprocal_grad, -1 / (a * a));
MXNET_UNARY_MATH_OP(square, a* a);
MXNET_UNARY_MATH_OP(square_grad, 2 * a);
MXNET_UNARY_MATH_OP(sqrt, std::sqrt(a));
MXNET_UNARY_MATH_OP(square_root, std::sqrt(a));
MXNET_UNARY_MATH_OP(square_root_grad, DType(0.5) / a);  // of the result
MXNET_UNARY_MATH_OP(reciprocal_square_root, 1 / std::sqrt(a));
MXNET_UNARY_MATH_OP(reciprocal_square_root_grad, DType(-0.5) / (a * std::sqrt(a)));
MXNET_UNARY_MATH_OP(cube_root, std::cbrt(a));
MXNET_UNARY_MATH_OP(cube_root_grad, 1 / (3 * a * a));  // of the result
MXNET_UNARY_MATH_OP(exp, std::exp(a));
MXNET_UNARY_MATH_OP(expm1, std::expm1(a));
MXNET_UNARY_MATH_OP(log, std::log(a));
MXNET_UNARY_MATH_OP(log_grad, 1 / a);
MXNET_UNARY_MATH_OP(log2, std::log2(a));
MXNET_UNARY_MATH_OP(log10, std::log10(a));
MXNET_UNARY_MATH_OP(log1p, std::log1p(a));
MXNET_UNARY_MATH_OP(log1p_grad, 1 / (1 + a));
MXNET_UNARY_MATH_OP(sin, std::sin(a));
MXNET_UNARY_MATH_OP(sin_grad, std::cos(a));
MXNET_UNARY_MATH_OP(cos, std::cos(a));
MXNET_UNARY_MATH_OP(cos_grad, -std::sin(a));
MXNET_UNARY_MATH_OP(tan, std::tan(a));
MXNET_UNARY_MATH_OP(tan_grad, 1 + a * a);  // of the result
MXNET_UNARY_MATH_OP(arcsin, std::asin(a));
MXNET_UNARY_MATH_OP(arcsin_grad, 1 / std::sqrt(1 - a * a));
MXNET_UNARY_MATH_OP(arccos, std::acos(a));
MXNET_UNARY_MATH_OP(arccos_grad, -1 / std::sqrt(1 - a * a));
MXNET_UNARY_MATH_OP(arctan, std::atan(a));
MXNET_UNARY_MATH_OP(arctan_grad, 1 / (1 + a * a));
MXNET_UNARY_MATH_OP(sinh, std::sinh(a));
MXNET_UNARY_MATH_OP(sinh_grad, std::cosh(a));
MXNET_UNARY_MATH_OP(cosh, std::cosh(a));
MXNET_UNARY_MATH_OP(cosh_grad, std::sinh(a));
MXNET_UNARY_MATH_OP(tanh, std::tanh(a));
MXNET_UNARY_MATH_OP(tanh_grad, 1 - a * a);  // of the result
MXNET_UNARY_MATH_OP(arcsinh, std::asinh(a));
MXNET_UNARY_MATH_OP(arcsinh_grad, 1 / std::sqrt(1 + a * a));
MXNET_UNARY_MATH_OP(arccosh, std::acosh(a));
MXNET_UNARY_MATH_OP(arccosh_grad, 1 / std::sqrt(a * a - 1));
MXNET_UNARY_MATH_OP(arctanh, std::atanh(a));
MXNET_UNARY_MATH_OP(arctanh_grad, 1 / (1 - a * a));
MXNET_UNARY_MATH_OP(degrees, a* DType(180 / detail::kPi));
MXNET_UNARY_MATH_OP(radians, a* DType(detail::kPi / 180));
MXNET_UNARY_MATH_OP(erf, std::erf(a));
MXNET_UNARY_MATH_OP(gamma, std::tgamma(a));
MXNET_UNARY_MATH_OP(ceil, std::ceil(a));
MXNET_UNARY_MATH_OP(floor, std::floor(a));
MXNET_UNARY_MATH_OP(trunc, std::trunc(a));
MXNET_UNARY_MATH_OP(fix, std::trunc(a));
MXNET_UNARY_MATH_OP(round, std::round(a));
MXNET_UNARY_MATH_OP(rint, std::ceil(a - DType(0.5)));
MXNET_UNARY_MATH_OP(relu, a > 0 || std::isnan(a) ? a : DType(0));
MXNET_UNARY_MATH_OP(relu_grad, std::isnan(a) ? a : DType(a > 0));
MXNET_UNARY_MATH_OP(selu, DType(detail::kSelu) * (a > 0 ? a : DType(detail::kSeluAlpha) * std::expm1(a)));
MXNET_UNARY_MATH_OP(sigmoid, 1 / (1 + std::exp(-a)));
MXNET_UNARY_MATH_OP(sigmoid_grad, a * (1 - a));  // of the result
MXNET_UNARY_MATH_OP(softrelu, a > 20 ? a : std::log1p(std::exp(a)));
MXNET_UNARY_MATH_OP(softrelu_grad, -std::expm1(-a));  // of the result
MXNET_UNARY_MATH_OP(softsign, a / (1 + std::fabs(a)));
MXNET_UNARY_MATH_OP(softsign_grad, 1 / ((1 + std::fabs(a)) * (1 + std::fabs(a))));

MXNET_BINARY_MATH_OP(plus, a + b);
MXNET_BINARY_MATH_OP(minus, a - b);
MXNET_BINARY_MATH_OP(rminus, b - a);
MXNET_BINARY_MATH_OP(mul, a* b);
MXNET_BINARY_MATH_OP(div, a / b);
MXNET_BINARY_MATH_OP(rdiv, b / a);
MXNET_BINARY_MATH_OP(div_grad, 1 / b + 0 * a);
MXNET_BINARY_MATH_OP(div_rgrad, -a / (b * b));
MXNET_BINARY_MATH_OP(left, a + 0 * b);
MXNET_BINARY_MATH_OP(right, b + 0 * a);
MXNET_BINARY_MATH_OP(power, std::pow(a, b));
MXNET_BINARY_MATH_OP(rpower, std::pow(b, a));
MXNET_BINARY_MATH_OP(power_grad, std::pow(a, b - 1) * b);
MXNET_BINARY_MATH_OP(power_rgrad, std::pow(a, b) * std::log(a));
MXNET_BINARY_MATH_OP(maximum, std::isnan(a) ? a : a > b ? a : b);
MXNET_BINARY_MATH_OP(minimum, std::isnan(a) ? a : a < b ? a : b);
MXNET_BINARY_MATH_OP(hypot, std::hypot(a, b));
MXNET_BINARY_MATH_OP(hypot_grad_left, a / std::hypot(a, b));
MXNET_BINARY_MATH_OP(hypot_grad_right, b / std::hypot(a, b));
MXNET_BINARY_MATH_OP(mod, detail::remainder(a, b));
MXNET_BINARY_MATH_OP(rmod, detail::remainder(b, a));
MXNET_BINARY_MATH_OP(eq, a == b);
MXNET_BINARY_MATH_OP(ne, a != b);
MXNET_BINARY_MATH_OP(gt, a > b);
MXNET_BINARY_MATH_OP(ge, a >= b);
MXNET_BINARY_MATH_OP(lt, a < b);
MXNET_BINARY_MATH_OP(le, a <= b);
MXNET_BINARY_MATH_OP(logical_and, a != 0 && b != 0);
MXNET_BINARY_MATH_OP(logical_or, a != 0 || b != 0);
MXNET_BINARY_MATH_OP(logical_xor, (a != 0) != (b != 0));
MXNET_BINARY_MATH_OP(threshold, a < b);
MXNET_BINARY_MATH_OP(xelu, a > 0 ? a : a * b);
MXNET_BINARY_MATH_OP(xelu_grad, a > 0 ? DType(1) : b);
MXNET_BINARY_MATH_OP(elu, a > 0 ? a : b * std::expm1(a));
MXNET_BINARY_MATH_OP(smooth_l1_loss,
                     std::fabs(a) < 1 / (b * b) ? a * a * b * b / 2 : std::fabs(a) - DType(0.5) / (b * b));
MXNET_BINARY_MATH_OP(smooth_l1_gradient, a > 1 / (b * b)    ? DType(1)
                                         : a < -1 / (b * b) ? DType(-1)
                                                            : a * b * b);

}  // namespace mxnet::op::mshadow_op
