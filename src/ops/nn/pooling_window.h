// How pooling and unpooling see an operand: leading axes that no window goes over are channels, the others
// have pixels.
#pragma once

#include <cantik/op.h>
#include <cantik/op/window.h>

#include "ops/figures.h"
#include "ops/nn/kernel_too_large.h"

namespace cantik {

struct PoolingAttributes {
  int64_t pooling_type = 0;
  Shape window_shape, strides{1};
  std::vector<int64_t> auto_padding{0};
  Shape lower_pad, upper_pad;
};

// What the operator has.
struct PoolingWithEdges : PoolingAttributes {
  bool ceil_out_dim = false, include_pad = false;
  static constexpr auto fields() {
    using Pooling = PoolingWithEdges;
    return list(
        field("pooling_type", &Pooling::pooling_type, "0: max, 1: average").key("poolingType"),
        field("pooling_window_shape", &Pooling::window_shape, "of the last axes")
            .key("poolingWindowShape")
            .role(CANTIK_SHAPE_OF),
        field("strides", &Pooling::strides, "steps of the window; one number serves all axes")
            .key("strides")
            .role(CANTIK_SHAPE_OF),
        field("auto_padding", &Pooling::auto_padding,
              "whether the result has ceil(size / stride) along an axis")
            .key("autoPadding")
            .role(CANTIK_FLAGS),
        field("ceil_out_dim", &Pooling::ceil_out_dim, "whether sizes are rounded up").key("ceilOutDim"),
        field("include_pad", &Pooling::include_pad, "whether padding counts in averages").key("includePad"),
        field("lower_pad", &Pooling::lower_pad, "padding before each axis without auto_padding")
            .key("lowerPad")
            .role(CANTIK_SHAPE_OF),
        field("upper_pad", &Pooling::upper_pad, "padding behind it").key("upperPad").role(CANTIK_SHAPE_OF));
  }
};

struct PoolingView {
  Shape shape;  // [channels, pixels...]
  int channel_axes = 0;
  Window window;
};

// Windows are given for the last axes; a list that is shorter repeats its first number. Strides along more
// axes make the window as many, with ones in front.
inline PoolingView pooling_view(const PoolingAttributes& a, const Shape& x, bool ceil) {
  constexpr int64_t kWhole = -2;  // an unknown window: all but the first axis
  const bool whole = a.window_shape.rank() == 1 && a.window_shape[0] == kWhole && x.rank() > 1;
  Shape window = whole ? x.sub(1, x.rank()) : a.window_shape;
  if (window.rank() > 0 && a.strides.rank() > window.rank() && a.strides.rank() <= x.rank())
    window = Shape(std::vector<int64_t>(static_cast<size_t>(a.strides.rank() - window.rank()), 1)) + window;
  int rank = x.rank(), given = window.rank();
  auto along = [&](const int64_t* list, int n, int axis, int64_t missing) {
    int i = axis - (rank - n);
    return n == 0 ? missing : list[i < 0 ? 0 : i];
  };
  if (a.pooling_type != 0 && a.pooling_type != 1)
    throw value_failure("the type of pooling must be 0 (max) or 1 (average), and is " +
                        std::to_string(a.pooling_type));
  if (given > rank)
    throw value_failure("Convolution input and kernel tensors must have the same rank.",
                        "give a pooling window with at most as many axes as the operand");
  if (given == 0)
    throw value_failure("Convolution input and kernel tensors must have the same rank.",
                        "give a pooling window with at least one axis");
  if (a.strides.rank() == 0 || a.strides.rank() > rank)
    throw value_failure("Convolution stride tensor must have rank 1 or the same as the input tensor.");
  if (a.auto_padding.empty() || static_cast<int>(a.auto_padding.size()) > rank)
    throw value_failure("Convolution padding tensor must have rank 1 or the same as the input tensor.");
  check_figures("pooling with a window", window);
  check_figures("pooling with strides", a.strides);
  check_figures("pooling with padding", a.lower_pad);
  check_figures("pooling with padding", a.upper_pad);
  check_figures("pooling of an operand with an axis", x);
  PoolingView v;
  v.window.ceil = ceil;
  for (int axis = rank - given; axis < rank; ++axis) {
    int64_t k = window[axis - (rank - given)], stride = along(a.strides.data(), a.strides.rank(), axis, 1);
    const bool open = whole && x[axis] < 0;  // all pixels, however many a run has
    if ((k <= 0 && !open) || stride <= 0)
      throw value_failure("the window and the strides of pooling must be positive, and are " +
                          a.window_shape.text() + " and " + a.strides.text());
    if (x[axis] >= 0 && k > x[axis]) kernel_too_large(k, x[axis]);
    if (v.window.kernel.empty() && k == 1 && stride == 1) continue;  // still channels
    if (v.window.kernel.empty()) v.channel_axes = axis;
    v.window.kernel.push_back(k);
    v.window.stride.push_back(stride);
    v.window.dilation.push_back(1);
    v.window.automatic.push_back(
        along(a.auto_padding.data(), static_cast<int>(a.auto_padding.size()), axis, 0));
    v.window.lower.push_back(along(a.lower_pad.data(), a.lower_pad.rank(), axis, 0));
    v.window.upper.push_back(along(a.upper_pad.data(), a.upper_pad.rank(), axis, 0));
  }
  if (v.window.kernel.empty()) v.channel_axes = rank;
  if (v.window.rank() > 3)
    throw Failure(CANTIK_UNSUPPORTED,
                  "pooling can have at most three axes besides the channels, and this one has " +
                      std::to_string(v.window.rank()));
  int64_t channels = 1;
  for (int i = 0; i < v.channel_axes; ++i) channels = x[i] < 0 || channels < 0 ? kFree : channels * x[i];
  v.shape = Shape{channels} + x.sub(v.channel_axes, rank);
  return v;
}

inline Shape pooled_shape(const PoolingView& v, Shape x) {
  for (int i = 0; i < v.window.rank(); ++i) {
    int64_t& d = x[v.channel_axes + i];
    if (v.window.kernel[i] < 0)
      d = 1;  // a window of all pixels, whose number is open
    else if (d >= 0)
      d = v.window.result_size(i, d);
  }
  return x;
}

}  // namespace cantik
