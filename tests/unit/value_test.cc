// Values of sequences: made of their parts, seen as lists, masks and rectangles again.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/value.h>

using namespace cantik;

namespace {

std::vector<double> numbers(const Tensor& t) {
  Tensor dense = t.to_dense();
  std::vector<double> list;
  for (int64_t i = 0; i < dense.elements(); ++i) list.push_back(dense.at(i));
  return list;
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

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
      {Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<float>({0, 1}, {}), Tensor::of<double>({1, 1}, {3})});
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

TEST(OneHot, a_batch) {
  Value v = Value::one_hot(std::vector<int32_t>{2, Value::kNoClass, 0}, {3}, DType::float64);
  EXPECT_TRUE(v.data.is_sparse());
  EXPECT_TRUE(v.layout->is_batch());
  EXPECT_EQ(v.data.nonzeros(), 2);
  EXPECT_EQ(numbers(v.data), (V{0, 0, 1, 0, 0, 0, 1, 0, 0}));
}

TEST(OneHot, sequences) {
  Value v = Value::one_hot_sequences({{1, 2}, {}, {0}}, {3});
  EXPECT_EQ(v.data.shape(), (Shape{3, 3}));
  EXPECT_EQ(numbers(v.sequence(0)), (V{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(v.sequence(1).shape(), (Shape{0, 3}));
  EXPECT_EQ(v.sequence(1).nonzeros(), 0);
  EXPECT_EQ(numbers(v.sequence(2)), (V{1, 0, 0}));
  EXPECT_EQ(v.sequence(2).columns(), v.data.columns());  // a view: its starts say which entries are its own
}

TEST(OneHot, rows_of_several_indices) {
  Value v = Value::one_hot_sequences({{1, 0, 2, 2}}, {2, 3});
  EXPECT_EQ(v.data.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(numbers(v.data), (V{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(error_of([] { Value::one_hot_sequences({{1, 0}, {1, 2, 0}}, {2, 3}); }),
            "sequence 1 has 3 one-hot indices, which do not make whole rows of shape [2, 3]: a row has 2");
}

TEST(OneHot, indices_out_of_range) {
  EXPECT_EQ(error_of([] { Value::one_hot_sequences({{1}, {3}}, {3}); }),
            "Value::Create: one-hot index value (3) exceeds vocabulary size (3).\n  where    sequence 1");
  EXPECT_NE(error_of([] { Value::one_hot(std::vector<int32_t>{-2}, {3}); }).find("one-hot index value (-2)"),
            std::string::npos);
  EXPECT_NE(
      error_of([] { Value::one_hot(std::vector<int32_t>{0}, {0}); }).find("exceeds vocabulary size (0)"),
      std::string::npos);
  EXPECT_NE(
      error_of([] { Value::one_hot(std::vector<int32_t>{0}, {}); }).find("last axis counts the classes"),
      std::string::npos);
  EXPECT_NE(
      error_of([] { Value::one_hot(std::vector<int32_t>{0}, {kFree}); }).find("last axis counts the classes"),
      std::string::npos);
  EXPECT_NE(error_of([] { Value::one_hot(std::vector<int32_t>{0}, {1 << 20, 1 << 20}); }).find("too wide"),
            std::string::npos);
}

TEST(SparseRows, sequences_are_padded_as_rows) {
  Value v = Value::one_hot_sequences({{1, 2}, {}, {0}}, {3});
  Tensor p = v.padded();
  EXPECT_TRUE(p.is_sparse());
  EXPECT_EQ(p.shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(p.nonzeros(), 3);
  EXPECT_EQ(numbers(p), (V{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(SparseRows, joined_and_split) {
  Tensor a = Tensor::one_hot(DType::float32, {2, 3}, std::vector<int32_t>{1, 2});
  Tensor b = a.reshape({1, 2, 3});
  EXPECT_EQ(b.shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(numbers(b), numbers(a));
  EXPECT_EQ(numbers(b.reshape({2, 3})), numbers(a));
  EXPECT_EQ(numbers(b.reshape({6, 1})), numbers(a));
  EXPECT_EQ(numbers(b.reshape({6, 1}).rows(1, 3)), (V{1, 0}));
}

TEST(SparseRows, of_columns_out_of_order) {
  static const int64_t starts[] = {0, 3};
  static const int32_t columns[] = {3, 0, 2};
  static const float values[] = {30, 10, 20};
  auto nobody = [](auto* p) {
    return std::shared_ptr<const std::remove_pointer_t<decltype(p)>>(std::shared_ptr<void>(), p);
  };
  Tensor t = Tensor::csr(DType::float32, {1, 4}, nobody(starts), nobody(columns),
                         std::shared_ptr<const void>(std::shared_ptr<void>(), values));
  EXPECT_EQ(numbers(t.reshape({2, 2})), (V{10, 0, 20, 30}));
  EXPECT_EQ(numbers(t.reshape({2, 2}).rows(1, 2)), (V{20, 30}));
}

TEST(SparseRows, of_slices_join) {
  Tensor a = Tensor::one_hot(DType::float32, {3, 3}, std::vector<int32_t>{1, 2, 0});
  std::vector<Tensor> parts = {a.rows(1, 3), a.rows(0, 1)};
  EXPECT_EQ(numbers(Tensor::join_rows(parts)), (V{0, 0, 1, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(numbers(a.rows(1, 3).reshape({1, 2, 3})), (V{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(Tensor::join_rows(parts).raw(), nullptr);  // ones all the way
}

TEST(SparseRows, ones_join_numbers) {
  Tensor ones = Tensor::one_hot(DType::float32, {1, 2}, std::vector<int32_t>{1});
  static const int64_t starts[] = {0, 1};
  static const int32_t columns[] = {0};
  static const float values[] = {5};
  auto nobody = [](auto* p) {
    return std::shared_ptr<const std::remove_pointer_t<decltype(p)>>(std::shared_ptr<void>(), p);
  };
  Tensor fives = Tensor::csr(DType::float32, {1, 2}, nobody(starts), nobody(columns),
                             std::shared_ptr<const void>(std::shared_ptr<void>(), values));
  std::vector<Tensor> parts = {ones, fives};
  EXPECT_EQ(numbers(Tensor::join_rows(parts)), (V{0, 1, 5, 0}));
}

}  // namespace
