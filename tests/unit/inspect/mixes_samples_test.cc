// Networks in which what a sample becomes depends on the samples beside it.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

TEST(MixesSamples, where_an_operator_looks_at_all_of_them) {
  const Variable x = input({2}), y = input({2});
  EXPECT_FALSE(mixes_samples(softmax(x + y)));
  const Function mean = call("reduce_mean", {x}, {{"axis", Axis::batch()}});
  EXPECT_TRUE(mixes_samples(x - mean.output()));
  EXPECT_FALSE(mixes_samples(call("log_softmax", {x}, {{"axis", Axis(0)}})));
  EXPECT_TRUE(mixes_samples(call("log_softmax", {x}, {{"axis", Axis::batch()}})));
  EXPECT_TRUE(mixes_samples(call("to_batch", {call("unpack_batch", {x}).output()})));
  EXPECT_TRUE(mixes_samples(
      call("cosine_distance_with_negative_samples", {x, y}, {{"shift", 1}, {"num_negative_samples", 1}})));
  EXPECT_TRUE(mixes_samples(call("eye_like", {x}, {{"sparse_output", false}})));
}

TEST(MixesSamples, where_the_longest_sequence_says_how_wide_something_is) {
  const Variable s = input({2}, {.axes = Axes::sequence()});
  EXPECT_FALSE(mixes_samples(layers::recurrence(layers::lstm(3))(s)));
  EXPECT_FALSE(mixes_samples(sequence::last(s)));
  EXPECT_FALSE(mixes_samples(call("sequence_softmax", {s})));
  const Function unpacked = call("sequence_unpack", {s}, {{"padding_value", 0.0}});
  EXPECT_TRUE(mixes_samples(unpacked));
  // inside a block, too
  EXPECT_TRUE(mixes_samples(call("reduce_max", {unpacked.outputs()[0]}, {{"axis", Axis(0)}})));
}

}  // namespace
