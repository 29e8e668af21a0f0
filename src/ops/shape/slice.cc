// y = x[begin:end:stride] along one or several static axes.
#include <algorithm>

#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/shape/onnx_places.h"

using namespace cantik;

namespace {

struct Slice {
  std::vector<int64_t> axis, begin_index, end_index, strides;
  static constexpr auto fields() {
    return list(
        field("axis", &Slice::axis, "a static axis, or several").role(CANTIK_AXES),
        field("begin_index", &Slice::begin_index, "the first position; negative: from the end"),
        field("end_index", &Slice::end_index, "the first one that is not taken; 0 or negative: from the end"),
        field("strides", &Slice::strides, "every how many positions; negative: backwards"));
  }
};

// As CNTK's files have it: one axis in one form, several in another.
struct SliceAxes {
  int64_t axis = axis_code::kNone;
  std::optional<int64_t> begin, end, stride;
  std::vector<int64_t> axes, begins, ends, strides;
  static constexpr auto fields() {
    return list(
        field("axis", &SliceAxes::axis, "the axis").key("axis").role(CANTIK_AXIS),
        field("begin", &SliceAxes::begin, "first position").key("beginIndex").role(CANTIK_SIGNED),
        field("end", &SliceAxes::end, "behind the last position").key("endIndex").role(CANTIK_SIGNED),
        field("stride", &SliceAxes::stride, "step").key("sliceStrides").role(CANTIK_SIGNED),
        field("axes", &SliceAxes::axes, "several axes").key("axisVec").role(CANTIK_AXES),
        field("begins", &SliceAxes::begins, "first positions").key("beginIndexVec").role(CANTIK_SIGNED),
        field("ends", &SliceAxes::ends, "behind the last positions").key("endIndexVec").role(CANTIK_SIGNED),
        field("strides", &SliceAxes::strides, "steps").key("sliceStridesVec").role(CANTIK_SIGNED));
  }
};

// What is taken of one axis: count positions from first on, step apart.
struct Range {
  int64_t first = 0, count = 0, step = 1;
};

Range range(int64_t begin, int64_t end, int64_t stride, int64_t size, const std::string& axis) {
  int64_t from = begin < 0 ? begin + size : begin, to = end <= 0 ? end + size : end;
  if (from < 0 || to > size || from >= to)
    throw Failure(CANTIK_RUNTIME, "the range [" + std::to_string(begin) + ", " + std::to_string(end) +
                                      ") takes nothing that lies in " + axis + ", which has the size " +
                                      std::to_string(size));
  if (stride == 0) throw value_failure("the stride of a slice must not be 0");
  int64_t count = (to - from + std::abs(stride) - 1) / std::abs(stride);
  return stride > 0 ? Range{from, count, stride} : Range{to - 1, count, stride};
}

// The same without what lies beyond the axis; backwards from there is not said.
Range range_within(int64_t begin, int64_t end, int64_t stride, int64_t size) {
  if (stride < 1) throw value_failure("the stride of a slice must be positive");
  const int64_t from = std::clamp<int64_t>(begin < 0 ? begin + size : begin, 0, size),
                to = std::clamp<int64_t>(end <= 0 ? end + size : end, from, size);
  return {from, (to - from + stride - 1) / stride, stride};
}

// Of each axis of the operand; axes that nothing is known of stay open. `within`: as far as an axis goes.
std::vector<Range> ranges(const Shape& x, const SliceAxes& a, bool within = false) {
  std::vector<Range> list;
  for (int64_t d : x) list.push_back({0, d, 1});
  if (a.begins.size() != a.axes.size() || a.ends.size() != a.axes.size() ||
      (!a.strides.empty() && a.strides.size() != a.axes.size()))
    throw value_failure("a slice needs one begin, end and stride for each axis, and with " +
                        std::to_string(a.axes.size()) + " axes this one has " +
                        std::to_string(a.begins.size()) + " begins, " + std::to_string(a.ends.size()) +
                        " ends and " + std::to_string(a.strides.size()) + " strides");
  auto cut = [&](int64_t code, int64_t begin, int64_t end, int64_t stride) {
    int i = static_axis(code, x.rank());
    if (x[i] >= 0) {
      list[i] =
          within ? range_within(begin, end, stride, x[i]) : range(begin, end, stride, x[i], axis_text(code));
      return;
    }
    const bool is_told = !within && begin >= 0 && end > 0 && stride > 0;
    list[i] = {begin, is_told ? (end - begin + stride - 1) / stride : x[i], stride};
  };
  if (a.axis != axis_code::kNone) cut(a.axis, a.begin.value_or(0), a.end.value_or(0), a.stride.value_or(1));
  for (size_t k = 0; k < a.axes.size(); ++k)
    cut(a.axes[k], a.begins[k], a.ends[k], a.strides.empty() ? 1 : a.strides[k]);
  return list;
}

Shape shape_of(const std::vector<Range>& ranges) {
  Shape s;
  for (const Range& r : ranges) s.push_back(r.count);
  return s;
}

// The part of a row that a slice is, seen from the whole (elements of x) and from the slice.
struct Both {
  std::vector<int64_t> size, whole, part;
  int64_t offset = 0;
};
Both both(const Shape& x, const SliceAxes& a, bool within = false) {
  std::vector<Range> list = ranges(x, a, within);
  Both b;
  std::vector<int64_t> strides = forms::strides_of(x);
  b.part = forms::strides_of(shape_of(list));
  for (size_t i = 0; i < list.size(); ++i) {
    b.size.push_back(list[i].count);
    b.whole.push_back(strides[i] * list[i].step);
    b.offset += strides[i] * list[i].first;
  }
  return b;
}

// The same for the way back, with the shape of the whole.
struct Unslice : SliceAxes {
  Shape shape;
  bool within = false;
  static constexpr auto fields() {
    return std::tuple_cat(SliceAxes::fields(),
                          list(field("shape", &Unslice::shape, "shape of the result").role(CANTIK_SHAPE_OF),
                               field("within", &Unslice::within, "whether ranges end where axes do")));
  }
};

// Positions side by side along one axis.
constexpr auto part_along = [](RowPart& p, const SliceAxes& a) {
  if (a.axis == axis_code::kNone || !a.axes.empty() || a.stride.value_or(1) != 1) return;
  const Shape whole = p.whole();
  const int axis = static_axis(a.axis, whole.rank());
  const int64_t begin = a.begin.value_or(0);
  p.along(axis, begin < 0 ? begin + whole[axis] : begin);
};

Term cut(Builder& b, Term x, const SliceAxes& a, bool within = false) {
  const char* op = within ? "slice_within" : "slice_axes";
  if (a.axis != axis_code::kNone)
    return b.call(op, {x},
                  {{"axis", a.axis},
                   {"begin", a.begin.value_or(0)},
                   {"end", a.end.value_or(0)},
                   {"stride", a.stride.value_or(1)}});
  return b.call(op, {x}, {{"axes", a.axes}, {"begins", a.begins}, {"ends", a.ends}, {"strides", a.strides}});
}
Term uncut(Builder& b, Term y, const Shape& x, const SliceAxes& a, bool within = false) {
  if (a.axis != axis_code::kNone)
    return b.call("unslice", {y},
                  {{"shape", x},
                   {"axis", a.axis},
                   {"begin", a.begin.value_or(0)},
                   {"end", a.end.value_or(0)},
                   {"stride", a.stride.value_or(1)},
                   {"within", within}});
  return b.call("unslice", {y},
                {{"shape", x},
                 {"axes", a.axes},
                 {"begins", a.begins},
                 {"ends", a.ends},
                 {"strides", a.strides},
                 {"within", within}});
}

constexpr auto write_onnx_slice = [](OnnxGraph& g, const SliceAxes& a) {
  std::vector<int64_t> axes = a.axes, begins = a.begins, ends = a.ends, steps = a.strides;
  if (a.axis != axis_code::kNone) {
    axes = {a.axis}, begins = {a.begin.value_or(0)}, ends = {a.end.value_or(0)};
    steps = {a.stride.value_or(1)};
  }
  steps.resize(axes.size(), 1);
  const Shape x = g.shape();
  for (size_t k = 0; k < axes.size(); ++k) {
    const int at = static_axis(axes[k], x.rank());
    axes[k] = g.lead() + at;
    if (ends[k] <= 0) ends[k] = ends[k] == 0 ? INT64_MAX : ends[k];
    if (steps[k] > 0) continue;
    if (x[at] < 0) throw Failure(CANTIK_UNSUPPORTED, "a free axis is taken backwards");
    const Range r = range(begins[k], ends[k] == INT64_MAX ? 0 : ends[k], steps[k], x[at], "an axis");
    begins[k] = r.first;
    ends[k] = r.first + r.count * r.step;
    if (ends[k] < 0) ends[k] = INT64_MIN;
  }
  g.result(
      g.node("Slice", {g.x(), g.integers(begins), g.integers(ends), g.integers(axes), g.integers(steps)}));
};

// Whether only a run knows the place.
bool known_in_runs(int64_t place) { return place <= CANTIK_ONNX_SYMBOL && place > -CANTIK_ONNX_BEYOND; }

// What is taken of some axes.
struct Cuts {
  std::vector<int64_t> axes, begins, ends, steps;
  void add(int64_t axis, int64_t begin, int64_t end, int64_t step) {
    axes.push_back(axis), begins.push_back(begin), ends.push_back(end), steps.push_back(step);
  }
};

// `left`: the sizes of all axes behind it.
Term inside_of(OnnxNode& n, Term x, Cuts c, const std::vector<int64_t>& left) {
  if (c.axes.empty()) return x;
  std::vector<int64_t> dims = n.dims(x);
  for (int64_t a : c.axes) dims[a] = left[a];
  x = n.with_static(x, c.axes);
  return n.with_dims(
      n.call("slice", {x},
             {{"axis", c.axes}, {"begin_index", c.begins}, {"end_index", c.ends}, {"strides", c.steps}}),
      dims);
}
// The same of ranges that may reach beyond their axes.
Term within_of(OnnxNode& n, Term x, Cuts c, const std::vector<int64_t>& left) {
  if (c.axes.empty()) return x;
  x = n.with_static(x, c.axes);
  return n.with_dims(n.call("slice_within", {x},
                            {{"axes", c.axes}, {"begins", c.begins}, {"ends", c.ends}, {"strides", c.steps}}),
                     left);
}

// ONNX's slices: ends beyond an axis mean its end, and a negative step goes from the begin downwards.
constexpr auto read_onnx_slice = [](OnnxNode& n) {
  Term x = n.x();
  const std::vector<int64_t> dims = n.dims(x);
  const int rank = static_cast<int>(dims.size());
  std::vector<int64_t> begins = n.sizes(1, "starts"), ends = n.sizes(2, "ends"), axes = n.sizes(3, "axes"),
                       steps = n.sizes(4, "steps");
  if (axes.empty())
    for (size_t i = 0; i < begins.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  steps.resize(axes.size(), 1);
  if (begins.size() != axes.size() || ends.size() != axes.size())
    throw value_failure("a slice needs one begin and one end for each axis");
  std::vector<int64_t> left = dims;
  Cuts inside, open;  // of axes whose size only a run knows, which may be less than a range says
  bool empty = false;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t axis = n.axis_of(axes[k], rank), size = dims[axis];
    const int64_t widest = std::max<int64_t>(size, CANTIK_ONNX_BEYOND),
                  step = std::clamp(steps[k], -widest, widest);
    if (step == 0) throw value_failure("the step of a slice must not be 0");
    int64_t begin = begins[k], end = ends[k], count = 0;
    if (known_in_runs(begin)) OnnxNode::refuse("its begin is known in a run only");
    if (size < 0) {  // what lies from the begin on, or up to an end
      if (end == 0) OnnxNode::refuse("it takes nothing of an axis whose size only a run knows");
      if (end == size || end >= CANTIK_ONNX_BEYOND) end = 0;
      if (begin <= -CANTIK_ONNX_BEYOND) begin = 0;
      begin = std::min<int64_t>(begin, CANTIK_ONNX_BEYOND);
      if (step == 1 && begin == 0 && end == 0) continue;
      if (step < 0 || end <= CANTIK_ONNX_SYMBOL)
        OnnxNode::refuse("it takes a part of an axis whose size only a run knows");
      const bool is_one = step == 1 && ((begin == 0 && end == 1) || (begin == -1 && end == 0));
      (is_one ? inside : open).add(axis, begin, end, step);
      left[axis] = is_one ? 1 : -1;
      continue;
    }
    if (known_in_runs(end)) OnnxNode::refuse("its end is known in a run only");
    if (begin < 0) begin = std::max<int64_t>(begin + size, 0);
    if (end < 0) end = end < -size ? (step > 0 ? 0 : -1) : end + size;
    if (step > 0) {
      begin = std::min(begin, size), end = std::min(end, size);
      count = end > begin ? (end - begin + step - 1) / step : 0;
    } else {
      begin = std::min(begin, size - 1), end = std::min(end, size - 1);
      count = begin > end ? (begin - end - step - 1) / -step : 0;
    }
    left[axis] = count;
    empty = empty || count == 0;
    if (step > 0 && begin == 0 && count == size && step == 1) continue;
    if (step < 0) {  // ours go over the same range, from its last position
      const int64_t last = begin;
      begin = last - (count - 1) * -step;
      end = last + 1;
    }
    inside.add(axis, begin, end, step);
  }
  if (empty && !(n.known(x) && n.is_whole(x) && rank == 1)) return n.result(onnx_places::nothing(n, left, x));
  if (n.known(x) && n.is_whole(x) && rank == 1) {
    std::vector<int64_t> numbers = n.sizes(0), part;
    if (inside.axes.empty()) {
      part = numbers;
    } else {
      const int64_t by = inside.steps[0], first = by > 0 ? inside.begins[0] : inside.ends[0] - 1;
      for (int64_t i = 0; i < left[0]; ++i) part.push_back(numbers.at(static_cast<size_t>(first + i * by)));
    }
    n.result_numbers(0, {static_cast<int64_t>(part.size())}, part);
    return;
  }
  const Cuts& only = open.axes.empty() ? inside : open;
  if (n.lead(x) == 2 && inside.axes.size() + open.axes.size() == 1 && only.axes[0] == 0 &&
      only.steps[0] == 1) {  // steps of a sequence
    Term y = n.call("slice_steps", {x}, {{"begin_index", only.begins[0]}, {"end_index", only.ends[0]}});
    if (n.lead(y) == 2) {
      n.result(y);
      return;
    }
    if (n.lead(y) == 1) {  // a single one
      std::vector<int64_t> single = n.dims(y);
      single.insert(single.begin(), 1);
      n.result(n.reshape(y, single));
      return;
    }
  }
  n.result(within_of(n, inside_of(n, x, inside, left), open, left));
};

constexpr auto read_split = [](OnnxNode& n) {
  Term x = n.x();
  int64_t axis = n.axis_of(n.integer("axis"), n.rank(x));
  const int64_t size = n.dims(x)[axis];
  std::vector<int64_t> parts = n.sizes(1, "split");
  const int64_t count = n.outputs();
  if (parts.empty()) {
    if (size < 0) OnnxNode::refuse("the size of the axis is known in a run only");
    const int64_t each = (size + count - 1) / count;
    for (int64_t left = size; left > 0; left -= each) parts.push_back(std::min(each, left));
  }
  if (static_cast<int64_t>(parts.size()) != count) throw value_failure("it has other outputs than parts");
  x = n.with_static(x, axis);
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] < 1) {
      std::vector<int64_t> dims = n.dims(x);
      dims[axis + n.lead(x)] = 0;
      n.result(static_cast<int>(i), onnx_places::nothing(n, dims, x));
      continue;
    }
    std::vector<int64_t> axes{axis}, begin{at}, end{at + parts[i]};
    n.result(static_cast<int>(i),
             n.call("slice", {x}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}}));
    at += parts[i];
  }
};

}  // namespace

CANTIK_OP(slice) {
  op.attributes<Slice>("slice(x, axis, begin_index, end_index, strides=None, name='')")
      .doc(
          "The positions begin_index to before end_index along an axis, or along several. Negative indices "
          "count from the end; the end 0 is the end of the axis. "
          "A negative stride goes backwards from the last position of the range.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Slice& a) {
        size_t n = a.axis.size();
        if (n == 0 || a.begin_index.size() != n || a.end_index.size() != n ||
            (!a.strides.empty() && a.strides.size() != n))
          throw value_failure("a slice needs one begin index, end index and stride for each axis, and has " +
                                  std::to_string(n) + " axes, " + std::to_string(a.begin_index.size()) +
                                  " begin indices, " + std::to_string(a.end_index.size()) +
                                  " end indices and " + std::to_string(a.strides.size()) + " strides",
                              "give lists of the same length");
        std::vector<int64_t> axes, strides = a.strides.empty() ? std::vector<int64_t>(n, 1) : a.strides;
        Shape x = b.x().type().shape;
        for (int64_t code : a.axis) {
          if (!axis_code::is_static(code))
            throw Failure(
                CANTIK_UNSUPPORTED, "slice cuts static axes, and was given " + axis_text(code),
                "use sequence.slice for steps of sequences; samples of a batch are chosen as they are fed");
          axes.push_back(x.is_known() ? axis_from_end(code, x.rank()) : code);
        }
        auto part = [&](Term y, size_t first, size_t last) {
          auto some = [&](const std::vector<int64_t>& list) {
            return std::vector<int64_t>(list.begin() + static_cast<std::ptrdiff_t>(first),
                                        list.begin() + static_cast<std::ptrdiff_t>(last));
          };
          if (last - first == 1)
            return b.call("slice_axes", {y},
                          {{"axis", axes[first]},
                           {"begin", a.begin_index[first]},
                           {"end", a.end_index[first]},
                           {"stride", strides[first]}});
          return b.call("slice_axes", {y},
                        {{"axes", some(axes)},
                         {"begins", some(a.begin_index)},
                         {"ends", some(a.end_index)},
                         {"strides", some(strides)}});
        };
        // An axis that comes again is cut again, as in CNTK.
        Term y = b.x();
        size_t first = 0;
        for (size_t k = 1; k < n; ++k)
          if (const auto from = axes.begin() + static_cast<std::ptrdiff_t>(first),
              to = axes.begin() + static_cast<std::ptrdiff_t>(k);
              std::find(from, to, axes[k]) != to)
            y = part(y, first, k), first = k;
        b.result(part(y, first, n));
      })
      .sample({{2, 4}}, {.axis = {1}, .begin_index = {1}, .end_index = {3}})
      .sample({{3, 4}}, {.axis = {0, 1}, .begin_index = {1, 0}, .end_index = {3, 4}, .strides = {1, -2}})
      .sample({{3, 6}}, {.axis = {1, 0, 1}, .begin_index = {1, 1, 1}, .end_index = {5, 3, 3}});

  op.attributes<SliceAxes>("slice_axes(x, name='')")
      .doc("A part of x along one or several static axes.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const SliceAxes& a) {
        Shape x = in.shape(0);
        in.set(in.like(0, x.is_known() ? shape_of(ranges(x, a)) : Shape::unknown()));
      })
      .takes_part(part_along)
      .gradient([](Gradient& g, const SliceAxes& a) { g.dx(0, uncut(g, g.dy(), g.x().shape(), a)); })
      .form("part",
            [](const Prepare& p, const SliceAxes& a) {
              Both s = both(p.in(0).shape, a);
              return forms::copy(p, {{0, s.size, s.whole, s.part, s.offset, 0}});
            })
      .cntk("Slice", 14)
      .onnx_write("Slice", write_onnx_slice)
      .onnx_read("Slice", read_onnx_slice)
      .onnx_read("Split", read_split)
      .sample({{2, 4}}, {.axis = 1, .begin = 1, .end = 3});

  // As ONNX and NumPy have it, whose ranges end where an axis ends.
  op.attributes<SliceAxes>("slice_within(x, name='')")
      .doc("The part of x in ranges along axes, without what of them lies beyond an axis: that may be all.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const SliceAxes& a) {
        Shape x = in.shape(0);
        in.set(in.like(0, x.is_known() ? shape_of(ranges(x, a, true)) : Shape::unknown()));
      })
      .gradient([](Gradient& g, const SliceAxes& a) { g.dx(0, uncut(g, g.dy(), g.x().shape(), a, true)); })
      .form("part",
            [](const Prepare& p, const SliceAxes& a) {
              Both s = both(p.in(0).shape, a, true);
              return forms::copy(p, {{0, s.size, s.whole, s.part, s.offset, 0}});
            })
      .onnx_write("Slice", write_onnx_slice)
      .sample({{2, 4}}, {.axis = 1, .begin = -7, .end = 3})
      .sample({{3, 4}}, {.axes = {0, 1}, .begins = {1, 0}, .ends = {9, 4}, .strides = {1, 2}});

  // Zeros, with y in the place of the slice.
  op.attributes<Unslice>("unslice(y, shape)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const Unslice& a) { in.set(in.like(0, a.shape)); })
      .puts_part([](RowPart& p, const Unslice& a) {
        if (!a.within) part_along(p, a);
      })
      .gradient([](Gradient& g, const Unslice& a) { g.dx(0, cut(g, g.dy(), a, a.within)); })
      .form("part", [](const Prepare& p, const Unslice& a) {
        Both s = both(p.out().shape, a, a.within);
        return forms::copy(p, {{0, s.size, s.part, s.whole, 0, s.offset}}, 0.0);
      });
}
