// Passes in their order: switched off, reported; random graphs with passes on and off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <cantik/cantik.h>

#include "compile/pipeline.h"
#include "compiled.h"
#include "random_graph.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Passes, report_each) {
  const Function z = layers::sequential({layers::dense(4), layers::dense(2)})(input({3}));
  const std::vector<PassReport> reports = pass_reports(z);
  EXPECT_EQ(reports.front().name, "import");
  EXPECT_GT(reports.size(), 5u);
  EXPECT_FALSE(reports.back().text.empty());
  EXPECT_NE(pass_reports(reduce_sum(z), z.parameters()).back().text, reports.back().text);
  const std::vector<std::string> names = pass_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "fuse"), names.end());
  EXPECT_THROW(switch_pass("nonsense", false), Error);
}

TEST(Passes, cannot_be_switched_off_where_the_result_needs_them) {
  EXPECT_THROW(switch_pass("differentiate", false), Error);
  EXPECT_THROW(switch_pass("nonsense", false), Error);
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

TEST(OwnOutputs, what_is_fed_or_asked_for_twice_is_copied) {
  Variable x = input({3});
  Function y = call("tanh", {x});
  const ir::Request r{{x, y, call("reshape", {y}, {{"shape", Shape{3, 1}}})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fold_spreads", r),
            "in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%2 = reshape(%1, shape=[3, 1]) : float32[#, 3, 1]\n"
            "return in0, %1, %2\n");
  EXPECT_EQ(after("own_outputs", r),
            "in0 : float32[#, 3]\n"
            "%3 = in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%2 = reshape(%1, shape=[3, 1]) : float32[#, 3, 1]\n"
            "%4 = %2 : float32[#, 3, 1]\n"
            "return %3, %1, %4\n");
}

TEST(OwnOutputs, sparse_rows_stay_sparse_unless_a_view_was_asked_for) {
  Variable x = input({3}, {.sparse = true});
  const ir::Request r{
      {x, call("alias", {x}), call("stop_gradient", {x}), call("reshape", {x}, {{"shape", Shape{3, 1}}})},
      {},
      {},
      ir::Mode::evaluation};
  EXPECT_EQ(after("own_outputs", r),
            "in0 : float32[#, 3] sparse\n"
            "%4 = copy(in0) : float32[#, 3] sparse\n"
            "%1 = alias(in0) : float32[#, 3] sparse\n"
            "%5 = copy(%1) : float32[#, 3] sparse\n"
            "%2 = stop_gradient(in0) : float32[#, 3] sparse\n"
            "%6 = to_dense(%2) : float32[#, 3]\n"
            "%3 = reshape(in0, shape=[3, 1]) : float32[#, 3, 1] sparse\n"
            "%7 = to_dense(%3) : float32[#, 3, 1]\n"
            "return %4, %5, %6, %7\n");
}

TEST(Finish, images_are_turned) {
  Variable x = input({2, 4, 4}), w = parameter({3, 2, 3, 3}, 0.1);
  const ir::Request r{{call("convolution", {w, x}, {{"auto_padding", std::vector<int64_t>{0, 1, 1}}})},
                      {},
                      {},
                      ir::Mode::evaluation};
  EXPECT_EQ(after("widen", r),
            "in1 : float32[#, 2, 4, 4]\n"
            "p0 : float32[3, 2, 3, 3]\n"
            "%2 = correlate(in1, p0, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1]) : float32[#, 3, 4, 4]\n"
            "return %2\n");
  EXPECT_EQ(after("finish", r),
            "in1 : float32[#, 2, 4, 4]\n"
            "p0 : float32[3, 2, 3, 3]\n"
            "%3 = turn_image(in1) : float32[#, 4, 4, 2]\n"
            "%4 = correlate(%3, p0, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1], last=True) : float32[#, 4, 4, 3]\n"
            "%5 = turn_image(%4, last=False) : float32[#, 3, 4, 4]\n"
            "return %5\n");
}

TEST(Pack, weights_lie_in_the_order_of_the_kernel) {
  Variable x = input({3}), w = parameter({3, 2}, 0.1);
  const ir::Request r{{call("times", {x, w})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("formats", r),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3, 2]\n"
            "%2 = product(in0, p1) : float32[#, 2]\n"
            "return %2\n");
  EXPECT_EQ(after("pack", r),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3, 2]\n"
            "%3 = pack_panels(p1) : float32, packed\n"
            "%2 = product(in0, %3, packed=True) : float32[#, 2]\n"
            "return %2\n");
}

}  // namespace
