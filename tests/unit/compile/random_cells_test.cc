// Recurrences made at random: the same bits with the passes on and off, alone and in a batch, on any number
// of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <cantik/cantik.h>

#include "compile/pipeline.h"
#include "graph/node.h"
#include "execute/draws.h"
#include "runtime/run.h"

using namespace cantik;

namespace {

Variable cut_columns(const Variable& v, int64_t begin, int64_t end) {
  return call("slice", {v}, {{"axis", -1}, {"begin_index", begin}, {"end_index", end}});
}
Variable cell_number(double x) { return constant(Shape(), x); }

constexpr int64_t kInputs = 3;

Tensor random_numbers(Shape s, std::mt19937& engine, float scale) {
  Tensor t(DType::float32, std::move(s));
  std::normal_distribution<float> normal(0, scale);
  for (float& x : t.span<float>()) x = normal(engine);
  return t;
}

// Values of one, two or three times `width` numbers, cut, joined, multiplied and bent at random, some of them
// states.
struct RandomCell {
  explicit RandomCell(uint32_t seed) : width(seed % 2 ? 32 : 6), engine_(seed) {
    bool ahead = pick(2) == 1;
    for (size_t k = 0; k < 1 + pick(3); ++k) {
      states_.push_back(placeholder("state" + std::to_string(k)));
      Variable initial =
          pick(2) ? cell_number(0.25) : parameter({width}, random_numbers({width}, engine_, 0.3f));
      delayed_.push_back(call(ahead ? "future_value" : "past_value", {states_.back(), initial},
                              {{"time_step", 1 + static_cast<int64_t>(pick(4) == 0)}}));
      add(sum(delayed_.back(), times(x, kInputs, 1)), 1);
    }
    for (int i = 0; i < 14; ++i) grow();
    Replacements ends;
    std::vector<Variable> next;
    for (const Variable& d : delayed_) next.push_back(call("tanh", {sum(of_width(1), d)}));
    Variable all = next[0];
    for (size_t k = 1; k < next.size(); ++k) all = sum(all, next[k]);
    all = sum(all, of_width(1));
    for (size_t k = 0; k < next.size(); ++k) ends.emplace(states_[k], next[k]);
    y = function_of({all}).replace_placeholders(ends);
  }

  int64_t width;  // 32: whole panels of weights
  Variable x = input({kInputs}, {.needs_gradient = true, .axes = Axes::sequence()});
  Function y;

 private:
  struct Made {
    Variable v;
    int64_t parts;
  };
  size_t pick(size_t n) { return engine_() % n; }
  void add(Variable v, int64_t parts) { pool_.push_back({std::move(v), parts}); }
  static Variable sum(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
  Variable times(const Variable& v, int64_t from, int64_t parts) {
    return call("times",
                {v, parameter({from, parts * width}, random_numbers({from, parts * width}, engine_, 0.3f))});
  }
  const Made& any() { return pool_[pick(pool_.size())]; }
  Variable of_width(int64_t parts) {
    for (;;)
      if (const Made& m = any(); m.parts == parts) return m.v;
  }
  void grow() {
    Made a = any();
    switch (pick(8)) {
      case 0:
      case 1: {
        int64_t parts = 1 + static_cast<int64_t>(pick(3));
        return add(times(a.v, a.parts * width, parts), parts);
      }
      case 2:
      case 3:
        if (a.parts > 1) {
          int64_t first = static_cast<int64_t>(pick(static_cast<size_t>(a.parts)));
          return add(cut_columns(a.v, first * width, (first + 1) * width), 1);
        }
        return add(call("splice", {a.v, call("sigmoid", {of_width(1)})}), 2);
      case 4:
        return add(call("splice", {call("tanh", {of_width(1)}),
                                   call("element_times", {of_width(1), of_width(1)}), of_width(1)}),
                   3);
      case 5: return add(call(pick(2) ? "tanh" : "sigmoid", {a.v}), a.parts);
      default: return add(call(pick(2) ? "plus" : "element_times", {a.v, of_width(a.parts)}), a.parts);
    }
  }
  std::mt19937 engine_;
  std::vector<Variable> states_, delayed_;
  std::vector<Made> pool_;
};

using CellNumbers = std::vector<float>;

// The cell's values, the gradients of all parameters and of x.
std::vector<CellNumbers> run(const RandomCell& cell, const Value& x, const std::vector<const char*>& without,
                             int threads) {
  std::vector<Variable> wrt = cell.y.parameters();
  wrt.push_back(cell.x);
  ir::Request r{{cell.y}, {cell.y}, wrt, ir::Mode::training};
  for (const char* pass : without) switch_pass(pass, false);
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  for (const char* pass : without) switch_pass(pass, true);
  std::vector<Variable> leaves = g.leaves;
  ir::Sources sources;
  for (const Node* n : g.sources) sources.push_back(n->handle());
  runtime::BoundPlan e(std::make_shared<const runtime::Plan>(std::move(g)), leaves, sources,
                       std::make_shared<runtime::Draws>());
  std::vector<const Value*> feeds(leaves.size(), nullptr);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i] == cell.x) feeds[i] = &x;
  runtime::Outputs out;
  runtime::GraphRun run(e, feeds, out);
  run.options.threads = threads;
  run.go();
  std::vector<CellNumbers> all;
  for (size_t i = 0; i < out.size(); ++i) {
    Value v = out.value(i);
    all.emplace_back(v.data.data<float>(), v.data.data<float>() + v.data.elements());
  }
  return all;
}

TEST(RandomCells, have_the_same_bits_with_passes_on_and_off) {
  set_verification(true);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    RandomCell cell(seed);
    std::mt19937 engine(seed + 1000);
    std::vector<int64_t> lengths;
    for (int i = 0; i < 50; ++i) lengths.push_back(1 + static_cast<int64_t>(engine() % 15));
    auto layout = Layout::of_lengths(lengths);
    Value x(random_numbers({layout->rows(), kInputs}, engine, 1), layout);
    std::vector<CellNumbers> all = run(cell, x, {}, 1);
    auto expect_same = [&](const std::vector<CellNumbers>& other, const char* how) {
      ASSERT_EQ(all.size(), other.size());
      for (size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], other[i]) << "cell of seed " << seed << ", output " << i << ", " << how;
    };
    expect_same(run(cell, x, {"gather_maps"}, 1), "without gather_maps");
    expect_same(run(cell, x, {"place_columns"}, 1), "without place_columns");
    expect_same(run(cell, x, {"fuse", "gather_maps", "place_columns"}, 1), "without all of them");
    // Merged products have wider gradients: whether their sums over rows go in step order hangs on how they
    // are put together.
    std::vector<CellNumbers> apart = run(cell, x, {"merge_products"}, 1);
    EXPECT_EQ(apart, run(cell, x, {"merge_products", "join_parts"}, 1))
        << "cell of seed " << seed << ", without join_parts";
    EXPECT_EQ(apart,
              run(cell, x, {"merge_products", "fuse", "gather_maps", "place_columns", "join_parts"}, 1))
        << "cell of seed " << seed << ", without all of them";
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t k = 0; k < all[i].size(); ++k)
        ASSERT_NEAR(all[i][k], apart[i][k], 1e-4f * (1 + std::abs(apart[i][k])))
            << "cell of seed " << seed << ", output " << i;
    for (int threads : {2, 3}) expect_same(run(cell, x, {}, threads), "on several threads");
    for (int64_t s : {0, 7, 49}) {
      int64_t first = layout->offsets()[static_cast<size_t>(s)], n = layout->length(s), own[] = {n};
      Value alone(x.data.rows(first, first + n), Layout::of_lengths(own));
      std::vector<CellNumbers> mine = run(cell, alone, {}, 1);
      EXPECT_EQ(0, std::memcmp(mine[0].data(), all[0].data() + first * cell.width,
                               sizeof(float) * static_cast<size_t>(n * cell.width)))
          << "cell of seed " << seed << ", sequence " << s << " alone";
      EXPECT_EQ(0, std::memcmp(mine.back().data(), all.back().data() + first * kInputs,
                               sizeof(float) * static_cast<size_t>(n * kInputs)))
          << "gradient of sequence " << s;
    }
  }
}

}  // namespace
