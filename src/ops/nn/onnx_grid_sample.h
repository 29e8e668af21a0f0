// ONNX's GridSample (Jaderberg et al. 2015): pixels at places between pixels, which a grid says, [batch,
// rows, columns, 2]: x and y from -1 to 1; also along one axis, or three.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

#include "ops/onnx_listed.h"
#include "ops/math/half_to_even.h"

namespace cantik::onnx_grid_sample {

// Coordinates along one axis.
struct Along {
  int64_t size;
  bool corners;         // -1 and 1 are the middles of the outermost pixels, otherwise their outer edges
  std::string outside;  // zeros, border, reflection
};

inline Term number(OnnxNode& n, double value, Term like) { return n.constant(value, like); }

// From -1 ... 1 to pixels.
inline Term pixel(OnnxNode& n, const Along& a, Term x) {
  const auto size = static_cast<double>(a.size);
  if (a.corners) return (x + number(n, 1, x)) * number(n, (size - 1) / 2, x);
  return x * number(n, size / 2, x) + number(n, (size - 1) / 2, x);
}

inline Term within(OnnxNode& n, const Along& a, Term x) {
  return n.call("clip", {x, number(n, 0, x), number(n, static_cast<double>(a.size - 1), x)});
}

// Mirrored at the borders as often as it takes.
inline Term reflected(OnnxNode& n, const Along& a, Term x) {
  const double low = a.corners ? 0 : -0.5, span = static_cast<double>(a.size) - (a.corners ? 1 : 0);
  if (span <= 0) return number(n, 0, x) * x;
  const Term two = number(n, 2, x), width = number(n, span, x);
  const Term away = n.call("abs", {x - number(n, low, x)});
  const Term turns = n.call("floor", {n.call("ieee_divide", {away, width})});
  const Term rest = away - turns * width;
  const Term odd = turns - two * n.call("floor", {n.call("ieee_divide", {turns, two})});
  const Term place = n.call("element_select", {odd, width - rest, rest}) + number(n, low, x);
  return within(n, a, place);
}

inline Term brought_in(OnnxNode& n, const Along& a, Term x) {
  return a.outside == "border" ? within(n, a, x) : a.outside == "reflection" ? reflected(n, a, x) : x;
}

// A pixel along an axis and its weight.
using Tap = std::pair<Term, Term>;

// Keys' cubic convolution (1981) with the parameter -3/4, at a distance of at most 1, or of 1 to 2.
inline Term cubic(OnnxNode& n, Term d, bool near) {
  auto c = [&](double v) { return number(n, v, d); };
  if (near) return ((c(1.25) * d - c(2.25)) * d) * d + c(1);
  return ((c(-0.75) * d + c(3.75)) * d - c(6)) * d + c(3);
}

inline std::vector<Tap> taps(OnnxNode& n, const Along& a, const std::string& mode, Term x) {
  std::vector<Tap> list;
  auto add = [&](Term at, Term weight) {
    if (a.outside == "zeros") {
      const Term inside = n.call("equal", {at, within(n, a, at)});
      weight = weight * inside;
    }
    list.emplace_back(within(n, a, at), weight);
  };
  if (mode == "nearest") {
    add(half_to_even(n, brought_in(n, a, x)), n.call("constant_like", {x}, {{"fill", 1.0}}));
    return list;
  }
  if (mode != "cubic") {
    x = brought_in(n, a, x);
    const Term at = n.call("floor", {x}), part = x - at, one = number(n, 1, x);
    add(at, one - part);
    add(at + one, part);
    return list;
  }
  const Term at = n.call("floor", {x}), part = x - at;
  for (int k = -1; k <= 2; ++k) {  // each is brought in by itself, and keeps its weight
    const Term distance = n.call("abs", {part - number(n, k, x)});
    add(brought_in(n, a, at + number(n, k, x)), cubic(n, distance, k == 0 || k == 1));
  }
  return list;
}

inline void read(OnnxNode& n) {
  Term x = n.x(0), grid = n.x(1);
  if (n.lead(x) != n.lead(grid)) x = n.plain(x), grid = n.plain(grid);
  if (n.lead(x) == 0 && n.rank(x) > 0 && n.dims(x)[0] < 0) x = n.rows(x), grid = n.rows(grid);
  const std::vector<int64_t> d = n.dims(x), g = n.dims(grid);
  const size_t axes = d.size() < 3 ? 0 : d.size() - 2;
  if (axes < 1 || axes > 3 || g.size() != d.size() || g.back() != static_cast<int64_t>(axes))
    OnnxNode::refuse("pictures of other than one to three axes are sampled");
  for (size_t i = 1; i < d.size(); ++i)
    if (d[i] < 1 || g[i] < 1) OnnxNode::refuse("it samples pictures whose size only a run knows");
  std::string mode = n.text("mode", "linear");
  if (mode.starts_with("bi")) mode = mode.substr(2);
  const std::string outside = n.text("padding_mode", "zeros");
  const bool corners = n.integer("align_corners") != 0;
  const int lead = n.lead(x);
  const std::vector<int64_t> places(g.begin(), g.end() - 1);  // [batch, ...] of the result
  auto coordinate = [&](int64_t which) {
    const std::vector<int64_t> axis{-1}, begin{which}, end{which + 1};
    return n.reshape(n.call("slice", {grid}, {{"axis", axis}, {"begin_index", begin}, {"end_index", end}}),
                     places);
  };
  // of each axis of the picture its taps; the grid has the last axis first
  std::vector<std::vector<Tap>> along;
  int64_t pixels = 1;
  for (size_t k = 0; k < axes; ++k) {
    const Along a{d[k + 2], corners, outside};
    along.push_back(taps(n, a, mode, pixel(n, a, coordinate(static_cast<int64_t>(axes - 1 - k)))));
    pixels *= d[k + 2];
  }

  // a table of pixels: of each picture, or of all of them one behind the other
  std::vector<int64_t> perm, back, wide{d[0]};
  for (size_t k = 0; k < axes; ++k)
    perm.push_back(static_cast<int64_t>(k) + 2 - lead), wide.push_back(d[k + 2]);
  perm.push_back(1 - lead);
  back.push_back(static_cast<int64_t>(axes) + 1 - lead);
  for (size_t k = 0; k < axes; ++k) back.push_back(static_cast<int64_t>(k) + 1 - lead);
  if (lead == 0) perm.insert(perm.begin(), 0), back.insert(back.begin(), 0);
  wide.push_back(d[1]);
  Term table = n.with_dims(n.call("transpose", {x}, {{"perm", perm}}), wide);
  table = lead == 1 ? n.reshape(table, {d[0], pixels, d[1]}) : n.reshape(table, {d[0] * pixels, d[1]});
  Term first;  // where a picture's pixels begin
  if (lead == 0) {
    std::vector<double> begins;
    for (int64_t i = 0, all = listed({d[0]}); i < all; ++i) begins.push_back(static_cast<double>(i * pixels));
    std::vector<int64_t> column(axes + 1, 1);
    column[0] = d[0];
    first = n.constants(begins, column, x);
  }
  std::vector<int64_t> found_sizes = places, weight_sizes = places;
  found_sizes.push_back(d[1]);
  weight_sizes.push_back(1);
  Term y;
  std::vector<size_t> which(axes, 0);
  for (bool more = true; more;) {
    Term at, weight;
    for (size_t k = 0; k < axes; ++k) {
      const auto& [place, part] = along[k][which[k]];
      at = at ? at * number(n, static_cast<double>(d[k + 2]), at) + place : place;
      weight = weight ? weight * part : part;
    }
    if (first) at = at + first;
    const Term found = n.with_dims(n.call("gather", {table, at}), found_sizes);
    const Term part = found * n.reshape(weight, weight_sizes);
    y = y ? y + part : part;
    size_t k = axes;
    while (k > 0 && ++which[k - 1] == along[k - 1].size()) which[--k] = 0;
    more = k > 0;
  }
  y = n.call("transpose", {n.with_dims(y, found_sizes)}, {{"perm", back}});
  std::vector<int64_t> made{g[0], d[1]};
  made.insert(made.end(), places.begin() + 1, places.end());
  n.result(n.with_dims(y, made));
}

// Where a picture's pixels come from after a turn: theta [batch, axes, axes + 1] times the places of all
// pixels.
inline void affine_grid(OnnxNode& n) {
  const std::vector<int64_t> size = n.sizes(1);
  const size_t axes = size.size() < 4 ? 0 : size.size() - 2;
  if (axes < 2) throw value_failure("the size of a picture has a number, channels, and two axes or three");
  const bool corners = n.integer("align_corners") != 0;
  std::vector<int64_t> shape(size.begin() + 2, size.end());
  const int64_t pixels = listed(shape);
  std::vector<double> places;  // of each pixel: the last axis first, and 1
  for (int64_t p = 0; p < pixels; ++p) {
    std::vector<double> at;
    int64_t rest = p;
    for (size_t k = axes; k-- > 0;) {
      const auto i = static_cast<double>(rest % shape[k]), s = static_cast<double>(shape[k]);
      rest /= shape[k];
      at.push_back(corners ? (shape[k] == 1 ? 0 : 2 * i / (s - 1) - 1) : (2 * i + 1) / s - 1);
    }
    places.insert(places.end(), at.begin(), at.end());
    places.push_back(1);
  }
  const Term theta = n.rows(n.x(0));
  const std::vector<int64_t> d = n.dims(theta), turned{1, 0};
  const auto width = static_cast<int64_t>(axes);
  if (d.size() != 3 || d[1] != width || d[2] != width + 1)
    throw value_failure("the matrices of a grid have other sizes than its pictures have axes");
  Term y = n.call("times", {n.constants(places, {pixels, width + 1}, theta),
                            n.call("transpose", {theta}, {{"perm", turned}})});
  std::vector<int64_t> made{d[0]};
  made.insert(made.end(), shape.begin(), shape.end());
  made.push_back(width);
  n.result(n.reshape(n.with_dims(y, {d[0], pixels, width}), made));
}

}  // namespace cantik::onnx_grid_sample
