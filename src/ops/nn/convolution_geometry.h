// What the attributes of a convolution mean for a map and an operand of these shapes.
#pragma once

#include <array>

#include <cantik/op.h>
#include <cantik/op/window.h>

#include "ops/nn/convolution_attributes.h"
#include "ops/figures.h"
#include "ops/nn/kernel_too_large.h"

namespace cantik {

// What an attribute says for an axis of the operand: lists may be shorter, their first number stands for what
// is missing.
template <class List>
int64_t along(const List& list, int axis, int rank, int64_t missing) {
  int n = static_cast<int>(list.size()), i = axis - (rank - n);
  return n == 0 ? missing : list.data()[i < 0 ? 0 : i];
}

// The operand and the map with an axis each for channels.
struct ConvolutionGeometry {
  Shape x, w;  // x: [channels, pixels...], w: [filters, channels / groups, taps...]
  Shape y;     // the result
  Window window;
  bool refined = false;  // w (or, transposed, its first axes) had dimensions to be inferred
  // positions along the channels, where auto_padding holds for their axis, too: CNTK gives such a result a
  // shape, but no numbers
  int64_t across = 1;
};

inline void check_convolution(const ConvolutionAttributes& a, const Shape& w, const Shape& x) {
  if (a.reduction_rank != 0 && a.reduction_rank != 1)
    throw Failure(CANTIK_RUNTIME, "reductionRank: must be 1 or 0.");
  if (a.groups <= 0) throw Failure(CANTIK_RUNTIME, "groups: Must be strictly positive, i.e. groups > 0.");
  if (a.reduction_rank == 0 && a.groups != 1)
    throw Failure(CANTIK_RUNTIME, "groups: without channels (reduction_rank=0) there is nothing to divide.");
  if (a.max_temp_mem_size_in_samples < 0)
    throw value_failure("max_temp_mem_size_in_samples must be at least 0, and is " +
                        std::to_string(a.max_temp_mem_size_in_samples));
  check_figures("a convolution with groups", std::array{a.groups});
  check_figures("a convolution with strides", a.strides);
  check_figures("a convolution with a dilation", a.dilation);
  check_figures("a convolution with padding", a.lower_pad);
  check_figures("a convolution with padding", a.upper_pad);
  check_figures("a convolution with an output_shape", a.output_shape);
  check_figures("a convolution with a map", w);
  check_figures("a convolution of an operand with an axis", x);
  int rank = x.rank() + (a.reduction_rank == 0 ? 1 : 0);
  auto check_count = [&](const char* what, size_t count) {
    if (count == 0 || static_cast<int>(count) > rank)
      throw value_failure(std::string("Convolution ") + what +
                              " tensor must have rank 1 or the same as the " +
                              (a.transpose ? "output" : "input") + " tensor.",
                          "the channels are the first axis of the operand: give one more axis, or "
                          "reduction_rank=0 where there are none");
  };
  check_count("stride", static_cast<size_t>(a.strides.rank()));
  // A dilation may begin with ones for axes that the operand does not have.
  int extra = 0;
  while (extra < a.dilation.rank() - rank && a.dilation[extra] == 1) ++extra;
  check_count("dilation", static_cast<size_t>(a.dilation.rank() - extra));
  check_count("sharing", a.sharing.size());
  check_count("padding", a.auto_padding.size());
  // There is one position along the channels, where sharing changes nothing.
  for (int axis = 1; axis < rank; ++axis)
    if (!along(a.sharing, axis, rank, 1))
      throw Failure(CANTIK_UNSUPPORTED, "the filters of a convolution must be shared along all pixels",
                    "use sharing=[True]");
  for (const Shape* s : {&a.strides, &a.dilation})
    for (int64_t d : *s)
      if (d < 0 || (d == 0 && s == &a.strides))
        throw value_failure("the strides and dilation of a convolution must be positive, and are " +
                            s->text());
  if (w.rank() < x.rank() || w.rank() > x.rank() + 1)
    throw value_failure("Convolution input and kernel tensors must have the same rank.",
                        "give the filters the shape [filters, channels, taps...]");
}

inline ConvolutionGeometry resolve_convolution(const ConvolutionAttributes& a, Shape w, Shape x) {
  check_convolution(a, w, x);
  ConvolutionGeometry g;
  bool bare = w.rank() == x.rank();  // no axis for filters: there is one
  if (bare) w = Shape{1} + w;
  if (a.reduction_rank == 0) {
    w = a.transpose ? Shape{1} + w : w.sub(0, 1) + Shape{1} + w.sub(1, w.rank());
    x = Shape{1} + x;
  }
  int rank = x.rank(), pixels = rank - 1;
  if (pixels > 3)
    throw Failure(CANTIK_UNSUPPORTED,
                  "a convolution can have at most three axes besides the channels, and this one has " +
                      std::to_string(pixels));
  // Channels.
  int read = a.transpose ? 0 : 1;
  if (w[read] == kInferred && x[0] == kFree)
    throw value_failure("the channels of the filters cannot be inferred from an operand with free channels",
                        "give the input its channels, or the filters theirs");
  if (w[read] == kInferred && x[0] >= 0) w[read] = a.transpose ? x[0] : x[0] / a.groups, g.refined = true;
  if (a.transpose && w[1] == kInferred && x[0] >= 0) w[1] = x[0], g.refined = true;
  int64_t channels = a.transpose ? w[0] : w[1] * a.groups, filters = a.transpose ? w[1] * a.groups : w[0];
  if (a.groups > 1 && w[0] >= 0 && w[0] % a.groups != 0)
    throw Failure(CANTIK_RUNTIME, "groups: number of output channels must be divisble by groups.");
  if (x[0] >= 0 && w[read] >= 0 && channels != x[0]) {
    if (a.groups > 1)
      throw Failure(CANTIK_RUNTIME,
                    "groups: number of input channels (C) must be equal to number of input kernel channels "
                    "(kC) * groups (G).");
    if (!a.transpose && w[1] > x[0]) kernel_too_large(w[1], x[0]);
    throw shape_failure(
        "the operand has " + std::to_string(x[0]) + " channels, but the filters are for " +
            std::to_string(channels),
        a.transpose
            ? "give the filters of a transposed convolution the operand's channels as their first axis"
            : "give the filters the operand's channels as their second axis");
  }
  if (!a.transpose && a.reduction_rank == 1 && x[0] > 1 && along(a.auto_padding, 0, rank, 0)) {
    const int64_t stride = along(a.strides, 0, rank, 1);
    g.across = (x[0] + stride - 1) / stride;
  }
  // Pixels.
  Shape size = a.output_shape;
  bool given = a.transpose && size.rank() > 0 && !(size.rank() == 1 && size[0] == 0);
  if (given && size.rank() == rank - 1 && a.reduction_rank == 0) size = Shape{1} + size;
  if (given && size.rank() != rank)
    throw value_failure("Convolution input and kernel tensors must have the same rank.",
                        "give output_shape an axis for each axis of the result");
  g.y = Shape{filters < 0 ? filters : filters * g.across};
  Window& v = g.window;
  for (int i = 1; i < rank; ++i) {
    int64_t k = w[i + 1];
    // Filters without channels, along steps of one number: they cover it.
    if (k == kInferred && bare && x[i] == 1) k = w[i + 1] = 1, g.refined = true;
    if (k < 0) kernel_too_large(k, x[i]);
    v.kernel.push_back(k);
    v.stride.push_back(along(a.strides, i, rank, 1));
    v.dilation.push_back(std::max<int64_t>(1, along(a.dilation, i, rank, 1)));
    v.automatic.push_back(along(a.auto_padding, i, rank, 0));
    v.lower.push_back(along(a.lower_pad, i, rank, 0));
    v.upper.push_back(along(a.upper_pad, i, rank, 0));
  }
  for (int i = 1; i < rank; ++i) {
    int64_t k = v.kernel[i - 1], stride = v.stride[i - 1];
    if (!a.transpose) {
      // padding that is given counts, as in ONNX; automatic padding does not, as in CNTK
      const auto at = static_cast<size_t>(i - 1);
      const int64_t padding = v.automatic[at] ? 0 : v.lower[at] + v.upper[at];
      if (x[i] >= 0 && k > x[i] + padding) kernel_too_large(k, x[i]);
      g.y.push_back(x[i] >= 0 ? v.result_size(i - 1, x[i]) : x[i]);
      if (g.y.back() == 0) kernel_too_large(v.reach(i - 1), x[i]);
      continue;
    }
    int64_t padding = v.automatic[i - 1] ? v.reach(i - 1) - 1 : v.lower[i - 1] + v.upper[i - 1];
    int64_t out = given ? size[i] : x[i] >= 0 ? (x[i] - 1) * stride + v.reach(i - 1) - padding : x[i];
    if (out >= 0 && (k > out || (x[i] >= 0 && v.result_size(i - 1, out) != x[i])))
      throw Failure(CANTIK_RUNTIME, "Convolution transpose: the operand has " + std::to_string(x[i]) +
                                        " positions along axis " + std::to_string(i) +
                                        ", but the convolution of a result of " + std::to_string(out) +
                                        " positions gives " +
                                        std::to_string(k > out ? 0 : v.result_size(i - 1, out)));
    g.y.push_back(out);
  }
  if (given && size[0] != filters)
    throw Failure(CANTIK_RUNTIME, "Convolution transpose: output_shape has " + std::to_string(size[0]) +
                                      " channels, but the filters make " + std::to_string(filters));
  g.x = x;
  g.w = w;
  return g;
}

// The type rule of what a convolution runs as: w: [filters, channels / groups, taps...], x: [channels,
// pixels...].
inline void infer_correlation(Infer& in, const Window& window) {
  Shape y = in.shape(1);
  y[0] = in.shape(0)[0];
  for (int i = 1; i < y.rank(); ++i)
    if (y[i] >= 0) y[i] = window.result_size(i - 1, y[i]);
  in.set(in.join(1, 0, y));
}

}  // namespace cantik
