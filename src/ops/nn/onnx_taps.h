// ONNX's poolings whose windows have gaps, reach beyond the operand or tell places: tap by tap. All windows
// read one part of the padded operand for each tap, with strides, and these parts are joined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <cantik/op.h>

#include "ops/nn/onnx_windows.h"
#include "ops/onnx_listed.h"

namespace cantik::onnx_taps {

using Sizes = std::vector<int64_t>;

// The windows over an operand [batch, channels, pixels...].
struct TapWindows {
  Sizes kernel, strides, dilations, lower;
  Sizes pixels, out;  // -1: as many as only a run knows
  Sizes upper;        // as far as the last window reaches
  Sizes said;         // the padding behind, as the node says it
  bool open = false;  // whether there is such an axis

  TapWindows(const OnnxNode& n, const Sizes& dims)
      : TapWindows(n, dims, onnx_windows::Read(n, dims, n.integers("kernel_shape"))) {}
  TapWindows(const OnnxNode& n, const Sizes& dims, const onnx_windows::Read& v)
      : kernel(v.kernel), strides(v.strides), dilations(v.dilations), lower(v.lower), said(v.upper) {
    for (size_t i = 0; i < kernel.size(); ++i) {
      const int64_t size = dims[i + 2];
      if (size < 0) {
        if (n.integer("ceil_mode") || n.outputs() > 1)
          OnnxNode::refuse("its windows lie on pixels of which only a run knows how many there are");
        pixels.push_back(-1), out.push_back(-1), upper.push_back(v.upper[i]);
        open = true;
        continue;
      }
      const int64_t room = size + lower[i] + v.upper[i] - (kernel[i] - 1) * dilations[i] - 1;
      if (room < 0) throw value_failure("its window is larger than the padded operand");
      int64_t count = room / strides[i] + 1;
      // a window that begins behind the operand is left out
      if (n.integer("ceil_mode") && room % strides[i] != 0 && count * strides[i] < size + lower[i]) ++count;
      pixels.push_back(size);
      out.push_back(count);
      const int64_t reach = (count - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1;
      upper.push_back(std::max<int64_t>(0, reach - size - lower[i]));
    }
    check();
  }
  // How many windows there are, each of a number of taps that can be read one by one.
  void check() const {
    if (listed(kernel) > 4096) OnnxNode::refuse("its windows have far too many taps");
    if (!open) listed(out);
  }
  size_t rank() const { return kernel.size(); }
  // The pixel along an axis that a window reads with a tap; negative, or beyond the pixels, in the padding.
  int64_t pixel(size_t axis, int64_t window, int64_t tap) const {
    return window * strides[axis] + tap * dilations[axis] - lower[axis];
  }
  // f(of each axis the tap), for all taps.
  template <class F>
  void each_tap(F&& f) const {
    Sizes tap(rank(), 0);
    for (;;) {
      f(tap);
      size_t k = rank();
      while (k > 0 && ++tap[k - 1] == kernel[k - 1]) tap[--k] = 0;
      if (k == 0) return;
    }
  }
  // For each window a number: f(window of each axis).
  template <class F>
  std::vector<double> each_window(F&& f) const {
    std::vector<double> list;
    Sizes at(rank(), 0);
    for (;;) {
      list.push_back(f(at));
      size_t k = rank();
      while (k > 0 && ++at[k - 1] == out[k - 1]) at[--k] = 0;
      if (k == 0) return list;
    }
  }
};

// The operand with padding around its pixels.
inline Term padded(OnnxNode& n, Term x, const TapWindows& w, double value) {
  Sizes pattern(static_cast<size_t>(2 * (n.rank(x) - n.lead(x))), 0);
  for (size_t k = 0; k < w.rank(); ++k) {
    pattern[pattern.size() - 2 * (w.rank() - k)] = w.lower[k];
    pattern[pattern.size() - 2 * (w.rank() - k) + 1] = w.upper[k];
  }
  if (std::all_of(pattern.begin(), pattern.end(), [](int64_t p) { return p == 0; })) return x;
  return n.call("pad", {x}, {{"pattern", pattern}, {"mode", int64_t{0}}, {"constant_value", value}});
}

// What all windows read of it with one tap.
inline Term read_by(OnnxNode& n, Term x, const TapWindows& w, const Sizes& tap) {
  Sizes axes, begin, end, step;
  for (size_t k = 0; k < w.rank(); ++k) {
    axes.push_back(static_cast<int64_t>(k) - static_cast<int64_t>(w.rank()));
    begin.push_back(tap[k] * w.dilations[k]);
    // as far before the end as the taps behind this one reach
    end.push_back(w.out[k] < 0 ? -(w.kernel[k] - 1 - tap[k]) * w.dilations[k]
                               : begin[k] + (w.out[k] - 1) * w.strides[k] + 1);
    step.push_back(w.strides[k]);
  }
  return n.call("slice", {x},
                {{"axis", axes}, {"begin_index", begin}, {"end_index", end}, {"strides", step}});
}

inline Term summed(OnnxNode& n, Term x, const TapWindows& w) {
  x = padded(n, x, w, 0);
  Term sum;
  w.each_tap([&](const Sizes& tap) {
    const Term part = read_by(n, x, w, tap);
    sum = sum ? sum + part : part;
  });
  return sum;
}

inline Sizes result_sizes(const Sizes& dims, const TapWindows& w) {
  Sizes made(dims.begin(), dims.begin() + 2);
  made.insert(made.end(), w.out.begin(), w.out.end());
  return made;
}

// How many numbers each window has, of pixels, or of their padding, too.
inline Term counted(OnnxNode& n, Term x, Term sum, const TapWindows& w) {
  const bool with_padding = n.integer("count_include_pad") != 0;
  if (w.open)
    return with_padding ? n.constant(static_cast<double>(listed(w.kernel)), sum)
                        : summed(n, n.call("constant_like", {x}, {{"fill", 1.0}}), w);
  const std::vector<double> counts = w.each_window([&](const Sizes& at) {
    double count = 1;
    for (size_t k = 0; k < w.rank(); ++k) {
      const int64_t least = with_padding ? -w.lower[k] : 0,
                    most = w.pixels[k] + (with_padding ? w.said[k] : 0);
      int64_t inside = 0;
      for (int64_t t = 0; t < w.kernel[k]; ++t) {
        const int64_t p = w.pixel(k, at[k], t);
        inside += p >= least && p < most;
      }
      count *= static_cast<double>(inside);
    }
    return count > 0 ? count : 1;
  });
  Sizes shape{1};
  shape.insert(shape.end(), w.out.begin(), w.out.end());
  return n.constants(counts, shape, sum);
}

inline void average(OnnxNode& n) {
  const Term x = n.rows(n.x());
  const Sizes dims = n.dims(x);
  const TapWindows w(n, dims);
  const Term sum = summed(n, x, w);
  n.result(n.with_dims(n.call("ieee_divide", {sum, counted(n, x, sum, w)}), result_sizes(dims, w)));
}

// The norm of each window: (sum |x|^p)^(1 / p).
inline void norm(OnnxNode& n) {
  const Term x = n.rows(n.x());
  const Sizes dims = n.dims(x);
  const TapWindows w(n, dims);
  const double p = n.real("p", static_cast<double>(n.integer("p", 2)));
  const Term size = n.call("abs", {x});
  const Term sum = summed(n, p == 1 ? size : n.call("ieee_pow", {size, n.constant(p, x)}), w);
  n.result(
      n.with_dims(p == 1 ? sum : n.call("ieee_pow", {sum, n.constant(1 / p, x)}), result_sizes(dims, w)));
}

// For each picture [batch, channels, 1...] the place of its first pixel among all of them. A batch of which
// only a run knows how many there are is counted there.
inline Term picture_begins(OnnxNode& n, Term like, const Sizes& dims, int64_t pixels) {
  Sizes each(dims.size(), 1);
  each[0] = dims[0], each[1] = dims[1];
  if (dims[0] >= 0 && dims[1] >= 0) {
    std::vector<double> first;
    for (int64_t i = 0, all = listed({dims[0], dims[1]}); i < all; ++i)
      first.push_back(static_cast<double>(i * pixels));
    return n.constants(first, each, like);
  }
  Sizes axes, begin, end;
  for (size_t k = 2; k < dims.size(); ++k)
    axes.push_back(static_cast<int64_t>(k)), begin.push_back(0), end.push_back(1);
  Term one = n.call("slice", {like}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}});
  one = n.call("constant_like", {one}, {{"fill", static_cast<double>(pixels)}});
  one = n.call(
      "reshape", {one},
      {{"shape", Shape{kInferred}}, {"begin_axis", 0}, {"end_axis", static_cast<int64_t>(dims.size())}});
  return n.reshape(n.call("cumsum", {one}, {{"axis", 0}}) - one, each);
}

// The largest number of each window, and where it is: its place among all numbers of the operand.
inline void largest(OnnxNode& n) {
  const bool tells_places = n.outputs() > 1;
  const Term x = tells_places ? n.plain(n.x()) : n.rows(n.x());
  const Sizes dims = n.dims(x);
  const TapWindows w(n, dims);
  const Term wide = padded(n, x, w, std::numeric_limits<float>::lowest());
  const bool columns_first = n.integer("storage_order") != 0;
  Sizes step(w.rank(), 1);
  int64_t pixels = 1;
  for (size_t i = 0; i < w.rank(); ++i) {
    const size_t k = columns_first ? i : w.rank() - 1 - i;
    step[k] = pixels;
    pixels *= w.pixels[k];
  }
  Sizes shape{1};
  shape.insert(shape.end(), w.out.begin(), w.out.end());
  Term best, place;
  w.each_tap([&](const Sizes& tap) {
    const Term part = read_by(n, wide, w, tap);
    Term at;
    if (tells_places) {
      const std::vector<double> numbers = w.each_window([&](const Sizes& window) {
        int64_t sum = 0;
        for (size_t k = 0; k < w.rank(); ++k) sum += w.pixel(k, window[k], tap[k]) * step[k];
        return static_cast<double>(sum);
      });
      at = n.constants(numbers, shape, part);
    }
    if (!best) {
      best = part, place = at;
      return;
    }
    if (tells_places) place = n.call("element_select", {n.call("greater", {part, best}), at, place});
    best = n.call("element_max", {best, part});
  });
  const Sizes made = result_sizes(dims, w);
  n.result(0, n.with_dims(best, made));
  if (!tells_places) return;
  n.result(1, n.with_dims(place + picture_begins(n, best, dims, pixels), made));
  n.result_type(1, OnnxGraph::kInt64);
}

// Whether a pooling has to be read tap by tap.
inline bool needed(const OnnxNode& n, const Sizes& dims, const onnx_windows::Read& v) {
  if (n.outputs() > 1) return true;
  for (size_t i = 0; i < v.kernel.size(); ++i) {
    if (v.dilations[i] != 1) return true;
    if (dims[i + 2] < 0) continue;
    if (v.kernel[i] > dims[i + 2]) return true;
    if (!n.integer("ceil_mode")) continue;
    const int64_t room = dims[i + 2] + v.lower[i] + v.upper[i] - v.kernel[i];
    // numbers behind the padding do not count
    if (room % v.strides[i] != 0 && n.integer("count_include_pad")) return true;
    if ((room + v.strides[i] - 1) / v.strides[i] * v.strides[i] >= dims[i + 2] + v.lower[i]) return true;
  }
  return false;
}

}  // namespace cantik::onnx_taps
