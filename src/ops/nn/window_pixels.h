// Where the pixels of a result lie that each come from a window over the operand.
#pragma once

#include <cantik/op.h>
#include <cantik/op/window.h>

namespace cantik {

// A pixel lies over the middle of its window; of a transposed convolution the operand's pixel lies over the
// result's. `x`: the image that windows go over, behind `channel_axes` axes of channels at least.
inline void pixels_under_windows(Pixels& p, const Window& w, const Shape& x, int channel_axes,
                                 bool transposed) {
  for (int k = 0; k < 2; ++k) {
    const int axis = w.rank() - 1 - k;
    if (axis < 0) continue;
    const size_t at = static_cast<size_t>(axis);
    const int64_t size = k < x.rank() - channel_axes ? x[x.rank() - 1 - k] : 1;
    const bool open = size < 0 && w.automatic[at];
    if (open) p.open();
    const int64_t stride = w.stride[at], shift = (w.reach(axis) - 1) / 2 - (open ? 0 : w.padding(axis, size));
    if (transposed)
      p.along(k, {1, stride}, {-shift, stride});
    else
      p.along(k, {stride}, {shift});
  }
}

}  // namespace cantik
