// y = the sum, mean, largest number, ... over some axes: the primitive that all reductions are made of.
#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/reduce/axes.h"

using namespace cantik;

namespace {

struct Reduce {
  int64_t axis = axis_code::kNone;  // one, or
  std::vector<int64_t> axes;        // several
  std::string reduction = "Sum";
  bool keepdims = true;
  static constexpr auto fields() {
    return list(field("axis", &Reduce::axis, "the axis to reduce").key("axis").role(CANTIK_AXIS),
                field("axes", &Reduce::axes, "the axes to reduce").key("axisVec").role(CANTIK_AXES),
                field("reduction", &Reduce::reduction,
                      "Sum, Mean, Max, Min, MaxOrNan, MinOrNan, Prod, LogSum, Argmax or Argmin")
                    .key("reductionOpName"),
                field("keepdims", &Reduce::keepdims, "a reduced axis stays, with the size 1")
                    .key("reductionKeepDimensions"));
  }
};

// What is reduced of an operand.
struct Which {
  std::vector<bool> axes;
  bool batch = false, all_static = false;
};

Which which(const TypeView& x, const Reduce& a) {
  int rank = x.shape.rank();
  Which w{std::vector<bool>(static_cast<size_t>(rank), false), false, false};
  std::vector<int64_t> codes = a.axes;
  if (a.axis != axis_code::kNone) codes.push_back(a.axis);
  for (int64_t code : codes) {
    if (code == axis_code::kAllStatic || code == axis_code::kAll)
      w.all_static = true;
    else if (code != axis_code::kBatch)
      w.axes[static_axis(code, rank)] = true;
    w.batch |= code == axis_code::kBatch || (code == axis_code::kAll && x.has_batch());
    if (code == axis_code::kBatch && !x.has_batch())
      throw Failure(CANTIK_RUNTIME, "the operand has no batch axis to reduce",
                    "reduce static axes: the operand is one tensor, without samples");
  }
  if (w.all_static) w.axes.assign(static_cast<size_t>(rank), true);
  return w;
}

// The operand's shape with a 1 in the place of each reduced axis.
Shape kept(const Shape& x, const Which& w) {
  Shape s = x;
  for (int i = 0; i < s.rank(); ++i)
    if (w.axes[i]) s[i] = 1;
  return s;
}

constexpr auto infer = [](Infer& in, const Reduce& a) {
  TypeView x = in.in(0), y = in.like(0, x.shape);
  bool everything = a.axis == axis_code::kAll || (a.axes.size() == 1 && a.axes[0] == axis_code::kAll);
  if (everything) y.axes = CANTIK_NO_AXES;
  if (!x.shape.is_known()) {
    bool statics = everything || a.axis == axis_code::kAllStatic ||
                   (a.axes.size() == 1 && a.axes[0] == axis_code::kAllStatic);
    if (statics) y.shape = Shape();
    in.set(y);
    return;
  }
  Which w = which(x, a);
  if (w.batch && x.has_sequence() && !everything)
    throw Failure(CANTIK_RUNTIME, "the batch axis of sequences cannot be reduced by itself",
                  "reduce the sequence axis first, or all axes");
  if (w.batch && a.reduction.starts_with("Arg"))
    throw value_failure("argmax and argmin cannot reduce the batch axis", "reduce static axes");
  if (a.reduction.ends_with("Max") || a.reduction.ends_with("Min") || a.reduction.starts_with("Arg"))
    for (int i = 0; i < x.shape.rank(); ++i)
      if (w.axes[i] && x.shape[i] == 0)
        throw value_failure(
            "the maximum or minimum of an empty axis is undefined: the operand has the shape " +
            x.shape.text());
  if (w.batch) y.axes = CANTIK_NO_AXES;
  y.shape = kept(x.shape, w);
  if (w.all_static)
    y.shape = Shape();
  else if (!a.keepdims) {
    Shape left;
    for (int i = 0; i < x.shape.rank(); ++i)
      if (!w.axes[i]) left.push_back(x.shape[i]);
    y.shape = left;
  }
  in.set(y);
};

constexpr auto gradient = [](Gradient& g, const Reduce& a) {
  Term x = g.x(), y = g.y(), dy = g.dy();
  if (a.reduction.starts_with("Arg")) return;
  Which w = which(x.type(), a);
  Shape aligned = kept(x.shape(), w);  // so that they broadcast to x
  if (y.shape().rank() > 0 && !(y.shape() == aligned)) {
    y = g.call("view", {y}, {{"shape", aligned}});
    dy = g.call("view", {dy}, {{"shape", aligned}});
  }
  if (a.reduction == "Sum") g.dx(0, g.map({x, dy}, [](Real, Real d) { return d; }));
  if (a.reduction == "Mean" && !w.batch && x.shape().is_static() && x.shape().elements() > 0) {
    const auto n = static_cast<double>(x.shape().elements() / aligned.elements());
    g.dx(0, g.map({x, dy}, [n](Real, Real d) { return d / n; }));
  } else if (a.reduction == "Mean") {
    Term size = g.call("reduced_count", {x, dy});
    g.dx(0, g.map({x, dy, size}, [](Real, Real d, Real n) { return d / n; }));
  }
  if (a.reduction.starts_with("Max") || a.reduction.starts_with("Min"))
    g.dx(0, g.map({x, y, dy}, [](Real v, Real best, Real d) { return select(v == best, d, 0); }));
  if (a.reduction == "Prod")
    g.dx(0, g.map({x, y, dy},
                  [](Real v, Real all, Real d) { return d * all * select(v == 0, 0, reciprocal(v)); }));
  if (a.reduction == "LogSum")
    g.dx(0, g.map({x, y, dy}, [](Real v, Real all, Real d) { return d * exp(v - all); }));
};

Reduction reduction(const std::string& name) {
  constexpr std::pair<const char*, Reduction> kNames[] = {
      {"Sum", Reduction::sum},      {"Mean", Reduction::mean},           {"Max", Reduction::max},
      {"Min", Reduction::min},      {"MaxOrNan", Reduction::max_or_nan}, {"MinOrNan", Reduction::min_or_nan},
      {"Prod", Reduction::product}, {"LogSum", Reduction::log_sum},      {"Argmax", Reduction::argmax},
      {"Argmin", Reduction::argmin}};
  for (auto [text, r] : kNames)
    if (name == text) return r;
  throw declined("no reduction is called " + name);
}

constexpr auto kernel = [](const Prepare& p, const Reduce& a) {
  return forms::reduction(p, reduction(a.reduction), which(p.in(0), a).axes);
};

}  // namespace

CANTIK_OP(reduce_elements) {
  op.attributes<Reduce>("reduce_elements(x, axis=None, axes=[], reduction='Sum', keepdims=True, name='')")
      .doc("One of several reductions over some axes, static ones or the batch.")
      .traits(CANTIK_HIDDEN)
      .type(infer)
      .lower([](Builder& b, const Reduce& a) {
        bool rows_stay = b.x().type().axes == CANTIK_NO_AXES || !which(b.x().type(), a).batch;
        b.result(b.call(rows_stay ? "reduce_within_rows" : "reduce_over_rows", {b.x()},
                        {{"axis", a.axis},
                         {"axes", a.axes},
                         {"reduction", a.reduction.c_str()},
                         {"keepdims", a.keepdims}}));
      })
      .cntk("ReduceElements", 39)
      .onnx_write("ReduceSum",
                  [](OnnxGraph& g, const Reduce& a) {
                    static constexpr std::pair<const char*, const char*> kNames[] = {
                        {"Sum", "ReduceSum"},      {"Mean", "ReduceMean"},    {"Max", "ReduceMax"},
                        {"Min", "ReduceMin"},      {"Prod", "ReduceProd"},    {"LogSum", "ReduceLogSumExp"},
                        {"MaxOrNan", "ReduceMax"}, {"MinOrNan", "ReduceMin"}, {"Argmax", "ArgMax"},
                        {"Argmin", "ArgMin"}};
                    const char* name = nullptr;
                    for (const auto& [ours, theirs] : kNames)
                      if (a.reduction == ours) name = theirs;
                    if (!name) throw Failure(CANTIK_UNSUPPORTED, "ONNX has no reduction " + a.reduction);
                    reductions::ReducedAxes axes;
                    axes.keepdims = a.keepdims;
                    axes.axis = a.axes.empty() ? std::vector<int64_t>{a.axis} : a.axes;
                    if (a.axes.empty() && a.axis == axis_code::kNone) axes.axis = {axis_code::kAllStatic};
                    if (a.reduction.starts_with("Arg")) {
                      const bool whole = !axis_code::is_static(axes.axis[0]);
                      OnnxValue x = whole ? g.reshape(g.x(), g.lead(), Shape{g.shape().elements()}) : g.x();
                      OnnxValue y = g.node(name, {x},
                                           {{"axis", whole ? int64_t{-1} : g.axis(axes.axis[0])},
                                            {"keepdims", int64_t{a.keepdims && !whole}}});
                      g.result(g.number(y));
                      return;
                    }
                    reductions::write(g, name, axes);
                  })
      .sample({{2, 3}}, {.axis = 1})
      .sample({{4, 3}}, {.axes = {0}, .reduction = "LogSum"});

  // The two ways in which it runs: of static axes, row by row, which may stand in a recurrence; and of the
  // samples too.
  op.attributes<Reduce>("reduce_within_rows(x, axis=None, axes=[], reduction='Sum', keepdims=True)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type(infer)
      .gradient(gradient)
      .form("runs", kernel);
  op.attributes<Reduce>("reduce_over_rows(x, axis=None, axes=[], reduction='Sum', keepdims=True)")
      .traits(CANTIK_HIDDEN)
      .type(infer)
      .gradient(gradient)
      .form("runs", kernel);

  // How many numbers of x went into each of those of y.
  op.signature("reduced_count(x, y)")
      .traits(CANTIK_HIDDEN | CANTIK_NO_GRADIENT)
      .layout_and_type_only(0)
      // How many numbers an operand has does not depend on their order.
      .images({.operands = {0}})
      .type([](Infer& in) {
        TypeView t = in.like(0, Shape());
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .kernel("count", [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
        struct Count final : Kernel {
          double per_row, results;
          bool over_rows, single;
          void run(const Run& r) const override {
            double n = per_row / results * (over_rows ? static_cast<double>(r.in(0).rows) : 1.0);
            if (single)
              *r.result<float>(0, 0) = static_cast<float>(n);
            else
              *r.result<double>(0, 0) = n;
          }
        };
        auto k = std::make_unique<Count>();
        k->per_row = static_cast<double>(p.in(0).shape.elements());
        k->results = static_cast<double>(std::max<int64_t>(1, p.in(1).shape.elements()));
        k->over_rows = p.in(0).has_batch() && !p.in(1).has_batch();
        k->single = p.dtype() == DType::float32;
        return k;
      });
}
