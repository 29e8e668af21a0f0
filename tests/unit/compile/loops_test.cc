// What a recurrence that nobody has seen becomes: which operators stand inside its loops, which outside; and
// that results do not depend on the passes that make it so.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include <cantik/cantik.h>

#include "compile/pipeline.h"
#include "compiled.h"
#include "graph/node.h"
#include "execute/draws.h"
#include "runtime/run.h"

using namespace cantik;
using namespace cantik::support;

namespace {

constexpr int64_t kIn = 5, kState = 4;

Tensor seeded_tensor(const Shape& shape, uint32_t seed) {
  Tensor t(DType::float64, shape);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> one(-0.8, 0.8);
  for (double& x : t.span<double>()) x = one(generator);
  return t;
}

// A GRU whose gates are written one by one, with a softsign, a square in the reset gate and a leak.
struct Variant {
  Variable x =
      input({kIn}, {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence(), .name = "x"});
  std::vector<Variable> parameters;
  Function h;

  Variant() {
    for (int i = 0; i < 9; ++i) {
      Shape shape = i < 3 ? Shape{kIn, kState} : i < 6 ? Shape{kState, kState} : Shape{kState};
      parameters.push_back(
          parameter(shape, seeded_tensor(shape, static_cast<uint32_t>(i)), DType::float64, "p"));
    }
    Variable state = placeholder("h"),
             before = call("past_value", {state, constant(Tensor::of<double>({}, std::vector<double>{0}))});
    auto gate = [&](int i, const char* squash, const Variable& weight) {
      Variable from_state = call("times", {before, parameters[static_cast<size_t>(3 + i)]});
      if (weight) from_state = call("element_times", {weight, from_state});
      return Variable(call(
          squash,
          {call("plus", {call("plus", {call("times", {x, parameters[static_cast<size_t>(i)]}), from_state}),
                         parameters[static_cast<size_t>(6 + i)]})}));
    };
    Variable update = gate(0, "sigmoid", {}), reset = call("square", {gate(1, "sigmoid", {})}),
             candidate = gate(2, "softsign", reset);
    Function next =
        call("plus", {call("element_times", {update, before}),
                      call("element_times", {call("minus", {constant(Shape(), 0.9), update}), candidate})});
    h = next.replace_placeholders({{state, next.output()}});
  }
};

// How often each operator stands in a loop of a compiled graph; without one: outside of all.
std::map<std::string, int> operators(const ir::Graph& g, ir::LoopId loop = {}) {
  std::map<std::string, int> counts;
  for (const ir::Node& n : g.nodes)
    if (n.kind != ir::NodeKind::dead && n.loop == loop)
      ++counts[n.kind == ir::NodeKind::map ? "map" : n.op->name];
  return counts;
}

TEST(LoopShape, a_cell_that_nobody_has_seen) {
  Variant v;
  ir::Request r{{v.h}, {}, {}, ir::Mode::evaluation};
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  ASSERT_EQ(g.loops.size(), 1u);
  std::map<std::string, int> inside = operators(g, ir::LoopId(0)), outside = operators(g);
  EXPECT_EQ(inside["product"], 1) << g.text();  // of three gates that share an operand
  EXPECT_EQ(inside["past_value"], 1);
  EXPECT_EQ(inside["map"], 1) << g.text();       // all that is elementwise
  EXPECT_EQ(outside["product"], 1) << g.text();  // of the input, with all gates
  EXPECT_EQ(outside["map"], 0);
}

TEST(LoopShape, its_gradient) {
  Variant v;
  ir::Request r{{}, {v.h}, v.parameters, ir::Mode::training};
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  ASSERT_EQ(g.loops.size(), 2u);  // forwards and backwards
  std::map<std::string, int> forward = operators(g, ir::LoopId(0)), backward = operators(g, ir::LoopId(1)),
                             outside = operators(g);
  if (forward.count("future_value")) std::swap(forward, backward);
  EXPECT_EQ(forward["product"], 1) << g.text();
  EXPECT_EQ(forward["map"], 1);
  EXPECT_EQ(backward["product"], 1) << g.text();  // of the slopes of all gates
  EXPECT_EQ(backward["map"], 1) << g.text();
  EXPECT_EQ(outside["product"], 1);
  for (const auto& loop : {forward, backward})
    for (const char* op : {"row_product", "sum_to", "take_rows"})
      EXPECT_EQ(loop.count(op), 0u) << op << "\n" << g.text();
  // the gradients of all weights of the input, and of the state
  EXPECT_EQ(outside["row_product"], 2) << g.text();
  EXPECT_EQ(outside["sum_to"], 3) << g.text();
}

TEST(LoopShape, products_of_other_operands_stay) {
  Variant v;
  Variable u = parameter({kIn, 2}, seeded_tensor({kIn, 2}, 20), DType::float64, "u"),
           w = parameter({kIn, 3}, seeded_tensor({kIn, 3}, 21), DType::float64, "w");
  // No loop reads these: side by side they would only have to be cut apart.
  ir::Request r{{v.h, call("times", {v.x, u}), call("times", {v.x, w})}, {}, {}, ir::Mode::evaluation};
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  EXPECT_EQ(operators(g)["product"], 3) << g.text();
}

TEST(LoopShape, results_without_the_passes_that_make_it) {
  const std::vector<int64_t> lengths{3, 1, 6, 0, 2};
  auto layout = Layout::of_lengths(lengths);
  Value data(seeded_tensor(Shape{layout->rows(), kIn}, 9), layout);
  std::vector<double> want;
  for (const char* pass :
       {"", "merge_products", "step_order", "fuse", "gather_maps", "join_parts", "place_columns", "share"}) {
    Variant v;
    ir::Request r{{v.h}, {v.h}, v.parameters, ir::Mode::training};
    if (*pass) switch_pass(pass, false);
    ir::Graph g = ir::imported(r);
    std::vector<Variable> leaves = g.leaves;
    ir::Sources sources;
    for (const Node* n : g.sources) sources.push_back(n->handle());
    ir::run_passes(g, r);
    if (*pass) switch_pass(pass, true);
    runtime::BoundPlan x(std::make_shared<const runtime::Plan>(std::move(g)), leaves, sources,
                         std::make_shared<runtime::Draws>());
    std::vector<const Value*> feeds(leaves.size(), nullptr);
    for (size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i] == v.x) feeds[i] = &data;
    runtime::Outputs out;
    runtime::GraphRun(x, feeds, out).go();
    std::vector<double> have;
    for (size_t i = 0; i < out.size(); ++i)
      for (int64_t k = 0, n = out.value(i).data.elements(); k < n; ++k)
        have.push_back(out.value(i).data.at(k));
    if (!*pass) want = have;
    ASSERT_EQ(have.size(), want.size());
    for (size_t i = 0; i < have.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-12) << pass << " " << i;
  }
}

TEST(LoopShape, nothing_runs_in_a_loop_that_nobody_reads) {
  Variable x = input({4}, {.axes = Axes::sequence()});
  Function y = layers::recurrence(layers::gru(4))(x);
  ir::Request r{{}, {y}, y.parameters(), ir::Mode::training};
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  const ById<ir::ValueId, int32_t> uses = g.use_counts();
  for (const ir::Node& n : g.nodes)
    for (ir::ValueId v : n.out)
      if (n.loop) {
        EXPECT_GT(uses[v], 0) << g.text();
      }
}

TEST(Loops, a_cycle_becomes_a_loop) {
  Variable x = input({3}, {.axes = Axes::sequence()}), state = placeholder("h");
  Function h = call("tanh", {call("plus", {x, call("past_value", {state, constant(Shape(), 0.5)})})});
  const ir::Request r{{h.replace_placeholders({{state, h.output()}})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("layouts_again", r),
            "in0 : float32[#, *, 3]\n"
            "c1 : float32[]\n"
            "%3 = past_value(%5, c1) : float32[#, *, 3]\n"
            "%4 = add(in0, %3) : float32[#, *, 3]\n"
            "%5 = tanh(%4) : float32[#, *, 3]\n"
            "return %5\n");
  EXPECT_EQ(after("loops", r),
            "in0 : float32[#, *, 3]\n"
            "c1 : float32[]\n"
            "%6 = take_rows(in0, map=1) : float32[#, *, 3]\n"
            "loop over [#, *]:\n"
            "  %3 = past_value(%5, c1) : float32[#, *, 3]\n"
            "  %4 = add(%6, %3) : float32[#, *, 3]\n"
            "  %5 = tanh(%4) : float32[#, *, 3]\n"
            "%7 = take_rows(%5, map=3) : float32[#, *, 3]\n"
            "return %7\n");
}

TEST(Loops, two_recurrences_are_two) {
  Variable x = input({3}, {.axes = Axes::sequence()}), a = placeholder("a"), b = placeholder("b");
  Function f = call("plus", {x, call("past_value", {a, constant(Shape(), 0.5)})});
  Function g = call("plus", {f, call("future_value", {b, constant(Shape(), 0.5)})});
  const ir::Request r{
      {g.replace_placeholders({{a, f.output()}, {b, g.output()}})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("loops", r),
            "in0 : float32[#, *, 3]\n"
            "c1 : float32[]\n"
            "c2 : float32[]\n"
            "%9 = take_rows(in0, map=1) : float32[#, *, 3]\n"
            "loop over [#, *]:\n"
            "  %3 = past_value(%4, c1) : float32[#, *, 3]\n"
            "  %4 = add(%9, %3) : float32[#, *, 3]\n"
            "loop over [#, *] descending:\n"
            "  %7 = future_value(%8, c2) : float32[#, *, 3]\n"
            "  %8 = add(%4, %7) : float32[#, *, 3]\n"
            "%11 = take_rows(%8, map=3) : float32[#, *, 3]\n"
            "return %11\n");
}

}  // namespace
