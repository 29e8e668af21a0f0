// Windows of convolutions and pooling in ONNX's files: images are [batch, channels, pixels...] there, and
// padding is a number before and behind each axis of pixels.
#pragma once

#include <cantik/op.h>
#include <cantik/op/window.h>

namespace cantik::onnx_windows {

// ---- writing

// Operand i with exactly one axis before its static ones; `unfolded` is the way back.
inline OnnxValue folded(OnnxGraph& g, int i) {
  if (g.lead(i) == 1) return g.x(i);
  if (g.lead(i) == 0) return g.unsqueeze(g.x(i), {0});
  std::vector<int64_t> dims{-1};
  for (int64_t d : g.shape(i)) {
    if (d < 0) throw Failure(CANTIK_UNSUPPORTED, "the steps of a sequence are images of free sizes");
    dims.push_back(d);
  }
  return g.node("Reshape", {g.x(i), g.integers(dims)});
}
inline OnnxValue unfolded(OnnxGraph& g, OnnxValue y, int i) {
  if (g.lead(i) == 1) return y;
  if (g.lead(i) == 0) return g.squeeze(y, {0});
  OnnxValue dims = g.node("Slice", {g.node("Shape", {g.x(i)}), g.integers({0}), g.integers({2})});
  const Shape made = g.out().shape;
  const std::vector<int64_t> statics(made.begin(), made.end());
  return g.node("Reshape", {y, g.node("Concat", {dims, g.integers(statics)}, {{"axis", 0}})});
}

struct Pads {
  std::vector<int64_t> both;  // all before, then all behind
};
// The padding of a window over pixels of these sizes, of which some may be free.
inline Pads padding(const Window& w, const Shape& pixels) {
  std::vector<int64_t> lower, upper;
  for (int i = 0; i < w.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (!w.automatic[at]) {
      lower.push_back(w.lower[at]);
      upper.push_back(w.upper[at]);
      continue;
    }
    int64_t size = pixels[i];
    // with steps of one the padding is the same for all sizes
    if (size < 0 && w.stride[at] == 1) size = 4 * w.reach(i);
    if (size < 0)
      throw Failure(CANTIK_UNSUPPORTED,
                    "padding that follows from a size is asked for, and the size is free");
    const int64_t before = w.padding(i, size);
    const int64_t needed = (w.result_size(i, size) - 1) * w.stride[at] + w.reach(i) - size - before;
    if (needed <= -w.stride[at] || before < 0)
      throw Failure(CANTIK_UNSUPPORTED, "pixels at the edge take no part, which ONNX cannot say");
    lower.push_back(before);
    upper.push_back(std::max<int64_t>(needed, 0));
  }
  lower.insert(lower.end(), upper.begin(), upper.end());
  return {lower};
}

// ---- reading

// The attributes of a node, for so many axes of pixels.
struct Read {
  std::vector<int64_t> kernel, strides, dilations, lower, upper;
  // `dims`: of the operand, [batch, channels, pixels...]. What auto_pad asks for is found.
  Read(const OnnxNode& n, const std::vector<int64_t>& dims, std::vector<int64_t> taps, bool ceil = false)
      : kernel(std::move(taps)) {
    const size_t rank = dims.size() < 2 ? 0 : dims.size() - 2;
    auto list = [&](const char* name) {
      std::vector<int64_t> v = n.integers(name);
      if (v.empty()) v.assign(rank, 1);
      if (v.size() != rank)
        throw value_failure(std::string(name) + " has another length than there are axes of pixels");
      return v;
    };
    if (kernel.size() != rank || rank == 0 || rank > 3)
      OnnxNode::refuse("its operand has " + std::to_string(rank) + " axes of pixels, and its window " +
                       std::to_string(kernel.size()));
    strides = list("strides");
    dilations = list("dilations");
    std::vector<int64_t> pads = n.integers("pads");
    if (pads.empty()) pads.assign(2 * rank, 0);
    if (pads.size() != 2 * rank) throw value_failure("pads has another length than there are axes of pixels");
    for (size_t i = 0; i < rank; ++i)
      if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1 || kernel[i] > 1 << 20 ||
          dilations[i] > 1 << 20)
        throw value_failure("a window, its strides and its dilations must be positive");
    lower.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    upper.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
    const std::string automatic = n.text("auto_pad", "NOTSET");
    if (automatic == "VALID") lower.assign(rank, 0), upper.assign(rank, 0);
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") return;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t size = dims[i + 2], reach = (kernel[i] - 1) * dilations[i] + 1;
      if (size < 0 && strides[i] != 1)
        OnnxNode::refuse("its padding follows from a size that only a run knows");
      const int64_t out = size < 0 ? 0 : (size + strides[i] - 1) / strides[i];
      const int64_t total =
          size < 0 ? reach - 1 : std::max<int64_t>(0, (out - 1) * strides[i] + reach - size);
      lower[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      upper[i] = total - lower[i];
    }
    static_cast<void>(ceil);
  }
};

}  // namespace cantik::onnx_windows
