// x with a border: of a number, or of x mirrored at its edges.
#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/shape/onnx_places.h"
#include "ops/figures.h"

using namespace cantik;

namespace {

enum PadMode : int64_t { kConstant = 0, kReflect = 1, kSymmetric = 2 };

struct Pad {
  std::vector<int64_t> pattern;
  int64_t mode = kConstant;
  double constant_value = 0;
  static constexpr auto fields() {
    return list(field("pattern", &Pad::pattern, "for each axis how much comes before and how much behind it"),
                field("mode", &Pad::mode, "0: a number, 1: mirrored without the edge, 2: mirrored with it"),
                field("constant_value", &Pad::constant_value, "the number"));
  }
};

// As CNTK's files have it.
struct PadAxes {
  std::vector<int64_t> head, foot;
  int64_t mode = kConstant;
  double value = 0;
  static constexpr auto fields() {
    return list(field("head", &PadAxes::head, "how much comes before each axis")
                    .key("paddingHead")
                    .role(CANTIK_SIZES),
                field("foot", &PadAxes::foot, "how much behind").key("paddingFoot").role(CANTIK_SIZES),
                field("mode", &PadAxes::mode, "constant, reflect, symmetric").key("paddingMode"),
                field("value", &PadAxes::value, "the number").key("paddingConstantValue"));
  }
};

Shape padded(const Shape& x, const PadAxes& a) {
  if (a.head.size() != x.size() || a.foot.size() != x.size())
    throw Failure(CANTIK_RUNTIME,
                  "the pattern has " + std::to_string(a.head.size()) + " axes, but the operand has " +
                      std::to_string(x.rank()),
                  "give a pair for each static axis");
  check_figures("the padding", a.head);
  check_figures("the padding", a.foot);
  Shape y = x;
  for (int i = 0; i < x.rank(); ++i) {
    int64_t before = a.head[i], behind = a.foot[i];
    if (before < 0 || behind < 0)
      throw value_failure("the padding must not be negative, and is " +
                          std::to_string(std::min(before, behind)));
    int64_t most = a.mode == kReflect ? x[i] - 1 : x[i];
    if (a.mode != kConstant && x[i] >= 0 && std::max(before, behind) > most)
      throw Failure(CANTIK_RUNTIME, "an axis of size " + std::to_string(x[i]) +
                                        " can be padded with at most " + std::to_string(most) +
                                        " mirrored numbers, not " + std::to_string(std::max(before, behind)));
    if (x[i] >= 0) y[i] = x[i] + before + behind;
  }
  return y;
}

// Where each element of the result comes from.
std::vector<int32_t> mirror(const Shape& x, const Shape& y, const PadAxes& a) {
  std::vector<int32_t> table{0};
  std::vector<int64_t> strides = forms::strides_of(x);
  for (int i = 0; i < x.rank(); ++i) {
    std::vector<int32_t> longer;
    for (int32_t base : table)
      for (int64_t j = 0; j < y[i]; ++j) {
        int64_t at = j - a.head[i];
        if (at < 0) at = a.mode == kReflect ? -at : -at - 1;
        if (at >= x[i]) at = a.mode == kReflect ? 2 * x[i] - 2 - at : 2 * x[i] - 1 - at;
        longer.push_back(base + static_cast<int32_t>(at * strides[i]));
      }
    table = std::move(longer);
  }
  return table;
}

forms::CopyPart inside(const Shape& x, const Shape& y, const PadAxes& a) {
  forms::CopyPart part{0, {x.begin(), x.end()}, forms::strides_of(x), forms::strides_of(y), 0, 0};
  for (int i = 0; i < x.rank(); ++i) part.to_offset += a.head[i] * part.to[i];
  return part;
}

struct Unpad : PadAxes {
  Shape shape;
  static constexpr auto fields() {
    return std::tuple_cat(PadAxes::fields(),
                          list(field("shape", &Unpad::shape, "shape of the result").role(CANTIK_SHAPE_OF)));
  }
};

}  // namespace

CANTIK_OP(pad) {
  op.attributes<Pad>("pad(x, pattern, mode=CONSTANT_PAD, constant_value=0, name='')")
      .doc(
          "x with a border: pattern is a pair (before, behind) for each static axis. The border is "
          "constant_value (mode 0), x mirrored without its edge (1) or with it (2).")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Pad& a) {
        if (a.pattern.size() % 2)
          throw value_failure("the pattern must have two numbers for each static axis, and has " +
                                  std::to_string(a.pattern.size()) + " numbers",
                              "give a pair for each static axis");
        std::vector<int64_t> head, foot;
        for (size_t i = 0; i < a.pattern.size(); i += 2)
          head.push_back(a.pattern[i]), foot.push_back(a.pattern[i + 1]);
        b.result(b.call("pad_axes", {b.x()},
                        {{"head", head}, {"foot", foot}, {"mode", a.mode}, {"value", a.constant_value}}));
      })
      .sample({{2, 3}}, {.pattern = {1, 1, 0, 2}, .constant_value = 0.5})
      .sample({{3, 4}}, {.pattern = {1, 2, 3, 1}, .mode = kReflect});

  op.attributes<PadAxes>("pad_axes(x, name='')")
      .doc("x with a border.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const PadAxes& a) {
        if (a.mode < kConstant || a.mode > kSymmetric)
          throw value_failure("there is no padding mode " + std::to_string(a.mode),
                              "give CONSTANT_PAD (0), REFLECT_PAD (1) or SYMMETRIC_PAD (2)");
        Shape x = in.shape(0);
        in.set(in.like(0, x.is_known() ? padded(x, a) : x));
      })
      .gradient([](Gradient& g, const PadAxes& a) {
        Shape x = g.x().shape();
        g.dx(0,
             g.call("unpad", {g.dy()}, {{"shape", x}, {"head", a.head}, {"foot", a.foot}, {"mode", a.mode}}));
      })
      .form("border",
            [](const Prepare& p, const PadAxes& a) {
              Shape x = p.in(0).shape, y = p.out().shape;
              return a.mode == kConstant ? forms::copy(p, {inside(x, y, a)}, a.value)
                                         : forms::lookup(p, mirror(x, y, a));
            })
      .cntk("Pad", 83)
      .onnx_write("Pad",
                  [](OnnxGraph& g, const PadAxes& a) {
                    std::vector<int64_t> pads(static_cast<size_t>(g.lead()), 0);
                    pads.insert(pads.end(), a.head.begin(), a.head.end());
                    pads.insert(pads.end(), static_cast<size_t>(g.lead()), 0);
                    pads.insert(pads.end(), a.foot.begin(), a.foot.end());
                    if (a.mode == kSymmetric)
                      throw Failure(CANTIK_UNSUPPORTED, "ONNX does not mirror with the edge (SYMMETRIC_PAD)");
                    g.result(g.node("Pad", {g.x(), g.integers(pads), g.real(a.value)},
                                    {{"mode", a.mode == kReflect ? "reflect" : "constant"}}));
                  })
      .onnx_read(
          "Pad",
          [](OnnxNode& n) {
            Term x = n.x();
            const int rank = n.rank(x);
            std::vector<int64_t> pads = n.sizes(1, "pads"),
                                 axes = n.has(3) ? n.sizes(3) : std::vector<int64_t>();
            if (axes.empty())
              for (int i = 0; i < rank; ++i) axes.push_back(i);
            if (pads.size() != 2 * axes.size())
              throw value_failure("pads has another length than there are axes");
            std::vector<int64_t> before(static_cast<size_t>(rank), 0), behind = before;
            for (size_t i = 0; i < axes.size(); ++i) {
              const auto at = static_cast<size_t>(n.axis_of(axes[i], rank));
              before[at] = pads[i];
              behind[at] = pads[i + axes.size()];
              if (static_cast<int>(at) < n.lead(x) && (before[at] || behind[at])) x = n.plain(x);
            }
            const std::string mode = n.text("mode", "constant");
            const double value = n.has(2) ? n.numbers(2).at(0) : n.real("value", 0);
            int64_t way = kConstant;
            if (mode == "reflect") way = kReflect;
            for (int i = 0; i < rank; ++i) {  // negative padding takes places away
              const auto at = static_cast<size_t>(i);
              const int64_t first = std::max<int64_t>(0, -before[at]),
                            last = std::max<int64_t>(0, -behind[at]);
              if (first == 0 && last == 0) continue;
              const int64_t size = onnx_places::known_size(n.dims(x)[at]);
              if (first + last >= size) OnnxNode::refuse("its negative padding leaves nothing");
              x = onnx_places::part(n, x, i, first, size - last);
              before[at] = std::max<int64_t>(0, before[at]), behind[at] = std::max<int64_t>(0, behind[at]);
            }
            if (mode == "edge" || mode == "wrap") {
              for (int i = 0; i < rank; ++i) {
                const auto at = static_cast<size_t>(i);
                if (before[at] || behind[at])
                  x = onnx_places::gone_on(n, x, i, before[at], behind[at], mode == "wrap");
              }
              return n.result(x);
            }
            std::vector<int64_t> pattern;
            for (int i = n.lead(x); i < rank; ++i) {
              pattern.push_back(before[i]);
              pattern.push_back(behind[i]);
            }
            n.result(n.call("pad", {x}, {{"pattern", pattern}, {"mode", way}, {"constant_value", value}}));
          })
      .onnx_read("CenterCropPad", [](OnnxNode& n) { onnx_places::centre(n); })
      .sample({{2, 3}}, {.head = {1, 0}, .foot = {1, 2}})
      .sample({{3, 4}}, {.head = {1, 3}, .foot = {2, 1}, .mode = kSymmetric});

  // The gradient: each number goes where it came from.
  op.attributes<Unpad>("unpad(y, shape)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Unpad& a) { in.set(in.like(0, a.shape)); })
      .gradient([](Gradient& g, const Unpad& a) {
        g.dx(0, g.call("pad_axes", {g.dy()}, {{"head", a.head}, {"foot", a.foot}, {"mode", a.mode}}));
      })
      .form("border", [](const Prepare& p, const Unpad& a) {
        Shape x = p.out().shape, y = p.in(0).shape;
        if (a.mode != kConstant) return forms::spread_back(p, mirror(x, y, a));
        forms::CopyPart part = inside(x, y, a);
        std::swap(part.from, part.to);
        std::swap(part.from_offset, part.to_offset);
        return forms::copy(p, {part});
      });
}
