// New seeds for what a network has not drawn yet.
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops.h>
#include <cantik/seed.h>

#include <gtest/gtest.h>

#include "graph/node.h"

namespace cantik {
namespace {

class DrawnSeeds : public testing::Test {  // leaves the process as new
 protected:
  ~DrawnSeeds() override { reset_random_seed(0); }
};

uint64_t seed_of(const Variable& parameter) { return parameter.node()->stored->init.seed; }

TEST_F(DrawnSeeds, AreOfWhatWasNotDrawnAndNotNamed) {
  reset_random_seed(0);
  Variable x = input({2});
  Variable read = parameter({2, 2}, glorot_uniform()), open = parameter({2, 2}, glorot_uniform());
  Variable named = parameter({2, 2}, glorot_uniform(1, {.seed = 77}));
  Function masked = dropout(times(times(times(x, read), open), named), 0.5);
  Function network = dropout(masked, 0.5, 78);
  const Tensor before = read.value().clone();
  for (int i = 0; i < 2; ++i) {
    set_seed(5);
    draw_seeds(network);
    set_seed(5);
    EXPECT_EQ(seed_of(open), next_seed());
    const Attribute drawn = masked.node()->attributes[masked.node()->op->field("seed")];
    EXPECT_EQ(static_cast<uint64_t>(drawn.integer()), next_seed());
  }
  EXPECT_EQ(seed_of(named), 77u);
  EXPECT_EQ(network.node()->attributes[network.node()->op->field("seed")].integer(), 78);
  EXPECT_EQ(read.value().at(3), before.at(3));
}

TEST_F(DrawnSeeds, ReachCopies) {
  reset_random_seed(0);
  Function network = dropout(times(placeholder(), parameter({2, 2}, glorot_uniform())), 0.5);
  Function copy = network.clone(CloneMethod::clone, {});
  set_seed(5);
  draw_seeds(copy);
  set_seed(5);
  EXPECT_EQ(seed_of(copy.parameters()[0]), next_seed());
  EXPECT_EQ(seed_of(network.parameters()[0]), 0u);
}

}  // namespace
}  // namespace cantik
