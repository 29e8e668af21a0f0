// ONNX's GridSample (Jaderberg et al. 2015): pixels at places between pixels, which a grid says, [batch,
// rows, columns, 2]: x and y from -1 to 1.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

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
  // a place beyond the outer edges is brought to the outermost pixel, one before them stays
  if (a.outside == "border") {
    const double edge = a.corners ? 0 : 0.5;
    const Term kept =
        n.call("clip", {x, number(n, -edge, x), number(n, static_cast<double>(a.size - 1) + edge, x)});
    x = n.call("element_select", {n.call("equal", {kept, x}), x, within(n, a, x)});
  }
  const Term at = n.call("floor", {x}), part = x - at;
  for (int k = -1; k <= 2; ++k) {
    const Term distance = n.call("abs", {part - number(n, k, x)});
    add(brought_in(n, a, at + number(n, k, x)), cubic(n, distance, k == 0 || k == 1));
  }
  return list;
}

inline void read(OnnxNode& n) {
  Term x = n.x(0), grid = n.x(1);
  if (n.lead(x) != n.lead(grid)) x = n.plain(x), grid = n.plain(grid);
  const std::vector<int64_t> d = n.dims(x), g = n.dims(grid);
  if (d.size() != 4 || g.size() != 4) OnnxNode::refuse("pictures of other than two axes are sampled");
  for (size_t i : {1, 2, 3})
    if (d[i] < 1 || g[i] < 1) OnnxNode::refuse("it samples pictures whose size only a run knows");
  std::string mode = n.text("mode", "linear");
  if (mode.starts_with("bi")) mode = mode.substr(2);
  const std::string outside = n.text("padding_mode", "zeros");
  const bool corners = n.integer("align_corners") != 0;
  const int lead = n.lead(x);
  if (lead == 0 && d[0] < 0) OnnxNode::refuse("it samples pictures whose number only a run knows");
  auto coordinate = [&](int64_t which) {
    const std::vector<int64_t> axis{-1}, begin{which}, end{which + 1};
    return n.reshape(n.call("slice", {grid}, {{"axis", axis}, {"begin_index", begin}, {"end_index", end}}),
                     {g[0], g[1], g[2]});
  };
  const Along across{d[3], corners, outside}, down{d[2], corners, outside};
  const std::vector<Tap> columns = taps(n, across, mode, pixel(n, across, coordinate(0)));
  const std::vector<Tap> rows = taps(n, down, mode, pixel(n, down, coordinate(1)));

  // a table of pixels: of each picture, or of all of them one behind the other
  std::vector<int64_t> perm{0, 2, 3, 1}, back{0, 3, 1, 2};
  if (lead == 1) perm = {1, 2, 0}, back = {2, 0, 1};
  Term table = n.with_dims(n.call("transpose", {x}, {{"perm", perm}}), {d[0], d[2], d[3], d[1]});
  const int64_t pixels = d[2] * d[3];
  table = lead == 1 ? n.reshape(table, {d[0], pixels, d[1]}) : n.reshape(table, {d[0] * pixels, d[1]});
  Term first;  // where a picture's pixels begin
  if (lead == 0) {
    std::vector<double> begins;
    for (int64_t i = 0; i < d[0]; ++i) begins.push_back(static_cast<double>(i * pixels));
    first = n.constants(begins, {d[0], 1, 1}, x);
  }
  Term y;
  for (const auto& [row, row_weight] : rows)
    for (const auto& [column, column_weight] : columns) {
      Term at = row * number(n, static_cast<double>(d[3]), row) + column;
      if (first) at = at + first;
      const Term found = n.with_dims(n.call("gather", {table, at}), {g[0], g[1], g[2], d[1]});
      const Term weight = n.reshape(row_weight * column_weight, {g[0], g[1], g[2], 1});
      y = y ? y + found * weight : found * weight;
    }
  y = n.call("transpose", {n.with_dims(y, {g[0], g[1], g[2], d[1]})}, {{"perm", back}});
  n.result(n.with_dims(y, {g[0], d[1], g[1], g[2]}));
}

}  // namespace cantik::onnx_grid_sample
