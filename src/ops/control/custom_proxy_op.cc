// A place in a graph for an operator that another program has: it is kept, saved and loaded, and does not
// run.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Proxy {
  std::string custom_op;
  Shape output_shape;
  DType output_data_type = DType::float32;
  static constexpr auto fields() {
    return list(
        field("custom_op", &Proxy::custom_op, "name of the operator it stands for").key("customOp"),
        field("output_shape", &Proxy::output_shape, "of its result").key("outputShape").role(CANTIK_SHAPE_OF),
        field("output_data_type", &Proxy::output_data_type, "element type of its result")
            .key("newDataType")
            .role(CANTIK_DTYPE));
  }
};
}  // namespace

CANTIK_OP(custom_proxy_op) {
  op.attributes<Proxy>("custom_proxy_op(custom_op, output_shape, output_data_type, *operands, name='')")
      .doc(
          "Stands for an operator of another program, such as one on quantised parameters: a network with it "
          "can be built, saved and loaded, and cannot be evaluated.")
      .type([](Infer& in, const Proxy& a) {
        TypeView t;
        t.dtype = a.output_data_type;
        t.shape = a.output_shape;
        t.axes = CANTIK_NO_AXES;
        for (int i = 0; i < in.inputs(); ++i) {
          TypeView x = in.in(i);
          if (x.axes == CANTIK_AXES_UNKNOWN)
            t.axes = CANTIK_AXES_UNKNOWN;
          else if (t.axes != CANTIK_AXES_UNKNOWN && x.axes > t.axes)
            t.axes = x.axes, t.sequence_axis = x.sequence_axis;
        }
        in.set(t);
      })
      .cntk("CustomProxyOp", 93)
      .named("test.none", "it does not run");
}
