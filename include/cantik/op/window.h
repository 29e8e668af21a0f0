// Window: what convolutions and pooling read of an image's axes, as their operators state it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cantik/op/attributes.h>

namespace cantik {

// A window over the spatial axes. All lists have one number for each axis. The window of the position p of
// the result has its taps at p * stride - padding + tap * dilation; those outside of the image are not there.
struct Window {
  std::vector<int64_t> kernel;    // how many taps
  std::vector<int64_t> stride;    // from a window to the next
  std::vector<int64_t> dilation;  // from a tap to the next
  std::vector<int64_t> lower;     // padding before the image
  std::vector<int64_t> upper;     // padding behind it
  // 1: padded so that the result has ceil(size / stride); lower and upper do not count then
  std::vector<int64_t> automatic;
  bool ceil = false;  // sizes of results are rounded up (pooling)

  // How many axes it goes over.
  int rank() const { return static_cast<int>(kernel.size()); }
  // From the first tap to the last along an axis, both included.
  int64_t reach(int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return (kernel[i] - 1) * dilation[i] + 1;
  }
  // The size of the result along an axis where the image has `size`.
  int64_t result_size(int axis, int64_t size) const {
    const size_t i = static_cast<size_t>(axis);
    const int64_t padded = size + (automatic[i] ? reach(axis) - 1 : lower[i] + upper[i]);
    const int64_t room = padded - reach(axis);
    if (room < 0) return 0;
    return (room + (ceil ? stride[i] - 1 : 0)) / stride[i] + 1;
  }
  // Before the first element. Where it is automatic, CNTK's rule: the windows' centres are spread over the
  // image; what the strides leave over is divided between both ends, towards zero.
  int64_t padding(int axis, int64_t size) const {
    const size_t i = static_cast<size_t>(axis);
    if (!automatic[i]) return lower[i];
    const int64_t left_over = size - ((result_size(axis, size) - 1) * stride[i] + 1);
    return (reach(axis) - 1) / 2 - left_over / 2;
  }

  // The attributes of an operator with a window.
  static constexpr auto fields() {
    return list(field("kernel", &Window::kernel, "taps along each axis"),
                field("stride", &Window::stride, "steps of the window"),
                field("dilation", &Window::dilation, "steps between taps"),
                field("lower", &Window::lower, "padding before"),
                field("upper", &Window::upper, "padding behind"),
                field("automatic", &Window::automatic, "whether padding keeps the size"),
                field("ceil", &Window::ceil, "whether sizes are rounded up"));
  }
};

}  // namespace cantik
