// Running sums along an axis.
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

// x: [outer, length, inner] of each row.
template <class T>
struct Running final : Kernel {
  int64_t outer = 1, length, inner = 1;
  bool reverse;
  Running(const Shape& x, int axis, bool reverse) : length(x[axis]), reverse(reverse) {
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= x[i];
  }
  void run(const Run& r) const override {
    const int64_t step = reverse ? -inner : inner;
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t o = 0; o < outer; ++o) {
        int64_t first = o * length * inner + (reverse ? (length - 1) * inner : 0);
        const T* x = r.row<T>(0, row) + first;
        T* y = r.result<T>(0, row) + first;
        for (int64_t i = 0; i < length; ++i, x += step, y += step)
          for (int64_t j = 0; j < inner; ++j) y[j] = i ? y[j - step] + x[j] : x[j];
      }
  }
};

}  // namespace

CANTIK_OP(cumsum) {
  op.attributes<Cumsum>("cumsum(x, axis=-1, reverse=False, name='')")
      .doc(
          "Sums of the numbers up to each place along an axis, that place included; with reverse, from each "
          "place on.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Cumsum& a) {
        Shape x = in.shape(0);
        if (x.is_known()) static_cast<void>(static_axis(a.axis, x.rank()));
        in.set(in.like(0, x));
      })
      .gradient([](Gradient& g, const Cumsum& a) {
        g.dx(0, g.call("cumsum", {g.dy()}, {{"axis", a.axis}, {"reverse", !a.reverse}}));
      })
      .kernel("running",
              [](const Prepare& p, const Cumsum& a) -> std::unique_ptr<Kernel> {
                Shape x = p.in(0).shape;
                int axis = static_axis(a.axis, x.rank());
                if (p.dtype() == DType::float32) return std::make_unique<Running<float>>(x, axis, a.reverse);
                if (p.dtype() == DType::float64) return std::make_unique<Running<double>>(x, axis, a.reverse);
                throw declined("numbers of " + std::string(name_of(p.dtype())));
              })
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
}
