// Resizing along axes whose sizes only a run knows, from whole arrays.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/op.h>

#include "onnx/computed.h"
#include "onnx/computed/arrays.h"
#include "ops/nn/onnx_resize.h"

namespace cantik::onnx {
namespace {

using onnx_resize::AskedSizes;
using onnx_resize::Mixing;
using onnx_resize::PixelLine;

// One axis: of each place of the result the places that it is mixed of, with their weights. Without any, it
// lies outside of a crop.
struct ResizedAxis {
  size_t axis = 0;
  int64_t size = 0;  // before
  std::vector<std::vector<std::pair<int64_t, double>>> taps;
};

ResizedAxis resized_axis(const Mixing& m, const PixelLine& a, size_t axis) {
  ResizedAxis line{axis, a.size, {}};
  line.taps.resize(static_cast<size_t>(a.made));
  if (m.mode == "nearest") {
    const std::vector<int64_t> places = onnx_resize::picked(m, a);
    for (size_t i = 0; i < places.size(); ++i) line.taps[i] = {{places[i], 1.0}};
  } else {
    const std::vector<double> weights = onnx_resize::weights_of(m, a);
    for (int64_t k = 0; k < a.size; ++k)
      for (int64_t i = 0; i < a.made; ++i)
        if (const double w = weights[k * a.made + i]; w != 0) line.taps[i].emplace_back(k, w);
  }
  const std::vector<double> inside = onnx_resize::inside(m, a);
  for (size_t i = 0; i < inside.size(); ++i)
    if (inside[i] == 0) line.taps[i].clear();
  return line;
}

// x mixed along the axis, or, where `back`, the gradient of what was mixed.
Array mixed(const Array& x, const ResizedAxis& line, bool back) {
  const auto made = static_cast<int64_t>(line.taps.size());
  ArrayDims dims = x.dims;
  dims[line.axis] = back ? line.size : made;
  Array y = sized(dims);
  const int64_t inner = x.product(line.axis + 1, dims.size());
  for (int64_t o = 0, outer = x.product(0, line.axis); o < outer; ++o)
    for (int64_t i = 0; i < made; ++i)
      for (const auto& [place, weight] : line.taps[i]) {
        const int64_t wide = (o * made + i) * inner, narrow = (o * line.size + place) * inner;
        const double* from = x.numbers.data() + (back ? wide : narrow);
        double* to = y.numbers.data() + (back ? narrow : wide);
        for (int64_t j = 0; j < inner; ++j) to[j] += weight * from[j];
      }
  return y;
}

void fill_outside(Array& y, const std::vector<ResizedAxis>& lines, double value) {
  for (const ResizedAxis& line : lines) {
    const int64_t outer = y.product(0, line.axis), inner = y.product(line.axis + 1, y.dims.size()),
                  made = y.dims[line.axis];
    for (int64_t i = 0; i < made; ++i)
      for (int64_t o = 0; line.taps[i].empty() && o < outer; ++o)
        std::fill_n(y.numbers.data() + (o * made + i) * inner, inner, value);
  }
}

Computed resize(const ComputedNode& n) {
  const Mixing m{n.text("mode", "nearest"),
                 n.text("coordinate_transformation_mode", "half_pixel"),
                 n.text("nearest_mode", "round_prefer_floor"),
                 n.real("cubic_coeff_a", -0.75),
                 n.integer("antialias", 0) != 0,
                 n.integer("exclude_outside", 0) != 0};
  const std::string policy = n.text("keep_aspect_ratio_policy", "stretch");
  const std::vector<int64_t> axes = n.integers("axes");
  const double otherwise = n.real("extrapolation_value", 0);
  auto lines_for = [=](const std::vector<Array>& in) {
    AskedSizes asked;
    asked.axes = axes;
    asked.policy = policy;
    if (in.size() > 2) asked.scales = in[2].numbers;
    if (asked.scales.empty() && in.size() > 3) asked.sizes = whole(in[3]);
    if (m.place == "tf_crop_and_resize" && in.size() > 1) asked.part = in[1].numbers;
    std::vector<ResizedAxis> lines;
    try {
      const std::vector<PixelLine> all = onnx_resize::lines_of(in[0].dims, asked);
      for (size_t k = 0; k < all.size(); ++k) {
        if (!onnx_resize::is_changed(m, all[k])) continue;
        if (all[k].made < 1 || all[k].size < 1) throw value_error("nothing is left of an axis");
        lines.push_back(resized_axis(m, all[k], k));
      }
    } catch (const Failure& e) {
      throw value_error(e.what());
    }
    return lines;
  };
  Computed c;
  c.results = {{ArrayDims(n.dims.at(0).size(), -1), n.elements[0]}};
  c.run = [=](const std::vector<Array>& in) {
    const std::vector<ResizedAxis> lines = lines_for(in);
    Array y = in[0];
    for (const ResizedAxis& line : lines) y = mixed(y, line, false);
    fill_outside(y, lines, otherwise);
    return std::vector<Array>{y};
  };
  c.gradient = [=](const std::vector<Array>& in, const std::vector<Array>& dy) {
    const std::vector<ResizedAxis> lines = lines_for(in);
    std::vector<Array> dx(in.size());
    dx[0] = dy[0];
    fill_outside(dx[0], lines, 0);
    for (size_t k = lines.size(); k-- > 0;) dx[0] = mixed(dx[0], lines[k], true);
    return dx;
  };
  if (!m.smooth) c.written.left_out.push_back("antialias");
  if (policy == "stretch") c.written.left_out.push_back("keep_aspect_ratio_policy");
  const bool is_new = m.smooth || policy != "stretch" || !axes.empty();
  c.written.since = m.place == "half_pixel_symmetric" ? 19 : is_new ? 18 : 13;
  return c;
}

constexpr ComputedRule kResizeRules[] = {{"Resize", "*?111", resize, 0b1110, 0, kAllSets}};

}  // namespace

std::span<const ComputedRule> computed_resize() { return kResizeRules; }

}  // namespace cantik::onnx
