// y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].
//
// Runs as a matrix product of flattened operands, see product.cc.
#include <algorithm>

#include <cantik/op.h>
using namespace cantik;

namespace {

struct Times {
  int64_t output_rank = 1;
  int64_t infer_input_rank_to_map = -1;  // -1: the rank of an unknown right operand is as given
  static constexpr auto fields() {
    return list(field("output_rank", &Times::output_rank, "how many axes of right stay in the result")
                    .key("outputRank"),
                field("infer_input_rank_to_map", &Times::infer_input_rank_to_map,
                      "leading axes of left to map over, where right's rank is to be inferred")
                    .key("inferInputRankToMap")
                    .role(CANTIK_SIGNED));
  }
};

// How many leading axes of right are inner ones.
int inner_axes(const Shape& left, const Shape& right, const Times& a) {
  if (a.infer_input_rank_to_map >= 0 && right.rank() > 0 && right[0] == kInferred)
    return left.rank() - static_cast<int>(a.infer_input_rank_to_map);
  return right.rank() - static_cast<int>(a.output_rank);
}

// TIMES_REDUCE_SEQUENCE_AXIS_WITHOUT_INFERRED_INPUT_RANK: the steps are an inner axis too
constexpr int64_t kOverSteps = -2;

// The type of a product that is summed over the steps of both operands.
TypeView over_steps(const Infer& in, const Shape& shape) {
  TypeView left = in.in(0), right = in.in(1), t = in.like(0, shape);
  for (const TypeView& x : {left, right})
    if (x.axes != CANTIK_AXES_UNKNOWN && !x.has_sequence())
      throw value_failure("infer_input_rank_to_map sums over steps, but an operand has no sequence axis",
                          "give two sequences");
  if (t.dtype == DType::unknown) t.dtype = right.dtype;
  t.axes = left.axes == CANTIK_AXES_UNKNOWN || right.axes == CANTIK_AXES_UNKNOWN ? CANTIK_AXES_UNKNOWN
                                                                                 : CANTIK_BATCH;
  t.sequence_axis = -1;
  return t;
}

constexpr auto infer = [](Infer& in, const Times& a) {
  Shape left = in.shape(0), right = in.shape(1);
  if (a.infer_input_rank_to_map < kOverSteps)
    throw value_failure("infer_input_rank_to_map must be -2, -1 or a number of axes, and is " +
                        std::to_string(a.infer_input_rank_to_map));
  if (left.is_known() && a.infer_input_rank_to_map >= std::max(left.rank(), 1))
    throw value_failure("Times: Input map rank (" + std::to_string(a.infer_input_rank_to_map) +
                        ") must be < rank (" + std::to_string(left.rank()) + ") of the left operand");
  if (a.output_rank < 1)
    throw value_failure("output_rank must be at least 1, and is " + std::to_string(a.output_rank));
  auto set = [&](const Shape& shape) {
    in.set(a.infer_input_rank_to_map == kOverSteps ? over_steps(in, shape) : in.join(0, 1, shape));
  };
  if (!left.is_known() || !right.is_known()) {
    set(Shape::unknown());
    return;
  }
  if (right.rank() < a.output_rank)
    throw value_failure("the right operand has " + std::to_string(right.rank()) + " axes, fewer than the " +
                        std::to_string(a.output_rank) + " of output_rank");
  int inner = inner_axes(left, right, a);
  if (inner < 0 || inner > left.rank())
    throw shape_failure("the left operand has " + std::to_string(left.rank()) +
                        " axes, fewer than the inner axes of " + right.text());
  if (inner > 1 && in.in(0).storage == CANTIK_CSR)
    throw Failure(CANTIK_RUNTIME,
                  "a sparse left operand cannot be summed over " + std::to_string(inner) +
                      " axes, only over its last one",
                  "reshape both operands to one inner axis");
  // Unknown dimensions of the right operand, a parameter as a rule, are those of the left one.
  Shape kept = right.sub(right.rank() - static_cast<int>(a.output_rank), right.rank());
  Shape wanted = left.sub(left.rank() - inner, left.rank());
  bool expand = a.infer_input_rank_to_map >= 0 && right.rank() > 0 && right[0] == kInferred;
  if (!expand)
    for (int i = 0; i < inner; ++i) {
      int64_t l = wanted[i], r = right[i];
      if (r >= 0 && l >= 0 && l != r)
        throw shape_failure(
            "the inner dimensions differ, " + std::to_string(l) + " and " + std::to_string(r),
            "give the right operand the shape " + (wanted + kept).text() + ", or let it be inferred");
      if (r >= 0 && l < 0) wanted[i] = r;
    }
  if (expand || right.has_inferred()) in.refine(1, wanted + kept);
  if (left.has_inferred()) in.refine(0, left.sub(0, left.rank() - inner) + wanted);
  set(left.sub(0, left.rank() - inner) + kept);
};

constexpr auto write_onnx = [](OnnxGraph& g, const Times& a) {
  if (a.infer_input_rank_to_map == kOverSteps)
    throw Failure(CANTIK_UNSUPPORTED, "ONNX has no sum over the steps of sequences");
  const Shape left = g.shape(0), right = g.shape(1);
  const int inner = right.rank() - static_cast<int>(a.output_rank), outer = left.rank() - inner;
  const bool plain = inner == 1 && left.rank() == 1 + outer;
  auto size = [](const Shape& s) { return s.is_static() ? s.elements() : kInferred; };
  const int64_t k = size(right.sub(0, inner)), m = size(right.sub(inner, right.rank()));
  OnnxValue x = g.x(0), w = g.x(1);
  const bool weights = g.lead(1) == 0 && g.lead(0) + outer > 0;
  if (!plain || !weights)
    x = g.reshape(x, g.lead(0), weights ? left.sub(0, outer) + Shape{k} : Shape{size(left.sub(0, outer)), k});
  if (right.rank() != 2 || inner != 1) w = g.reshape(w, g.lead(1), Shape{k, m});
  OnnxValue y = g.node("MatMul", {x, w});
  if (!weights || a.output_rank != 1) y = g.reshape(y, g.out().axes, g.out().shape);
  g.result(y);
};

constexpr auto read_gemm = [](OnnxNode& n) {
  auto turned = [&](Term t, const char* name) {
    if (n.integer(name) == 0) return t;
    const std::vector<int64_t> perm{1, 0};
    return n.call("transpose", {n.plain(t)}, {{"perm", perm}});
  };
  Term x = turned(n.x(0), "transA"), w = turned(n.plain(n.x(1)), "transB");
  Term y = n.call("times", {x, w});
  const double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  if (alpha != 1) y = y * n.constant(alpha, y);
  if (n.has(2) && beta != 0) {
    Term c = beta == 1 ? n.x(2) : n.x(2) * n.constant(beta, n.x(2));
    std::vector<Term> terms = n.aligned({y, c});
    y = terms[0] + terms[1];
  }
  n.result(y);
};

}  // namespace

CANTIK_OP(times) {
  op.attributes<Times>(
        "times(left, right, output_rank=1, infer_input_rank_to_map=TIMES_NO_INFERRED_INPUT_RANK, name='')")
      .named("arrays", "widest")
      .doc("Matrix product over the last axes of left and the first of right; right keeps output_rank axes.")
      .type(infer)
      .lower([](Builder& b, const Times& a) {
        int64_t inner = b.x(1).shape().rank() - a.output_rank;
        Term right =
            !b.x(0).type().is_dense() && !b.x(1).type().is_dense() ? b.call("to_dense", {b.x(1)}) : b.x(1);
        if (a.infer_input_rank_to_map == kOverSteps) {
          Term left = b.x(0).type().sequence_axis == right.type().sequence_axis
                          ? b.x(0)
                          : b.call("join_steps", {b.x(0), right});
          b.result(b.call("sum_steps", {b.call("product", {left, right}, {{"inner", inner}})}));
          return;
        }
        b.result(b.call("product", {b.x(0), right}, {{"inner", inner}}));
      })
      .traits(CANTIK_TAKES_SPARSE)
      .cntk("Times", 31)
      .cntk_form({.order = {1, 0}})
      .onnx_write("MatMul", write_onnx)
      .onnx_read("Gemm", read_gemm)
      .sample({{2, 3}, {3, 4}})
      .sample({{2, 3}, {2, 3, 4}})
      .sample({{3}, {3, 2, 2}}, {.output_rank = 2});
}
