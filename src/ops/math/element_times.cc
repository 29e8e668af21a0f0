// y = left * right, element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_times) {
  op.signature("element_times(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return x * y; })
      .cntk("ElementTimes", 21)
      .onnx("Mul", 7)
      .onnx_read("Mul",
                 [](OnnxNode& n) {
                   // arithmetic on sizes that are known stays exact
                   if (n.known(n.x(0)) && n.known(n.x(1)) && n.is_whole(n.x(0))) {
                     std::vector<int64_t> x = n.sizes(0), y = n.sizes(1);
                     const bool single = x.size() == 1 && y.size() == 1;
                     const std::vector<int64_t> dims = n.dims(n.rank(n.x(0)) ? n.x(0) : n.x(1));
                     auto small = [](int64_t v) { return v >= 0 && v < 1 << 30; };
                     if (single && small(x[0]) && small(y[0])) {
                       n.result_numbers(0, dims, {x[0] * y[0]});
                       return;
                     }
                   }
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(x.at(0) * x.at(1));
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
