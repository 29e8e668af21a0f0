// A library as the users of the first release wrote it, built with that release's headers: include/ here is their copy and never changes.
// It uses every part of the boundary: expressions and better derivatives, attributes of all kinds, kernels, gradients, composites, samples, notes.
#include <cantik/op.h>
using namespace cantik;

struct Gate {
  Real beta = 1;
  static constexpr auto fields() { return list(field("beta", &Gate::beta, "steepness").key("beta")); }
};

struct Affine {
  double factor = 1;
  std::vector<double> offsets;
  int64_t times = 1;
  bool keep = true;
  std::string text = "plus";
  static constexpr auto fields() {
    return list(field("factor", &Affine::factor, ""), field("offsets", &Affine::offsets, ""), field("times", &Affine::times, ""), field("keep", &Affine::keep, ""),
                field("text", &Affine::text, ""));
  }
};

CANTIK_OP(first) {
  op.attributes<Gate>("first_gate(x, beta=1.0, name='')")
      .doc("x / (1 + exp(-beta x))")
      .expression([](Real x, const Gate& a) { return x / (1 + exp(-a.beta * x)); })
      .derivative([](Real x, Real y, Real dy, const Gate& a) { return dy * (a.beta * y + sigmoid(a.beta * x) * (1 - a.beta * y)); })
      .sample({{2, 3}}, {.beta = 0.5})
      .kink(100);
  op.annotate("first_gate", "anything", "at all");

  op.signature("first_sum(x, name='')")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) {
        Shape x = in.shape(0);
        in.set(in.like(0, x.is_known() ? x.sub(0, x.rank() - 1) : Shape::unknown()));
      })
      .gradient([](Gradient& g) { g.dx(0, g.call("first_sum_gradient", {g.x(), g.dy()})); })
      .kernel("lines", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const int64_t lines = r.out().stride, columns = r.in(0).stride / lines;
        for (int64_t row = r.begin(); row < r.end(); ++row)
          for (int64_t i = 0; i < lines; ++i) {
            T sum = 0;
            for (int64_t j = 0; j < columns; ++j) sum += r.row<T>(0, row)[i * columns + j];
            r.result<T>(0, row)[i] = sum;
          }
      });
  op.signature("first_sum_gradient(x, dy)")
      .traits(CANTIK_ROW_WISE | CANTIK_HIDDEN)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("lines", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const int64_t lines = r.in(1).stride, columns = r.out().stride / lines;
        for (int64_t row = r.begin(); row < r.end(); ++row)
          for (int64_t i = 0; i < lines * columns; ++i) r.result<T>(0, row)[i] = r.row<T>(1, row)[i / columns];
      });

  op.attributes<Affine>("first_affine(x, factor=1.0, offsets=[], times=1, keep=True, text='plus', name='')")
      .traits(CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .type([](Infer& in, const Affine& a) {
        Shape x = in.shape(0);
        if (x.is_known() && x.back() != static_cast<int64_t>(a.offsets.size())) throw shape_failure("as many offsets as columns are needed");
        in.set(in.view(0, x));
      })
      .gradient([](Gradient& g, const Affine& a) { g.dx(0, g.map({g.dy()}, [f = a.factor](Real d) { return d * f; })); })
      .kernel("plain", [](auto zero, const Run& r, const Affine& a) {
        using T = decltype(zero);
        const int64_t n = static_cast<int64_t>(a.offsets.size());
        for (int64_t row = r.begin(); row < r.end(); ++row)
          for (int64_t i = 0; i < r.out().stride; ++i) {
            T offset = static_cast<T>(a.offsets[static_cast<size_t>(i % n)]);
            r.result<T>(0, row)[i] = static_cast<T>(a.factor) * r.row<T>(0, row)[i] + (a.text == "minus" ? -offset : offset);
          }
      });

  op.signature("first_double(x, name='')").composite([](Builder& b) { b.result(b.x() + b.x()); });
}

CANTIK_LIBRARY(first)
