// loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.
#include <cantik/op.h>

#include "backends/cpu/table.h"

using namespace cantik;

namespace {

struct CrossEntropy {
  int64_t axis = -1;
  static constexpr auto fields() { return list(field("axis", &CrossEntropy::axis, "the axis of the classes").key("axis").role(CANTIK_AXIS)); }
};

// sum_i label_i z_i over the entries of a sparse row or a dense one
template <class T>
T labelled(const Run& r, int label, int64_t row, const T* z, int64_t n) {
  const cantik_operand& o = r.in(label);
  T sum = 0;
  if (o.starts) {
    for (int64_t i = o.starts[row]; i < o.starts[row + 1]; ++i) sum += (o.data ? static_cast<const T*>(o.data)[i] : T(1)) * z[o.columns[i]];
    return sum;
  }
  const T* y = r.row<T>(label, row);
  for (int64_t i = 0; i < n; ++i) sum += y[i] * z[i];
  return sum;
}

void check(Infer& in) {
  Shape z = in.shape(0), y = in.shape(1);
  if (z.is_known() && y.is_known() && z.is_static() && y.is_static() && z.elements() != y.elements())
    throw value_failure("the scores have the shape " + z.text() + ", the labels " + y.text());
}

}  // namespace

CANTIK_OP(cross_entropy_with_softmax) {
  op.attributes<CrossEntropy>("cross_entropy_with_softmax(output_vector, target_vector, axis=-1, name='')")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const CrossEntropy&) {
        check(in);
        Shape z = in.shape(0);
        Shape s = z;
        if (z.is_known() && z.rank() > 0) s[s.rank() - 1] = 1;
        in.set(in.join(0, 1, s));
      })
      .gradient([](Gradient& g, const CrossEntropy&) {
        if (g.wanted(0)) g.dx(0, g.call("cross_entropy_gradient", {g.x(0), g.x(1), g.dy()}));
        if (g.wanted(1)) g.dx(1, g.map({g.x(0), g.dy()}, [](Real z, Real dy) { return -(z * dy); }));
      })
      .kernel("row", [](auto zero, const Run& r, const CrossEntropy&) {
        using T = decltype(zero);
        int64_t n = r.in(0).stride;
        T* loss = r.result<T>(0, r.begin());
        cpu::kernels<T>().log_sum_exp(loss, r.row<T>(0, r.begin()), r.end() - r.begin(), n);
        for (int64_t row = r.begin(); row < r.end(); ++row) loss[row - r.begin()] -= labelled(r, 1, row, r.row<T>(0, row), n);
      })
      .cntk_block("CrossEntropyWithSoftmax");

  // dz = (softmax(z) - label) dy
  op.signature("cross_entropy_gradient(z, label, dy)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.join(0, 1, in.shape(0))); })
      .kernel("row", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        int64_t n = r.in(0).stride;
        const cantik_operand& label = r.in(1);
        cpu::kernels<T>().softmax(r.result<T>(0, r.begin()), r.row<T>(0, r.begin()), r.row<T>(2, r.begin()), r.end() - r.begin(), n);
        for (int64_t row = r.begin(); row < r.end(); ++row) {
          T dy = *r.row<T>(2, row), *dz = r.result<T>(0, row);
          if (label.starts)
            for (int64_t i = label.starts[row]; i < label.starts[row + 1]; ++i) dz[label.columns[i]] -= (label.data ? static_cast<const T*>(label.data)[i] : T(1)) * dy;
          else
            for (int64_t i = 0; i < n; ++i) dz[i] -= r.template row<T>(1, row)[i] * dy;
        }
      });
}
