// y = 1 at the largest number of a sample, the first of several, else 0.
#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/nn/whole_sample.h"

using namespace cantik;

namespace {

// Without dynamic axes each line along the last axis is a sample, whatever its size.
Term along_open_axis(OnnxNode& n, Term x, int64_t axis) {
  x = n.plain(x);
  const std::vector<int64_t> dims = n.dims(x);
  const int64_t at = OnnxNode::axis_of(axis, n.rank(x)), last = n.rank(x) - 1;
  const bool turns = at != last;
  if (turns) x = n.call("transpose", {x}, {{"axis1", at}, {"axis2", last}});
  Term y = n.call("hardmax", {x});
  if (turns) y = n.call("transpose", {y}, {{"axis1", at}, {"axis2", last}});
  return n.with_dims(y, dims);
}

}  // namespace

CANTIK_OP(hardmax) {
  op.signature("hardmax(x, name='')")
      .doc(
          "1 at the largest number of a sample, the first of several, else 0. Of a value without dynamic "
          "axes, "
          "each line along the last axis is a sample. The gradient is 0.")
      .traits(CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .form("lines",
            [](const Prepare& p, const NoAttributes&) {
              const TypeView x = p.in(0);
              return forms::lines(p, LineKind::hardmax, columns_of_sample(x.shape, x.axes != CANTIK_NO_AXES));
            })
      .cntk("Hardmax", 11)
      .named("test.gradient", "zero by definition")
      .onnx_write("Hardmax",
                  [](OnnxGraph& g) {
                    const Shape x = g.shape();
                    const bool lines = x.rank() == 1 || (x.rank() > 1 && g.lead() == 0);
                    OnnxValue flat =
                        lines ? g.x() : g.reshape(g.x(), g.lead(), Shape{x.is_static() ? x.elements() : -1});
                    OnnxValue y = g.node("Hardmax", {flat}, {{"axis", -1}});
                    g.result(lines ? y : g.reshape(y, g.lead(), x));
                  })
      .onnx_read(
          "Hardmax",
          [](OnnxNode& n) {
            int64_t axis = n.integer("axis", n.version() < 13 ? 1 : -1);
            Term x = n.with_static(n.x(), axis);
            const int rank = n.rank(x) - n.lead(x);
            Term top = n.call("argmax", {x}, {{"axis", axis}});
            const int64_t classes = n.dims(x)[n.lead(x) + axis];
            if (n.version() < 13 && axis != rank - 1)
              OnnxNode::refuse("its axis is not the last, as versions before 13 have it");
            if (classes < 0) return n.result(along_open_axis(n, n.x(), n.integer("axis", -1)));
            std::vector<int64_t> dims = n.dims(top);
            dims.erase(dims.begin() + n.lead(x) + axis);
            n.result(n.call("one_hot", {n.reshape(top, dims)}, {{"num_classes", classes}, {"axis", axis}}));
          })
      .sample({{4}});
}
