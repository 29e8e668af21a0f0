// y = left / right, element by element; 0 where right is 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_divide) {
  op.signature("element_divide(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast. A quotient by 0 is 0.")
      .expression([](Real x, Real y) { return x * select(y == 0, 0, reciprocal(y)); })
      .derivative([](Real, Real y, Real, Real dz) { return dz * select(y == 0, 0, reciprocal(y)); },
                  [](Real, Real y, Real z, Real dz) { return -(z * dz * select(y == 0, 0, reciprocal(y))); })
      .composite(
          [](Builder& b) { b.result(b.call("element_times", {b.x(0), b.call("reciprocal", {b.x(1)})})); })
      .cntk_block("ElementDivide")
      .onnx("Div", 7)
      .named("onnx.exact", "ieee_divide")
      .onnx_read("Div",
                 [](OnnxNode& n) {
                   if (n.known(n.x(0)) && n.known(n.x(1)) && n.is_whole(n.x(0))) {
                     std::vector<int64_t> x = n.sizes(0), y = n.sizes(1);
                     if (y.size() == 1 && y[0] > 0 &&
                         std::all_of(x.begin(), x.end(), [](int64_t v) { return v >= 0; })) {
                       for (int64_t& v : x) v /= y[0];
                       n.result_numbers(0, n.dims(n.x(0)), x);
                       return;
                     }
                   }
                   std::vector<Term> x = n.aligned(n.all());
                   Term y = n.call("element_divide", {x.at(0), x.at(1)});
                   n.result(n.is_whole(n.x(0)) ? n.call("truncate", {y}) : y);
                 })
      .sample_between(0.4, 2, {{2, 3}, {2, 3}})
      .sample_between(0.4, 2, {{2, 3}, {3}})
      .sample_between(0.4, 2, {{2, 1}, {2, 3}});
}
