// The remainder of x / y, with the sign of y; 0 where y is 0.
#include <cmath>
#include <memory>

#include <cantik/op.h>

using namespace cantik;

namespace {

template <class T>
struct Remainder final : Kernel {
  int64_t elements;
  explicit Remainder(int64_t n) : elements(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *x = r.row<T>(0, row), *y = r.row<T>(1, row);
      T* z = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) {
        T left = y[i] == 0 ? T(0) : std::fmod(x[i], y[i]);
        bool two_sides = (x[i] < 0) != (y[i] < 0);
        z[i] = !two_sides ? left : left == 0 ? T(0) : left + y[i];
      }
    }
  }
};

struct Truncated {
  bool truncated = false;
  static constexpr auto fields() {
    return list(field("truncated", &Truncated::truncated, "the sign is that of x"));
  }
};

template <class T>
struct Left final : Kernel {
  int64_t elements;
  bool truncated;
  Left(int64_t n, bool t) : elements(n), truncated(t) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *x = r.row<T>(0, row), *y = r.row<T>(1, row);
      T* z = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) {
        z[i] = std::fmod(x[i], y[i]);
        if (!truncated && z[i] != 0 && (z[i] < 0) != (y[i] < 0)) z[i] += y[i];
      }
    }
  }
};

void infer_alike(Infer& in) {
  Shape x = in.shape(0), y = in.shape(1);
  if (x.is_known() && y.is_known() && !(x == y))
    throw shape_failure("the operands must have one shape, and have " + x.text() + " and " + y.text());
  in.set(in.join(0, 1, x.is_known() ? x : y));
}

}  // namespace

CANTIK_OP(remainder) {
  op.signature("remainder(x, y, name='')")
      .doc(
          "What is left of x, taken y off as often as it is in it: x - y floor(x / y), without loss of "
          "digits, with the sign of y. 0 where y is 0. The operands have one shape.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { infer_alike(in); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.dy());
        if (g.wanted(1))
          g.dx(1,
               g.map({g.x(0), g.x(1), g.dy()}, [](Real x, Real y, Real dz) { return -(dz * floor(x / y)); }));
      })
      .kernel("each",
              [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
                int64_t n = p.out().shape.elements();
                return of_type<Remainder>(p.dtype(), n);
              })
      .named("test.operands", "bb")
      .onnx_read("Mod",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   const Term one = n.constant(1, x.at(0));  // both in the shape that they have together
                   const Term a = n.call("element_select", {one, x[0], x.at(1)}),
                              b = n.call("element_select", {one, x[1], x[0]});
                   n.result(n.call("ieee_remainder", {a, b}, {{"truncated", n.integer("fmod") != 0}}));
                 })
      .sample_between(0.7, 2.5, {{2, 3}, {2, 3}});

  op.attributes<Truncated>("ieee_remainder(x, y, truncated=False, name='')")
      .doc(
          "What is left of x, taken y off as often as it is in it; with the sign of y, or, truncated, of x. "
          "Not "
          "a number where y is 0.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Truncated&) { infer_alike(in); })
      .gradient([](Gradient& g, const Truncated&) {
        if (g.wanted(0)) g.dx(0, g.dy());
        if (g.wanted(1))
          g.dx(1, g.map({g.x(0), g.x(1), g.y(), g.dy()},
                        [](Real x, Real y, Real z, Real dz) { return -(dz * (x - z) / y); }));
      })
      .kernel("each",
              [](const Prepare& p, const Truncated& a) -> std::unique_ptr<Kernel> {
                int64_t n = p.out().shape.elements();
                if (p.dtype() == DType::float32) return std::make_unique<Left<float>>(n, a.truncated);
                if (p.dtype() == DType::float64) return std::make_unique<Left<double>>(n, a.truncated);
                throw declined("numbers of " + std::string(name_of(p.dtype())));
              })
      .named("test.operands", "bb")
      .onnx_write("Mod",
                  [](OnnxGraph& g, const Truncated& a) {
                    // of real numbers ONNX has the truncated one
                    OnnxValue z = g.node("Mod", {g.x(0), g.x(1)}, {{"fmod", 1}});
                    if (!a.truncated) {
                      const OnnxValue zero = g.real(0);
                      const OnnxValue apart = g.node("Less", {g.node("Mul", {z, g.x(1)}), zero});
                      z = g.node("Where", {apart, g.node("Add", {z, g.x(1)}), z});
                    }
                    g.result(z);
                  })
      .sample_between(0.7, 2.5, {{2, 3}, {2, 3}})
      .sample_between(0.7, 2.5, {{2, 3}, {2, 3}}, {.truncated = true});
}
