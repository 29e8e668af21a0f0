// Gradients as graphs.
#include <gtest/gtest.h>

#include <array>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Differentiate, a_product_and_a_bias) {
  Variable x = input({4}), w = parameter({4, 2}, 0.5), b = parameter({2}, 0.0);
  Function y = call("plus", {call("times", {x, w}), b});
  ir::Request r{{}, {y}, {w, b}, ir::Mode::training};
  EXPECT_EQ(after("differentiate", r),
            "in0 : float32[#, 4]\n"
            "%5 = 1 : float32[#, 2]\n"
            "%7 = row_product(in0, %5) : float32[4, 2]\n"
            "%6 = sum_to(%5, shape=[2]) : float32[2]\n"
            "return %7, %6\n");
}

TEST(Differentiate, names_the_operator_that_has_no_gradient_and_where_it_was_made) {
  Variable x = input({4}, {.needs_gradient = true}), y = input({4});
  OriginScope here(Origin{"model.py", 12});
  Function f = call("classification_error", {x, y});
  std::vector<Value> g = f.grad({{x, Value::batch(Tensor::zeros(DType::float32, {1, 4}))},
                                 {y, Value::batch(Tensor::zeros(DType::float32, {1, 4}))}},
                                {x});
  EXPECT_EQ(0, g[0].data.at(0));  // by definition zero, not an error
}

// A cycle built by hand: y = tanh(x + delay(y)). Its gradient is a cycle again, one loop each, with the parts
// bound at the end.
TEST(Differentiate, accepts_cycles) {
  ir::Graph g;
  Type t{DType::float32, {3}, Axes::sequence(), Storage::dense};
  ir::ValueId x = g.add_leaf(ir::LeafKind::input, t, 0);
  ir::ValueId back = g.add_leaf(ir::LeafKind::none, t, -1);  // stands for y until y is there
  Expression neg;
  neg.results = {neg.make(CANTIK_X_NEG, neg.input(0))};  // any row-wise operator does for the delay here
  ir::ValueId delayed = g.map(neg, std::array{back}, {});
  Expression add;
  add.results = {add.make(CANTIK_X_ADD, add.input(0), add.input(1))};
  ir::ValueId sum = g.map(add, std::array{x, delayed}, {});
  Expression tanh;
  tanh.results = {tanh.make(CANTIK_X_TANH, tanh.input(0))};
  ir::ValueId y = g.map(tanh, std::array{sum}, {});
  g.replace_uses(back, y);
  g.outputs = {y};
  ir::ValueId seed = g.add_leaf(ir::LeafKind::input, t, 1);
  std::vector<ir::ValueId> d = ir::differentiate(g, std::array{y}, std::array{seed}, std::array{x});
  g.outputs = {d[0]};
  // dy = seed + (-dsum), dsum = dy (1 - y^2), dx = dsum: the adjoint of the cycle is a cycle.
  EXPECT_EQ(g.text(),
            "in0 : float32[#, *, 3]\n"
            "in1 : float32[#, *, 3]\n"
            "%2 = neg(%4) : float32[#, *, 3]\n"
            "%3 = add(in0, %2) : float32[#, *, 3]\n"
            "%4 = tanh(%3) : float32[#, *, 3]\n"
            "%8 = neg(%7) : float32[#, *, 3]\n"
            "%9 = add(in1, %8) : float32[#, *, 3]\n"
            "%7 = mul(%9, sub(1, mul(%4, %4))) reading %4, %9 : float32[#, *, 3]\n"
            "return %7\n");
}

}  // namespace
