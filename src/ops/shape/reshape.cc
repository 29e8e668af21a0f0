// The same numbers under another shape.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Reshape {
  Shape shape;
  int64_t begin_axis = axis_code::kNone, end_axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(field("shape", &Reshape::shape,
                      "what takes the place of the axes; one dimension may be -1 or free, to be inferred")
                    .key("newShape")
                    .role(CANTIK_SHAPE_OF),
                field("begin_axis", &Reshape::begin_axis,
                      "the first axis that is replaced; without one, the first of all")
                    .key("endAxis")
                    .role(CANTIK_BOUNDARY),
                field("end_axis", &Reshape::end_axis, "the first one behind them that stays")
                    .key("beginAxis")
                    .role(CANTIK_BOUNDARY));
  }
};

int place(int64_t code, int rank, int otherwise) {
  if (code == axis_code::kNone) return otherwise;
  if (code == axis_code::kNewLeading) return 0;
  if (code == axis_code::kAllStatic) return rank;
  int64_t i = code < 0 ? code + rank : code;
  if (i < 0 || i > rank)
    throw value_failure(axis_text(code) + " is out of bounds for an operand of rank " + std::to_string(rank));
  return static_cast<int>(i);
}

constexpr auto infer_reshape = [](Infer& in, const Reshape& a) {
  Shape x = in.shape(0);
  int open = -1;
  int64_t product = 1;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.shape[i] != kInferred && a.shape[i] != kFree) {
      if (a.shape[i] < 0)
        throw value_failure(
            "a dimension of the new shape must be at least 0, and is " + std::to_string(a.shape[i]),
            "give -1 for a dimension that is to be inferred");
      if (__builtin_mul_overflow(product, a.shape[i], &product))
        throw value_failure("the new shape " + a.shape.text() + " has more elements than can be counted");
      continue;
    }
    if (open >= 0)
      throw value_failure("only one dimension of the new shape can be inferred, and " + a.shape.text() +
                              " leaves several open",
                          "give all dimensions but one");
    open = i;
  }
  if (!x.is_known()) {
    in.set(in.view(0, Shape::unknown()));
    return;
  }
  int begin = place(a.begin_axis, x.rank(), 0), end = place(a.end_axis, x.rank(), x.rank());
  if (begin > end)
    throw value_failure("begin_axis (" + std::to_string(begin) + ") comes after end_axis (" +
                        std::to_string(end) + ")");
  Shape replaced = x.sub(begin, end), shape = a.shape;
  if (replaced.has_inferred() || replaced.has_free()) {
    if (open >= 0) shape[open] = replaced.has_free() ? kFree : kInferred;
  } else {
    int64_t n = replaced.elements();
    if (open >= 0) {
      if (product == 0 || n % product != 0)
        throw value_failure("the dimensions " + replaced.text() + " cannot become " + a.shape.text() + ": " +
                            std::to_string(n) + " elements are not a multiple of " + std::to_string(product));
      shape[open] = n / product;
    } else if (product != n) {
      throw value_failure("the dimensions " + replaced.text() + " cannot become " + a.shape.text() +
                              ": there are " + std::to_string(n) + " elements, not " +
                              std::to_string(product),
                          "give one dimension as -1 to have it inferred");
    }
  }
  in.set(in.view(0, x.sub(0, begin) + shape + x.sub(end, x.rank())));
};

}  // namespace

CANTIK_OP(reshape) {
  op.attributes<Reshape>("reshape(x, shape, begin_axis=None, end_axis=None, name='')")
      .doc(
          "The same numbers, in the same order, under another shape: shape takes the place of the axes from "
          "begin_axis to before end_axis. "
          "One dimension may be -1 or free, to be inferred.")
      .traits(CANTIK_ALIAS | CANTIK_ROW_WISE)
      .type(infer_reshape)
      .cntk("Reshape", 16)
      .onnx_write("Reshape",
                  [](OnnxGraph& g, const Reshape& a) {
                    Shape to = g.out().shape;
                    // free sizes before the place stay as they are
                    std::vector<int64_t> dims(static_cast<size_t>(g.lead()), 0);
                    const int begin = place(a.begin_axis, g.shape().rank(), 0);
                    for (int i = 0; i < to.rank(); ++i)
                      dims.push_back(to[i] >= 0 ? to[i] : i < begin ? 0 : -1);
                    if (std::count(dims.begin(), dims.end(), -1) <= 1) {
                      g.result(g.node("Reshape", {g.x(), g.integers(dims)}));
                      return;
                    }
                    // axes behind the place keep their sizes, too
                    const int rank = g.shape().rank(), tail = rank - place(a.end_axis, rank, rank);
                    dims.resize(dims.size() - static_cast<size_t>(tail));
                    if (std::count(dims.begin(), dims.end(), -1) > 1)
                      throw Failure(CANTIK_UNSUPPORTED, "a shape with several free sizes is made");
                    OnnxValue kept = g.node("Slice", {g.node("Shape", {g.x()}), g.integers({-tail}),
                                                      g.integers({INT64_MAX}), g.integers({0})});
                    OnnxValue shape = g.node("Concat", {g.integers(dims), kept}, {{"axis", 0}});
                    g.result(g.node("Reshape", {g.x(), shape}));
                  })
      .onnx_read("Reshape",
                 [](OnnxNode& n) {
                   std::vector<int64_t> to = n.sizes(1, "shape");
                   const std::vector<int64_t> from = n.dims(n.x());
                   if (n.integer("allowzero") == 0)
                     for (size_t i = 0; i < to.size(); ++i)
                       if (to[i] == 0) {
                         if (i >= from.size())
                           throw value_failure("the shape keeps an axis that is not there");
                         to[i] = from[i];
                       }
                   n.result(n.reshape(n.x(), to));
                 })
      .onnx_read("Shape",
                 [](OnnxNode& n) {
                   const std::vector<int64_t> d = n.dims(n.x());
                   const int64_t rank = static_cast<int64_t>(d.size());
                   auto bound = [&](const char* name, int64_t otherwise) {
                     int64_t v = n.integer(name, otherwise);
                     return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank);
                   };
                   const int64_t begin = bound("start", 0), end = std::max(begin, bound("end", rank));
                   n.result_numbers(0, {end - begin}, {d.begin() + begin, d.begin() + end});
                 })
      .onnx_read("Size",
                 [](OnnxNode& n) {
                   int64_t count = 1;
                   for (int64_t d : n.dims(n.x())) {
                     if (d < 0) OnnxNode::refuse("the size of its input is known in a run only");
                     count *= d;
                   }
                   n.result_numbers(0, {}, {count});
                 })
      .sample({{2, 3}}, {.shape = {3, 2}})
      .sample({{2, 3, 4}}, {.shape = {-1}, .begin_axis = 1});
}
