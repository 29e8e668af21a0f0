// loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.
#include <cmath>

#include <cantik/op.h>

#include "backends/host/loops.h"
#include "ops/axis_of.h"
#include "ops/loss/onnx_losses.h"

using namespace cantik;

namespace {

struct CrossEntropy {
  int64_t axis = -1;
  static constexpr auto fields() {
    return list(field("axis", &CrossEntropy::axis, "the axis of the classes").role(CANTIK_AXIS));
  }
};

// sum_i label_i z_i over the entries of a sparse row or a dense one
template <class T>
T labelled(const Run& r, int label, int64_t row, const T* z, int64_t n) {
  const cantik_operand& o = r.in(label);
  T sum = 0;
  if (o.starts) {
    for (int64_t i = o.starts[row]; i < o.starts[row + 1]; ++i)
      sum += (o.data ? static_cast<const T*>(o.data)[i] : T(1)) * z[o.columns[i]];
    return sum;
  }
  const T* y = r.row<T>(label, row);
  for (int64_t i = 0; i < n; ++i) sum += y[i] * z[i];
  return sum;
}

template <class T>
struct CrossEntropyKernel final : Kernel {
  int64_t n;
  explicit CrossEntropyKernel(int64_t n) : n(n) {}
  void run(const Run& r) const override {
    T* loss = r.result<T>(0, r.begin());
    if (r.in(0).stride == n)
      host::loops<T>().log_sum_exp(loss, r.row<T>(0, r.begin()), r.end() - r.begin(), n);
    else
      for (int64_t row = r.begin(); row < r.end(); ++row)
        host::loops<T>().log_sum_exp(loss + row - r.begin(), r.row<T>(0, row), 1, n);
    for (int64_t row = r.begin(); row < r.end(); ++row)
      loss[row - r.begin()] -= labelled(r, 1, row, r.row<T>(0, row), n);
  }
};

// dz = (softmax(z) - label) dy
template <class T>
struct LossGradient final : Kernel {
  int64_t n;
  explicit LossGradient(int64_t n) : n(n) {}
  void run(const Run& r) const override {
    const cantik_operand& label = r.in(1);
    bool whole = r.in(0).stride == n && r.in(2).stride == 1;
    if (whole)
      host::loops<T>().softmax(r.result<T>(0, r.begin()), r.row<T>(0, r.begin()), r.row<T>(2, r.begin()),
                               r.end() - r.begin(), n);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T dy = *r.row<T>(2, row), *dz = r.result<T>(0, row);
      if (!whole) host::loops<T>().softmax(dz, r.row<T>(0, row), r.row<T>(2, row), 1, n);
      if (label.starts)
        for (int64_t i = label.starts[row]; i < label.starts[row + 1]; ++i)
          dz[label.columns[i]] -= (label.data ? static_cast<const T*>(label.data)[i] : T(1)) * dy;
      else
        host::loops<T>().add_scaled(dz, r.row<T>(1, row), -dy, n);
    }
  }
};

// As CNTK spells it.
void compose_cross_entropy(Builder& b, const CrossEntropy& a) {
  Term z = b.x(0), label = b.x(1);
  int64_t axis = a.axis == -1 ? -1 : axis_from_end(a.axis, z);
  Term target = a.axis == -1 ? b.call("times_transpose", {z, label})
                             : b.call("reduce_elements", {label * z}, {{"axis", axis}, {"reduction", "Sum"}});
  b.result(b.call("reduce_elements", {z}, {{"axis", axis}, {"reduction", "LogSum"}}) - target);
}

}  // namespace

CANTIK_OP(cross_entropy_with_softmax) {
  op.attributes<CrossEntropy>("cross_entropy_with_softmax(output_vector, target_vector, axis=-1, name='')")
      .named("arrays", "widest")
      .doc(
          "log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels, which "
          "may be sparse. The result is [1].")
      .traits(CANTIK_TAKES_SPARSE | CANTIK_SAME_AXES)
      .type([](Infer& in, const CrossEntropy& a) {
        Shape z = in.shape(0), y = in.shape(1);
        if (!in.in(0).is_dense())
          throw Failure(CANTIK_RUNTIME, "the scores are sparse, and only labels may be",
                        "give (output_vector, target_vector), in this order");
        TypeView t = in.join(0, 1, Shape::unknown());
        if (z.is_known()) static_axis(a.axis, z.rank());
        if (z.is_static() && y.is_static() && z.rank() > 0 && y.rank() > 0 && a.axis == -1 &&
            z.back() != y.back())
          throw value_failure(
              "the scores have the shape " + z.text() + ", but the labels have the shape " + y.text(),
              "give both one number for each class");
        if (z.is_known() && z.rank() == 1 && y.is_known() && y.rank() == 1) t.shape = Shape{1};
        in.set(t);
      })
      .composite([](Builder& b, const CrossEntropy& a) { compose_cross_entropy(b, a); })
      .lower([](Builder& b, const CrossEntropy& a) {
        if (b.x(0).shape().rank() == 1 && b.x(1).shape() == b.x(0).shape())
          b.result(b.call("cross_entropy", {b.x(0), b.x(1)}));
        else
          compose_cross_entropy(b, a);
      })
      .cntk_block("CrossEntropyWithSoftmax")
      .onnx_read("NegativeLogLikelihoodLoss", [](OnnxNode& n) { onnx_losses::read_log_likelihood(n); })
      .onnx_read("SoftmaxCrossEntropyLoss", [](OnnxNode& n) { onnx_losses::read_cross_entropy(n); })
      .sample({{4}, {4}})
      .sample({{2, 3}, {2, 3}}, {.axis = 0});

  // The same for vectors.
  op.signature("cross_entropy(z, label)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) { in.set(in.join(0, 1, Shape{1})); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("cross_entropy_gradient", {g.x(0), g.x(1), g.dy()}));
        if (g.wanted(1)) g.dx(1, g.map({g.x(0), g.dy()}, [](Real z, Real dy) { return -(z * dy); }));
      })
      .kernel("row", [](const Prepare& p, const NoAttributes&) {
        return of_type<CrossEntropyKernel>(p.dtype(), p.in(0).shape.elements());
      });

  // dz = (softmax(z) - label) dy
  op.signature("cross_entropy_gradient(z, label, dy)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) {
        TypeView t = in.join(0, 1, in.shape(0)), dy = in.in(2);
        if (dy.axes > t.axes) t.axes = dy.axes, t.sequence_axis = dy.sequence_axis;
        in.set(t);
      })
      .kernel("row", [](const Prepare& p, const NoAttributes&) {
        return of_type<LossGradient>(p.dtype(), p.in(0).shape.elements());
      });
}
