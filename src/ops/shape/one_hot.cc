// Each number becomes a vector with a 1 at its place.
#include <algorithm>

#include <cantik/op.h>

#include "ops/control/onnx_cast.h"
#include "ops/shape/sparse_rows.h"

using namespace cantik;

namespace {

struct OneHot {
  int64_t num_classes = 1;
  bool sparse_output = false;
  int64_t axis = -1;
  static constexpr auto fields() {
    return list(field("num_classes", &OneHot::num_classes, "length of the vectors").key("numClass"),
                field("sparse_output", &OneHot::sparse_output, "sparse rows").key("oneHotOutputSparse"),
                field("axis", &OneHot::axis, "the axis of the result that the classes are")
                    .key("onehotAxis")
                    .role(CANTIK_AXIS));
  }
};

// Number i of x is in block i / inner, at i % inner; its vector's element c is (i / inner * classes + c) *
// inner + i % inner.
template <class T>
struct Vectors final : Kernel {
  int64_t classes, inner = 1, count;
  bool sparse;
  Vectors(const Shape& x, const OneHot& a)
      : classes(a.num_classes), count(x.elements()), sparse(a.sparse_output) {
    for (int i = static_axis(a.axis, x.rank() + 1); i < x.rank(); ++i) inner *= x[i];
  }
  static bool is_class(T x, int64_t classes) { return x >= 0 && x < static_cast<T>(classes); }
  int64_t place(T x, int64_t i) const {
    return (i / inner * classes + static_cast<int64_t>(x)) * inner + i % inner;
  }

  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      if (sparse) {
        entries(r.out(), row, x);
        continue;
      }
      T* y = r.result<T>(0, row);
      std::fill_n(y, count * classes, T(0));
      for (int64_t i = 0; i < count; ++i)
        if (is_class(x[i], classes)) y[place(x[i], i)] = 1;
    }
  }
  // One entry for each number, so that rows can be written in any order; 0 for what is no class.
  void entries(const cantik_operand& y, int64_t row, const T* x) const {
    auto* starts = const_cast<int64_t*>(y.starts);
    auto* columns = const_cast<int32_t*>(y.columns) + row * count;
    T* values = static_cast<T*>(y.data) + row * count;
    starts[row] = row * count;
    starts[row + 1] = (row + 1) * count;
    for (int64_t i = 0; i < count; ++i) {
      bool known = is_class(x[i], classes);
      columns[i] = static_cast<int32_t>(place(known ? x[i] : T(0), i));
      values[i] = known ? T(1) : T(0);
    }
  }
};

}  // namespace

CANTIK_OP(one_hot) {
  op.attributes<OneHot>("one_hot(x, num_classes, sparse_output=False, axis=-1, name='')")
      .doc(
          "Each number of x becomes a vector of num_classes numbers: 1 at its place, else 0; zeros where it "
          "is no class. The vectors lie along `axis` of the result.")
      .traits(CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const OneHot& a) {
        Shape x = in.shape(0);
        if (a.num_classes < 1)
          throw value_failure("num_classes is out of range: " + std::to_string(a.num_classes));
        if (!x.is_known()) {
          in.set(in.like(0, Shape::unknown()));
          return;
        }
        int at = static_axis(a.axis, x.rank() + 1);
        TypeView t = in.like(0, x.sub(0, at) + Shape{a.num_classes} + x.sub(at, x.rank()));
        if (a.sparse_output) {
          if (at != x.rank())
            throw Failure(CANTIK_UNSUPPORTED, "sparse one-hot vectors must lie along the last axis",
                          "ask for a dense result");
          check_columns(t.shape);
          t.storage = CANTIK_CSR;
          t.entries = x.is_static() ? x.elements() : 0;
        }
        in.set(t);
      })
      .kernel("vectors",
              [](const Prepare& p, const OneHot& a) -> std::unique_ptr<Kernel> {
                return of_type<Vectors>(p.dtype(), p.in(0).shape, a);
              })
      .cntk("OneHotOp", 68)
      .cntk_form({.axes_of_result = true})
      .onnx_write("OneHot",
                  [](OnnxGraph& g, const OneHot& a) {
                    // numbers of float32, which all runtimes have; others are made of these
                    OnnxValue depth = g.integer(a.num_classes),
                              values = g.reals(DType::float32, {0, 1}, Shape{2});
                    const int rank = g.shape().rank() + 1;
                    const int64_t axis = g.lead() + (a.axis < 0 ? a.axis + rank : a.axis);
                    const OnnxValue y =
                        g.node("OneHot", {g.cast(g.x(), OnnxGraph::kInt64), depth, values}, {{"axis", axis}});
                    g.result(g.out().dtype == DType::float32 ? y : g.number(y));
                  })
      .onnx_read("OneHot",
                 [](OnnxNode& n) {
                   const std::vector<double> values = n.numbers(2), depth = n.numbers(1);
                   Term x = n.x();
                   int64_t axis = n.axis_of(n.integer("axis", -1), n.rank(x) + 1);
                   if (axis < n.lead(x)) x = n.plain(x);
                   axis -= n.lead(x);
                   // places count from the end where they are negative
                   const double classes = depth.at(0);
                   x = x + n.constant(classes, x) * n.call("less", {x, n.constant(0, x)});
                   Term y = n.call("one_hot", {x},
                                   {{"num_classes", static_cast<int64_t>(classes)}, {"axis", axis}});
                   const double off = values.at(0), on = values.at(1);
                   if (off != 0 || on != 1) y = y * n.constant(on - off, y) + n.constant(off, y);
                   onnx_cast::result(n, y, n.element(n.x(2)));
                 })
      .sample_between(0, 5, {{2, 3}}, {.num_classes = 5})
      .sample_between(0, 5, {{2}}, {.num_classes = 5, .axis = 0});
}
