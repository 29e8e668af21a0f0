// The text of graphs is read back, and what cannot be read is named.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <cantik/function.h>

#include "compile/parse.h"
#include "compile/pipeline.h"
#include "random_graph.h"

using namespace cantik;
using namespace cantik::support;

namespace {

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

}  // namespace
