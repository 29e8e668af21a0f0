// A differentiated graph in two parts: what runs before the gradients of the roots are known, and what waits.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

struct Network {
  Variable x = input({3}), w = parameter({3}, 0.1), v = parameter({3}, 0.2);
  Function y = call("tanh", {call("element_times", {call("exp", {call("element_times", {x, w})}), v})});

  ir::Request part(ir::Part p, std::vector<int32_t> only = {}) const {
    ir::Request r{{y}, {y}, {w, v}, ir::Mode::training};
    r.part = p;
    r.only = std::move(only);
    return r;
  }
};

TEST(Seam, the_first_part_makes_what_the_second_reads) {
  const Network n;
  EXPECT_EQ(after("share_again", n.part(ir::Part::forward)),
            "in0 : float32[#, 3]\n"
            "in3 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "p2 : float32[3]\n"
            "%2 = mul(in0, p1) : float32[#, 3]\n"
            "%3 = exp(%2) : float32[#, 3]\n"
            "%5 = mul(%3, p2) : float32[#, 3]\n"
            "%6 = tanh(%5) : float32[#, 3]\n"
            "%8 = mul(in3, sub(1, mul(%6, %6))) reading %6, in3 : float32[#, 3]\n"
            "%9 = mul(%8, p2) : float32[#, 3]\n"
            "%12 = mul(%9, %3) reading %3, %9 : float32[#, 3]\n"
            "%13 = mul(%12, in0) : float32[#, 3]\n"
            "%14 = sum_to(%13, shape=[3]) : float32[3]\n"
            "%10 = mul(%8, %3) : float32[#, 3]\n"
            "%11 = sum_to(%10, shape=[3]) : float32[3]\n"
            "return %6, %14, %11\n");
  EXPECT_EQ(after("seam", n.part(ir::Part::forward)),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "p2 : float32[3]\n"
            "%2 = mul(in0, p1) : float32[#, 3]\n"
            "%3 = exp(%2) : float32[#, 3]\n"
            "%5 = mul(%3, p2) : float32[#, 3]\n"
            "%6 = tanh(%5) : float32[#, 3]\n"
            "return %6, %6, %3\n");
}

TEST(Seam, the_second_part_reads_it_as_inputs) {
  const Network n;
  EXPECT_EQ(after("seam", n.part(ir::Part::backward, {0, 1})),
            "in0 : float32[#, 3]\n"
            "in3 : float32[#, 3]\n"
            "in4 : float32[#, 3]\n"
            "in5 : float32[#, 3]\n"
            "p2 : float32[3]\n"
            "%8 = mul(in3, sub(1, mul(in4, in4))) reading in4, in3 : float32[#, 3]\n"
            "%9 = mul(%8, p2) : float32[#, 3]\n"
            "%12 = mul(%9, in5) reading in5, %9 : float32[#, 3]\n"
            "%13 = mul(%12, in0) : float32[#, 3]\n"
            "%14 = sum_to(%13, shape=[3]) : float32[3]\n"
            "%10 = mul(%8, in5) : float32[#, 3]\n"
            "%11 = sum_to(%10, shape=[3]) : float32[3]\n"
            "return %14, %11\n");
}

TEST(Seam, what_nobody_asked_for_is_not_made) {
  const Network n;
  EXPECT_EQ(after("seam", n.part(ir::Part::backward, {1})),
            "in3 : float32[#, 3]\n"
            "in4 : float32[#, 3]\n"
            "in5 : float32[#, 3]\n"
            "%8 = mul(in3, sub(1, mul(in4, in4))) reading in4, in3 : float32[#, 3]\n"
            "%10 = mul(%8, in5) : float32[#, 3]\n"
            "%11 = sum_to(%10, shape=[3]) : float32[3]\n"
            "return %11\n");
}

TEST(Seam, a_whole_graph_has_none) {
  const Network n;
  EXPECT_EQ(after("seam", n.part(ir::Part::whole)), after("share_again", n.part(ir::Part::whole)));
}

}  // namespace
