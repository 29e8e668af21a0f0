// Layouts of sequences.
#include <gtest/gtest.h>

#include <cantik/value.h>

#include "error_of.h"

using namespace cantik;

namespace {

using V = std::vector<double>;

TEST(Layout, offsets_of_lengths) {
  auto l = Layout::of_lengths(std::vector<int64_t>{2, 0, 3});
  EXPECT_EQ(V(l->offsets().begin(), l->offsets().end()), (V{0, 2, 2, 5}));
  EXPECT_EQ(l->sequences(), 3);
  EXPECT_EQ(l->rows(), 5);
  EXPECT_EQ(l->longest(), 3);
  EXPECT_EQ(l->length(1), 0);
  EXPECT_FALSE(l->is_even());
  EXPECT_FALSE(l->is_batch());
  EXPECT_FALSE(l->continues(0));
}

TEST(Layout, even_empty_and_batch) {
  EXPECT_TRUE(Layout::of_lengths(std::vector<int64_t>{2, 2})->is_even());
  auto none = Layout::of_lengths(std::vector<int64_t>{});
  EXPECT_EQ(none->longest(), 0);
  EXPECT_TRUE(none->is_even());
  EXPECT_FALSE(none->is_batch());
  auto batch = Layout::batch(4);
  EXPECT_TRUE(batch->is_batch());
  EXPECT_TRUE(batch->is_even());
  EXPECT_EQ(batch->longest(), 1);
  EXPECT_EQ(batch->length(3), 1);
}

TEST(Layout, samples_are_as_long_as_sequences_of_one_step) {
  const auto of = [](std::vector<int64_t> lengths) { return Layout::of_lengths(lengths); };
  EXPECT_TRUE(Layout::batch(2)->has_lengths_of(*of({1, 1})));
  EXPECT_TRUE(of({1, 1})->has_lengths_of(*Layout::batch(2)));
  EXPECT_TRUE(of({})->has_lengths_of(*Layout::batch(0)));
  EXPECT_FALSE(Layout::batch(2)->has_lengths_of(*of({2, 0})));
  EXPECT_FALSE(of({0, 2})->has_lengths_of(*Layout::batch(2)));
  EXPECT_FALSE(Layout::batch(2)->has_lengths_of(*of({1})));
}

TEST(Layout, wrong_lengths) {
  EXPECT_NE(error_of([] { Layout::of_lengths(std::vector<int64_t>{1, -1}); }).find("must not be negative"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              Layout::of_lengths(std::vector<int64_t>{1, INT64_MAX});
            }).find("more steps than can be counted"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              Layout::of_parts(std::vector<int64_t>{1, 1}, std::vector<int32_t>{-1});
            }).find("needs one entry of `continues` for each of the 2 lengths, and was given 1"),
            std::string::npos);
}

TEST(Value, data_that_do_not_have_the_rows_of_the_layout) {
  Value v = Value::batch(Tensor::zeros(DType::float32, {50, 10}));
  v.data = Tensor::zeros(DType::float32, {1, 10});
  EXPECT_NE(error_of([&] { v.padded(); }).find("have the shape [1, 10], but its layout has 50 rows"),
            std::string::npos);
  EXPECT_THROW(Value(Tensor(), Layout::batch(3)).padded(), Error);
}

TEST(Value, parts_of_one_block_that_overlap_are_copied) {
  const Tensor t = Tensor::of<float>({4}, {1, 2, 3, 4});
  t.rows(1, 4).copy_from(t.rows(0, 3));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.at(i), std::vector<double>({1, 1, 2, 3})[static_cast<size_t>(i)]);
}

}  // namespace
