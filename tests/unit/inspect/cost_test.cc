// What a network computes and reads, in numbers.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

TEST(Cost, of_operators_blocks_and_sparse_rows) {
  const Variable x = input({3}), w = parameter({3, 4}, Initializer(0.0));
  const NetworkCost found = cost(exp(times(x, w)));
  EXPECT_EQ(found.operations, 2 * 3 * 4 + 4);
  EXPECT_EQ(found.parameter_bytes, 3 * 4 * 4);
  EXPECT_EQ(found.value_bytes, 2 * 4 * 4);
  ASSERT_EQ(found.operators.size(), 2u);
  EXPECT_EQ(found.operators[0].op_name, "Times");
  EXPECT_EQ(found.operators[0].functions, 1);
  EXPECT_EQ(found.operators[0].operations, 24);
  // of sparse rows a number each, whatever their width is
  EXPECT_EQ(cost(times(input({1000}, {.sparse = true}), parameter({1000, 4}, Initializer(0.0)))).operations,
            8);
  // several inner axes: [2, 3, 4] . [3, 4, 5]
  const Variable left = input({2, 3, 4}), right = parameter({3, 4, 5}, Initializer(0.0));
  EXPECT_EQ(cost(times(left, right)).operations, 2 * 2 * 12 * 5);
  EXPECT_EQ(cost(reduce_sum(left)).operations, 24);
  EXPECT_EQ(cost(reshape(x, {.shape = {3, 1}})).operations, 0);
  // what is inside a block counts; a size that is not known counts for nothing
  EXPECT_EQ(cost(layers::dense(4, {.bias = false})(x)).operations, 24);
  EXPECT_EQ(cost(exp(input({kFree}))).operations, 0);
}

}  // namespace
