// y = x, but not below min_value nor above max_value. What is no number stays so.
#include <limits>

#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(clip) {
  op.signature("clip(x, min_value, max_value, name='')")
      .named("arrays", "first")
      .doc(
          "min_value where x is smaller, max_value where it is larger, else x, element by element. The "
          "bounds have no gradient.")
      .expression([](Real x, Real low, Real high) { return select(x < low, low, min(high, x)); })
      .derivative([](Real x, Real, Real, Real y, Real dy) { return select(y == x, dy, 0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); })
      .cntk("Clip", 41)
      .named("test.operands", "bcc")
      .onnx_write("Clip",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    if (g.shape(1).rank() == 0 && g.shape(2).rank() == 0 && g.lead(1) == 0 && g.lead(2) == 0)
                      g.result(g.node("Clip", x));
                    else
                      g.result(g.node("Max", {g.node("Min", {x[0], x[2]}), x[1]}));
                  })
      .onnx_read(
          "Clip",
          [](OnnxNode& n) {
            Term y = n.x();
            Term low = n.has(1) ? n.x(1) : n.given("min") ? n.constant(n.real("min", 0), y) : Term();
            Term high = n.has(2) ? n.x(2) : n.given("max") ? n.constant(n.real("max", 0), y) : Term();
            // the upper bound counts where the bounds cross
            const bool ordered = !n.has(1) || !n.has(2) ||
                                 (n.known(low) && n.known(high) && n.numbers(1).at(0) <= n.numbers(2).at(0));
            constexpr double kNone = std::numeric_limits<double>::infinity();
            if (low && high && !ordered)
              y = n.call("element_min", {n.call("element_max", {y, low}), high});
            else if (low || high)
              y = n.call("clip", {y, low ? low : n.constant(-kNone, y), high ? high : n.constant(kNone, y)});
            n.result(y);
          })
      .sample({{2, 3}, {}, {}});
}
