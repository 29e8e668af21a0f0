// A parameter or constant takes another value when the run is over.
#include <cstring>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct Store final : Kernel {
  size_t bytes;
  explicit Store(size_t bytes) : bytes(bytes) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    if (r.in(0).data != r.in(1).data) std::memcpy(r.in(0).data, r.in(1).data, bytes);
  }
};

}  // namespace

CANTIK_OP(assign) {
  op.signature("assign(ref, input, name='')")
      .named("arrays", "widest")
      .doc(
          "The result is input; ref, a parameter or constant, has that value when the run is over. What "
          "reads ref in the same run sees the old value.")
      .traits(CANTIK_EFFECT)
      .type([](Infer& in) {
        TypeView ref = in.in(0), x = in.in(1);
        if (ref.axes > CANTIK_NO_AXES || x.axes > CANTIK_NO_AXES)
          throw value_failure("a value with dynamic axes cannot be assigned", "reduce the batch axis first");
        if (ref.shape.is_static() && x.shape.is_static() && !(ref.shape == x.shape))
          throw value_failure("the assigned value has the shape " + x.shape.text() +
                              ", but the parameter has the shape " + ref.shape.text());
        TypeView t = in.join(0, 1, x.shape.is_known() ? x.shape : ref.shape);
        if (x.shape.is_known() && ref.shape.has_inferred()) in.refine(0, x.shape);
        in.set(t);
      })
      .lower([](Builder& b) {
        b.call_all("store", {b.x(0), b.x(1)}, {}, 0);
        b.result(b.call("assigned", {b.x(0), b.x(1)}));
      })
      .cntk("Assign", 73)
      .named("test.operands", "pc")
      .sample({{2, 3}, {2, 3}});

  // Writes the second operand over the first, at the end of the run.
  op.signature("store(ref, input)")
      .traits(CANTIK_HIDDEN)
      .stores()
      .outputs(0)
      .type([](Infer&) {})
      .kernel("copy", [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
        return std::make_unique<Store>(static_cast<size_t>(p.in(0).shape.elements()) *
                                       size_of(p.in(0).dtype));
      });

  // The value, with the gradient of it; ref gets none.
  op.signature("assigned(ref, input)")
      .traits(CANTIK_HIDDEN)
      .expression([](Real, Real x) { return x; })
      .derivative([](Real, Real, Real, Real) { return Real(0); },
                  [](Real, Real, Real, Real dy) { return dy; });
}
