// ONNX's convolutions, Conv and ConvTranspose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

#include "ops/nn/onnx_windows.h"

namespace cantik::onnx_convolution {

// x : [batch, channels, pixels...], w : [filters, channels / groups, taps...], bias: none, or [filters].
inline Term convolve(OnnxNode& n, Term x, Term w, Term bias) {
  const bool transpose = n.name() == "ConvTranspose";
  x = n.rows(x);
  w = n.plain(w);
  std::vector<int64_t> dims = n.dims(x), filters = n.dims(w);
  if (filters.size() < 3 || filters.size() != dims.size())
    OnnxNode::refuse("its operand has " + std::to_string(dims.size()) + " axes, and its filters " +
                     std::to_string(filters.size()));
  const std::vector<int64_t> taps(filters.begin() + 2, filters.end());
  onnx_windows::Read v(n, dims, taps);
  const int64_t groups = n.integer("group", 1);
  Shape output;
  std::vector<int64_t> behind(taps.size(), 0);  // places beyond the padding
  if (transpose) {
    std::vector<int64_t> more = n.integers("output_padding"), asked = n.integers("output_shape");
    more.resize(taps.size(), 0);
    const std::string automatic = n.text("auto_pad", "NOTSET");
    output = Shape{filters[1] * groups};
    // More places behind are places of the padding that stay.
    if (std::any_of(dims.begin() + 2, dims.end(), [](int64_t d) { return d < 0; }))
      for (size_t i = 0; i < taps.size(); ++i) {
        const int64_t kept = std::min(more[i], v.upper[i]);
        v.upper[i] -= kept;
        behind[i] = std::exchange(more[i], 0) - kept;
      }
    for (size_t i = 0; i < taps.size(); ++i) {
      const int64_t size = dims[i + 2], reach = (taps[i] - 1) * v.dilations[i] + 1;
      if (size < 0) {
        if (more[i] || !asked.empty() || automatic.starts_with("SAME"))
          OnnxNode::refuse("its result has a size that only a run knows");
        output = {};
        break;
      }
      const int64_t all = (size - 1) * v.strides[i] + more[i] + reach;
      if (!asked.empty() || automatic.starts_with("SAME")) {
        const int64_t wanted = asked.empty() ? size * v.strides[i] : asked[asked.size() - taps.size() + i];
        const int64_t total = std::max<int64_t>(0, all - wanted);
        v.lower[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        v.upper[i] = total - v.lower[i];
        output.push_back(wanted);
        continue;
      }
      output.push_back(all - v.lower[i] - v.upper[i]);
    }
  }
  auto with_channel = [](std::vector<int64_t> list, int64_t first) {
    list.insert(list.begin(), first);
    return list;
  };
  const std::vector<int64_t> none{0}, lower = with_channel(v.lower, 0), upper = with_channel(v.upper, 0),
                                      strides = with_channel(v.strides, 1),
                                      dilation = with_channel(v.dilations, 1);
  Term y = n.call("convolution", {w, x},
                  {{"strides", strides},
                   {"auto_padding", none},
                   {"dilation", dilation},
                   {"groups", groups},
                   {"lower_pad", lower},
                   {"upper_pad", upper},
                   {"transpose", transpose},
                   {"output_shape", output}});
  if (std::any_of(behind.begin(), behind.end(), [](int64_t p) { return p > 0; })) {
    std::vector<int64_t> pattern{0, 0};
    for (int64_t p : behind) pattern.insert(pattern.end(), {0, p});
    y = n.call("pad", {y}, {{"pattern", pattern}, {"mode", int64_t{0}}});
  }
  if (!bias) return y;
  std::vector<int64_t> column(taps.size() + 1, 1);
  column[0] = transpose ? filters[1] * groups : filters[0];
  return y + n.reshape(bias, column);
}

// The node's operand, filters and bias.
inline void read(OnnxNode& n) { n.result(convolve(n, n.x(0), n.x(1), n.has(2) ? n.x(2) : Term())); }

}  // namespace cantik::onnx_convolution
