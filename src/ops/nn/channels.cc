// Images with their channels last, and back: [channels, pixels...] <-> [pixels..., channels]. Passes put these around operators
// that want channels last, move them outwards and drop those that cancel.
#include <cantik/op.h>

#include "backends/cpu/pooling_kernels.h"

using namespace cantik;

namespace {

Shape last(const Shape& s) { return s.sub(1, s.rank()) + s.sub(0, 1); }
Shape first(const Shape& s) { return s.sub(s.rank() - 1, s.rank()) + s.sub(0, s.rank() - 1); }

}  // namespace

CANTIK_OP(channels) {
  op.signature("channels_last(x)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, last(in.shape(0)))); })
      .gradient([](Gradient& g, const NoAttributes&) {
        if (g.wanted(0)) g.dx(0, g.call("channels_first", {g.dy()}));
      })
      .kernel("turn", [](const Prepare& p, const NoAttributes&) {
        Shape s = p.in(0).shape;
        return cpu::make_turn_channels(p, s[0], s.sub(1, s.rank()).elements());
      });

  op.signature("channels_first(x)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, first(in.shape(0)))); })
      .gradient([](Gradient& g, const NoAttributes&) {
        if (g.wanted(0)) g.dx(0, g.call("channels_last", {g.dy()}));
      })
      .kernel("turn", [](const Prepare& p, const NoAttributes&) {
        Shape s = p.in(0).shape;
        return cpu::make_turn_channels(p, s.sub(0, s.rank() - 1).elements(), s.back());
      });
}
