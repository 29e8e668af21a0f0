// What operators outside the tree state is used as what ours state: the texts of programs, with the one and
// with the other in the same place.
#include <gtest/gtest.h>

#include <cantik/function.h>

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
    EXPECT_GT(count(ours, "channels_last("), 0) << ours;
    EXPECT_EQ(count(theirs, "channels_last("), count(ours, "channels_last(")) << ours << theirs;
    EXPECT_EQ(count(theirs, "channels_first("), count(ours, "channels_first(")) << ours << theirs;
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

}  // namespace
