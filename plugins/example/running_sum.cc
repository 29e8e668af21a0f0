// y[..., i] = x[..., 0] + ... + x[..., i], or from the other end.
//
// With a kernel of its own: a type rule, a gradient (the sum from the other end), and the loop.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct RunningSum {
  bool reverse = false;
  static constexpr auto fields() {
    return list(field("reverse", &RunningSum::reverse, "from the last element to the first"));
  }
};

template <class T>
struct Sum final : Kernel {
  int64_t lines, length;  // of a sample
  bool reverse;
  Sum(const Shape& shape, bool reverse)
      : lines(shape.elements() / std::max<int64_t>(shape.back(), 1)),
        length(shape.back()),
        reverse(reverse) {}

  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t line = 0; line < lines; ++line) {
        const T* x = r.row<T>(0, row) + line * length;
        T* y = r.result<T>(0, row) + line * length;
        T sum = 0;
        for (int64_t i = 0; i < length; ++i) {
          int64_t at = reverse ? length - 1 - i : i;
          y[at] = sum += x[at];
        }
      }
  }
};

}  // namespace

CANTIK_OP(running_sum) {
  op.attributes<RunningSum>("running_sum(x, reverse=False, name='')")
      .doc("The sum of the elements up to each one, along the last axis.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const RunningSum&) {
        Shape x = in.shape(0);
        if (x.is_known() && x.rank() == 0)
          throw value_failure("a number by itself has no axis to sum along",
                              "give an operand of at least one axis");
        in.set(in.like(0, x));
      })
      .gradient([](Gradient& g, const RunningSum& a) {
        g.dx(0, g.call("running_sum", {g.dy()}, {{"reverse", !a.reverse}}));
      })
      .kernel("line",
              [](const Prepare& p, const RunningSum& a) -> std::unique_ptr<Kernel> {
                return of_type<Sum>(p.dtype(), p.in(0).shape, a.reverse);
              })
      .sample({{2, 4}})
      .sample({{3}}, {.reverse = true});
}
