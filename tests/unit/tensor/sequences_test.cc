// Values of sequences: made of their parts, seen as lists, masks and rectangles again.
#include <gtest/gtest.h>

#include <cantik/value.h>

#include "error_of.h"

using namespace cantik;

namespace {

std::vector<double> numbers(const Tensor& t) {
  Tensor dense = t.to_dense();
  std::vector<double> list;
  for (int64_t i = 0; i < dense.elements(); ++i) list.push_back(dense.at(i));
  return list;
}

using V = std::vector<double>;

TEST(Sequences, of_numbers) {
  Value v = Value::sequences<float>({2}, {{1, 2, 3, 4}, {}, {5, 6}});
  EXPECT_EQ(v.data.shape(), (Shape{3, 2}));
  EXPECT_EQ(v.size(), 3);
  EXPECT_EQ(v.rows(), 3);
  EXPECT_EQ(numbers(v.data), (V{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(error_of([] { Value::sequences<float>({2}, {{1, 2}, {3}}); }),
            "sequence 1 has 1 numbers, which do not make whole steps of shape [2]");
}

TEST(Sequences, of_tensors_lie_in_one_block) {
  Value v = Value::sequences(
      {Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<float>({0, 1}, {}), Tensor::of<float>({1, 1}, {3})});
  EXPECT_EQ(v.data.dtype(), DType::float32);
  EXPECT_EQ(numbers(v.data), (V{1, 2, 3}));
  std::vector<Tensor> parts = v.as_sequences();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].raw(), v.data.raw());
  EXPECT_EQ(parts[1].shape(), (Shape{0, 1}));
  EXPECT_EQ(parts[2].data<float>(), v.data.data<float>() + 2);
}

TEST(Sequences, one_or_rows_share_their_memory) {
  Tensor t = Tensor::of<float>({3, 1}, {1, 2, 3});
  EXPECT_EQ(Value::sequences({t}).data.raw(), t.raw());
  Value v = Value::sequences(t, std::vector<int64_t>{1, 2});
  EXPECT_EQ(v.data.raw(), t.raw());
  EXPECT_EQ(numbers(v.sequence(1)), (V{2, 3}));
}

TEST(Sequences, wrong_parts) {
  Tensor t = Tensor::zeros(DType::float32, {3, 2});
  EXPECT_NE(error_of([&] {
              Value::sequences(t, std::vector<int64_t>{1, 1});
            }).find("2 steps together, but the tensor has the shape [3, 2]"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              Value::sequences({t, Tensor::zeros(DType::float32, {3, 1})});
            }).find("tensor 0 has the shape [3, 2], tensor 1 has [3, 1]"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Value::sequences({t, Tensor::scalar(1)}); }).find("sequence 1 is a single number"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              Value::sequences({t, Tensor::one_hot(DType::float32, {1, 2}, std::vector<int32_t>{1})});
            }).find("dense and sparse"),
            std::string::npos);
  EXPECT_NE(error_of([] { Value::sequences(std::vector<Tensor>{}); }).find("no tensors to join"),
            std::string::npos);
  Value v = Value::sequences({t});
  EXPECT_EQ(error_of([&] { v.sequence(1); }),
            "there is no sequence 1: the value has 1 sequences, counted from 0");
  EXPECT_EQ(error_of([&] { v.sequence(-1); }),
            "there is no sequence -1: the value has 1 sequences, counted from 0");
  EXPECT_NE(error_of([&] {
              Value(t, nullptr).as_sequences();
              Value(t, nullptr).sequence(0);
            }).find("without a batch axis"),
            std::string::npos);
}

TEST(Sequences, samples_of_a_batch_are_single_steps) {
  Value v = Value::batch(Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(v.sequence(1).shape(), (Shape{1, 2}));
  EXPECT_EQ(numbers(v.sequence(1)), (V{3, 4}));
}

TEST(Sequences, padded_and_mask) {
  Value v = Value::sequences<float>({2}, {{1, 2, 3, 4}, {}, {5, 6}});
  EXPECT_EQ(v.padded().shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(numbers(v.padded()), (V{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0}));
  EXPECT_EQ(numbers(v.mask()), (V{2, 1, 0, 0, 2, 0}));
  Value parts(v.data, Layout::of_parts(std::vector<int64_t>{1, 2}, std::vector<int32_t>{0, -1}));
  EXPECT_EQ(numbers(parts.mask()), (V{1, 0, 2, 1}));
}

}  // namespace
