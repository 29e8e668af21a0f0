// Rows of an operand in another order or number: the runtime gives the map, the layout of the result decides
// it.
#include <algorithm>
#include <memory>

#include "backends/host/loops.h"
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct Map {
  int64_t map = 0;  // enum class RowMap
  static constexpr auto fields() { return list(field("map", &Map::map, "which row map")); }
};

// T is any type of the elements' size: rows of float16 are moved after operators have been widened.
template <class T>
struct CopyRows final : Kernel {
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      std::copy_n(r.row<T>(0, row), r.out().stride, r.result<T>(0, row));
  }
};

constexpr auto copy_rows = [](const Prepare& p, const Map&) -> std::unique_ptr<Kernel> {
  switch (size_of(p.dtype())) {
    case 1: return std::make_unique<CopyRows<uint8_t>>();
    case 2: return std::make_unique<CopyRows<uint16_t>>();
    case 4: return std::make_unique<CopyRows<uint32_t>>();
    default: return std::make_unique<CopyRows<uint64_t>>();
  }
};

// Sums of the rows of each sequence, in double: in float32 those that come last would be lost.
constexpr auto sum_rows = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  constexpr int64_t kColumns = 512;
  const int64_t n = r.out().stride;
  double sums[kColumns];
  for (int64_t s = r.begin(); s < r.end(); ++s) {
    T* y = r.result<T>(0, s);
    for (int64_t first = 0; first < n; first += kColumns) {
      const int64_t some = std::min(kColumns, n - first);
      std::fill_n(sums, some, 0.0);
      for (int64_t row = r.in(0).offsets[s]; row < r.in(0).offsets[s + 1]; ++row)
        host::loops<T>().add_wide(sums, r.row<T>(0, row) + first, some);
      for (int64_t k = 0; k < some; ++k) y[first + k] = static_cast<T>(sums[k]);
    }
  }
};

}  // namespace

CANTIK_OP(take_rows) {
  op.attributes<Map>("take_rows(x, like=None, map=0)")
      .doc(
          "The rows of x in the order of a loop's steps, or back. With `like`: a value of the batch at each "
          "step of its sequences, a value without rows at each of its rows.")
      .inputs(1, 2)
      .traits(CANTIK_HIDDEN | CANTIK_TAKES_ROWS | CANTIK_ANY_STRIDE)
      .layout_only(1)
      .type([](Infer& in) {
        TypeView t = in.like(0, in.shape(0));
        in.set(in.inputs() > 1 ? sequences::with_axes_of(t, in.in(1)) : t);
      })
      .gradient([](Gradient& g) {
        if (g.inputs() < 2 || !g.wanted(0)) return;
        bool batch = g.x().type().has_batch();
        // without rows: summed over them by whoever asked
        g.dx(0, batch ? g.call("sum_steps", {g.dy()}) : g.dy());
      })
      .kernel("copy", copy_rows);

  op.signature("sum_steps(x)")
      .doc("The sum over the steps of each sequence.")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .type([](Infer& in) { in.set(sequences::one_a_sequence(in.like(0, in.shape(0)))); })
      .gradient([](Gradient& g) { g.dx(0, g.call("take_rows", {g.dy(), g.x()})); })
      .kernel("rows", sum_rows);
}
