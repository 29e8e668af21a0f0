// Compiler passes as text, before and after; random graphs with passes on and off; gradients of cycles.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include <cantik/function.h>

#include "compile/parse.h"
#include "compile/passes.h"
#include "compile/pipeline.h"
#include "compile/schedule.h"
#include "execute/draws.h"
#include "runtime/run.h"

using namespace cantik;

namespace {

// The graph's text after the named pass.
std::string after(const std::string& pass, const ir::Request& r) {
  ir::Graph g = ir::imported(r);
  for (const PassReport& report : ir::run_passes_reported(g, r))
    if (report.name == pass) return report.text;
  return "no such pass";
}

TEST(Share, equal_nodes_become_one) {
  Variable x = input({3});
  Function y = call("plus", {call("tanh", {x}), call("tanh", {x})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("import", r),
            "in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%2 = tanh(in0) : float32[#, 3]\n"
            "%3 = add(%1, %2) : float32[#, 3]\n"
            "return %3\n");
  EXPECT_EQ(after("share", r),
            "in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%3 = add(%1, %1) : float32[#, 3]\n"
            "return %3\n");
}

TEST(Fuse, a_chain_becomes_one_expression) {
  Variable x = input({3}), b = parameter({3}, 0.5);
  Function y = call("tanh", {call("plus", {call("element_times", {x, x}), b})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "%4 = tanh(add(mul(in0, in0), p1)) : float32[#, 3]\n"
            "return %4\n");
}

TEST(Fuse, what_two_read_stays_by_itself) {
  Variable x = input({3});
  Function t = call("exp", {x});
  ir::Request r{{call("relu", {t}), call("tanh", {t})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 3]\n"
            "%1 = exp(in0) : float32[#, 3]\n"
            "%2 = max(0, %1) : float32[#, 3]\n"
            "%3 = tanh(%1) : float32[#, 3]\n"
            "return %2, %3\n");
}

TEST(Fuse, products_take_what_follows_them) {
  Variable x = input({4}), w = parameter({4, 2}, 0.5), b = parameter({2}, 0.0);
  Function y = call("relu", {call("plus", {call("times", {x, w}), b})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  std::string text = after("fuse", r);
  EXPECT_NE(text.find("packed_product(in0, %"), std::string::npos) << text;
  EXPECT_NE(text.find("then max(0, add(_, p2))"), std::string::npos) << text;
}

TEST(Fuse, a_sum_takes_its_terms_in) {
  Variable x = input({4}), b = parameter({4}, 0.5);
  Function y = call("tanh", {call("plus", {x, b})});
  ir::Request r{{}, {y}, {b}, ir::Mode::training};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 4]\n"
            "p1 : float32[4]\n"
            "%6 = sum_of(sub(1, mul(tanh(add(in0, p1)), tanh(add(in0, p1)))), shape=[4]) : float32[4]\n"
            "return %6\n");
}

TEST(Differentiate, a_product_and_a_bias) {
  Variable x = input({4}), w = parameter({4, 2}, 0.5), b = parameter({2}, 0.0);
  Function y = call("plus", {call("times", {x, w}), b});
  ir::Request r{{}, {y}, {w, b}, ir::Mode::training};
  EXPECT_EQ(after("share_again", r),
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

TEST(Layouts, an_operand_that_is_read_for_its_layout_comes_from_where_that_does) {
  Variable x = input({3}, {.axes = Axes::sequence()}), b = input({2});
  Function y = call("sequence_broadcast_as", {b, call("tanh", {call("exp", {x})})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_NE(after("import", r).find("= tanh("), std::string::npos);
  EXPECT_EQ(after("layouts", r),
            "in0 : float32[#, 2]\n"
            "in1 : float32[#, *, 3]\n"
            "%4 = spread_rows(in0, in1) : float32[#, *, 2]\n"
            "return %4\n");
}

TEST(Widen, float16_is_computed_in_float32_and_rounded) {
  Variable x = input({3}, {.dtype = DType::float16});
  ir::Request r{{call("tanh", {call("exp", {x})})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("widen", r),
            "in0 : float16[#, 3]\n"
            "%3 = cast(in0) : float32[#, 3]\n"
            "%1 = exp(%3) : float32[#, 3]\n"
            "%4 = cast(%1, dtype=4) : float16[#, 3]\n"
            "%5 = cast(%4) : float32[#, 3]\n"
            "%2 = tanh(%5) : float32[#, 3]\n"
            "%6 = cast(%2, dtype=4) : float16[#, 3]\n"
            "return %6\n");
}

TEST(Passes, cannot_be_switched_off_where_the_result_needs_them) {
  EXPECT_THROW(switch_pass("differentiate", false), Error);
  EXPECT_THROW(switch_pass("nonsense", false), Error);
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
  ir::ValueId delayed = g.map(neg, std::array{back}, -1);
  Expression add;
  add.results = {add.make(CANTIK_X_ADD, add.input(0), add.input(1))};
  ir::ValueId sum = g.map(add, std::array{x, delayed}, -1);
  Expression tanh;
  tanh.results = {tanh.make(CANTIK_X_TANH, tanh.input(0))};
  ir::ValueId y = g.map(tanh, std::array{sum}, -1);
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

// ---- random graphs: fusion and sharing on and off give the same bits

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : engine_(seed) {
    shape_ = pick() % 2 ? Shape{5} : Shape{3, 4};
    for (int i = 0; i < 2; ++i) inputs_.push_back(input(shape_, {.needs_gradient = true}));
    pool_ = inputs_;
    parameters_.push_back(parameter(Shape{shape_.back()}, Tensor(numbers({shape_.back()}))));
    parameters_.push_back(parameter(shape_, Tensor(numbers(shape_))));
    pool_.insert(pool_.end(), parameters_.begin(), parameters_.end());
    for (int i = 0; i < 12; ++i) pool_.push_back(grow());
  }
  Function root() {
    Variable v = pool_.back();
    for (size_t i = pool_.size() - 4; i + 1 < pool_.size(); ++i) v = call("plus", {v, pool_[i]});
    return call("plus", {v, inputs_[0]});
  }
  Tensor numbers(Shape s) {
    Tensor t(DType::float32, std::move(s));
    std::normal_distribution<float> normal(0, 0.7f);
    for (float& x : t.span<float>()) x = normal(engine_);
    return t;
  }
  std::vector<Variable> inputs_, parameters_;
  Shape shape_;

 private:
  uint32_t pick() { return engine_(); }
  Variable any() { return pool_[pick() % pool_.size()]; }
  Variable grow() {
    static const char* kUnary[] = {"tanh", "sigmoid", "relu", "negate"};
    static const char* kBinary[] = {"plus", "minus", "element_times"};
    if (pick() % 2) return call(kUnary[pick() % 4], {any()});
    return call(kBinary[pick() % 3], {any(), any()});
  }
  std::mt19937 engine_;
  std::vector<Variable> pool_;
};

// What the graph makes of the values, all outputs behind one another.
std::vector<float> results_of(ir::Graph g, const std::vector<Variable>& leaves,
                              std::span<const Variable> inputs, std::span<const Value> values) {
  runtime::BoundPlan x(std::make_shared<const runtime::Plan>(std::move(g)), leaves, {},
                       std::make_shared<runtime::Draws>());
  std::vector<const Value*> feeds(leaves.size(), nullptr);
  for (size_t i = 0; i < leaves.size(); ++i)
    for (size_t k = 0; k < inputs.size(); ++k)
      if (leaves[i] == inputs[k]) feeds[i] = &values[k];
  runtime::Outputs out;
  runtime::GraphRun(x, feeds, out).go();
  std::vector<float> all;
  for (size_t i = 0; i < out.size(); ++i) {
    Value v = out.value(i);
    all.insert(all.end(), v.data.data<float>(), v.data.data<float>() + v.data.elements());
  }
  return all;
}

TEST(GraphText, of_random_graphs_is_read_back_after_every_pass) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph made(seed);
    Function root = made.root();
    std::vector<Variable> wrt = made.inputs_;
    wrt.insert(wrt.end(), made.parameters_.begin(), made.parameters_.end());
    const ir::Request r{{root}, {root}, wrt, ir::Mode::training};
    ir::Graph g = ir::imported(r);
    for (const PassReport& report : ir::run_passes_reported(g, r))
      EXPECT_EQ(ir::parsed(report.text).text(), report.text) << report.name;
    // What is read back computes the same bits.
    std::vector<Value> values;
    for (size_t i = 0; i < 2; ++i) values.push_back(Value::batch(made.numbers(Shape{3} + made.shape_)));
    ir::Graph back = ir::parsed(g.text());
    back.leaves = g.leaves;
    back.mode = g.mode;
    const std::vector<Variable> leaves = g.leaves;
    EXPECT_EQ(results_of(std::move(g), leaves, made.inputs_, values),
              results_of(std::move(back), leaves, made.inputs_, values));
  }
}

TEST(GraphText, of_loops_is_read_back_after_every_pass) {
  Variable x = input({4}, {.axes = Axes::sequence()}), h = placeholder("h");
  Variable w = parameter({4, 4}, 0.1), r = parameter({4, 4}, 0.2), b = parameter({4}, 0.0);
  for (const char* delay : {"past_value", "future_value"}) {
    Function step =
        call("tanh", {call("plus", {call("plus", {call("times", {x, w}),
                                                  call("times", {call(delay, {h, constant({}, 0.5)}), r})}),
                                    b})});
    Function y = step.replace_placeholders({{h, step.output()}});
    const ir::Request request{{y}, {call("reduce_sum", {y})}, {w, r, b}, ir::Mode::training};
    ir::Graph g = ir::imported(request);
    int loops = 0;
    for (const PassReport& report : ir::run_passes_reported(g, request)) {
      EXPECT_EQ(ir::parsed(report.text).text(), report.text) << report.name;
      loops += report.text.find("\nloop over [#, *]") != std::string::npos;
    }
    EXPECT_GT(loops, 0);
  }
}

// A pass on a graph that is written down.
std::string text_after(void (*pass)(ir::Graph&), std::string_view text) {
  ir::Graph g = ir::parsed(text);
  pass(g);
  g.remove_unused();
  g.verify("the pass");
  return g.text();
}

TEST(GraphText, is_what_passes_are_given_and_make) {
  EXPECT_EQ(text_after(ir::fuse,
                       "in0 : float32[#, 3]\n"
                       "p1 : float32[3]\n"
                       "%2 = add(in0, p1) : float32[#, 3]\n"
                       "%3 = tanh(%2) : float32[#, 3]\n"
                       "%4 = max(0, %3) : float32[#, 3]\n"
                       "return %4\n"),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "%4 = max(0, tanh(add(in0, p1))) : float32[#, 3]\n"
            "return %4\n");
  EXPECT_EQ(text_after(ir::share,
                       "in0 : float32[#, 3]\n"
                       "%1 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
                       "%2 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
                       "%3 = slice_axes(in0, begin=[0], end=[2]) : float32[#, 2]\n"
                       "%4 = add(%1, %2) : float32[#, 2]\n"
                       "%5 = add(%4, %3) : float32[#, 2]\n"
                       "return %5\n"),
            "in0 : float32[#, 3]\n"
            "%1 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
            "%4 = add(%1, %1) : float32[#, 2]\n"
            "%3 = slice_axes(in0, begin=[0], end=[2]) : float32[#, 2]\n"
            "%5 = add(%4, %3) : float32[#, 2]\n"
            "return %5\n");
  EXPECT_EQ(text_after(ir::widen,
                       "in0 : float16[#, 3]\n"
                       "%1 = exp(in0) : float16[#, 3]\n"
                       "return %1\n"),
            "in0 : float16[#, 3]\n"
            "%3 = cast(in0) : float32[#, 3]\n"
            "%1 = exp(%3) : float32[#, 3]\n"
            "%4 = cast(%1, dtype=4) : float16[#, 3]\n"
            "return %4\n");
}

TEST(GraphText, that_cannot_be_read_names_its_line) {
  auto message = [](std::string_view text) {
    try {
      ir::parsed(text);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("read");
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"in0 : float31[#, 3]\n", "'float31' is no element type"},
      {"in0 : float32[#, 3\n", "line 1 of the graph's text cannot be read: a type ends with ']'"},
      {"x0 : float32[3]\n", "x0 is no leaf"},
      {"in0 : float32[3]\nin0 : float32[3]\n",
       "line 2 of the graph's text cannot be read: in0 is there already"},
      {"%1 = exp(in0) : float32[3]\n", "in0 has no line of its own with its type"},
      {"in0 : float32[3]\n%1 = nonsense(in0) : float32[3]\n", "nonsense is neither an operator"},
      {"in0 : float32[3]\n%1 = add(in0) : float32[3]\n", "',' is missing"},
      {"in0 : float32[3]\n%1 = exp(in0)\n", "':' is missing"},
      {"in0 : float32[3]\n%1 = view(in0, colour=3) : float32[3]\n", "view has no attribute colour"},
      {"in0 : float32[3]\n%1 = exp(in0) : float32[3]\n%1 = exp(in0) : float32[3]\n", "%1 is made twice"},
      {"in0 : float32[3]\n%1 = exp(in0) : float32[3] and more\n", "something stands behind its end"},
      {"return %99999999999\n", "%99999999999 is no value"},
      {"return (\n", "a name is missing"},
  };
  for (const auto& [text, why] : cases)
    EXPECT_NE(message(text).find(why), std::string::npos) << text << message(text);
}

// Text tells calls from expressions by their names.
TEST(GraphText, no_operator_with_kernels_has_the_name_of_a_code) {
  for (int32_t code = 0; code < 256; ++code) {
    const char* name = opcode_name(code);
    const Operator* op = name ? Registry::global().find(name) : nullptr;
    EXPECT_FALSE(op && op->expression.empty() && !op->lower && !op->kernels.empty()) << name;
  }
}

TEST(Passes, random_graphs_agree_with_passes_on_and_off) {
  set_verification(true);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    RandomGraph made(seed);
    Function root = made.root();
    std::vector<Variable> wrt = made.inputs_;
    wrt.insert(wrt.end(), made.parameters_.begin(), made.parameters_.end());
    ir::Request r{{root}, {root}, wrt, ir::Mode::training};
    int64_t rows = 1 + seed % 7;
    std::vector<Value> values;
    for (size_t i = 0; i < 2; ++i) values.push_back(Value::batch(made.numbers(Shape{rows} + made.shape_)));
    auto run = [&](std::vector<const char*> without) {
      for (const char* pass : without) switch_pass(pass, false);
      ir::Graph g = ir::imported(r);
      std::vector<Variable> leaves = g.leaves;
      ir::run_passes(g, r);
      for (const char* pass : without) switch_pass(pass, true);
      return results_of(std::move(g), leaves, made.inputs_, values);
    };
    // Sharing before the gradient adds the parts of a gradient in another order; the others change no bit.
    std::vector<float> all = run({}), unfused = run({"share_again", "fuse"}), unshared = run({"share"});
    ASSERT_EQ(all.size(), unfused.size());
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all[i], unfused[i]) << "graph of seed " << seed << ", number " << i;
      ASSERT_NEAR(all[i], unshared[i], 1e-4f * (1 + std::abs(all[i])))
          << "graph of seed " << seed << ", number " << i;
    }
  }
}

}  // namespace
