// 1 where the highest score is not that of the label, else 0.
#include <algorithm>

#include <cantik/op.h>

#include "ops/axis_of.h"

using namespace cantik;

namespace {

struct ClassificationError {
  int64_t axis = -1;
  int64_t topN = 1;
  static constexpr auto fields() {
    return list(field("axis", &ClassificationError::axis, "the axis of the classes").role(CANTIK_AXIS),
                field("topN", &ClassificationError::topN,
                      "the label is right if it is among so many highest scores"));
  }
};

// The value of a row's column; sparse rows have few.
template <class T>
T at(const Run& r, int operand, int64_t row, int64_t column) {
  const cantik_operand& o = r.in(operand);
  if (!o.starts) return r.row<T>(operand, row)[column];
  for (int64_t i = o.starts[row]; i < o.starts[row + 1]; ++i)
    if (o.columns[i] == column) return o.data ? static_cast<const T*>(o.data)[i] : T(1);
  return 0;
}

// The column with the highest value, the first of several.
template <class T>
int64_t best(const Run& r, int operand, int64_t row, int64_t n) {
  const cantik_operand& o = r.in(operand);
  if (!o.starts) {
    const T* x = r.row<T>(operand, row);
    return std::max_element(x, x + n) - x;
  }
  int64_t column = 0;
  T most = 0;
  for (int64_t i = o.starts[row]; i < o.starts[row + 1]; ++i)
    if (T v = o.data ? static_cast<const T*>(o.data)[i] : T(1); v > most) most = v, column = o.columns[i];
  return column;
}

// 1 - label at the highest score.
template <class T>
struct RowError final : Kernel {
  int64_t n;
  RowError(int64_t n, int64_t) : n(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      *r.result<T>(0, row) = T(1) - at<T>(r, 1, row, best<T>(r, 0, row, n));
  }
};

// How many rows have their label not among the topN highest scores.
template <class T>
struct Count final : Kernel {
  int64_t n, top;
  Count(int64_t n, int64_t top) : n(n), top(top) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    if (top > n)  // in a run, as in CNTK: such a function may be made
      throw value_failure("topN is " + std::to_string(top) + ", and there are " + std::to_string(n) +
                          " classes");
    int64_t wrong = 0;
    for (int64_t row = 0; row < std::max(r.in(0).rows, r.in(1).rows); ++row) {
      const T* z = r.row<T>(0, row);
      int64_t right = best<T>(r, 1, row, n), above = 0;
      for (int64_t i = 0; i < n; ++i) above += z[i] > z[right] || (z[i] == z[right] && i < right);
      wrong += above >= top;
    }
    *r.result<T>(0, 0) = static_cast<T>(wrong);
  }
};

void same_classes(Infer& in) {
  Shape z = in.shape(0), y = in.shape(1);
  if (z.is_static() && y.is_static() && (z.rank() == 0 || y.rank() == 0 || z.back() != y.back()))
    throw value_failure(
        "the scores have the shape " + z.text() + ", but the labels have the shape " + y.text(),
        "give both one number for each class");
}

// As CNTK spells it.
void compose_classification_error(Builder& b, const ClassificationError& a) {
  Term z = b.x(0), label = b.x(1);
  if (a.axis == -1) {
    b.result(b.constant(1, z) - b.call("times_transpose", {b.call("hardmax", {z}), label}));
    return;
  }
  int64_t axis = axis_from_end(a.axis, z);
  Term most = b.call("equal", {z, b.call("reduce_elements", {z}, {{"axis", axis}, {"reduction", "Max"}})});
  Term differ =
      b.call("reduce_elements", {b.call("not_equal", {label, most})}, {{"axis", axis}, {"reduction", "Sum"}});
  Term wrong = b.call("greater_equal", {differ, b.constant(1, z)});
  b.result(b.call("reduce_elements", {wrong},
                  {{"axis", axis_code::kAllStatic}, {"reduction", "Mean"}, {"keepdims", false}}));
}

}  // namespace

CANTIK_OP(classification_error) {
  op.attributes<ClassificationError>(
        "classification_error(output_vector, target_vector, axis=-1, topN=1, name='')")
      .named("arrays", "widest")
      .doc(
          "1 where the highest score is not that of the label, else 0, for each sample. With topN above 1 "
          "the number of samples whose label is not among the topN highest scores.")
      .traits(CANTIK_SPELLED_OUT | CANTIK_SAME_AXES)
      .composite([](Builder& b, const ClassificationError& a) {
        if (a.topN == 1) {
          b.result(b.call("classification_error_each", {b.x(0), b.x(1)}, {{"axis", a.axis}}));
          return;
        }
        if (a.axis != -1)
          throw Failure(CANTIK_UNSUPPORTED, "topN above 1 needs the scores along the last axis",
                        "transpose the operands");
        if (a.topN < 1) throw value_failure("topN must be at least 1, and is " + std::to_string(a.topN));
        Term top = b.constant(static_cast<double>(a.topN), b.x(0));
        b.result(b.call("classification_error_count", {b.x(0), b.x(1), top}, {{"topN", a.topN}}));
      })
      .sample({{4}, {4}})
      .sample({{4}, {4}}, {.topN = 2});

  op.attributes<ClassificationError>(
        "classification_error_each(output_vector, target_vector, axis=-1, name='')")
      .doc("1 where the highest score is not that of the label, else 0.")
      .traits(CANTIK_HIDDEN | CANTIK_TAKES_SPARSE | CANTIK_SAME_AXES)
      .type([](Infer& in, const ClassificationError& a) {
        if (a.axis == -1) same_classes(in);
        TypeView t = in.join(0, 1, Shape::unknown());
        Shape z = in.shape(0), y = in.shape(1);
        if (z.is_known() && z.rank() == 1 && y.is_known() && y.rank() == 1 && a.axis == -1)
          t.shape = Shape{1};
        in.set(t);
      })
      .composite([](Builder& b, const ClassificationError& a) { compose_classification_error(b, a); })
      .lower([](Builder& b, const ClassificationError& a) {
        if (a.axis == -1 && b.x(0).shape().rank() == 1 && b.x(1).shape() == b.x(0).shape())
          b.result(b.call("row_error", {b.x(0), b.x(1)}));
        else
          compose_classification_error(b, a);
      })
      .cntk_block("ClassificationError")
      .sample({{4}, {4}});

  op.attributes<ClassificationError>(
        "classification_error_count(output_vector, target_vector, topN_value, topN=1, name='')")
      .doc("The number of samples whose label is not among the topN highest scores.")
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS | CANTIK_NO_GRADIENT | CANTIK_TAKES_SPARSE | CANTIK_SAME_AXES)
      .type([](Infer& in, const ClassificationError&) {
        same_classes(in);
        TypeView t = in.join(0, 1, Shape());
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .kernel("rows",
              [](const Prepare& p, const ClassificationError& a) {
                return of_type<Count>(p.dtype(), p.in(0).shape.elements(), a.topN);
              })
      .cntk("ClassificationError", 36)
      .cntk_form({.operand_fields = {{2, "topN"}}});  // in files a constant, here also an attribute

  // 1 - label at the highest score.
  op.signature("row_error(z, label)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) { in.set(in.join(0, 1, Shape{1})); })
      .gradient([](Gradient& g) {
        if (g.wanted(1))
          g.dx(1, g.map({g.call("hardmax", {g.x(0)}), g.dy()}, [](Real h, Real dy) { return -(h * dy); }));
      })
      .kernel("row", [](const Prepare& p, const NoAttributes&) {
        return of_type<RowError>(p.dtype(), p.in(0).shape.elements(), 1);
      });
}
