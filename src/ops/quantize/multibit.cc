// Numbers as sums of signs: y = m[0] b[0] + m[1] b[1] + ..., where b[i] are the signs (+1 above 0, else -1)
// of what the levels before have left of x, and m[i] is the mean of its magnitudes.
#include <cantik/op.h>

#include "backends/host/bits.h"

using namespace cantik;

namespace {

struct Multibit {
  int64_t levels = 1;
  bool per_filter = false;
  static constexpr auto fields() {
    return list(
        field("levels", &Multibit::levels, "the largest number of levels").key("levels"),
        field("per_filter", &Multibit::per_filter, "each slice along the first axis has means of its own")
            .key("perFilter"));
  }
};

constexpr auto infer_multibit = [](Infer& in, const Multibit& a) {
  if (a.levels < 1 || a.levels > 32)
    throw value_failure("the number of levels must be from 1 to 32, and is " + std::to_string(a.levels));
  TypeView map = in.in(1);
  Shape x = in.shape(0);
  if (map.has_batch())
    throw value_failure("the bit map must not have a batch axis",
                        "give a constant: one number for all, or one for each element");
  if (x.is_known() && map.shape.is_static() && map.shape.elements() != 1 && !(x == map.shape))
    throw shape_failure(
        "the bit map has the shape " + map.shape.text() + ", but the operand has the shape " + x.text(),
        "give one number for all, or one for each element");
  if (a.per_filter && x.is_known() && x.rank() == 0)
    throw shape_failure("per_filter needs an axis of filters, and the operand has no axes",
                        "write per_filter=False");
  TypeView y = in.join(0, 1, x);
  y.axes = in.in(0).axes;
  y.sequence_axis = in.in(0).sequence_axis;
  in.set(y);
};

// The sums with elementwise operators and reductions, whose gradient is that of x where |x| <= the number of
// levels.
constexpr auto compose_multibit = [](Builder& b, const Multibit& a) {
  Term x = b.x(0), map = b.x(1), rest = x, sum;
  Shape shape = x.shape();
  if (!map.shape().is_static()) throw Failure(CANTIK_VALUE, "the shape of the bit map is not known");
  bool uniform = map.shape().elements() == 1;
  std::vector<int64_t> axes;
  for (int64_t i = a.per_filter ? 1 : 0; i < shape.rank(); ++i) axes.push_back(i - shape.rank());
  auto total = [&](Term t) {
    return axes.empty() ? t : b.call("reduce_elements", {t}, {{"axes", axes}, {"reduction", "Sum"}});
  };
  Term zero = b.constant(0, x), one = b.constant(1, x), minus_one = b.constant(-1, x);
  int64_t size = shape.elements();
  if (uniform && shape.has_free())
    throw Failure(CANTIK_UNSUPPORTED, "the operand of a quantization cannot have a free dimension",
                  "give every dimension a size");
  for (int64_t level = 0; level < a.levels; ++level) {
    Term wanted = b.call("greater", {map, b.constant(static_cast<double>(level), x)});
    Term magnitudes = total(b.call("element_select", {wanted, b.call("abs", {rest}), zero}));
    double each = static_cast<double>(a.per_filter ? size / std::max<int64_t>(1, shape[0]) : size);
    Term count = uniform ? b.constant(each, x) : b.call("element_max", {total(wanted), one});
    Term signs = b.call("element_select", {b.call("greater", {rest, zero}), one, minus_one});
    Term part =
        b.call("element_divide", {magnitudes, count}) * b.call("element_select", {wanted, signs, zero});
    sum = level == 0 ? part : sum + part;
    rest = rest - part;
  }
  Term inside = x * b.call("less_equal", {b.call("abs", {x}), map});
  b.result(b.call("stop_gradient", {sum}) + (inside - b.call("stop_gradient", {inside})));
};

}  // namespace

CANTIK_OP(multibit) {
  op.attributes<Multibit>("multibit(x, bit_map, levels=1, per_filter=False, name='')")
      .doc(
          "A sum of signs near x, for binary networks. The gradient is that of x where |x| <= bit_map, else "
          "0 (straight through).\n"
          "bit_map: how many levels each element has, or one number for all; a constant.\n"
          "levels: the largest of these numbers.")
      .traits(CANTIK_ROW_WISE)
      .type(infer_multibit)
      .composite(compose_multibit)
      .gradient([](Gradient& g, const Multibit&) {
        if (g.wanted(0))
          g.dx(0, g.map({g.x(0), g.x(1), g.dy()},
                        [](Real x, Real bits, Real dy) { return select(abs(x) <= bits, dy, 0); }));
      })
      .kernel("levels", [](const Prepare& p,
                           const Multibit& a) { return host::make_multibit(p, a.levels, a.per_filter); })
      .cntk_block("Multibit")
      .named("test.operands", "bc")
      .named("test.gradient",
             "that of the operand where its magnitude is not above the number of levels, by definition")
      .sample({{3, 4}, {1}}, {.levels = 2})
      .sample({{2, 3, 2}, {2, 3, 2}}, {.levels = 2, .per_filter = true});
}
