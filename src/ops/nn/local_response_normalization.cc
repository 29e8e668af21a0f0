// y = x / (bias + alpha / n * sum of x^2 over n neighbouring channels)^beta.
#include <algorithm>
#include <array>

#include <cantik/op.h>

#include "ops/figures.h"

using namespace cantik;

namespace {
struct LocalResponse {
  int64_t depth_radius = 0;
  double bias = 1, alpha = 1, beta = 1;
  static constexpr auto fields() {
    return list(
        field("depth_radius", &LocalResponse::depth_radius, "channels on each side").key("depthRadius"),
        field("bias", &LocalResponse::bias, "added to the sum").key("bias"),
        field("alpha", &LocalResponse::alpha, "factor of the mean square").key("alpha"),
        field("beta", &LocalResponse::beta, "exponent").key("beta"));
  }
};
}  // namespace

CANTIK_OP(local_response_normalization) {
  op.attributes<LocalResponse>(
        "local_response_normalization(operand, depth_radius, bias, alpha, beta, name='')")
      .doc(
          "x / (bias + alpha mean(x^2))^beta; the mean is over the 2 depth_radius + 1 channels around each, "
          "with zeros beyond the first and the last, "
          "and at most as many as there are.")
      .composite([](Builder& b, const LocalResponse& a) {
        Term x = b.x();
        if (x.shape().rank() != 3)
          throw Failure(CANTIK_VALUE, "the operand must have the shape [channels, height, width], and has " +
                                          x.shape().text());
        if (x.shape()[0] <= 0)
          throw Failure(CANTIK_VALUE, "the operand's number of channels must be known, and its shape is " +
                                          x.shape().text());
        check_figures("a depth_radius", std::array{a.depth_radius});
        if (a.depth_radius < 0)
          throw Failure(CANTIK_VALUE,
                        "depth_radius must be at least 0, and is " + std::to_string(a.depth_radius));
        // CNTK cuts a window that is wider than the operand
        int64_t n = 2 * a.depth_radius + 1, taps = std::min(n, x.shape()[0]);
        Term window = b.constant(a.alpha / static_cast<double>(n), x, Shape{1, taps, 1, 1});
        Term volume =
            b.call("reshape", {x * x}, {{"shape", Shape{1, kInferred}}, {"begin_axis", 0}, {"end_axis", 1}});
        Term around =
            b.call("convolution", {window, volume}, {{"auto_padding", std::vector<int64_t>{1, 1, 1, 1}}});
        Term base =
            b.constant(a.bias, x) +
            b.call("reshape", {around}, {{"shape", Shape{kInferred}}, {"begin_axis", 0}, {"end_axis", 2}});
        Term power = b.call("exp", {b.constant(a.beta, x) * b.call("log", {base})});
        b.result(b.call("element_divide", {x, power}));
      })
      .cntk_block("LocalResponseNormalization")
      .onnx_write(
          "LRN",
          [](OnnxGraph& g, const LocalResponse& a) {
            if (g.lead() != 1) throw Failure(CANTIK_UNSUPPORTED, "the operand is no batch of images");
            g.result(g.node(
                "LRN", {g.x()},
                {{"size", 2 * a.depth_radius + 1}, {"bias", a.bias}, {"alpha", a.alpha}, {"beta", a.beta}}));
          })
      .onnx_read("LRN",
                 [](OnnxNode& n) {
                   const int64_t size = n.integer("size");
                   if (size % 2 == 0) OnnxNode::refuse("its size is even");
                   n.result(n.call("local_response_normalization", {n.rows(n.x())},
                                   {{"depth_radius", (size - 1) / 2},
                                    {"bias", n.real("bias", 1)},
                                    {"alpha", n.real("alpha", 0.0001)},
                                    {"beta", n.real("beta", 0.75)}}));
                 })
      .sample({{5, 3, 2}}, {.depth_radius = 1, .bias = 1.5, .alpha = 0.4, .beta = 0.75})
      .sample({{2, 1, 3}}, {.depth_radius = 0, .bias = 1, .alpha = 1, .beta = 1});
}
