// y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].
//
// Runs as a matrix product of flattened operands, see product.cc.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Times {
  int64_t output_rank = 1;
  int64_t infer_input_rank_to_map = -1;  // -1: the rank of an unknown right operand is as given
  static constexpr auto fields() {
    return list(field("output_rank", &Times::output_rank, "how many axes of right stay in the result").key("outputRank"),
                field("infer_input_rank_to_map", &Times::infer_input_rank_to_map, "leading axes of left to map over, where right's rank is to be inferred")
                    .key("inferInputRankToMap").role(CANTIK_SIGNED));
  }
};

// How many leading axes of right are inner ones.
int inner_axes(const Shape& left, const Shape& right, const Times& a) {
  if (a.infer_input_rank_to_map >= 0 && right.rank() > 0 && right[0] == kInferred) return left.rank() - static_cast<int>(a.infer_input_rank_to_map);
  return right.rank() - static_cast<int>(a.output_rank);
}

constexpr auto infer = [](Infer& in, const Times& a) {
  Shape left = in.shape(0), right = in.shape(1);
  if (a.infer_input_rank_to_map < -1) throw Failure(CANTIK_UNSUPPORTED, "products that are summed over a sequence", "see docs/status.md");
  if (a.output_rank < 1) throw value_failure("output_rank is " + std::to_string(a.output_rank), "it has to be at least 1");
  if (!left.is_known() || !right.is_known()) {
    in.set(in.join(0, 1, Shape::unknown()));
    return;
  }
  if (right.rank() < a.output_rank) throw value_failure("the right operand has " + std::to_string(right.rank()) + " axes, fewer than the " + std::to_string(a.output_rank) + " of output_rank");
  int inner = inner_axes(left, right, a);
  if (inner < 0 || inner > left.rank())
    throw shape_failure("the left operand has " + std::to_string(left.rank()) + " axes, fewer than the inner axes of " + right.text());
  // Unknown dimensions of the right operand, a parameter as a rule, are those of the left one.
  Shape kept = right.sub(right.rank() - static_cast<int>(a.output_rank), right.rank());
  Shape wanted = left.sub(left.rank() - inner, left.rank());
  bool expand = a.infer_input_rank_to_map >= 0 && right.rank() > 0 && right[0] == kInferred;
  if (!expand)
    for (int i = 0; i < inner; ++i) {
      int64_t l = wanted[i], r = right[i];
      if (r >= 0 && l >= 0 && l != r)
        throw shape_failure("the inner dimensions differ, " + std::to_string(l) + " and " + std::to_string(r), "give the right operand the shape " + (wanted + kept).text() + ", or let it be inferred");
      if (r >= 0 && l < 0) wanted[i] = r;
    }
  if (expand || right.has_inferred()) in.refine(1, wanted + kept);
  if (left.has_inferred()) in.refine(0, left.sub(0, left.rank() - inner) + wanted);
  in.set(in.join(0, 1, left.sub(0, left.rank() - inner) + kept));
};

}  // namespace

CANTIK_OP(times) {
  op.attributes<Times>("times(left, right, output_rank=1, infer_input_rank_to_map=TIMES_NO_INFERRED_INPUT_RANK, name='')")
      .doc("Matrix product over the last axes of left and the first of right; right keeps output_rank axes.")
      .type(infer)
      .lower([](Builder& b, const Times& a) {
        int64_t inner = b.x(1).shape().rank() - a.output_rank;
        Term right = !b.x(0).type().is_dense() && !b.x(1).type().is_dense() ? b.call("to_dense", {b.x(1)}) : b.x(1);
        b.result(b.call("product", {b.x(0), right}, {{"inner", inner}}));
      })
      .traits(CANTIK_TAKES_SPARSE)
      .cntk("Times", 31)
      .named("cntk.order", "1,0")
      .sample({{2, 3}, {3, 4}})
      .sample({{2, 3}, {2, 3, 4}})
      .sample({{3}, {3, 2, 2}}, {.output_rank = 2});
}
