// y = round(x / scale) + zero, between the least and the greatest number of a type of whole numbers; halves
// go to the even neighbour, as ONNX and IEEE 754 have it. What is no number becomes the least one, as in ONNX
// Runtime: a type of whole numbers has no other place for it.
#include <cantik/op.h>

#include "ops/math/half_to_even.h"
#include "ops/quantize/onnx_quantized.h"

using namespace cantik;

namespace {

struct Quantize {
  int64_t least = 0, greatest = 255;
  static constexpr auto fields() {
    return list(field("least", &Quantize::least, "the least number of the type"),
                field("greatest", &Quantize::greatest, "the greatest"));
  }
};

}  // namespace

CANTIK_OP(quantize_linear) {
  op.attributes<Quantize>("quantize_linear(x, scale, zero=None, least=0, greatest=255, name='')")
      .doc(
          "round(x / scale) + zero, between `least` and `greatest`; halves go to the even neighbour, and "
          "what is "
          "no number becomes `least`.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const Quantize& a) {
        if (a.least >= a.greatest)
          throw value_failure("the least number, " + std::to_string(a.least) +
                              ", is not less than the greatest, " + std::to_string(a.greatest));
        Term y = half_to_even(b, b.call("ieee_divide", {b.x(0), b.x(1)}));
        if (b.inputs() > 2) y = y + b.x(2);
        const Term least = b.constant(static_cast<double>(a.least), y);
        const Term below = b.call("element_min", {y, b.constant(static_cast<double>(a.greatest), y)});
        b.result(b.call("element_select", {b.call("greater", {y, least}), below, least}));
      })
      .onnx_read("QuantizeLinear", [](OnnxNode& n) { onnx_quantized::quantize(n); })
      .onnx_read("DequantizeLinear", [](OnnxNode& n) { onnx_quantized::dequantize(n); })
      .onnx_read("DynamicQuantizeLinear", [](OnnxNode& n) { onnx_quantized::quantize_by_range(n); })
      .onnx_read("QLinearMatMul", [](OnnxNode& n) { onnx_quantized::matmul(n); })
      .onnx_read("MatMulInteger", [](OnnxNode& n) { onnx_quantized::matmul_integers(n); })
      .onnx_read("QLinearConv", [](OnnxNode& n) { onnx_quantized::convolve(n); })
      .onnx_read("ConvInteger", [](OnnxNode& n) { onnx_quantized::convolve_integers(n); })
      .sample_between(0.3, 3, {{2, 3}, {1}, {1}});
}
