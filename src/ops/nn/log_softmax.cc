// y = x - log(sum of e^x) along an axis.
#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/axis_of.h"

#include "ops/nn/onnx_softmax.h"

using namespace cantik;

namespace {

struct LogSoftmax {
  int64_t axis = -1;
  static constexpr auto fields() {
    return list(field("axis", &LogSoftmax::axis, "a static axis, or the batch; without one, the last")
                    .key("axis")
                    .role(CANTIK_AXIS));
  }
};

int64_t axis_of(const LogSoftmax& a, const Term& x) {
  return a.axis == axis_code::kBatch ? a.axis : axis_from_end(a.axis, x);
}

struct LogSoftmaxColumns {
  int64_t columns = 1;
  static constexpr auto fields() {
    return list(field("columns", &LogSoftmaxColumns::columns, "numbers in a line"));
  }
};

// As CNTK spells it.
void compose_log_softmax(Builder& b, int64_t axis) {
  Term x = b.x();
  if (axis == axis_code::kBatch) {
    b.result(x - b.call("reduce_log_sum_exp", {x}, {{"axis", std::vector<int64_t>{axis}}}));
    return;
  }
  Term m = b.call("reduce_elements", {x}, {{"axis", axis}, {"reduction", "Max"}});
  Term sum = b.call("reduce_elements", {b.call("exp", {x - m})}, {{"axis", axis}, {"reduction", "Sum"}});
  b.result((x - m) - b.call("log", {sum}));
}

}  // namespace

CANTIK_OP(log_softmax) {
  op.attributes<LogSoftmax>("log_softmax(x, axis=None, name='')")
      .doc("x - log(sum of e^x) along a static axis, by default the last, or over the samples of the batch.")
      .type([](Infer& in, const LogSoftmax& a) {
        if (in.shape(0).is_known() && a.axis != axis_code::kBatch) static_axis(a.axis, in.shape(0).rank());
        in.set(in.like(0, in.shape(0)));
      })
      .composite([](Builder& b, const LogSoftmax& a) { compose_log_softmax(b, axis_of(a, b.x())); })
      .lower([](Builder& b, const LogSoftmax& a) {
        const int64_t axis = axis_of(a, b.x());
        if (axis == -1)
          b.result(b.call("log_softmax_lines", {b.x()}, {{"columns", b.x().shape().back()}}));
        else
          compose_log_softmax(b, axis);
      })
      .cntk_block("LogSoftmax")
      .onnx_write("LogSoftmax",
                  [](OnnxGraph& g, const LogSoftmax& a) {
                    const int64_t axis = a.axis == axis_code::kNone ? -1 : a.axis;
                    g.result(g.node("LogSoftmax", {g.x()},
                                    {{"axis", axis == axis_code::kBatch ? int64_t{0} : g.axis(axis)}}));
                  })
      .onnx_read("LogSoftmax", [](OnnxNode& n) { read_axis_softmax(n, "log_softmax"); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = 0});

  op.attributes<LogSoftmaxColumns>("log_softmax_lines(x, columns=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .type([](Infer& in, const LogSoftmaxColumns&) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g, const LogSoftmaxColumns& a) {
        g.dx(0, g.call("log_softmax_lines_gradient", {g.y(), g.dy()}, {{"columns", a.columns}}));
      })
      .form("lines", [](const Prepare& p, const LogSoftmaxColumns& a) {
        return forms::lines(p, LineKind::log_softmax, a.columns);
      });
  op.attributes<LogSoftmaxColumns>("log_softmax_lines_gradient(y, dy, columns=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .in_place({{0, 0}, {1, 0}})
      .type([](Infer& in, const LogSoftmaxColumns&) { in.set(in.join(0, 1, in.shape(0))); })
      .form("lines", [](const Prepare& p, const LogSoftmaxColumns& a) {
        return forms::lines(p, LineKind::log_softmax_gradient, a.columns);
      });
}
