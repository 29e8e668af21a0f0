// ONNX's resizing, axis by axis: pixels are repeated, picked, or mixed by a product with a table of weights,
// [size before, size behind], whose columns say of what a pixel of the result is made.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

namespace cantik::onnx_resize {

constexpr int64_t kMostWeights = int64_t{1} << 26;  // of one table

// How pixels are chosen and mixed.
struct Mixing {
  std::string mode, place, rounding;
  double cubic = -0.75;
  bool smooth = false;  // where pixels become fewer, all of them count
  bool exclude =
      false;  // pixels outside of the operand have no weight; otherwise the nearest inside is taken
};

// One axis.
struct PixelLine {
  int64_t size = 0, made = 0;
  double scale = 1, begin = 0, end = 1;  // the part of the operand that is taken, where `place` crops
};

// Where a pixel of the result lies in the operand.
template <class Float = double>
Float position(const PixelLine& a, const std::string& place, int64_t i) {
  const auto x = static_cast<Float>(i), size = static_cast<Float>(a.size), made = static_cast<Float>(a.made),
             scale = static_cast<Float>(a.scale), half = static_cast<Float>(0.5);
  const Float exact = scale * size;  // the size before it was rounded
  if (place == "half_pixel") return (x + half) / scale - half;
  if (place == "half_pixel_symmetric") {
    const Float offset = size / 2 * (1 - made / exact);
    return offset + (x + half) / scale - half;
  }
  if (place == "pytorch_half_pixel") return a.made > 1 ? (x + half) / scale - half : 0;
  // the outermost pixels lie upon one another, as in PyTorch and ONNX Runtime: of the size that is made
  if (place == "align_corners") return a.made > 1 ? x * (size - 1) / (made - 1) : 0;
  if (place == "asymmetric") return x / scale;
  if (place == "tf_half_pixel_for_nn") return (x + half) / scale;
  if (place == "tf_crop_and_resize") {
    const auto begin = static_cast<Float>(a.begin), end = static_cast<Float>(a.end);
    return a.made > 1 ? begin * (size - 1) + x * (end - begin) * (size - 1) / (made - 1)
                      : (begin + end) * (size - 1) / 2;
  }
  OnnxNode::refuse("the places " + place + " of a resizing are not known");
}

inline double nearest(double x, const std::string& rounding) {
  const double below = std::floor(x);
  if (rounding == "floor") return below;
  if (rounding == "ceil") return std::ceil(x);
  if (rounding == "round_prefer_floor") return x - below <= 0.5 ? below : below + 1;
  if (rounding == "round_prefer_ceil") return x - below < 0.5 ? below : below + 1;
  OnnxNode::refuse("the rounding " + rounding + " of a resizing is not known");
}

// The weight of a pixel at a distance: a triangle, or Keys' cubic convolution (1981).
inline double weight_at(const Mixing& m, double distance) {
  const double x = std::abs(distance), a = m.cubic;
  if (m.mode == "linear") return std::max(0.0, 1 - x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Places and weights of the pixels that a pixel at x is mixed of.
inline std::vector<std::pair<int64_t, double>> taps(const Mixing& m, double x, double scale) {
  if (m.mode != "linear" && m.mode != "cubic") OnnxNode::refuse("the mode " + m.mode + " is not known");
  const double shrink = m.smooth ? std::min(scale, 1.0) : 1.0, reach = (m.mode == "linear" ? 1 : 2) / shrink;
  std::vector<std::pair<int64_t, double>> list;
  double total = 0;
  for (auto i = static_cast<int64_t>(std::floor(x - reach)); i <= static_cast<int64_t>(std::ceil(x + reach));
       ++i) {
    const double w = weight_at(m, (static_cast<double>(i) - x) * shrink);
    if (w != 0) list.emplace_back(i, w), total += w;
  }
  if (shrink < 1)
    for (auto& tap : list) tap.second /= total;
  return list;
}

// For each pixel of the result 1 where it lies in the operand, 0 where a crop goes beyond.
inline std::vector<double> inside(const Mixing& m, const PixelLine& a) {
  std::vector<double> list(static_cast<size_t>(a.made), 1.0);
  for (int64_t i = 0; m.place == "tf_crop_and_resize" && i < a.made; ++i) {
    const double x = position(a, m.place, i);
    if (x < 0 || x > static_cast<double>(a.size - 1)) list[i] = 0;
  }
  return list;
}

// The pixel that each pixel of the result is. Places are float32 as ONNX's scales are: 5.5 / float(11 / 6) is
// 3, which is 2.99999995 in double, another pixel.
inline std::vector<int64_t> picked(const Mixing& m, const PixelLine& a) {
  std::vector<int64_t> list;
  for (int64_t i = 0; i < a.made; ++i) {
    const double at = nearest(position<float>(a, m.place, i), m.rounding);
    list.push_back(std::clamp<int64_t>(static_cast<int64_t>(at), 0, a.size - 1));
  }
  return list;
}

// The table of one axis.
inline std::vector<double> weights_of(const Mixing& m, const PixelLine& a) {
  if (a.size * a.made > kMostWeights)
    OnnxNode::refuse("an axis of " + std::to_string(a.size) + " pixels becomes one of " +
                     std::to_string(a.made));
  std::vector<double> weights(static_cast<size_t>(a.size * a.made), 0.0);
  for (int64_t i = 0; i < a.made; ++i) {
    auto weight = [&](int64_t k) -> double& {
      return weights[std::clamp<int64_t>(k, 0, a.size - 1) * a.made + i];
    };
    double total = 0;
    for (const auto& [at, w] : taps(m, position(a, m.place, i), a.scale)) {
      if (m.exclude && (at < 0 || at >= a.size)) continue;
      total += w;
      weight(at) += w;
    }
    for (int64_t k = 0; m.exclude && total != 0 && k < a.size; ++k) weight(k) /= total;
  }
  return weights;
}

inline bool is_changed(const Mixing& m, const PixelLine& a) {
  return a.scale != 1 || (m.place == "tf_crop_and_resize" && (a.begin != 0 || a.end != 1));
}

// What is asked of axes, each list in their order: scales, or sizes behind.
struct AskedSizes {
  std::vector<int64_t> axes;
  std::vector<double> scales;
  std::vector<int64_t> sizes;
  std::string policy = "stretch";  // what keeps the ratio of sizes
  std::vector<double> part;        // where a crop begins on each axis, then where it ends
};

// Each axis, by ONNX's count: from its scale or its size behind.
inline std::vector<PixelLine> lines_of(const std::vector<int64_t>& dims, AskedSizes asked) {
  const int rank = static_cast<int>(dims.size());
  std::vector<PixelLine> lines;
  for (int64_t d : dims) lines.push_back({d, d});
  std::vector<int64_t>& axes = asked.axes;
  if (axes.empty())
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  for (int64_t& a : axes) a = OnnxNode::axis_of(a, rank);
  auto line = [&](size_t k) -> PixelLine& { return lines[axes[k]]; };
  const std::vector<double>& scales = asked.scales;
  const std::vector<int64_t>& sizes = asked.sizes;
  if (!scales.empty()) {
    if (scales.size() != axes.size()) throw value_failure("a resizing needs a scale for each of its axes");
    for (size_t k = 0; k < scales.size(); ++k) {
      if (!(scales[k] > 0)) throw value_failure("a scale is " + std::to_string(scales[k]));
      PixelLine& a = line(k);
      a.scale = scales[k];
      // ONNX's scales are float32, and so is their product: five times 1.8, which is less than that, is nine.
      if (a.scale != 1)
        a.made = static_cast<int64_t>(std::floor(static_cast<float>(a.size) * static_cast<float>(a.scale)));
    }
  } else if (!sizes.empty()) {
    if (sizes.size() != axes.size()) throw value_failure("a resizing needs a size for each of its axes");
    double all = asked.policy == "not_larger" ? INFINITY : 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      PixelLine& a = line(k);
      if (sizes[k] == a.size && asked.policy == "stretch") continue;
      if (sizes[k] < 0 || a.size <= 0) OnnxNode::refuse("its sizes are known in a run only");
      a.made = sizes[k];
      a.scale = static_cast<double>(a.made) / static_cast<double>(a.size);
      all = asked.policy == "not_larger" ? std::min(all, a.scale) : std::max(all, a.scale);
    }
    if (asked.policy != "stretch")
      for (size_t k = 0; k < sizes.size(); ++k) {
        PixelLine& a = line(k);
        a.scale = all;
        a.made = static_cast<int64_t>(std::floor(all * static_cast<double>(a.size) + 0.5));
      }
  } else {
    throw value_failure("a resizing needs scales or sizes");
  }
  if (!asked.part.empty()) {
    if (asked.part.size() != 2 * axes.size())
      throw value_failure("a resizing needs a part for each of its axes");
    for (size_t k = 0; k < axes.size(); ++k)
      line(k).begin = asked.part[k], line(k).end = asked.part[axes.size() + k];
  }
  return lines;
}

// The same from a node whose inputs are known.
inline std::vector<PixelLine> lines_of(OnnxNode& n, const std::vector<int64_t>& dims) {
  AskedSizes asked;
  asked.axes = n.integers("axes");
  if (n.has(2)) asked.scales = n.numbers(2);
  if (asked.scales.empty() && n.has(3)) asked.sizes = n.sizes(3);
  asked.policy = n.text("keep_aspect_ratio_policy", "stretch");
  if (n.has(1) && n.text("coordinate_transformation_mode", "") == "tf_crop_and_resize")
    asked.part = n.numbers(1);
  return lines_of(dims, asked);
}

// The static axis `axis` of x moves to the place `to`, the others keep their order.
inline Term moved(OnnxNode& n, Term x, int axis, int to) {
  if (axis == to) return x;
  std::vector<int64_t> perm;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (i != axis) perm.push_back(i);
  perm.insert(perm.begin() + to, axis);
  return n.call("transpose", {x}, {{"perm", perm}});
}

// Each pixel along the axis `axis` of ONNX's `times` times.
inline Term repeated(OnnxNode& n, Term x, size_t axis, int64_t times) {
  std::vector<int64_t> split = n.dims(x), ones(split.size() - axis, 1), made = split;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  x = n.reshape(x, split);
  ones[0] = split[axis + 1] = times;
  x = n.with_dims(x * n.constants(std::vector<double>(static_cast<size_t>(times), 1.0), ones, x), split);
  made[axis] = made[axis] < 0 ? -1 : made[axis] * times;
  return n.reshape(x, made);
}

// Whether each pixel becomes so many equal ones, whatever the axis' size.
inline bool makes_blocks(const Mixing& m, double scale) {
  if (m.mode != "nearest" || scale < 1 || scale != std::floor(scale) || scale > 1024) return false;
  if (m.place == "asymmetric")
    return m.rounding == "floor" || (m.rounding == "round_prefer_floor" && scale == 2);
  return m.place.ends_with("half_pixel") && m.rounding == "round_prefer_floor";
}

// One axis of ONNX's, resized.
inline Term resized(OnnxNode& n, Term x, size_t axis, const Mixing& m, const PixelLine& a) {
  const int at = static_cast<int>(axis) - n.lead(x), rank = x.shape().rank();
  if (m.mode != "nearest") {
    x = n.call("times", {moved(n, x, at, rank - 1), n.constants(weights_of(m, a), {a.size, a.made}, x)});
    return moved(n, x, rank - 1, at);
  }
  if (makes_blocks(m, a.scale)) return repeated(n, x, axis, static_cast<int64_t>(a.scale));
  const std::vector<int64_t> places = picked(m, a);
  const std::vector<double> numbers(places.begin(), places.end());
  return moved(n, n.call("gather", {moved(n, x, at, 0), n.constants(numbers, {a.made}, x)}), 0, at);
}

inline void read(OnnxNode& n) {
  Term x = n.x();
  std::vector<int64_t> dims = n.dims(x);
  const Mixing m{n.text("mode", "nearest"),
                 n.text("coordinate_transformation_mode", "half_pixel"),
                 n.text("nearest_mode", "round_prefer_floor"),
                 n.real("cubic_coeff_a", -0.75),
                 n.integer("antialias") != 0,
                 n.integer("exclude_outside") != 0};
  const std::vector<PixelLine> lines = lines_of(n, dims);
  auto changes = [&](const PixelLine& a) { return is_changed(m, a); };
  for (int i = 0; i < n.lead(x); ++i)
    if (changes(lines[i])) x = n.plain(x);
  Term within;  // 1 where all axes lie in the operand
  for (size_t i = 0; i < dims.size(); ++i) {
    const PixelLine& a = lines[i];
    if (!changes(a)) continue;
    if (a.size < 0) {
      if (!makes_blocks(m, a.scale)) OnnxNode::refuse("it changes an axis whose size only a run knows");
      x = resized(n, x, i, m, a);
      dims = n.dims(x);
      continue;
    }
    if (a.made < 1) OnnxNode::refuse("nothing is left of an axis");
    dims[i] = a.made;
    x = n.with_dims(resized(n, x, i, m, a), dims);
    const std::vector<double> here = inside(m, a);
    if (std::find(here.begin(), here.end(), 0.0) == here.end()) continue;
    std::vector<int64_t> column(dims.size() - i, 1);
    column[0] = a.made;
    const Term factor = n.constants(here, column, x);
    within = within ? within * factor : factor;
  }
  const Term otherwise = n.constant(n.real("extrapolation_value", 0), x);
  if (within) x = n.call("element_select", {within, x, otherwise});
  n.result(n.with_dims(x, dims));
}

}  // namespace cantik::onnx_resize
