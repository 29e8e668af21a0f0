// Images with their channels last, or first again: [channels, pixels..., rest...] <-> [pixels..., channels,
// rest...], where `rest` axes stay behind. Passes put these around operators that want channels last, move
// them outwards and drop those that cancel.
#include <cantik/op.h>

#include "backends/host/pooling.h"

using namespace cantik;

namespace {

struct Turn {
  bool last = true;
  int64_t rest = 0;
  static constexpr auto fields() {
    return list(field("last", &Turn::last, "whether the channels become the last axis"),
                field("rest", &Turn::rest, "axes behind channels and pixels that stay where they are"));
  }
  // Where the axes of the image end.
  int turned(const Shape& s) const { return s.rank() - static_cast<int>(rest); }
  // The axes in front, and those behind them, which change places.
  int front(const Shape& s) const { return last ? 1 : turned(s) - 1; }
};

Shape turned(const Shape& s, const Turn& a) {
  const int front = a.front(s), end = a.turned(s);
  return s.sub(front, end) + s.sub(0, front) + s.sub(end, s.rank());
}

}  // namespace

CANTIK_OP(turn_image) {
  op.attributes<Turn>("turn_image(x, last=True, rest=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Turn& a) { in.set(in.like(0, turned(in.shape(0), a))); })
      .gradient([](Gradient& g, const Turn& a) {
        if (g.wanted(0)) g.dx(0, g.call("turn_image", {g.dy()}, {{"last", !a.last}, {"rest", a.rest}}));
      })
      .kernel("turn", [](const Prepare& p, const Turn& a) {
        const Shape s = p.in(0).shape;
        const int front = a.front(s), end = a.turned(s);
        return host::make_turn(p, s.sub(0, front).elements(), s.sub(front, end).elements(),
                               s.sub(end, s.rank()).elements());
      });
}
