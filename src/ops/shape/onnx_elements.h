// ONNX's GatherElements, GatherND, ScatterElements and ScatterND: the value is a table whose places have one
// number each, and indices along axes become these numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/op.h>

namespace cantik::onnx_elements {

constexpr int64_t kMostPlaces = int64_t{1} << 24;  // whole numbers that float32 tells apart

using Sizes = std::vector<int64_t>;

// Sizes from an axis on, all of which have to be known.
inline Sizes known_sizes(const Sizes& dims, int from) {
  const Sizes list(dims.begin() + from, dims.end());
  for (int64_t d : list)
    if (d < 0) OnnxNode::refuse("it looks up places along an axis whose size only a run knows");
  return list;
}

inline int64_t product(const Sizes& sizes, size_t from, size_t to) {
  int64_t p = 1;
  for (size_t i = from; i < to; ++i) p *= sizes[i];
  return p;
}

// For each place of a value of these sizes the sum of its coordinates times a step; axes beyond the steps and
// those of step 0 do not count.
inline std::vector<double> coordinates(const Sizes& sizes, const Sizes& steps) {
  std::vector<double> list{0};
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    std::vector<double> finer;
    for (double before : list)
      for (int64_t i = 0; i < sizes[axis]; ++i)
        finer.push_back(before + (axis < steps.size() ? static_cast<double>(i * steps[axis]) : 0));
    list = std::move(finer);
  }
  return list;
}

// Numbers of places: a table for every sample, or one for all.
struct Places {
  Term table;      // [places, rest...]
  Term numbers;    // which of them
  Sizes whole;     // of the value that the table is of, in ONNX's terms
  Sizes result;    // of what is looked up there
  Sizes of_table;  // static sizes of the table
};

inline Term from_front(OnnxNode& n, Term indices, const std::vector<double>& sizes) {
  const Term size = sizes.size() == 1 ? n.constant(sizes[0], indices)
                                      : n.constants(sizes, {static_cast<int64_t>(sizes.size())}, indices);
  return indices + size * n.call("less", {indices, n.constant(0, indices)});
}

inline Term as_table(OnnxNode& n, Term x, const Sizes& dims, int lead, const Sizes& of_table) {
  Sizes shape(dims.begin(), dims.begin() + lead);
  shape.insert(shape.end(), of_table.begin(), of_table.end());
  return n.reshape(x, shape);
}

// Each index goes along one axis; along the others it stands where it points to.
inline Places along_axis(OnnxNode& n) {
  Term x = n.x(0), indices = n.x(1);
  int axis = n.axis_of(n.integer("axis"), n.rank(x));
  const bool batch = n.lead(x) == 1 && n.lead(indices) == 1 && axis > 0;
  if (!batch) x = n.plain(x), indices = n.plain(indices);
  const int lead = batch ? 1 : 0;
  axis -= lead;
  Places p;
  p.whole = n.dims(x);
  p.result = n.dims(indices);
  const Sizes sizes = known_sizes(p.whole, lead), asked = known_sizes(p.result, lead);
  const auto at = static_cast<size_t>(axis);
  if (asked.size() != sizes.size()) throw value_failure("its indices have another rank than its data");
  Sizes steps;
  for (size_t i = 0; i < sizes.size(); ++i) steps.push_back(product(sizes, i + 1, sizes.size()));
  const int64_t step = steps[at], total = product(sizes, 0, sizes.size());
  if (total > kMostPlaces) OnnxNode::refuse("a value of more than 2^24 numbers is looked up in");
  steps[at] = 0;
  p.of_table = {total};
  p.table = as_table(n, x, p.whole, lead, p.of_table);
  p.numbers = from_front(n, indices, {static_cast<double>(sizes[at])}) *
                  n.constant(static_cast<double>(step), indices) +
              n.constants(coordinates(asked, steps), asked, indices);
  return p;
}

// The last axis of the indices has the coordinates along the first axes; so many axes before are shared.
// `one_table`: all indices go to the one value that there is.
inline Places by_coordinates(OnnxNode& n, int64_t shared, bool one_table = false) {
  Term x = n.x(0), indices = n.x(1);
  const bool batch = shared > 0 && n.lead(x) == 1 && n.lead(indices) == 1;
  if (!batch) x = n.plain(x);
  if (!batch && (one_table || shared > 0 || n.rank(indices) <= n.lead(indices))) indices = n.plain(indices);
  const int lead = batch ? 1 : 0;
  const auto own = static_cast<size_t>(shared - lead);
  Places p;
  p.whole = n.dims(x);
  p.result = n.dims(indices);
  const Sizes sizes = known_sizes(p.whole, lead), asked = known_sizes(p.result, n.lead(indices));
  if (asked.empty()) throw value_failure("its indices have no axis");
  const auto count = static_cast<size_t>(asked.back()), first = own + count;
  if (count < 1 || first > sizes.size()) throw value_failure("it has more coordinates than there are axes");
  const int64_t places = product(sizes, 0, first);
  if (places > kMostPlaces) OnnxNode::refuse("a value of more than 2^24 places is looked up in");
  Sizes steps;
  for (size_t i = 0; i < first; ++i) steps.push_back(product(sizes, i + 1, first));
  p.of_table = {places};
  p.of_table.insert(p.of_table.end(), sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.end());
  p.table = as_table(n, x, p.whole, lead, p.of_table);
  const std::vector<double> reach(sizes.begin() + static_cast<std::ptrdiff_t>(own),
                                  sizes.begin() + static_cast<std::ptrdiff_t>(first)),
      weights(steps.begin() + static_cast<std::ptrdiff_t>(own), steps.end());
  p.result.pop_back();
  p.numbers = n.call("times", {from_front(n, indices, reach),
                               n.constants(weights, {static_cast<int64_t>(count), 1}, indices)});
  p.numbers = n.reshape(p.numbers, p.result);
  if (own > 0) {
    const Sizes rows(asked.begin(), asked.end() - 1);
    p.numbers =
        p.numbers +
        n.constants(coordinates(rows, {steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(own)}),
                    rows, indices);
  }
  p.result.insert(p.result.end(), p.of_table.begin() + 1, p.of_table.end());
  return p;
}

inline void gather(OnnxNode& n, const Places& p) {
  n.result(n.with_dims(n.call("gather", {p.table, p.numbers}), p.result));
}

// The value with other numbers at the places, or with something added there.
inline void scatter(OnnxNode& n, const Places& p) {
  const std::string reduction = n.text("reduction", "none");
  const Term updates = n.lead(p.numbers) == 0 ? n.plain(n.x(2)) : n.rows(n.x(2));
  if (reduction == "max" || reduction == "min" || reduction == "mul") {
    const Term y = n.call_all("scatter_reduced", {p.table, p.numbers, updates},
                              {{"reduction", reduction.c_str()}}, 1)[0];
    return n.result(n.with_dims(n.reshape(y, p.whole), p.whole));
  }
  if (reduction != "none" && reduction != "add")
    OnnxNode::refuse("it joins numbers by " + reduction + ", which is not known");
  if (reduction == "none") {
    const Term y = n.call("scatter_written", {p.table, p.numbers, updates});
    return n.result(n.with_dims(n.reshape(y, p.whole), p.whole));
  }
  const Shape of_table(p.of_table);
  const Term added = n.call("scatter_rows", {p.numbers, updates}, {{"shape", of_table}});
  const Term x = n.reshape(p.table, p.whole);
  n.result(n.with_dims(x + n.reshape(added, p.whole), p.whole));
}

}  // namespace cantik::onnx_elements
