// Sparse rows: of classes, padded, joined, cut.
#include <gtest/gtest.h>

#include <cantik/value.h>

#include "error_of.h"

using namespace cantik;

namespace {

std::vector<double> dense_numbers(const Tensor& t) {
  Tensor dense = t.to_dense();
  std::vector<double> list;
  for (int64_t i = 0; i < dense.elements(); ++i) list.push_back(dense.at(i));
  return list;
}

using V = std::vector<double>;

TEST(OneHot, a_batch) {
  Value v = Value::one_hot(std::vector<int32_t>{2, Value::kNoClass, 0}, {3}, DType::float64);
  EXPECT_TRUE(v.data.is_sparse());
  EXPECT_TRUE(v.layout->is_batch());
  EXPECT_EQ(v.data.nonzeros(), 2);
  EXPECT_EQ(dense_numbers(v.data), (V{0, 0, 1, 0, 0, 0, 1, 0, 0}));
}

TEST(OneHot, sequences) {
  Value v = Value::one_hot_sequences({{1, 2}, {}, {0}}, {3});
  EXPECT_EQ(v.data.shape(), (Shape{3, 3}));
  EXPECT_EQ(dense_numbers(v.sequence(0)), (V{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(v.sequence(1).shape(), (Shape{0, 3}));
  EXPECT_EQ(v.sequence(1).nonzeros(), 0);
  EXPECT_EQ(dense_numbers(v.sequence(2)), (V{1, 0, 0}));
  EXPECT_EQ(v.sequence(2).columns(), v.data.columns());  // a view: its starts say which entries are its own
}

TEST(OneHot, rows_of_several_indices) {
  Value v = Value::one_hot_sequences({{1, 0, 2, 2}}, {2, 3});
  EXPECT_EQ(v.data.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(dense_numbers(v.data), (V{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1}));
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
  EXPECT_EQ(dense_numbers(p), (V{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(SparseRows, joined_and_split) {
  Tensor a = Tensor::one_hot(DType::float32, {2, 3}, std::vector<int32_t>{1, 2});
  Tensor b = a.reshape({1, 2, 3});
  EXPECT_EQ(b.shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(dense_numbers(b), dense_numbers(a));
  EXPECT_EQ(dense_numbers(b.reshape({2, 3})), dense_numbers(a));
  EXPECT_EQ(dense_numbers(b.reshape({6, 1})), dense_numbers(a));
  EXPECT_EQ(dense_numbers(b.reshape({6, 1}).rows(1, 3)), (V{1, 0}));
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
  EXPECT_EQ(dense_numbers(t.reshape({2, 2})), (V{10, 0, 20, 30}));
  EXPECT_EQ(dense_numbers(t.reshape({2, 2}).rows(1, 2)), (V{20, 30}));
}

TEST(SparseRows, of_slices_join) {
  Tensor a = Tensor::one_hot(DType::float32, {3, 3}, std::vector<int32_t>{1, 2, 0});
  std::vector<Tensor> parts = {a.rows(1, 3), a.rows(0, 1)};
  EXPECT_EQ(dense_numbers(Tensor::join_rows(parts)), (V{0, 0, 1, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(dense_numbers(a.rows(1, 3).reshape({1, 2, 3})), (V{0, 0, 1, 1, 0, 0}));
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
  EXPECT_EQ(dense_numbers(Tensor::join_rows(parts)), (V{0, 1, 5, 0}));
}

TEST(SparseRows, of_one_element_type_join) {
  const Tensor wide = Tensor::one_hot(DType::float64, {1, 2}, std::vector<int32_t>{1});
  const Tensor dense = Tensor::of<float>({1, 2}, {1, 2});
  const std::string expected = "tensor 0 has float32, tensor 1 has float64";
  for (const std::vector<Tensor>& parts :
       {std::vector<Tensor>{Tensor::one_hot(DType::float32, {1, 2}, std::vector<int32_t>{1}), wide},
        std::vector<Tensor>{dense, dense.cast(DType::float64)}}) {
    EXPECT_NE(error_of([&] { Tensor::join_rows(parts); }).find(expected), std::string::npos);
    EXPECT_NE(error_of([&] { Value::sequences(parts); }).find(expected), std::string::npos);
  }
}

}  // namespace
