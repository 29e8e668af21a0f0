// ONNX's Fourier transforms: products with matrices of cosines and sines. The last axis of a signal is of
// size 1, or 2: the real and the imaginary part.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <cantik/op.h>

#include "ops/onnx_listed.h"

namespace cantik::onnx_fourier {

using Sizes = std::vector<int64_t>;

constexpr int64_t kMostNumbers = int64_t{1} << 26;  // of a matrix

// What is transformed: `there` numbers along the axis, of a signal of `length`.
struct FourierTransform {
  int64_t there = 0, length = 0, parts = 1;
  bool inverse = false, onesided = false;
  // An inverse of one side makes real numbers of half a spectrum.
  bool of_half() const { return inverse && onesided; }
  int64_t results() const { return onesided && !inverse ? length / 2 + 1 : length; }
  int64_t result_parts() const { return of_half() ? 1 : 2; }
};

// [there * parts, results * result parts]
inline std::vector<double> matrix(const FourierTransform& t) {
  const int64_t rows = t.there * t.parts, columns = t.results() * t.result_parts();
  if (rows > 0 && columns > kMostNumbers / rows) OnnxNode::refuse("it transforms too many numbers at once");
  std::vector<double> m(static_cast<size_t>(rows * columns));
  const double scale = t.inverse ? 1 / static_cast<double>(t.length) : 1, way = t.inverse ? 1 : -1;
  for (int64_t n = 0; n < t.there; ++n) {
    // the other half of a spectrum has the same numbers, conjugated
    const double weight = !t.of_half() || n == 0 || 2 * n == t.length ? scale : 2 * scale;
    for (int64_t k = 0; k < t.results(); ++k) {
      const double turn =
          2 * std::numbers::pi * static_cast<double>(n * k % t.length) / static_cast<double>(t.length);
      const double re = weight * std::cos(turn), im = weight * way * std::sin(turn);
      auto at = [&](int64_t part, int64_t result_part) -> double& {
        return m[(n * t.parts + part) * columns + k * t.result_parts() + result_part];
      };
      at(0, 0) = re;
      if (t.result_parts() == 2) at(0, 1) = im;
      if (t.parts == 1) continue;
      at(1, 0) = -im;
      if (t.result_parts() == 2) at(1, 1) = re;
    }
  }
  return m;
}

// x: [..., along, parts], static; the result [..., results, result parts].
inline Term transformed(OnnxNode& n, Term x, const FourierTransform& t) {
  Sizes dims = n.dims(x);
  Sizes flat(dims.begin(), dims.end() - 2);
  Sizes made = flat;
  flat.push_back(t.there * t.parts);
  const int64_t columns = t.results() * t.result_parts();
  const Term m = n.constants(matrix(t), {t.there * t.parts, columns}, x);
  Term y = n.call("times", {n.reshape(x, flat), m});
  flat.back() = columns;
  made.push_back(t.results());
  made.push_back(t.result_parts());
  return n.reshape(n.with_dims(y, flat), made);
}

// The first numbers along an axis.
inline Term first(OnnxNode& n, Term x, int64_t axis, int64_t count) {
  const Sizes axes{axis - n.lead(x)}, begin{0}, end{count};
  return n.call("slice", {x}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}});
}

inline void transform(OnnxNode& n) {
  int64_t axis = n.version() >= 20 ? (n.has(2) ? n.sizes(2).at(0) : -2) : n.integer("axis", 1);
  const int rank = n.rank(n.x());
  axis = OnnxNode::axis_of(axis, rank);
  if (axis == rank - 1) throw value_failure("the parts of complex numbers are no signal");
  Sizes last{axis, rank - 1};
  Term x = n.with_static(n.x(), last);
  Sizes dims = n.dims(x);
  FourierTransform t;
  t.inverse = n.integer("inverse") != 0;
  t.onesided = n.integer("onesided") != 0;
  t.parts = dims.back();
  t.there = dims[axis];
  if (t.there < 0 || (t.parts != 1 && t.parts != 2))
    OnnxNode::refuse("it transforms a signal whose length only a run knows");
  t.length = n.has(1) ? n.sizes(1).at(0) : t.of_half() ? 2 * (t.there - 1) : t.there;
  if (t.length < 1) throw value_failure("the length of a signal must be at least 1");
  const int64_t used = std::min(t.there, t.of_half() ? t.length / 2 + 1 : t.length);
  if (used < t.there) x = first(n, x, axis, used), dims[axis] = used;
  t.there = used;
  // the axis comes before the parts, and goes back
  const int lead = n.lead(x);
  Sizes there, back;
  for (int i = lead; i < rank; ++i)
    if (i != axis && i != rank - 1) there.push_back(i - lead);
  there.push_back(axis - lead);
  there.push_back(rank - 1 - lead);
  back.resize(there.size());
  for (size_t i = 0; i < there.size(); ++i) back[there[i]] = static_cast<int64_t>(i);
  auto turned = [&](Term v, const Sizes& order) {
    const Sizes from = n.dims(v);
    Sizes to(from.begin(), from.begin() + lead);
    for (int64_t i : order) to.push_back(from[i + lead]);
    return n.with_dims(n.call("transpose", {v}, {{"perm", order}}), to);
  };
  n.result(turned(transformed(n, turned(x, there), t), back));
}

// Of frames of a signal, [batch, length, parts], which begin `step` numbers apart: [batch, frames, results,
// 2].
inline void short_time(OnnxNode& n) {
  Term x = n.x(0);
  Sizes dims = n.dims(x);
  if (dims.size() == 2) dims.push_back(1), x = n.reshape(x, dims);
  if (dims.size() != 3 || dims[1] < 0)
    OnnxNode::refuse("it transforms a signal whose length only a run knows");
  const int64_t step = n.sizes(1).at(0);
  const int64_t length = n.has(3) ? n.sizes(3).at(0) : n.has(2) ? n.dims(n.x(2)).at(0) : dims[1];
  if (step < 1 || length < 1 || length > dims[1])
    throw value_failure("the frames of a signal do not lie in it");
  const int64_t frames = (dims[1] - length) / step + 1;
  x = n.rows(x);
  listed({frames, length});
  std::vector<double> places;
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t i = 0; i < length; ++i) places.push_back(static_cast<double>(f * step + i));
  Term y = n.call("gather", {x, n.constants(places, {frames, length}, x)});
  y = n.with_dims(y, {dims[0], frames, length, dims[2]});
  if (n.has(2)) y = y * n.reshape(n.plain(n.x(2)), {length, 1});
  FourierTransform t;
  t.there = t.length = length;
  t.parts = dims[2];
  t.onesided = n.integer("onesided", 1) != 0;
  n.result(transformed(n, n.with_dims(y, {dims[0], frames, length, dims[2]}), t));
}

}  // namespace cantik::onnx_fourier
