// The samples of a batch as an axis, and the reverse.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(unpack_batch) {
  op.signature("unpack_batch(x, name='')")
      .doc(
          "The samples become a first static axis, of a size that is known in each run: [#][2, 3] becomes "
          "[*, 2, 3].")
      .traits(CANTIK_ALIAS | CANTIK_ROWS_AS_AXIS)
      .type([](Infer& in) {
        TypeView x = in.in(0), t = in.like(0, Shape::unknown());
        if (x.axes != CANTIK_AXES_UNKNOWN) {
          if (x.has_sequence())
            throw Failure(CANTIK_UNSUPPORTED, "unpack_batch takes a batch of samples, not of sequences",
                          "use sequence.unpack");
          if (!x.has_batch())
            throw Failure(CANTIK_RUNTIME, "unpack_batch needs a batch axis, and the operand has none");
          t.axes = CANTIK_NO_AXES;
        }
        if (x.shape.is_known()) t.shape = Shape{kFree} + x.shape;
        in.set(t);
      })
      .gradient([](Gradient& g) { g.dx(0, g.call("to_batch", {g.dy()})); })
      .onnx_write("Identity", [](OnnxGraph& g) { g.result(g.node("Identity", {g.x()})); })
      .cntk("UnpackBatchAxis", 79)
      .sample({{2, 3}});

  op.signature("to_batch(x, name='')")
      .doc("The first static axis becomes the batch: [4, 2] becomes four samples [2].")
      .traits(CANTIK_ALIAS | CANTIK_AXIS_AS_ROWS)
      .type([](Infer& in) {
        TypeView x = in.in(0), t = in.like(0, Shape::unknown());
        if (x.axes > CANTIK_NO_AXES)
          throw Failure(CANTIK_RUNTIME, "the operand has a batch axis already",
                        "give a value without dynamic axes");
        if (x.axes == CANTIK_NO_AXES) t.axes = CANTIK_BATCH;
        if (x.shape.is_known()) {
          if (x.shape.rank() == 0)
            throw Failure(
                CANTIK_RUNTIME,
                "to_batch needs an axis that becomes the batch axis, and the operand is a single number");
          t.shape = x.shape.sub(1, x.shape.rank());
        }
        in.set(t);
      })
      .gradient([](Gradient& g) {
        Term all = g.call("unpack_batch", {g.dy()});
        Shape x = g.x().shape();
        // the size that dy's rows are known to have
        g.dx(0, x.is_static() ? g.call("view", {all}, {{"shape", x}}) : all);
      })
      .onnx_write("Identity", [](OnnxGraph& g) { g.result(g.node("Identity", {g.x()})); })
      .cntk("ToBatchAxis", 80)
      .named("test.operands", "p")
      .sample({{4, 2}});
}
