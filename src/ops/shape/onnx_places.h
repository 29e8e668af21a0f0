// ONNX's operators that move places along an axis: parts that come back to front, parts of caches that are
// written, edges that go on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <cantik/op.h>

#include "ops/onnx_listed.h"

namespace cantik::onnx_places {

using Sizes = std::vector<int64_t>;

inline Term permuted(OnnxNode& n, Term x, const Sizes& perm) {
  const Sizes from = n.dims(x);
  const int lead = n.lead(x);
  Sizes to(from.begin(), from.begin() + lead);
  for (int64_t p : perm) to.push_back(from[p + lead]);
  return n.with_dims(n.call("transpose", {x}, {{"perm", perm}}), to);
}

inline Term counted(OnnxNode& n, int64_t count, Term like) {
  std::vector<double> numbers;
  for (int64_t i = 0, all = listed({count}); i < all; ++i) numbers.push_back(static_cast<double>(i));
  return n.constants(numbers, {count}, like);
}

// A value of each sample's row with the axis first, and the order that takes it back.
struct Moved {
  Term value;
  Sizes back;
};
inline Moved axis_first(OnnxNode& n, Term x, int64_t axis) {
  const int rank = n.rank(x) - 1;
  Sizes perm{axis - 1}, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis - 1) perm.push_back(i);
  for (size_t i = 0; i < perm.size(); ++i) back[perm[i]] = static_cast<int64_t>(i);
  return {permuted(n, x, perm), back};
}

// A value of no numbers: one of the sizes is 0.
inline Term nothing(OnnxNode& n, const Sizes& dims, Term like) {
  for (int64_t d : dims)
    if (d < 0) OnnxNode::refuse("it takes nothing of a value whose other sizes only a run knows");
  return n.constants({}, dims, like);
}

inline int64_t known_size(int64_t size) {
  if (size < 0) OnnxNode::refuse("it goes along an axis whose size only a run knows");
  return size;
}

// The first steps of each sequence back to front, as many as its length says.
inline void reverse(OnnxNode& n) {
  const int64_t batch = n.integer("batch_axis", 1), time = n.integer("time_axis", 0);
  if (batch + time != 1 || batch * time != 0)
    throw value_failure("the axes of batch and time must be 0 and 1");
  Term x = n.x(0);
  Sizes swap;
  for (int i = 0; i < n.rank(x); ++i) swap.push_back(i);
  std::swap(swap[0], swap[1]);
  if (batch == 1) x = permuted(n, n.plain(x), swap);
  const Sizes dims = n.dims(x);
  const Term length = n.rows(n.x(1));
  const Term place = counted(n, known_size(dims[1]), length);
  const Term one = n.constant(1, length);
  const Term turned =
      n.call("element_select", {n.call("less", {place, length}), length - one - place, place});
  Term y = n.with_dims(n.call("gather", {n.rows(x), turned}), dims);
  n.result(batch == 1 ? permuted(n, n.plain(y), swap) : y);
}

// A part of a cache is written, for each sample from a place of its own on.
inline void write_cache(OnnxNode& n) {
  Term past = n.rows(n.x(0)), now = n.rows(n.x(1));
  const int64_t axis = OnnxNode::axis_of(n.integer("axis", -2), n.rank(past));
  if (axis == 0) throw value_failure("the axis of a cache is not that of the batch");
  const Sizes dims = n.dims(past);
  const int64_t all = known_size(dims[axis]), count = known_size(n.dims(now)[axis]);
  const Moved old = axis_first(n, past, axis), written = axis_first(n, now, axis);
  const Term place = counted(n, all, past);
  Term number = place;
  if (n.has(2)) {
    number = place - n.rows(n.x(2));
    if (n.text("mode", "linear") == "circular") {  // behind the end it goes on at the beginning
      const Term size = n.constant(static_cast<double>(all), number);
      number = number + size * n.call("less", {number, n.constant(0, number)});
    }
  }
  const Term none = n.constant(0, number), last = n.constant(static_cast<double>(count - 1), number);
  const Term within = n.call("clip", {number, none, last});
  Term inside = n.call("equal", {number, within});
  Sizes column{dims[0], all};
  column.resize(dims.size(), 1);
  if (n.lead(inside) == 0) column[0] = 1;
  inside =
      n.lead(inside) == 0 ? n.reshape(inside, {column.begin() + 1, column.end()}) : n.reshape(inside, column);
  Sizes front = n.dims(old.value);
  const Term found = n.with_dims(n.call("gather", {written.value, within}), front);
  const Term y = n.with_dims(n.call("element_select", {inside, found, old.value}), front);
  n.result(permuted(n, y, written.back));
}

// Places from `begin` to `end` along axes.
inline Term part(OnnxNode& n, Term x, int64_t axis, int64_t begin, int64_t end) {
  Sizes axes{axis};
  x = n.with_static(x, axes);
  const Sizes from{begin}, to{end};
  Sizes dims = n.dims(x);
  dims[axes[0] + n.lead(x)] = end - begin;
  return n.with_dims(n.call("slice", {x}, {{"axis", axes}, {"begin_index", from}, {"end_index", to}}), dims);
}

inline Term joined(OnnxNode& n, const std::vector<Term>& parts, int64_t axis) {
  int lead = n.lead(parts[0]);
  for (const Term& p : parts)
    if (n.lead(p) != lead) lead = 0;
  if (axis < lead) lead = 0;
  std::vector<Term> same;
  for (const Term& p : parts) same.push_back(lead == 0 ? n.plain(p) : p);
  const int64_t from_end = axis - n.rank(parts[0]);
  return n.call_all("splice", same, {{"axis", from_end}}, 1)[0];
}

// Further places before and behind along an axis: those at the other end, or the last one again and again.
inline Term gone_on(OnnxNode& n, Term x, int64_t axis, int64_t before, int64_t behind, bool wraps) {
  const int64_t size = wraps ? known_size(n.dims(x)[axis]) : n.dims(x)[axis];
  if (size == 0 || before > 4096 || behind > 4096) OnnxNode::refuse("it repeats an edge far too often");
  std::vector<Term> parts;
  auto add = [&](int64_t begin, int64_t end) {
    if (begin < end) parts.push_back(part(n, x, axis, begin, end));
  };
  if (wraps) {
    add(size - before % size, size);
    for (int64_t i = 0; i < before / size; ++i) parts.push_back(x);
    parts.push_back(x);
    for (int64_t i = 0; i < behind / size; ++i) parts.push_back(x);
    add(0, behind % size);
  } else {
    for (int64_t i = 0; i < before; ++i) add(0, 1);
    parts.push_back(x);
    for (int64_t i = 0; i < behind; ++i) parts.push_back(part(n, x, axis, -1, 0));
  }
  return parts.size() == 1 ? x : joined(n, parts, axis);
}

inline Term with_zeros(OnnxNode& n, Term x, int64_t axis, int64_t before, int64_t behind) {
  Sizes axes{axis};
  x = n.with_static(x, axes);
  Sizes pattern(static_cast<size_t>(2 * (n.rank(x) - n.lead(x))), 0), dims = n.dims(x);
  pattern[2 * axes[0]] = before;
  pattern[2 * axes[0] + 1] = behind;
  dims[axes[0] + n.lead(x)] += before + behind;
  return n.with_dims(n.call("pad", {x}, {{"pattern", pattern}, {"mode", int64_t{0}}}), dims);
}

// The middle of the operand in the middle of the result.
inline void centre(OnnxNode& n) {
  Term x = n.x(0);
  const int rank = n.rank(x);
  Sizes sizes = n.sizes(1), axes = n.integers("axes");
  if (axes.empty())
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  if (axes.size() != sizes.size()) throw value_failure("it has other sizes than axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = OnnxNode::axis_of(axes[i], rank), wanted = sizes[i];
    const int64_t size = n.dims(x)[axis];
    if (wanted == size) continue;
    known_size(size), known_size(wanted);
    if (wanted < size)
      x = part(n, x, axis, (size - wanted) / 2, (size - wanted) / 2 + wanted);
    else
      x = with_zeros(n, x, axis, (wanted - size) / 2, wanted - size - (wanted - size) / 2);
  }
  n.result(x);
}

// Channels become blocks of pixels, a channel's own block first: [c * b * b, h, w] becomes [c, h * b, w * b].
inline void channels_to_blocks(OnnxNode& n) {
  const int64_t b = n.integer("blocksize");
  const Term x = n.rows(n.x());
  const Sizes d = n.dims(x);
  if (d.size() != 4 || b < 1 || d[1] % (b * b) != 0) throw value_failure("the channels do not fill blocks");
  auto reshaped = [&](const Term& t, const Shape& to, int64_t begin, int64_t end) {
    return n.call("reshape", {t}, {{"shape", to}, {"begin_axis", begin}, {"end_axis", end}});
  };
  Term y = reshaped(x, Shape{d[1] / (b * b), b, b}, 0, 1);
  const Sizes perm{0, 3, 1, 4, 2};
  y = n.call("transpose", {y}, {{"perm", perm}});
  y = reshaped(reshaped(y, Shape{kInferred}, 3, 5), Shape{kInferred}, 1, 3);
  auto times = [&](int64_t size) { return size < 0 ? size : size * b; };
  n.result(n.with_dims(y, {d[0], d[1] / (b * b), times(d[2]), times(d[3])}));
}
// The way back: [c, h * b, w * b] becomes [c * b * b, h, w].
inline void blocks_to_channels(OnnxNode& n) {
  const int64_t b = n.integer("blocksize");
  const Term x = n.rows(n.x());
  const Sizes d = n.dims(x);
  if (d.size() != 4 || b < 1 || (d[2] >= 0 && d[2] % b != 0) || (d[3] >= 0 && d[3] % b != 0))
    throw value_failure("the pixels do not fill blocks");
  auto reshaped = [&](const Term& t, const Shape& to, int64_t begin, int64_t end) {
    return n.call("reshape", {t}, {{"shape", to}, {"begin_axis", begin}, {"end_axis", end}});
  };
  Term y = reshaped(reshaped(x, Shape{kInferred, b}, 2, 3), Shape{kInferred, b}, 1, 2);
  const Sizes perm{0, 2, 4, 1, 3};
  y = reshaped(n.call("transpose", {y}, {{"perm", perm}}), Shape{kInferred}, 0, 3);
  n.result(y);
}

}  // namespace cantik::onnx_places
