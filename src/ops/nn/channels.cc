// Images with their channels last, and back: [channels, pixels..., rest...] <-> [pixels..., channels,
// rest...], where `rest` axes stay behind. Passes put these around operators that want channels last, move
// them outwards and drop those that cancel.
#include <cantik/op.h>

#include "backends/cpu/pooling_kernels.h"

using namespace cantik;

namespace {

struct Turn {
  int64_t rest = 0;
  static constexpr auto fields() {
    return list(field("rest", &Turn::rest, "axes behind channels and pixels that stay where they are"));
  }
  int turned(const Shape& s) const { return s.rank() - static_cast<int>(rest); }
};

Shape last(const Shape& s, const Turn& a) {
  return s.sub(1, a.turned(s)) + s.sub(0, 1) + s.sub(a.turned(s), s.rank());
}
Shape first(const Shape& s, const Turn& a) {
  return s.sub(a.turned(s) - 1, a.turned(s)) + s.sub(0, a.turned(s) - 1) + s.sub(a.turned(s), s.rank());
}

}  // namespace

CANTIK_OP(channels) {
  op.attributes<Turn>("channels_last(x, rest=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Turn& a) { in.set(in.like(0, last(in.shape(0), a))); })
      .gradient([](Gradient& g, const Turn& a) {
        if (g.wanted(0)) g.dx(0, g.call("channels_first", {g.dy()}, {{"rest", a.rest}}));
      })
      .kernel("turn", [](const Prepare& p, const Turn& a) {
        Shape s = p.in(0).shape;
        return cpu::make_turn(p, s[0], s.sub(1, a.turned(s)).elements(),
                              s.sub(a.turned(s), s.rank()).elements());
      });

  op.attributes<Turn>("channels_first(x, rest=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Turn& a) { in.set(in.like(0, first(in.shape(0), a))); })
      .gradient([](Gradient& g, const Turn& a) {
        if (g.wanted(0)) g.dx(0, g.call("channels_last", {g.dy()}, {{"rest", a.rest}}));
      })
      .kernel("turn", [](const Prepare& p, const Turn& a) {
        Shape s = p.in(0).shape;
        return cpu::make_turn(p, s.sub(0, a.turned(s) - 1).elements(), s[a.turned(s) - 1],
                              s.sub(a.turned(s), s.rank()).elements());
      });
}
