// y = scale * x at the `count` largest elements of each row, 0 elsewhere.
//
// An operator that saves something for its gradient, which is no value: where the largest elements were. It
// may stand in recurrences, where it is called once a step with the rows of all sequences that go on.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <cantik/op.h>
using namespace cantik;

namespace {

struct KeepLargest {
  int64_t count = 1;
  static constexpr auto fields() {
    return list(field("count", &KeepLargest::count, "how many elements of a row stay"));
  }
};

// The places of the largest elements, row after row.
using Places = std::vector<int64_t>;

template <class T>
struct Keep final : Kernel {
  int64_t width, count;
  Keep(int64_t width, int64_t count) : width(width), count(std::min(count, width)) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const T* scale = r.row<T>(1, 0);
    auto places = std::make_unique<Places>();
    Places order(static_cast<size_t>(width));
    for (int64_t row = 0; row < r.rows(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return x[i] > x[j]; });
      std::fill_n(y, width, T(0));
      for (auto place = order.begin(); place != order.begin() + count; ++place)
        y[*place] = scale[*place] * x[*place];
      places->insert(places->end(), order.begin(), order.begin() + count);
    }
    if (r.training()) r.keeper().save(std::move(places));
  }
};

// f(row, place) for all places that the call saved which this one is the gradient of.
template <class F>
void for_each_place(const Run& r, int64_t rows, F&& f) {
  const Places& places = *r.keeper().saved<Places>();
  const int64_t count = rows > 0 ? static_cast<int64_t>(places.size()) / rows : 0;
  for (int64_t i = 0; i < rows * count; ++i) f(i / count, places[static_cast<size_t>(i)]);
}

template <class T>
struct ScaleGradient final : Kernel {
  int64_t width;
  explicit ScaleGradient(int64_t n) : width(n) {}
  void run(const Run& r) const override {
    T* dscale = r.result<T>(0, 0);
    std::fill_n(dscale, width, T(0));
    for_each_place(r, r.in(1).rows, [&](int64_t row, int64_t place) {
      dscale[place] += r.row<T>(1, row)[place] * r.row<T>(2, row)[place];
    });
  }
};

}  // namespace

CANTIK_OP(keep_largest) {
  op.attributes<KeepLargest>("keep_largest(x, scale, count=1, name='')")
      .doc(
          "scale * x at the `count` largest elements of each row of x, a vector; 0 elsewhere. scale: a "
          "vector of "
          "the same size, without a batch axis.")
      .traits(CANTIK_IN_STEPS)
      .saves()
      .type([](Infer& in, const KeepLargest& a) {
        if (a.count < 0) throw value_failure("no row has " + std::to_string(a.count) + " largest elements");
        const Shape x = in.shape(0), scale = in.shape(1);
        if (in.in(1).has_batch()) throw value_failure("the scale has a batch axis", "use a parameter");
        if (x.is_known() && x.rank() != 1) throw shape_failure("an operand of the shape " + x.text());
        if (x.is_static() && scale.is_static() && !(x == scale))
          throw shape_failure("a scale of the shape " + scale.text(), "give one of the shape " + x.text());
        in.set(in.like(0, x));
      })
      .kernel("sorted",
              [](const Prepare& p, const KeepLargest& a) {
                return of_type<Keep>(p.dtype(), p.in(0).shape.elements(), a.count);
              })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call_like("keep_largest_dx", {g.saved(), g.dy(), g.x(1)}, {g.x(0)})[0]);
        if (g.wanted(1))
          g.dx(1, g.call_like("keep_largest_dscale", {g.saved(), g.dy(), g.x(0)}, {g.x(1)})[0]);
      })
      .named("test.lengths", "3,1,5")
      .named("test.operands", "qp")
      .sample({{4}, {4}}, {.count = 2});

  op.signature("keep_largest_dx(saved, dy, scale)")
      .traits(CANTIK_HIDDEN | CANTIK_READS_SAVED | CANTIK_IN_STEPS)
      .kernel("places", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        for (int64_t row = 0; row < r.rows(); ++row) std::fill_n(r.result<T>(0, row), r.out().stride, T(0));
        for_each_place(r, r.rows(), [&](int64_t row, int64_t place) {
          r.result<T>(0, row)[place] = r.row<T>(1, row)[place] * r.row<T>(2, 0)[place];
        });
      });

  // Without rows: what each call makes is added to what the others do.
  op.signature("keep_largest_dscale(saved, dy, x)")
      .traits(CANTIK_HIDDEN | CANTIK_READS_SAVED)
      .kernel("places", [](const Prepare& p, const NoAttributes&) {
        return of_type<ScaleGradient>(p.dtype(), p.out().shape.elements());
      });
}
