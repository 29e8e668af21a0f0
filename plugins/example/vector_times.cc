// y[n] = the sum of x * w[..., n]: an array by an array of one axis more.
//
// An operator that says which axes are one, and how its kernel wants the weights. Where x is an image, Cantik
// turns the weights instead of the image; products of one vector with several matrices in a recurrence become
// one; and the weights are transposed once a version, not once a call.
#include <string>
#include <vector>

#include <cantik/op.h>
using namespace cantik;

namespace {

struct VectorTimes {
  bool packed = false;
  static constexpr auto fields() {
    return list(field("packed", &VectorTimes::packed, "whether w comes transposed"));
  }
};

// w: [n, k...]
template <class T>
struct Dots final : Kernel {
  int64_t inner, columns;
  explicit Dots(const Shape& w) : inner(w.sub(1, w.rank()).elements()), columns(w[0]) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t n = 0; n < columns; ++n) {
        const T *x = r.row<T>(0, row), *w = r.row<T>(1, 0) + n * inner;
        T sum = 0;
        for (int64_t k = 0; k < inner; ++k) sum += x[k] * w[k];
        r.result<T>(0, row)[n] = sum;
      }
  }
};

}  // namespace

CANTIK_OP(vector_times) {
  op.attributes<VectorTimes>("vector_times(x, w, packed=False, name='')")
      .doc("The sums of x times w along all axes of w but the last. w has no batch axis.")
      .traits(CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const VectorTimes& a) {
        const Shape x = in.shape(0), w = in.shape(1);
        if (a.packed) throw value_failure("the weights are packed by Cantik alone");
        if (in.in(1).has_batch()) throw value_failure("the weights have a batch axis", "use a parameter");
        const bool known = x.is_static() && w.is_static();
        if (known && (x.rank() == 0 || w.rank() != x.rank() + 1 || !(w.sub(0, x.rank()) == x)))
          throw shape_failure("an operand of the shape " + x.text() + " and weights of the shape " +
                              w.text());
        in.set(in.join(0, 1, known ? w.sub(x.rank(), w.rank()) : Shape::unknown()));
      })
      .axis_names([](AxisNames& names) {
        const auto summed = names.axes(names.shape(0).rank()), columns = names.axes(1);
        names.operand(0, {summed});
        names.operand(1, {summed, columns});
        names.result(0, {columns});
      })
      .packed("packed",
              [](Packing& p) {
                std::vector<int64_t> last_first{p.shape(1).rank() - 1};
                for (int i = 0; i + 1 < p.shape(1).rank(); ++i) last_first.push_back(i);
                p.pack(1, "transpose", {{"perm", last_first}});
              })
      .gradient([](Gradient& g) {
        const Shape x = g.x(0).shape(), w = g.x(1).shape();
        if (g.wanted(0)) {
          const Shape matrix{x.elements(), w[x.rank()]};
          const Term flat = g.call("reshape", {g.x(1)}, {{"shape", matrix}}),
                     dx = g.call("times_transpose", {g.dy(), flat});
          g.dx(0, g.call("reshape", {dx}, {{"shape", x}}));
        }
        if (g.wanted(1)) {
          const Shape column = x + Shape{1};
          g.dx(1, g.call("reshape", {g.x(0)}, {{"shape", column}}) * g.dy());
        }
      })
      .kernel("dots",
              [](const Prepare& p, const VectorTimes& a) {
                if (!a.packed) throw declined("weights as they are");
                return of_type<Dots>(p.dtype(), p.in(1).shape);
              })
      .named("test.operands", "bp")
      .sample({{4}, {4, 3}})
      .sample({{2, 3}, {2, 3, 5}});
}
