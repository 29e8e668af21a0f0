// Connectionist temporal classification (Graves et al. 2006): minus the logarithm of the probability that the
// outputs of a sequence, step by step a label or nothing (the blank), read the labels in their order once
// repetitions and blanks are dropped.
#include <memory>
#include <string>

#include "ops/loss/ctc_alignment.h"

using namespace cantik;

namespace {

struct Ctc {
  int64_t blank = 0;
  static constexpr auto fields() { return list(field("blank", &Ctc::blank, "which class is the blank")); }
};

// Operands from `first` on: x [steps, classes], labels [most labels], how many steps and how many labels
// there are.
template <class T>
struct Samples {
  int64_t steps, classes, most_labels, blank;
  Samples(const Shape& x, const Shape& labels, int64_t blank)
      : steps(x[0]), classes(x[1]), most_labels(labels[0]), blank(blank) {}

  int64_t read(const Run& r, int first, int64_t row, CtcAlignment<T>& alignment) const {
    const int64_t length = count(*r.row<T>(first + 2, row), steps, "steps", row);
    const T* labels = r.row<T>(first + 1, row);
    alignment.labels.clear();
    const int64_t n = count(*r.row<T>(first + 3, row), most_labels, "labels", row);
    for (int64_t i = 0; i < n; ++i) alignment.add_label(static_cast<double>(labels[i]), row);
    const T* x = r.row<T>(first, row);
    alignment.read(length, [&](int64_t t) { return x + t * classes; });
    return length;
  }

 private:
  static int64_t count(T given, int64_t most, const char* what, int64_t row) {
    if (!(given >= 0 && given <= static_cast<T>(most)))
      throw value_failure("row " + std::to_string(row) + " has " +
                          std::to_string(static_cast<double>(given)) + " " + what + ", and at most " +
                          std::to_string(most) + " are possible");
    return static_cast<int64_t>(given);
  }
};

template <class T>
struct CtcLoss final : Kernel {
  Samples<T> samples;
  CtcLoss(const Prepare& p, const Ctc& a) : samples(p.in(0).shape, p.in(1).shape, a.blank) {}
  void run(const Run& r) const override {
    CtcAlignment<T> alignment(samples.classes, samples.blank);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      samples.read(r, 0, row, alignment);
      *r.result<T>(0, row) = static_cast<T>(-alignment.log_probability());
    }
  }
};

// Operands: dy, then those of the loss.
template <class T>
struct CtcSlopes final : Kernel {
  Samples<T> samples;
  CtcSlopes(const Prepare& p, const Ctc& a) : samples(p.in(1).shape, p.in(2).shape, a.blank) {}
  void run(const Run& r) const override {
    CtcAlignment<T> alignment(samples.classes, samples.blank);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const int64_t length = samples.read(r, 1, row, alignment);
      T* dx = r.result<T>(0, row);
      std::fill(dx + length * samples.classes, dx + samples.steps * samples.classes, T(0));
      alignment.slopes(*r.row<T>(0, row), [&](int64_t t) { return dx + t * samples.classes; });
    }
  }
};

template <template <class> class K>
constexpr auto ctc_kernel =
    [](const Prepare& p, const Ctc& a) -> std::unique_ptr<Kernel> { return of_type<K>(p.dtype(), p, a); };

}  // namespace

CANTIK_OP(ctc_loss) {
  op.attributes<Ctc>("ctc_loss(x, labels, steps, label_counts, blank=0, name='')")
      .doc(
          "Connectionist temporal classification: minus the logarithm of the probability that x reads the "
          "labels. x: [steps, classes] before the softmax; "
          "labels: classes, [most labels]; steps and label_counts: how many of both each sample has. "
          "Infinite where the labels do not fit into the steps.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Ctc& a) {
        Shape x = in.shape(0), labels = in.shape(1);
        if (x.is_known() && x.rank() != 2)
          throw shape_failure("the operand must have the shape [steps, classes], and has " + x.text());
        if (x.is_known() && x[1] >= 0 && !(a.blank >= 0 && a.blank < x[1]))
          throw value_failure("blank must be a class from 0 to " + std::to_string(x[1] - 1) + ", and is " +
                              std::to_string(a.blank));
        if (labels.is_known() && labels.rank() != 1)
          throw shape_failure("the labels must have the shape [largest number of labels], and have " +
                              labels.text());
        for (int i : {2, 3})
          if (Shape s = in.shape(i); s.is_known() && s.is_static() && s.elements() != 1)
            throw shape_failure("the lengths must be one number for each sample, and have the shape " +
                                s.text());
        TypeView t = in.join(0, 1, Shape());
        for (int i : {2, 3})
          if (in.in(i).axes > t.axes) t.axes = in.in(i).axes;
        in.set(t);
      })
      .gradient([](Gradient& g, const Ctc& a) {
        if (g.wanted(0))
          g.dx(0, g.call("ctc_slopes", {g.dy(), g.x(0), g.x(1), g.x(2), g.x(3)}, {{"blank", a.blank}}));
      })
      .kernel("alignments", ctc_kernel<CtcLoss>)
      .named("test.operands", "bccc")
      .sample_between(1, 1.9, {{4, 3}, {2}, {}, {}});

  op.attributes<Ctc>("ctc_slopes(dy, x, labels, steps, label_counts, blank=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Ctc&) { in.set(in.join(0, 1, in.shape(1))); })
      .kernel("alignments", ctc_kernel<CtcSlopes>);
}
