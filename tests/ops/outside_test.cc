// What operators outside the tree state is used as what ours state: the texts of programs, with the one and
// with the other in the same place.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "compile/passes.h"
#include "compile/pipeline.h"

using namespace cantik;

namespace {

std::string after(const std::string& pass, const ir::Request& r) {
  ir::Graph g = ir::imported(r);
  for (const PassReport& report : ir::run_passes_reported(g, r))
    if (report.name == pass) return report.text;
  return "no such pass";
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

Function convolved(const Variable& x, const Variable& w) {
  return call("convolution", {w, x}, {{"auto_padding", std::vector<int64_t>{0, 1, 1}}});
}
Function pooled(const Variable& x) {
  return call("pooling", {x},
              {{"pooling_type", 1}, {"pooling_window_shape", Shape{2, 2}}, {"strides", Shape{2, 2}}});
}

// Two convolutions with something between them.
ir::Request network(const std::function<Function(const Variable&)>& between, ir::Mode mode) {
  Variable x = input({3, 8, 8}), w = parameter({4, 3, 3, 3}, 0.1), v = parameter({5, 4, 3, 3}, 0.1);
  Function y = convolved(call("relu", {between(convolved(x, w))}), v);
  if (mode == ir::Mode::evaluation) return {{y}, {}, {}, mode};
  return {{}, {call("reduce_sum", {y})}, {w, v}, mode};
}

TEST(Outside, a_pooling_runs_with_its_channels_last_between_convolutions) {
  for (ir::Mode mode : {ir::Mode::evaluation, ir::Mode::training}) {
    const std::string ours = after("formats", network(pooled, mode));
    const std::string theirs =
        after("formats", network([](const Variable& x) { return call("sum_pool", {x}); }, mode));
    EXPECT_EQ(count(theirs, "sum_pool("), 1) << theirs;
    EXPECT_EQ(count(theirs, "spread_pixels("), mode == ir::Mode::training ? 1 : 0) << theirs;
    EXPECT_GT(count(ours, "turn_image("), 0) << ours;
    EXPECT_EQ(count(theirs, "turn_image("), count(ours, "turn_image(")) << ours << theirs;
    EXPECT_EQ(count(theirs, "last=False)"), count(ours, "last=False)")) << ours << theirs;
  }
}

// h[t] = tanh(x[t] + w h[t - 1])
ir::Request recurrence(const char* delay, ir::Mode mode) {
  Variable x = input({4}, {.axes = Axes::sequence()}), w = parameter({4, 4}, 0.1), state = placeholder("h");
  Function before = call(delay, {state, constant({4}, 0.5)});
  Function next = call("tanh", {call("plus", {x, call("times", {before, w})})});
  Function y = next.replace_placeholders({{state, next.output()}});
  if (mode == ir::Mode::evaluation) return {{y}, {}, {}, mode};
  return {{}, {call("reduce_sum", {y})}, {w}, mode};
}

TEST(Outside, a_delay_makes_the_same_loop) {
  for (ir::Mode mode : {ir::Mode::evaluation, ir::Mode::training}) {
    const std::string ours = after("place_columns", recurrence("past_value", mode));
    std::string theirs = after("place_columns", recurrence("lagged", mode));
    EXPECT_GT(count(ours, "take_rows("), 0) << ours;
    for (size_t at = theirs.find("lagged"); at != std::string::npos; at = theirs.find("lagged"))
      theirs.replace(at, 6, "past_value");
    EXPECT_EQ(theirs, ours);
  }
}

// ---- sizes that come late

Value numbers(Shape shape, std::vector<double> list) { return Value::batch<double>(std::move(shape), list); }
Variable doubles(Shape shape, Axes axes = Axes::batch()) {
  return input(std::move(shape), {.dtype = DType::float64, .needs_gradient = true, .axes = axes});
}

// As a run has it that was told of so many different numbers among three samples.
std::string told(const ir::Request& r, int64_t count) {
  ir::Known known;
  known.samples = {{Axes::batch(), 3}};
  known.results = {{ir::SourceId(0), {Shape{count}}}};
  ir::Graph g = ir::imported(r, {}, known);
  ir::run_passes(g, r);
  return g.text();
}

TEST(Outside, a_program_is_made_for_sizes_that_come_late) {
  const Variable x = doubles({2});
  const Function y = call("tanh", {call("exp", {call("distinct", {x})})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  const ir::Graph open = ir::imported(r);
  EXPECT_EQ(open.needs.results, std::vector{ir::SourceId(0)});
  EXPECT_NE(open.text().find("distinct(in0) : float64[*]"), std::string::npos) << open.text();
  EXPECT_EQ(told(r, 4),
            "in0 : float64[#, 2]\n"
            "%1 = distinct(in0) : float64[4]\n"
            "%3 = tanh(exp(%1)) : float64[4]\n"
            "return %3\n");
  // in training there is a number for each row, which stands for what was saved
  r = {{}, {call("reduce_sum", {y})}, {x}, ir::Mode::training};
  EXPECT_NE(told(r, 4).find("= distinct(in0) : float64[4]; float64[#]"), std::string::npos) << told(r, 4);
}

TEST(Outside, late_sizes_are_told_once_in_a_run_and_programs_kept_by_them) {
  const Variable x = doubles({2});
  const Function y = call("square", {call("distinct", {x})}).as_composite();
  const int64_t before = programs_made();
  const Feeds three{{x, numbers({2, 2}, {3, 1, 2, 3})}}, other{{x, numbers({2, 2}, {5, 4, 4, 6})}},
      two{{x, numbers({2, 2}, {1, 2, 1, 2})}};
  const Value first = y.eval(three);
  ASSERT_EQ(first.data.shape(), (Shape{3}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first.data.at(i), (i + 1) * (i + 1));
  const int64_t once = programs_made();
  EXPECT_GT(once, before);
  EXPECT_EQ(y.eval(other).data.at(2), 36);
  EXPECT_EQ(programs_made(), once);
  EXPECT_EQ(y.eval(two).data.shape(), (Shape{2}));
  EXPECT_GT(programs_made(), once);
  EXPECT_EQ(y.eval(three).data.at(2), 9);
}

TEST(Outside, late_sizes_have_gradients) {
  const Variable x = doubles({2});
  const Function loss = call("reduce_sum", {call("square", {call("distinct", {x})})});
  const Feeds feeds{{x, numbers({3, 2}, {3, 1, 2, 3, -1, 1})}};
  const Value dx = loss.grad(feeds, {x})[0];
  const std::vector<double> wanted{6, 2, 4, 0, -2, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(dx.data.at(i), wanted[static_cast<size_t>(i)]);
  EXPECT_TRUE(check_gradient(loss, {{x, numbers({2, 2}, {0.3, 0.1, -0.2, 0.7})}}));
}

TEST(Outside, late_sizes_before_late_sizes) {
  const Variable x = doubles({2});
  const Function y = call("distinct", {call("abs", {call("distinct", {x})})});
  EXPECT_EQ(y.eval({{x, numbers({2, 2}, {-1, 1, 2, -2})}}).data.shape(), (Shape{2}));
}

// ---- something saved

TEST(Outside, what_forward_saves_backward_reads) {
  const Variable x = doubles({4}), scale = parameter(Shape{4}, 0.5, DType::float64);
  const Function y = call("keep_largest", {x, scale}, {{"count", 2}});
  const Feeds feeds{{x, numbers({2, 4}, {1, 4, 3, 2, -1, -2, -3, -4})}};
  const Value value = y.eval(feeds);
  const std::vector<double> wanted{0, 2, 1.5, 0, -0.5, -1, 0, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(value.data.at(i), wanted[static_cast<size_t>(i)]);
  EXPECT_TRUE(check_gradient(call("reduce_sum", {call("square", {y})}), feeds));
  // apart, and more than once
  const ForwardPass forward = y.as_composite().forward(feeds, {y}, {y});
  for (int i = 0; i < 2; ++i) {
    const Feeds ones{{y, numbers({2, 4}, std::vector<double>(8, 1))}};
    EXPECT_EQ(y.as_composite().backward(forward.state, ones, {x})[0].data.at(1), 0.5);
  }
}

// h[t] = keep_largest(x[t] + w h[t - 1])
struct Sparse {
  Variable x = doubles({4}, Axes::sequence()), w = parameter(Shape{4, 4}, 0.3, DType::float64),
           scale = parameter(Shape{4}, 0.9, DType::float64);
  Function y;
  Sparse() {
    Variable state = placeholder("h"), zero = constant(Tensor::of<double>({}, std::vector<double>{0}));
    Function before = call("past_value", {state, zero});
    Function next =
        call("keep_largest", {call("plus", {x, call("times", {before, w})}), scale}, {{"count", 2}});
    y = next.replace_placeholders({{state, next.output()}});
  }
};

TEST(Outside, in_a_recurrence_it_is_called_once_a_step) {
  Sparse s;
  const std::string text =
      after("place_columns", {{}, {call("reduce_sum", {s.y})}, {s.x, s.w, s.scale}, ir::Mode::training});
  EXPECT_NE(text.find("\n  %"), std::string::npos) << text;
  for (const char* inside : {"= keep_largest(", "= keep_largest_dx("}) {
    const size_t at = text.find(inside), line = text.rfind('\n', at) + 1;
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.substr(line, 2), "  ") << text;
  }
  // sums over all steps wait for the loops
  EXPECT_EQ(count(text, "= keep_largest_dscale("), 1) << text;
  const Value data = Value::sequences<double>(
      {4}, {{0.5, 0.1, -0.2, 0.9, 0.3, -0.4, 0.8, 0.2, 0.7, 0.6, -0.5, 0.15}, {-0.3, 0.45, 0.35, 0.05}});
  EXPECT_TRUE(check_gradient(call("reduce_sum", {call("square", {s.y})}), {{s.x, data}},
                             {.wrt = {s.x, s.w, s.scale}}));
}

// ---- a lock

TEST(Outside, locked_kernels_run_on_many_threads) {
  const Variable x = doubles({3});
  const Function y = call("plus", {call("gamma_sign", {x}), call("gamma_sign", {call("negate", {x})})});
  EXPECT_EQ(y.eval({{x, numbers({1, 3}, {0.5, 1.5, 2.5})}}).data.at(0), 0);
  EXPECT_EQ(y.eval({{x, numbers({1, 3}, {0.5, 1.5, 2.5})}}).data.at(1), 2);
}

// ---- axes that are one, packed operands, parts

TEST(Outside, weights_are_turned_in_place_of_the_image) {
  const Variable x = input({3, 8, 8}), w = parameter({4, 3, 3, 3}, 0.1), v = parameter({4, 8, 8, 5}, 0.1);
  const Variable image = convolved(x, w);
  auto turns = [&](const char* product) {
    const std::string text = after("formats", {{call(product, {image, v})}, {}, {}, ir::Mode::evaluation});
    EXPECT_EQ(count(text, "last=False)"), 0) << text;
    EXPECT_EQ(count(text, "turn_image(p"), 1) << text;
    return count(text, "turn_image(");
  };
  EXPECT_EQ(turns("vector_times"), turns("times"));
  std::vector<float> picture(192);
  for (size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<float>(i % 7) / 7;
  const Feeds feeds{{x, Value::batch<float>({1, 3, 8, 8}, picture)}};
  const Value ours = call("times", {image, v}).eval(feeds),
              theirs = call("vector_times", {image, v}).eval(feeds);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(theirs.data.at(i), ours.data.at(i), 1e-3);
}

TEST(Outside, weights_are_packed_once) {
  const Variable x = input({4}), w = parameter({4, 3}, 0.1);
  const ir::Request r{{call("vector_times", {x, w})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(count(after("formats", r), "packed=True"), 0);
  const std::string text = after("pack", r);
  EXPECT_EQ(count(text, "packed=True"), 1) << text;
  EXPECT_EQ(count(text, "transpose(p"), 1) << text;
}

// h[t] = tanh(left half of g) * sigmoid(right half), g = x w + h[t - 1] u
ir::Request halves(const std::function<Function(const Variable&, int64_t)>& half, const char* product,
                   ir::Mode mode) {
  const Variable x = input({4}, {.axes = Axes::sequence()}), w = parameter({4, 8}, 0.1),
                 u = parameter({4, 8}, 0.1), state = placeholder("h");
  const Function before = call("past_value", {state, constant(Shape(), 0)});
  const Variable g = call("plus", {call(product, {x, w}), call(product, {before, u})});
  const Function next = call("element_times", {call("tanh", {half(g, 0)}), call("sigmoid", {half(g, 4)})});
  const Function y = next.replace_placeholders({{state, next.output()}});
  if (mode == ir::Mode::evaluation) return {{y}, {}, {}, mode};
  return {{}, {call("reduce_sum", {y})}, {w, u}, mode};
}
Function our_half(const Variable& g, int64_t begin) {
  return call("slice", {g}, {{"axis", -1}, {"begin_index", begin}, {"end_index", begin + 4}});
}
Function their_half(const Variable& g, int64_t begin) {
  return call("stretch", {g}, {{"begin", begin}, {"count", 4}});
}

TEST(Outside, parts_are_read_where_they_lie_and_their_gradients_put_side_by_side) {
  for (ir::Mode mode : {ir::Mode::evaluation, ir::Mode::training}) {
    const std::string ours = after("place_columns", halves(our_half, "times", mode)),
                      theirs = after("place_columns", halves(their_half, "times", mode));
    EXPECT_EQ(count(theirs, "columns stretch("), 2) << theirs;
    EXPECT_EQ(count(ours, "columns slice_axes("), 2) << ours;
    EXPECT_EQ(count(theirs, "stretch_gradient("), 0) << theirs;
    EXPECT_EQ(count(theirs, "splice_axis("), count(ours, "splice_axis(")) << ours << theirs;
  }
}

// h[t] = tanh(x w) + sigmoid(x v) + h[t - 1]
ir::Request gates(const char* product) {
  const Variable x = input({4}, {.axes = Axes::sequence()}), w = parameter({4, 3}, 0.1),
                 v = parameter({4, 3}, 0.1), state = placeholder("h");
  const Function before = call("past_value", {state, constant(Shape(), 0)});
  const Function gates = call("plus", {call("tanh", {call(product, {x, w})}),  //
                                       call("sigmoid", {call(product, {x, v})})});
  const Function next = call("plus", {gates, before});
  return {{next.replace_placeholders({{state, next.output()}})}, {}, {}, ir::Mode::evaluation};
}

TEST(Outside, products_of_one_operand_before_a_recurrence_become_one) {
  const std::string ours = after("merge_products", gates("times")),
                    theirs = after("merge_products", gates("vector_times"));
  EXPECT_EQ(count(ours, "= product("), 1) << ours;
  EXPECT_EQ(count(theirs, "= vector_times("), 1) << theirs;
  EXPECT_EQ(count(theirs, "splice_axis(p"), 1) << theirs;
}

}  // namespace
