// Running sums and products along an axis.
#include <algorithm>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct Cumsum {
  int64_t axis = -1;
  bool reverse = false;
  static constexpr auto fields() {
    return list(field("axis", &Cumsum::axis, "the static axis to sum along").role(CANTIK_AXIS),
                field("reverse", &Cumsum::reverse, "from the end to the beginning"));
  }
};

// x: [outer, length, inner] of each row. What runs is in double: numbers of float32 keep their digits however
// many there are.
template <class T, bool product>
struct Running final : Kernel {
  int64_t outer = 1, length, inner = 1;
  bool reverse;
  Running(const Shape& x, int axis, bool reverse) : length(x[axis]), reverse(reverse) {
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= x[i];
  }
  void run(const Run& r) const override {
    if (inner == 1) {
      // Several lines at a time: each sum waits for the one before.
      int64_t line = r.begin() * outer;
      const int64_t last = r.end() * outer;
      for (; line + kLines <= last; line += kLines) of_lines<kLines>(r, line);
      for (; line < last; ++line) of_lines<1>(r, line);
      return;
    }
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t j = 0; j < inner; j += kColumns) {
          const int64_t at = o * length * inner + first() + j;
          of_columns(r.row<T>(0, row) + at, r.result<T>(0, row) + at, std::min(kColumns, inner - j));
        }
  }

 private:
  static constexpr int64_t kLines = 4, kColumns = 64;
  static constexpr double kNothing = product ? 1 : 0;

  int64_t first() const { return reverse ? (length - 1) * inner : 0; }
  int64_t step() const { return reverse ? -inner : inner; }
  static double next(double before, T x) {
    return product ? before * static_cast<double>(x) : before + static_cast<double>(x);
  }
  void of_columns(const T* x, T* y, int64_t n) const {
    double so_far[kColumns];
    std::fill_n(so_far, n, kNothing);
    const int64_t apart = step();
    for (int64_t i = 0; i < length; ++i, x += apart, y += apart)
      for (int64_t j = 0; j < n; ++j) y[j] = static_cast<T>(so_far[j] = next(so_far[j], x[j]));
  }
  template <int64_t kCount>
  void of_lines(const Run& r, int64_t line) const {
    const T* x[kCount];
    T* y[kCount];
    double so_far[kCount];
    for (int64_t k = 0; k < kCount; ++k) {
      const int64_t row = (line + k) / outer, at = (line + k) % outer * length + first();
      x[k] = r.row<T>(0, row) + at, y[k] = r.result<T>(0, row) + at, so_far[k] = kNothing;
    }
    const int64_t count = length, apart = step();
    for (int64_t i = 0, at = 0; i < count; ++i, at += apart)
      for (int64_t k = 0; k < kCount; ++k) y[k][at] = static_cast<T>(so_far[k] = next(so_far[k], x[k][at]));
  }
};

template <class T>
using RunningSum = Running<T, false>;
template <class T>
using RunningProduct = Running<T, true>;

template <template <class> class K>
std::unique_ptr<Kernel> running(const Prepare& p, const Cumsum& a) {
  Shape x = p.in(0).shape;
  int axis = static_axis(a.axis, x.rank());
  return of_type<K>(p.dtype(), x, axis, a.reverse);
}

// The same with nothing, which is `none`, in the first place of each line, and without its last number.
Term exclusive(OnnxNode& n, Term y, int64_t axis, bool reverse, double none) {
  const int64_t size = n.dims(y)[axis + n.lead(y)];
  if (size < 0) OnnxNode::refuse("it goes along an axis whose size only a run knows");
  std::vector<int64_t> axes{axis}, begin{reverse ? 1 : 0}, end{reverse ? size : size - 1};
  std::vector<int64_t> pattern(static_cast<size_t>(2 * (n.rank(y) - n.lead(y))), 0);
  pattern[2 * axis + (reverse ? 1 : 0)] = 1;
  if (size == 1) return n.call("constant_like", {y}, {{"fill", none}});
  const Term part = n.call("slice", {y}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}});
  return n.call("pad", {part}, {{"pattern", pattern}, {"mode", int64_t{0}}, {"constant_value", none}});
}

void infer_running(Infer& in, const Cumsum& a) {
  Shape x = in.shape(0);
  if (x.is_known()) static_cast<void>(static_axis(a.axis, x.rank()));
  in.set(in.like(0, x));
}

}  // namespace

CANTIK_OP(cumsum) {
  op.attributes<Cumsum>("cumsum(x, axis=-1, reverse=False, name='')")
      .doc(
          "Sums of the numbers up to each place along an axis, that place included; with reverse, from each "
          "place on.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Cumsum& a) { infer_running(in, a); })
      .gradient([](Gradient& g, const Cumsum& a) {
        g.dx(0, g.call("cumsum", {g.dy()}, {{"axis", a.axis}, {"reverse", !a.reverse}}));
      })
      .kernel("running", [](const Prepare& p, const Cumsum& a) { return running<RunningSum>(p, a); })
      .onnx_write(
          "CumSum",
          [](OnnxGraph& g, const Cumsum& a) {
            g.result(g.node("CumSum", {g.x(), g.integer(g.axis(a.axis))}, {{"reverse", int64_t{a.reverse}}}));
          })
      .onnx_read("CumSum",
                 [](OnnxNode& n) {
                   int64_t axis = n.sizes(1).at(0);
                   Term x = n.with_static(n.x(), axis);
                   Term y = n.call("cumsum", {x}, {{"axis", axis}, {"reverse", n.integer("reverse") != 0}});
                   n.result(n.integer("exclusive") ? y - x : y);
                 })
      .sample({{2, 3}})
      .sample({{3, 2}}, {.axis = 0, .reverse = true});

  op.attributes<Cumsum>("cumprod(x, axis=-1, reverse=False, name='')")
      .doc(
          "Products of the numbers up to each place along an axis, that place included; with reverse, from "
          "each place on. There is no gradient where a number is 0.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Cumsum& a) { infer_running(in, a); })
      .gradient([](Gradient& g, const Cumsum& a) {
        const Term sums = g.call("cumsum", {g.y() * g.dy()}, {{"axis", a.axis}, {"reverse", !a.reverse}});
        g.dx(0, g.call("ieee_divide", {sums, g.x()}));
      })
      .kernel("running", [](const Prepare& p, const Cumsum& a) { return running<RunningProduct>(p, a); })
      .onnx_read("CumProd",
                 [](OnnxNode& n) {
                   int64_t axis = n.sizes(1).at(0);
                   const bool reverse = n.integer("reverse") != 0;
                   Term x = n.with_static(n.x(), axis);
                   Term y = n.call("cumprod", {x}, {{"axis", axis}, {"reverse", reverse}});
                   n.result(n.integer("exclusive") ? exclusive(n, y, axis, reverse, 1) : y);
                 })
      .sample_between(0.5, 2, {{2, 3}})
      .sample_between(0.5, 2, {{3, 2}}, {.axis = 0, .reverse = true});
}
