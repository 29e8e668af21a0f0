// A tensor of the shape of x that is the same number everywhere: zeros_like, ones_like.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Fill {
  Real fill = 0;
  static constexpr auto fields() { return list(field("fill", &Fill::fill, "the number").key("fillValue")); }
};
}  // namespace

CANTIK_OP(constant_like) {
  op.attributes<Fill>("constant_like(x, fill=0, name='')")
      .doc("The number fill, in the shape of x. The gradient is 0.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real, const Fill& a) { return a.fill; })
      .cntk("ConstantOp", 89)
      .sample({{2, 3}}, {.fill = 2});

  op.signature("zeros_like(x, name='')")
      .doc("Zeros in the shape of x.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("constant_like", {b.x()}, {{"fill", 0.0}})); })
      .sample({{2, 3}});

  op.signature("ones_like(x, name='')")
      .doc("Ones in the shape of x.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("constant_like", {b.x()}, {{"fill", 1.0}})); })
      .sample({{2, 3}});
}
