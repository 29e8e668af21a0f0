// Cosines of each x with its own y and with those of samples further on in the batch. Of sequences these are
// the rows that CNTK lays there.
#include <array>
#include <cmath>

#include <cantik/op.h>

#include "ops/figures.h"
#include "ops/packed_columns.h"

using namespace cantik;

namespace {

struct Negatives {
  int64_t shift = 1, num_negative_samples = 1;
  static constexpr auto fields() {
    return list(field("shift", &Negatives::shift, "how far on the first negative sample is"),
                field("num_negative_samples", &Negatives::num_negative_samples,
                      "how many there are, one after the other"));
  }
};

template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
template <class T>
T inverse_norm(const T* a, int64_t n) {
  T s = dot(a, a, n);
  return s > 0 ? T(1) / std::sqrt(s) : T(0);
}

struct Pairs {
  int64_t n, shift, count;
  Pairs(const Shape& x, const Negatives& a)
      : n(x.elements()), shift(a.shift), count(a.num_negative_samples + 1) {}
  // Which y the result k of row i is about, and which row has y j in its result k; kGap where there is none.
  int64_t other(int64_t i, int64_t k, const PackedColumns& columns) const {
    return k == 0 ? i : columns.after(i, shift + k - 1);
  }
  int64_t reader(int64_t j, int64_t k, const PackedColumns& columns) const {
    return k == 0 ? j : columns.after(j, 1 - shift - k);
  }
};

template <class T>
struct Cosines final : Kernel {
  Pairs p;
  explicit Cosines(Pairs pairs) : p(pairs) {}
  void run(const Run& r) const override {
    const PackedColumns columns(r.out());
    for (int64_t i = r.begin(); i < r.end(); ++i) {
      const T* x = r.row<T>(0, i);
      T scale = inverse_norm(x, p.n);
      for (int64_t k = 0; k < p.count; ++k) {
        const int64_t j = p.other(i, k, columns);
        const T* y = j == PackedColumns::kGap ? nullptr : r.row<T>(1, j);
        r.result<T>(0, i)[k] = y ? dot(x, y, p.n) * scale * inverse_norm(y, p.n) : T(0);
      }
    }
  }
};

// d cos(a, b) / d a = (b / |b| - cos a / |a|) / |a|, added up over the pairs in which a row of operand
// `kSide` stands.
template <int kSide>
struct CosineGradient {
  template <class T>
  struct OfType final : Kernel {
    Pairs p;
    explicit OfType(Pairs pairs) : p(pairs) {}
    void run(const Run& r) const override {
      const PackedColumns columns(r.in(2));
      for (int64_t i = r.begin(); i < r.end(); ++i) {
        const T* a = r.row<T>(kSide, i);
        T* da = r.result<T>(0, i);
        T own = inverse_norm(a, p.n);
        std::fill_n(da, p.n, T(0));
        for (int64_t k = 0; k < p.count; ++k) {
          int64_t j = kSide == 0 ? p.other(i, k, columns) : p.reader(i, k, columns);
          if (j == PackedColumns::kGap) continue;
          const T* b = r.row<T>(1 - kSide, j);
          T dy = r.row<T>(2, kSide == 0 ? i : j)[k], its = inverse_norm(b, p.n),
            cosine = dot(a, b, p.n) * own * its;
          for (int64_t e = 0; e < p.n; ++e) da[e] += dy * own * (b[e] * its - cosine * a[e] * own);
        }
      }
    }
  };
};

}  // namespace

CANTIK_OP(cosine_distance_with_negative_samples) {
  op.attributes<Negatives>(
        "cosine_distance_with_negative_samples(x, y, shift, num_negative_samples, name='')")
      .named("arrays", "widest")
      .doc(
          "[num_negative_samples + 1] cosines: of each x with its own y, and with those of the samples "
          "shift, shift + 1, ... further on, round the batch. Of sequences "
          "the steps of all of them take turns; where a shorter one has ended the cosine is 0.")
      .traits(CANTIK_SPELLED_OUT | CANTIK_SAME_AXES)
      .composite([](Builder& b, const Negatives& a) {
        Term shift = b.constant(static_cast<double>(a.shift), b.x(0)),
             count = b.constant(static_cast<double>(a.num_negative_samples), b.x(0));
        b.result(b.call("cosines_around", {b.x(0), b.x(1), shift, count},
                        {{"shift", a.shift}, {"num_negative_samples", a.num_negative_samples}}));
      })
      .named("test.rows", "the negative samples are other rows")
      .sample({{3}, {3}}, {.shift = 1, .num_negative_samples = 2});

  op.attributes<Negatives>("cosines_around(x, y, shift_value, num_negative_samples_value, name='')")
      .doc("Cosines with negative samples.")
      .traits(CANTIK_HIDDEN | CANTIK_SAME_AXES)
      .type([](Infer& in, const Negatives& a) {
        check_figures("shift or num_negative_samples", std::array{a.shift, a.num_negative_samples});
        if (a.shift < 0 || a.num_negative_samples < 0)
          throw value_failure("shift and num_negative_samples must not be negative, and are " +
                              std::to_string(a.shift) + " and " + std::to_string(a.num_negative_samples));
        Shape x = in.shape(0), y = in.shape(1);
        if (x.is_static() && y.is_static() && x.elements() != y.elements())
          throw shape_failure("both operands must be vectors of one size, and have the shapes " + x.text() +
                              " and " + y.text());
        in.set(in.join(0, 1, Shape{a.num_negative_samples + 1}));
      })
      .gradient([](Gradient& g, const Negatives& a) {
        if (g.wanted(0))
          g.dx(0, g.call("cosines_gradient_x", {g.x(0), g.x(1), g.dy()},
                         {{"shift", a.shift}, {"num_negative_samples", a.num_negative_samples}}));
        if (g.wanted(1))
          g.dx(1, g.call("cosines_gradient_y", {g.x(0), g.x(1), g.dy()},
                         {{"shift", a.shift}, {"num_negative_samples", a.num_negative_samples}}));
      })
      .kernel("pairs",
              [](const Prepare& p, const Negatives& a) {
                return of_type<Cosines>(p.dtype(), Pairs(p.in(0).shape, a));
              })
      .cntk("CosDistanceWithNegativeSamples", 67)
      .cntk_form({.operand_fields = {{2, "shift"}, {3, "num_negative_samples"}}});

  op.attributes<Negatives>("cosines_gradient_x(x, y, dy)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Negatives&) { in.set(in.join(0, 2, in.shape(0))); })
      .kernel("pairs", [](const Prepare& p, const Negatives& a) {
        return of_type<CosineGradient<0>::OfType>(p.dtype(), Pairs(p.in(0).shape, a));
      });
  op.attributes<Negatives>("cosines_gradient_y(x, y, dy)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Negatives&) { in.set(in.join(1, 2, in.shape(1))); })
      .kernel("pairs", [](const Prepare& p, const Negatives& a) {
        return of_type<CosineGradient<1>::OfType>(p.dtype(), Pairs(p.in(0).shape, a));
      });
}
