// Lookups, largest numbers, edges that go on and resizing of values whose sizes only a run knows, from whole
// arrays. Where the sizes are numbers, operators of ours read these nodes.
#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/computed/arrays.h"

namespace cantik::onnx {
namespace {

using Places = std::vector<int64_t>;

int64_t place_in(double index, int64_t size) {
  const int64_t i = whole(index), at = i < 0 ? i + size : i;
  if (at < 0 || at >= size) throw value_error(cat("the index ", i, " is outside of an axis of ", size));
  return at;
}

// ---- lookups along an axis

// For each number of the indices the place in an array of these sizes that it stands for.
Places places_along(const ArrayDims& dims, const Array& indices, size_t axis) {
  bool fits = indices.dims.size() == dims.size();
  for (size_t k = 0; fits && k < dims.size(); ++k) fits = k == axis || indices.dims[k] <= dims[k];
  if (!fits)
    throw value_error(
        cat("indices of the shape ", Shape(indices.dims).text(), " do not fit to ", Shape(dims).text()));
  Places places;
  Places at(dims.size(), 0);
  for (double index : indices.numbers) {
    int64_t place = 0;
    for (size_t k = 0; k < dims.size(); ++k)
      place = place * dims[k] + (k == axis ? place_in(index, dims[k]) : at[k]);
    places.push_back(place);
    for (size_t k = dims.size(); k-- > 0 && ++at[k] == indices.dims[k];) at[k] = 0;
  }
  return places;
}

Computed gather_elements(const ComputedNode& n) {
  const size_t axis = axis_in(n.dims.at(0), n.integer("axis", 0));
  return {{{n.dims[1], n.elements[0]}}, [axis](const std::vector<Array>& in) {
            Array y = sized(in[1].dims);
            const Places places = places_along(in[0].dims, in[1], axis);
            for (size_t i = 0; i < places.size(); ++i) y.numbers[i] = in[0].numbers[places[i]];
            return std::vector<Array>{y};
          }};
}

// ---- lookups by coordinates

// TableParts of `width` numbers one behind the other, and where each begins.
struct TableParts {
  Places begins;
  int64_t width = 1;
};

// The last axis of the indices has coordinates behind the first `shared` axes.
TableParts parts_of(const Array& x, const Array& indices, size_t shared) {
  const auto count = static_cast<size_t>(indices.dims.empty() ? 0 : indices.dims.back());
  if (count < 1 || shared + count > x.dims.size() || shared >= indices.dims.size() ||
      !std::equal(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(shared), indices.dims.begin()))
    throw value_error(cat("coordinates of the shape ", Shape(indices.dims).text(), " do not fit to ",
                          Shape(x.dims).text()));
  TableParts parts;
  parts.width = x.product(shared + count, x.dims.size());
  const int64_t each = indices.product(shared, indices.dims.size() - 1),
                tuples = indices.product(0, indices.dims.size() - 1);
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t place = shared ? t / each : 0;
    for (size_t k = 0; k < count; ++k) {
      const int64_t size = x.dims[shared + k];
      place = place * size +
              place_in(indices.numbers[t * static_cast<int64_t>(count) + static_cast<int64_t>(k)], size);
    }
    parts.begins.push_back(place * parts.width);
  }
  return parts;
}

ArrayDims dims_of_parts(const ArrayDims& x, const ArrayDims& indices, size_t shared) {
  if (indices.empty() || indices.back() < 1 || shared + static_cast<size_t>(indices.back()) > x.size())
    throw unsupported("its coordinates are as many as only a run knows, or more than there are axes");
  ArrayDims made(indices.begin(), indices.end() - 1);
  made.insert(made.end(), x.begin() + static_cast<std::ptrdiff_t>(shared) + indices.back(), x.end());
  return made;
}

Computed gather_parts(const ComputedNode& n) {
  const auto shared = static_cast<size_t>(std::max<int64_t>(0, n.integer("batch_dims", 0)));
  return {{{dims_of_parts(n.dims.at(0), n.dims.at(1), shared), n.elements[0]}},
          [shared](const std::vector<Array>& in) {
            const TableParts parts = parts_of(in[0], in[1], shared);
            ArrayDims dims(in[1].dims.begin(), in[1].dims.end() - 1);
            dims.insert(dims.end(),
                        in[0].dims.begin() + static_cast<std::ptrdiff_t>(shared) + in[1].dims.back(),
                        in[0].dims.end());
            Array y = sized(dims);
            double* to = y.numbers.data();
            for (int64_t begin : parts.begins)
              to = std::copy_n(in[0].numbers.data() + begin, parts.width, to);
            return std::vector<Array>{y};
          }};
}

// ---- numbers that are written to places

double joined(const std::string& reduction, double a, double b) {
  if (reduction == "add") return a + b;
  if (reduction == "mul") return a * b;
  if (reduction == "max") return std::max(a, b);
  return reduction == "min" ? std::min(a, b) : b;
}

// `parts` says to which parts of x the updates go.
Computed scattered(const ComputedNode& n,
                   std::function<TableParts(const Array& x, const Array& indices)> parts) {
  const std::string reduction = n.text("reduction", "none");
  if (reduction != "none" && reduction != "add" && reduction != "mul" && reduction != "max" &&
      reduction != "min")
    throw unsupported(cat("it joins numbers by ", reduction, ", which is not known"));
  Computed c;
  c.results = {{n.dims.at(0), n.elements[0]}};
  c.run = [=](const std::vector<Array>& in) {
    Array y = in[0];
    const TableParts to = parts(in[0], in[1]);
    if (in[2].numbers.size() != to.begins.size() * static_cast<size_t>(to.width))
      throw value_error(
          cat("updates of the shape ", Shape(in[2].dims).text(), " do not fit to their indices"));
    const double* from = in[2].numbers.data();
    for (int64_t begin : to.begins)
      for (int64_t i = 0; i < to.width; ++i)
        y.numbers[begin + i] = joined(reduction, y.numbers[begin + i], *from++);
    return std::vector<Array>{y};
  };
  if (reduction == "none") c.moves = 0b101;
  if (reduction == "add")
    c.gradient = [=](const std::vector<Array>& in, const std::vector<Array>& dy) {
      const TableParts to = parts(in[0], in[1]);
      Array updates = sized(in[2].dims);
      double* place = updates.numbers.data();
      for (int64_t begin : to.begins) place = std::copy_n(dy[0].numbers.data() + begin, to.width, place);
      return std::vector<Array>{dy[0], {}, updates};
    };
  c.written.since = reduction == "none" ? 11 : reduction == "max" || reduction == "min" ? 18 : 16;
  return c;
}

Computed scatter_elements(const ComputedNode& n) {
  const size_t axis = axis_in(n.dims.at(0), n.integer("axis", 0));
  return scattered(n, [axis](const Array& x, const Array& indices) {
    return TableParts{places_along(x.dims, indices, axis), 1};
  });
}

Computed scatter_parts(const ComputedNode& n) {
  return scattered(n, [](const Array& x, const Array& indices) { return parts_of(x, indices, 0); });
}

// ---- the largest numbers

Computed largest(const ComputedNode& n) {
  const size_t axis = axis_in(n.dims.at(0), n.integer("axis", -1));
  const bool falling = n.integer("largest", 1) != 0;
  ArrayDims dims = n.dims[0];
  dims[axis] = -1;
  Computed c;
  c.results = {{dims, n.elements[0]}, {dims, kInt64}};
  c.run = [=](const std::vector<Array>& in) {
    const Array& x = in[0];
    const int64_t size = x.dims[axis], k = whole(in[1].numbers.at(0)),
                  inner = x.product(axis + 1, x.dims.size());
    if (k < 0 || k > size)
      throw value_error(cat("k must be at most the size of the axis, ", size, ", and is ", k));
    ArrayDims made = x.dims;
    made[axis] = k;
    Array y = sized(made), places = y;
    Places order(static_cast<size_t>(size));
    for (int64_t o = 0, lines = x.product(0, axis); o < lines; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const double* line = x.numbers.data() + o * size * inner + i;
        std::iota(order.begin(), order.end(), int64_t{0});
        // equal numbers in their order
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
          const double u = line[a * inner], v = line[b * inner];
          return u != v ? (falling ? u > v : u < v) : a < b;
        });
        for (int64_t j = 0; j < k; ++j) {
          const int64_t to = (o * k + j) * inner + i;
          y.numbers[to] = line[order[j] * inner];
          places.numbers[to] = static_cast<double>(order[j]);
        }
      }
    return std::vector<Array>{y, places};
  };
  c.gradient = [=, run = c.run](const std::vector<Array>& in, const std::vector<Array>& dy) {
    const Array places = run(in)[1];
    Array dx = sized(in[0].dims);
    const Places to = places_along(in[0].dims, places, axis);
    for (size_t i = 0; i < dy[0].numbers.size(); ++i) dx.numbers[to[i]] += dy[0].numbers[i];
    return std::vector<Array>{dx, {}};
  };
  return c;
}

// ---- edges

// Where a place outside of an axis is found in it.
int64_t found_at(int64_t place, int64_t size, const std::string& mode) {
  if (mode == "edge") return std::clamp<int64_t>(place, 0, size - 1);
  const int64_t period = mode == "wrap" ? size : std::max<int64_t>(1, 2 * size - 2);
  place = (place % period + period) % period;
  return place < size ? place : period - place;
}

Computed padded(const ComputedNode& n) {
  const std::string mode = n.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "wrap" && mode != "reflect")
    throw unsupported(cat("the padding ", mode, " is not known"));
  Computed c;
  c.results = {{ArrayDims(n.dims.at(0).size(), -1), n.elements[0]}};
  c.run = [mode](const std::vector<Array>& in) {
    const ArrayDims pads = whole(in[1]);
    ArrayDims axes = in.size() > 3 ? whole(in[3]) : ArrayDims();
    if (axes.empty()) {
      axes.resize(in[0].dims.size());
      std::iota(axes.begin(), axes.end(), int64_t{0});
    }
    const double value = in.size() > 2 && !in[2].numbers.empty() ? in[2].numbers[0] : 0;
    Array y = in[0];
    for (size_t k = 0; k < axes.size(); ++k) {
      const size_t axis = axis_in(y.dims, axes[k]);
      const int64_t size = y.dims[axis], before = pads.at(k), behind = pads.at(k + axes.size());
      if (before == 0 && behind == 0) continue;
      if (size == 0 && mode != "constant") throw value_error("an axis without places has no edge");
      const int64_t outer = y.product(0, axis), inner = y.product(axis + 1, y.dims.size());
      ArrayDims made = y.dims;
      made[axis] = std::max<int64_t>(0, before + size + behind);
      Array wide = sized(made);
      double* to = wide.numbers.data();
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = -before; i < made[axis] - before; ++i) {
          const bool inside = i >= 0 && i < size;
          if (!inside && mode == "constant")
            to = std::fill_n(to, inner, value);
          else
            to = std::copy_n(y.numbers.data() + (o * size + (inside ? i : found_at(i, size, mode))) * inner,
                             inner, to);
        }
      y = std::move(wide);
    }
    return std::vector<Array>{y};
  };
  c.written.since = mode == "wrap" ? 19 : n.has(3) ? 18 : 13;
  return c;
}

constexpr ComputedRule kPlaceRules[] = {
    {"GatherElements", "**", gather_elements, kWhateverIsKnown, 0b1, kAllSets},
    {"GatherND", "**", gather_parts, kWhateverIsKnown, 0b1, kAllSets},
    {"ScatterElements", "***", scatter_elements, kWhateverIsKnown, 0, kAllSets},
    {"ScatterND", "***", scatter_parts, kWhateverIsKnown, 0, kAllSets},
    {"TopK", "*1", largest, 0b10, 0, kAllSets},
    {"Pad", "*1?*1", padded, 0b10, 0b101, kAllSets},
};

}  // namespace

std::span<const ComputedRule> computed_places() { return kPlaceRules; }

}  // namespace cantik::onnx
