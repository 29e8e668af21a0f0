// Results whose sizes data tell: places of numbers that are not 0, parts between bounds that a run computes,
// and the like.
#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/computed/arrays.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

// Whether so many numbers, so often, can be held.
void check_sizes(const ArrayDims& sizes) {
  for (int64_t n : sizes)
    if (n < 0 || n > int64_t{1} << 28) throw value_error(cat("a size of a result is ", n));
}

ArrayDims open(size_t rank) { return ArrayDims(rank, -1); }

// How many numbers an input has that says a number for each axis.
size_t count_of(const ComputedNode& n, size_t input, const char* what) {
  if (!n.has(input) || n.dims[input].size() != 1 || n.dims[input][0] < 0)
    throw unsupported(cat(what, " are as many as only a run knows"));
  return static_cast<size_t>(n.dims[input][0]);
}

// ---- the operators

Computed range(const ComputedNode& n) {
  return {{{{-1}, n.elements.at(0)}}, [](const std::vector<Array>& in) {
            const double first = in[0].numbers.at(0), end = in[1].numbers.at(0), step = in[2].numbers.at(0);
            if (step == 0) throw value_error("the step of a range is 0");
            Array y = sized({std::max<int64_t>(0, whole(std::ceil((end - first) / step)))});
            for (size_t i = 0; i < y.numbers.size(); ++i)
              y.numbers[i] = first + static_cast<double>(i) * step;
            return std::vector<Array>{y};
          }};
}

Computed constant_of_shape(const ComputedNode& n) {
  double value = 0;
  int32_t element = kFloat;
  if (const AttributeRecord* a = n.node.find("value"); a && a->tensors.size() == 1) {
    const KnownNumbers k = known_of(a->tensors[0], {});
    element = a->tensors[0].type;
    value = k.whole ? static_cast<double>(k.integers.at(0)) : k.reals.at(0);
  }
  Computed c{{{open(count_of(n, 0, "the sizes of its result")), element}},
             [value](const std::vector<Array>& in) {
               Array y = sized(whole(in[0]));
               std::fill(y.numbers.begin(), y.numbers.end(), value);
               return std::vector<Array>{y};
             }};
  c.written.number = value;
  c.written.left_out = {"value"};
  return c;
}

Computed expand(const ComputedNode& n) {
  const size_t rank = std::max(n.dims.at(0).size(), count_of(n, 1, "the sizes of its result"));
  return {{{open(rank), n.elements[0]}}, [rank](const std::vector<Array>& in) {
            ArrayDims from = in[0].dims, to = whole(in[1]);
            from.insert(from.begin(), rank - from.size(), 1);
            to.insert(to.begin(), rank - to.size(), 1);
            Array y = in[0];
            y.dims = from;
            for (size_t k = 0; k < rank; ++k) {
              if (to[k] == 1 || to[k] == from[k]) continue;
              if (from[k] != 1)
                throw value_error(cat("the size ", from[k], " cannot be repeated to ", to[k]));
              check_sizes({to[k], static_cast<int64_t>(y.numbers.size())});
              y = picked(y, k, std::vector<int64_t>(static_cast<size_t>(to[k]), 0));
            }
            return std::vector<Array>{y};
          }};
}

Computed tile(const ComputedNode& n) {
  return {{{open(n.dims.at(0).size()), n.elements[0]}}, [](const std::vector<Array>& in) {
            Array y = in[0];
            const ArrayDims times = whole(in[1]);
            for (size_t k = 0; k < y.dims.size(); ++k) {
              check_sizes({times.at(k), static_cast<int64_t>(y.numbers.size())});
              std::vector<int64_t> from;
              for (int64_t t = 0; t < times[k] && y.dims[k] > 0; ++t)
                for (int64_t i = 0; i < y.dims[k]; ++i) from.push_back(i);
              y = picked(y, k, from);
            }
            return std::vector<Array>{y};
          }};
}

Computed reshape(const ComputedNode& n) {
  const bool zero_is_a_size = n.integer("allowzero", 0) != 0;
  const size_t rank = count_of(n, 1, "the axes of its result");
  return {{{open(rank), n.elements.at(0)}}, [zero_is_a_size](const std::vector<Array>& in) {
            Array y = in[0];
            ArrayDims to = whole(in[1]);
            int64_t known = 1;
            int64_t* rest = nullptr;
            for (size_t k = 0; k < to.size(); ++k) {
              if (to[k] == 0 && !zero_is_a_size) to[k] = in[0].dims.at(k);
              if (to[k] < -1 || to[k] > int64_t{1} << 40 || known > int64_t{1} << 40)
                throw value_error(cat("a size of a result is ", to[k]));
              if (to[k] == -1)
                rest = &to[k];
              else
                known *= to[k];
            }
            const auto count = static_cast<int64_t>(y.numbers.size());
            if (rest && known > 0) *rest = count / known, known *= *rest;
            if (known != count)
              throw value_error(cat(count, " numbers do not have the shape ", Shape(to).text()));
            y.dims = to;
            return std::vector<Array>{y};
          }};
}

Computed slice(const ComputedNode& n) {
  return {{{open(n.dims.at(0).size()), n.elements[0]}}, [](const std::vector<Array>& in) {
            Array y = in[0];
            const ArrayDims begin = whole(in[1]), end = whole(in[2]);
            ArrayDims axes = in.size() > 3 ? whole(in[3]) : ArrayDims(),
                      steps = in.size() > 4 ? whole(in[4]) : ArrayDims();
            if (axes.empty())
              for (size_t k = 0; k < begin.size(); ++k) axes.push_back(static_cast<int64_t>(k));
            steps.resize(begin.size(), 1);
            for (size_t k = 0; k < begin.size(); ++k) {
              const size_t axis = axis_in(y.dims, axes.at(k));
              const int64_t size = y.dims[axis], step = std::clamp(steps[k], -size, size);
              if (steps[k] == 0) throw value_error("the step of a slice is 0");
              if (size == 0) continue;
              auto place = [&](int64_t i) { return i < 0 ? i + size : i; };
              const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
              const int64_t first = std::clamp(place(begin[k]), int64_t{0}, std::max<int64_t>(0, most));
              const int64_t last =
                  end.at(k) <= -(int64_t{1} << 62) ? least : std::clamp(place(end.at(k)), least, most);
              std::vector<int64_t> from;
              for (int64_t i = first; step > 0 ? i < last : i > last; i += step) from.push_back(i);
              y = picked(y, axis, from);
            }
            return std::vector<Array>{y};
          }};
}

Computed non_zero(const ComputedNode& n) {
  const auto rank = static_cast<int64_t>(n.dims.at(0).size());
  return {{{{rank, -1}, kInt64}}, [rank](const std::vector<Array>& in) {
            std::vector<int64_t> places;
            for (size_t i = 0; i < in[0].numbers.size(); ++i)
              if (in[0].numbers[i] != 0) places.push_back(static_cast<int64_t>(i));
            Array y = sized({rank, static_cast<int64_t>(places.size())});
            for (int64_t k = 0; k < rank; ++k) {
              const int64_t step = in[0].product(static_cast<size_t>(k) + 1, in[0].dims.size()),
                            size = in[0].dims[k];
              for (size_t i = 0; i < places.size(); ++i)
                y.numbers[static_cast<size_t>(k) * places.size() + i] =
                    static_cast<double>(places[i] / step % size);
            }
            return std::vector<Array>{y};
          }};
}

Computed compress(const ComputedNode& n) {
  const bool has_axis = n.node.find("axis") != nullptr;
  const size_t axis = has_axis ? axis_in(n.dims.at(0), n.integer("axis", 0)) : 0;
  ArrayDims dims{-1};
  if (has_axis) dims = n.dims[0], dims[axis] = -1;
  return {{{dims, n.elements[0]}}, [has_axis, axis](const std::vector<Array>& in) {
            Array x = in[0];
            if (!has_axis) x.dims = {static_cast<int64_t>(x.numbers.size())};
            std::vector<int64_t> from;
            for (size_t i = 0; i < in[1].numbers.size() && static_cast<int64_t>(i) < x.dims[axis]; ++i)
              if (in[1].numbers[i] != 0) from.push_back(static_cast<int64_t>(i));
            return std::vector<Array>{picked(x, axis, from)};
          }};
}

// An order of lists of numbers in which what is no number has its place, too.
struct Before {
  bool operator()(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](double x, double y) { return std::is_lt(std::weak_order(x, y)); });
  }
};

// Parts along an axis that differ: where each comes first, which one each is, how often each is there.
Computed unique(const ComputedNode& n) {
  const bool has_axis = n.node.find("axis") != nullptr, sorted = n.integer("sorted", 1) != 0;
  const size_t axis = has_axis ? axis_in(n.dims.at(0), n.integer("axis", 0)) : 0;
  ArrayDims dims{-1};
  if (has_axis) dims = n.dims[0], dims[axis] = -1;
  Computed c;
  c.results = {{dims, n.elements[0]}, {{-1}, kInt64}, {{-1}, kInt64}, {{-1}, kInt64}};
  c.results.resize(std::clamp<size_t>(n.node.outputs.size(), 1, c.results.size()));
  const size_t results = c.results.size();
  c.run = [=](const std::vector<Array>& in) {
    Array x = in[0];
    if (!has_axis) x.dims = {static_cast<int64_t>(x.numbers.size())};
    const int64_t size = x.dims[axis];
    std::map<std::vector<double>, size_t, Before> number;  // of each part among those that differ
    std::vector<const std::vector<double>*> parts;
    std::vector<int64_t> first, count, inverse;
    for (int64_t i = 0; i < size; ++i) {
      auto [at, fresh] = number.emplace(picked(x, axis, {i}).numbers, parts.size());
      if (fresh) parts.push_back(&at->first), first.push_back(i), count.push_back(0);
      ++count[at->second];
      inverse.push_back(static_cast<int64_t>(at->second));
    }
    std::vector<size_t> order(parts.size()), place(parts.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (sorted)
      std::sort(order.begin(), order.end(),
                [&](size_t a, size_t b) { return Before()(*parts[a], *parts[b]); });
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<int64_t> from;
    Array firsts = sized({static_cast<int64_t>(parts.size())}), counts = firsts, inverses = sized({size});
    for (size_t i = 0; i < order.size(); ++i) {
      from.push_back(first[order[i]]);
      firsts.numbers[i] = static_cast<double>(first[order[i]]);
      counts.numbers[i] = static_cast<double>(count[order[i]]);
    }
    for (size_t i = 0; i < inverse.size(); ++i) inverses.numbers[i] = static_cast<double>(place[inverse[i]]);
    std::vector<Array> made{picked(x, axis, from), firsts, inverses, counts};
    made.resize(results);
    return made;
  };
  return c;
}

constexpr ComputedRule kShapeRules[] = {
    {"Range", "***", range, 0b111, 0, kAllSets},
    {"ConstantOfShape", "1", constant_of_shape, 0b1, 0, kAllSets},
    {"Expand", "*1", expand, 0b10, 0b1, kAllSets},
    {"Tile", "*1", tile, 0b10, 0b1, kAllSets},
    {"Reshape", "*1", reshape, 0b10, 0b1, kAllSets},
    {"Slice", "*11?11", slice, 0b11110, 0b1, kAllSets},
    {"NonZero", "*", non_zero, 0, 0, kAllSets},
    {"Compress", "**", compress, 0, 0b1, kAllSets},
    {"Unique", "*", unique, 0, 0, kAllSets},
};

}  // namespace

std::span<const ComputedRule> computed_shapes() { return kShapeRules; }

}  // namespace cantik::onnx
