// The k largest numbers along an axis, in falling order, and where they were.
#include <algorithm>
#include <numeric>

#include <cantik/op.h>

#include "ops/axis_of.h"
#include "ops/data_index.h"

using namespace cantik;

namespace {

struct TopK {
  int64_t k = 1;
  int64_t axis = -1;
  static constexpr auto fields() {
    return list(field("k", &TopK::k, "how many").key("numItems"),
                field("axis", &TopK::axis, "along which static axis").key("axis").role(CANTIK_AXIS));
  }
};

// The last axis, of size n, many times over; a single number is one of size 1.
struct TopLines {
  int64_t n, k, count;
  explicit TopLines(const Shape& x, const Shape& y)
      : n(x.rank() ? x.back() : 1), k(y.rank() ? y.back() : 1), count(n ? x.elements() / n : 0) {}
};

template <class T>
struct TopKKernel final : Kernel {
  TopLines lines;
  explicit TopKKernel(TopLines l) : lines(l) { scratch_bytes = static_cast<int64_t>(sizeof(int32_t)) * l.n; }
  void run(const Run& r) const override {
    int32_t* order = r.scratch<int32_t>();
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t line = 0; line < lines.count; ++line) {
        const T* x = r.row<T>(0, row) + line * lines.n;
        std::iota(order, order + lines.n, 0);
        // Equal numbers in their order in x.
        std::partial_sort(order, order + lines.k, order + lines.n,
                          [x](int32_t a, int32_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); });
        T *value = r.result<T>(0, row) + line * lines.k, *place = r.result<T>(1, row) + line * lines.k;
        for (int64_t i = 0; i < lines.k; ++i) value[i] = x[order[i]], place[i] = static_cast<T>(order[i]);
      }
  }
};

template <class T>
struct BackKernel final : Kernel {
  TopLines lines;
  explicit BackKernel(TopLines l) : lines(l) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* dx = r.result<T>(0, row);
      std::fill_n(dx, lines.count * lines.n, T(0));
      for (int64_t line = 0; line < lines.count; ++line)
        for (int64_t i = 0; i < lines.k; ++i) {
          const T place = r.row<T>(0, row)[line * lines.k + i];
          const int64_t at = data_index(place);
          if (at < 0 || at >= lines.n)  // beyond 2^24 places are not exact in float32
            throw value_failure("the index " + text_of_index(place) + " is not from 0 to " +
                                std::to_string(lines.n - 1));
          dx[line * lines.n + at] = r.row<T>(1, row)[line * lines.k + i];
        }
    }
  }
};

struct Back {
  Shape shape;
  static constexpr auto fields() {
    return list(field("shape", &Back::shape, "shape of the result").role(CANTIK_SHAPE_OF));
  }
};

}  // namespace

CANTIK_OP(top_k) {
  op.attributes<TopK>("top_k(x, k, axis=-1, name='')")
      .doc(
          "Two results: the k largest numbers along an axis, in falling order, and their places; of equal "
          "numbers the first ones. Of an axis in front of the first there is one number: [3] becomes [1, 3] "
          "with the axis -2.")
      .outputs(2)
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const TopK& a) {
        const int64_t axis = axis_or_in_front(a.axis, b.x());
        std::vector<Term> y =
            b.call_all(axis == -1 ? "top_k_last" : "top_k_axis", {b.x()}, {{"k", a.k}, {"axis", axis}}, 2);
        b.result(0, y[0]);
        b.result(1, y[1]);
      })
      .sample({{2, 5}}, {.k = 3});

  op.attributes<TopK>("top_k_last(x, k=1, name='')")
      .doc("The k largest numbers along the last axis.")
      .outputs(2)
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const TopK& a) {
        Shape y = in.shape(0);
        if (y.is_known()) {
          const int64_t size = y.rank() ? y.back() : 1;
          if (a.k < 1 || (size >= 0 && a.k > size))
            throw value_failure("k must be from 1 to " +
                                (size >= 0 ? std::to_string(size) : "the size of the axis") + ", and is " +
                                std::to_string(a.k));
          if (y.rank()) y[y.rank() - 1] = a.k;
        }
        in.set(0, in.like(0, y));
        in.set(1, in.like(0, y));
      })
      .gradient([](Gradient& g, const TopK&) {
        if (g.dy(0)) g.dx(0, g.call("top_k_gradient", {g.y(1), g.dy(0)}, {{"shape", g.x().shape()}}));
      })
      .kernel("sort",
              [](const Prepare& p, const TopK&) -> std::unique_ptr<Kernel> {
                TopLines l(p.in(0).shape, p.out().shape);
                return of_type<TopKKernel>(p.dtype(), l);
              })
      .cntk("TopK", 87)
      .onnx_write("TopK",
                  [](OnnxGraph& g, const TopK& a) {
                    std::vector<OnnxValue> y = g.nodes("TopK", {g.x(), g.integers({a.k})}, {{"axis", -1}}, 2);
                    g.result(0, y[0]);
                    g.result(1, g.cast(y[1], OnnxGraph::type_number(g.out().dtype)));
                  })
      .onnx_read("TopK",
                 [](OnnxNode& n) {
                   int64_t k = n.has(1) ? n.sizes(1).at(0) : n.integer("k"), axis = n.integer("axis", -1);
                   if (k <= CANTIK_ONNX_SYMBOL) OnnxNode::refuse("how many it takes is known in a run only");
                   Term x = n.with_static(n.x(), axis);
                   const bool largest = n.integer("largest", 1) != 0;
                   if (!largest) x = -x;
                   std::vector<Term> y = n.call_all("top_k", {x}, {{"k", k}, {"axis", axis}}, 2);
                   n.result(0, largest ? y[0] : -y[0]);
                   if (n.outputs() > 1) n.result(1, y[1]), n.result_type(1, OnnxGraph::kInt64);
                 })
      .sample({{2, 5}}, {.k = 3});

  op.attributes<TopK>("top_k_axis(x, k=1, axis=-1, name='')")
      .doc(
          "The k largest numbers along another axis than the last: that axis and the last one change places "
          "and back.")
      .outputs(2)
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const TopK& a) {
        int64_t at = axis_or_in_front(a.axis, b.x());
        Term x = b.call("transpose", {b.x()}, {{"axis1", -1}, {"axis2", at}});
        std::vector<Term> y = b.call_all("top_k_last", {x}, {{"k", a.k}}, 2);
        for (int i = 0; i < 2; ++i) b.result(i, b.call("transpose", {y[i]}, {{"axis1", -1}, {"axis2", at}}));
      })
      .cntk_block("TopK")
      .sample({{3, 4}}, {.k = 2, .axis = 0})
      .sample({{3}}, {.axis = -2});

  op.attributes<Back>("top_k_gradient(places, dy, shape)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Back& a) { in.set(in.join(0, 1, a.shape)); })
      .kernel("places", [](const Prepare& p, const Back&) -> std::unique_ptr<Kernel> {
        TopLines l(p.out().shape, p.in(1).shape);
        return of_type<BackKernel>(p.dtype(), l);
      });
}
