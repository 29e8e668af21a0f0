// Connectionist temporal classification (Graves et al. 2006): minus the logarithm of the probability that the outputs of a sequence, step
// by step a label or nothing (the blank), read the labels in their order once repetitions and blanks are dropped.
#include <algorithm>
#include <cmath>
#include <limits>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct Ctc {
  int64_t blank = 0;
  static constexpr auto fields() { return list(field("blank", &Ctc::blank, "which class is the blank")); }
};

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

// What is known of one sequence: the logarithms of its classes' probabilities, and the labels with a blank before, between and behind
// them: place s of 2 n + 1 is a blank where s is even, else label s / 2.
template <class T>
class Alignment {
 public:
  int64_t steps, classes, most_labels, blank;
  Alignment(const Shape& x, const Shape& labels, int64_t blank) : steps(x[0]), classes(x[1]), most_labels(labels[0]), blank(blank) {}

  int64_t most_places() const { return 2 * most_labels + 1; }
  int64_t scratch_doubles() const { return steps * classes + (steps + 2) * most_places(); }

  // Operands: x [steps, classes], labels [most_labels], how many steps and how many labels there are.
  void read(const Run& r, int first, int64_t row, double* scratch) {
    log_p_ = scratch;
    forward_ = log_p_ + steps * classes;
    labels_ = r.row<T>(first + 1, row);
    length_ = count(*r.row<T>(first + 2, row), steps, "steps", row);
    places_ = 2 * count(*r.row<T>(first + 3, row), most_labels, "labels", row) + 1;
    for (int64_t s = 1; s < places_; s += 2) {
      const T given = labels_[s / 2];
      if (!(given >= 0 && given < static_cast<T>(classes)) || label(s) == blank)
        throw value_failure("the label " + std::to_string(static_cast<double>(given)) + " of row " + std::to_string(row) +
                                " is none of the " + std::to_string(classes) + " classes but the blank, " + std::to_string(blank),
                            "labels are classes, and not the blank");
    }
    const T* x = r.row<T>(first, row);
    for (int64_t t = 0; t < length_; ++t) normalize(x + t * classes, log_p_ + t * classes);
  }

  // The logarithm of the labels' probability. Behind it forward(t)[s] is that of having come to place s at step t.
  double probability() {
    for (int64_t t = 0; t < length_; ++t)
      for (int64_t s = 0; s < places_; ++s) {
        double a = kNever;
        if (t == 0) {
          if (s < 2) a = 0;
        } else {
          const double* before = forward(t - 1);
          a = before[s];
          if (s > 0) a = log_add(a, before[s - 1]);
          if (skips(s)) a = log_add(a, before[s - 2]);
        }
        forward(t)[s] = a + log_p(t, s);
      }
    if (length_ == 0) return places_ == 1 ? 0 : kNever;
    const double* last = forward(length_ - 1);
    return places_ == 1 ? last[0] : log_add(last[places_ - 1], last[places_ - 2]);
  }

  // The loss's derivatives with respect to x: [steps, classes].
  void slopes(T dy, T* dx) {
    double total = probability();
    std::fill_n(dx, steps * classes, T(0));
    if (!std::isfinite(total)) return;  // no alignment: the loss is infinite everywhere around
    double *now = forward(steps), *next = forward(steps + 1);  // logarithms of finishing from place s at step t
    for (int64_t t = length_ - 1; t >= 0; --t) {
      std::swap(now, next);
      for (int64_t s = 0; s < places_; ++s) {
        double b = kNever;
        if (t == length_ - 1) {
          if (s >= places_ - 2) b = 0;
        } else {
          b = next[s] + log_p(t + 1, s);
          if (s + 1 < places_) b = log_add(b, next[s + 1] + log_p(t + 1, s + 1));
          if (s + 2 < places_ && skips(s + 2)) b = log_add(b, next[s + 2] + log_p(t + 1, s + 2));
        }
        now[s] = b;
      }
      T* line = dx + t * classes;
      for (int64_t k = 0; k < classes; ++k) line[k] = static_cast<T>(std::exp(log_p_[t * classes + k])) * dy;
      for (int64_t s = 0; s < places_; ++s) line[label(s)] -= static_cast<T>(std::exp(forward(t)[s] + now[s] - total)) * dy;
    }
  }

 private:
  static int64_t count(T given, int64_t most, const char* what, int64_t row) {
    if (!(given >= 0 && given <= static_cast<T>(most)))
      throw value_failure("row " + std::to_string(row) + " has " + std::to_string(static_cast<double>(given)) + " " + what + ", there is room for " + std::to_string(most));
    return static_cast<int64_t>(given);
  }
  void normalize(const T* x, double* log_p) const {
    double most = static_cast<double>(*std::max_element(x, x + classes)), sum = 0;
    for (int64_t k = 0; k < classes; ++k) sum += std::exp(static_cast<double>(x[k]) - most);
    for (int64_t k = 0; k < classes; ++k) log_p[k] = static_cast<double>(x[k]) - most - std::log(sum);
  }
  int64_t label(int64_t s) const { return s % 2 ? static_cast<int64_t>(labels_[s / 2]) : blank; }
  double log_p(int64_t t, int64_t s) const { return log_p_[t * classes + label(s)]; }
  double* forward(int64_t t) const { return forward_ + t * most_places(); }
  // Whether place s follows place s - 2: the blank between two different labels may be left out.
  bool skips(int64_t s) const { return s % 2 && s > 1 && label(s) != label(s - 2); }

  double *log_p_ = nullptr, *forward_ = nullptr;
  const T* labels_ = nullptr;
  int64_t length_ = 0, places_ = 1;
};

template <class T>
struct Loss final : Kernel {
  Alignment<T> shape;
  Loss(const Prepare& p, const Ctc& a) : shape(p.in(0).shape, p.in(1).shape, a.blank) { scratch_bytes = shape.scratch_doubles() * static_cast<int64_t>(sizeof(double)); }
  void run(const Run& r) const override {
    Alignment<T> alignment = shape;
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      alignment.read(r, 0, row, r.scratch<double>());
      *r.result<T>(0, row) = static_cast<T>(-alignment.probability());
    }
  }
};

// Operands: dy, then those of the loss.
template <class T>
struct Slopes final : Kernel {
  Alignment<T> shape;
  Slopes(const Prepare& p, const Ctc& a) : shape(p.in(1).shape, p.in(2).shape, a.blank) { scratch_bytes = shape.scratch_doubles() * static_cast<int64_t>(sizeof(double)); }
  void run(const Run& r) const override {
    Alignment<T> alignment = shape;
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      alignment.read(r, 1, row, r.scratch<double>());
      alignment.slopes(*r.row<T>(0, row), r.result<T>(0, row));
    }
  }
};

template <template <class> class K>
constexpr auto kernel = [](const Prepare& p, const Ctc& a) -> std::unique_ptr<Kernel> {
  if (p.dtype() == DType::float32) return std::make_unique<K<float>>(p, a);
  if (p.dtype() == DType::float64) return std::make_unique<K<double>>(p, a);
  throw declined("sequences of " + std::string(name_of(p.dtype())));
};

}  // namespace

CANTIK_OP(ctc_loss) {
  op.attributes<Ctc>("ctc_loss(x, labels, steps, label_counts, blank=0, name='')")
      .doc("Connectionist temporal classification: minus the logarithm of the probability that x reads the labels. x: [steps, classes] before the softmax; "
           "labels: classes, [most labels]; steps and label_counts: how many of both each sample has. Infinite where the labels do not fit into the steps.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Ctc& a) {
        Shape x = in.shape(0), labels = in.shape(1);
        if (x.is_known() && x.rank() != 2) throw shape_failure("an operand of the shape " + x.text(), "it has to be [steps, classes]");
        if (x.is_known() && x[1] >= 0 && !(a.blank >= 0 && a.blank < x[1])) throw value_failure("the blank is class " + std::to_string(a.blank) + " of " + std::to_string(x[1]));
        if (labels.is_known() && labels.rank() != 1) throw shape_failure("labels of the shape " + labels.text(), "they have to be [most labels]");
        for (int i : {2, 3})
          if (Shape s = in.shape(i); s.is_known() && s.is_static() && s.elements() != 1) throw shape_failure("counts of the shape " + s.text(), "there is one number for each sample");
        TypeView t = in.join(0, 1, Shape());
        for (int i : {2, 3})
          if (in.in(i).axes > t.axes) t.axes = in.in(i).axes;
        in.set(t);
      })
      .gradient([](Gradient& g, const Ctc& a) {
        if (g.wanted(0)) g.dx(0, g.call("ctc_slopes", {g.dy(), g.x(0), g.x(1), g.x(2), g.x(3)}, {{"blank", a.blank}}));
      })
      .kernel("alignments", kernel<Loss>)
      .named("test.operands", "bccc")
      .sample_between(1, 1.9, {{4, 3}, {2}, {}, {}});

  op.attributes<Ctc>("ctc_slopes(dy, x, labels, steps, label_counts, blank=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Ctc&) { in.set(in.join(0, 1, in.shape(1))); })
      .kernel("alignments", kernel<Slopes>);
}
