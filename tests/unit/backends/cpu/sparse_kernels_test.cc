// Sparse matrices, several lines of entries in a row: products, their gradients and results, against the same
// numbers written out.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/tensor.h>

using namespace cantik;

namespace {

constexpr int kClasses = 5;

struct Case {
  Variable x = input({3}), w = parameter({kClasses, 2}, uniform(1, 3)),
           v = parameter({4, kClasses}, uniform(1, 4));
  Variable hot;
  Feeds feeds;
  explicit Case(bool sparse, int64_t rows = 2) {
    std::vector<double> classes;
    // some are no class
    for (int64_t i = 0; i < rows * 3; ++i)
      classes.push_back(static_cast<double>((i * 7 + 2) % (kClasses + 1)));
    hot = call("one_hot", {x}, {{"num_classes", kClasses}, {"sparse_output", sparse}});
    feeds = {{x, Value::batch(
                     Tensor::of<double>({rows, 3}, std::span<const double>(classes)).cast(DType::float32))}};
  }
};

std::vector<double> numbers(const Value& v) {
  Tensor t = v.data.to_dense();
  std::vector<double> list;
  for (int64_t i = 0; i < t.elements(); ++i) list.push_back(t.at(i));
  return list;
}

void near(const Value& a, const Value& b) {
  EXPECT_EQ(a.data.shape(), b.data.shape());
  std::vector<double> x = numbers(a), y = numbers(b);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5) << i;
}

}  // namespace

TEST(SparseMatrix, products_are_those_of_the_matrix_written_out) {
  Case sparse(true), dense(false);
  auto compare = [&](auto&& made) {
    near(Function(made(sparse)).eval(sparse.feeds), Function(made(dense)).eval(dense.feeds));
  };
  compare([](const Case& c) { return call("times", {c.hot, c.w}); });
  compare([](const Case& c) { return call("times_transpose", {c.v, c.hot}); });
  compare([](const Case& c) { return call("times_transpose", {c.hot, c.v}); });
}

TEST(SparseMatrix, gradients_are_those_of_the_matrix_written_out) {
  Case sparse(true), dense(false);
  auto loss = [](const Case& c) {
    Variable left = call("times", {c.hot, c.w}), right = call("times_transpose", {c.v, c.hot});
    Variable a = call("reduce_sum", {call("square", {left})}),
             b = call("reduce_sum", {call("square", {right})});
    return call("plus", {a, b});
  };
  std::vector<Value> s = loss(sparse).grad(sparse.feeds, {sparse.w, sparse.v}),
                     d = loss(dense).grad(dense.feeds, {dense.w, dense.v});
  near(s[0], d[0]);
  near(s[1], d[1]);
}

// Without a batch there is one row of entries, which batches share.
TEST(SparseMatrix, one_for_all_samples) {
  Variable classes = constant(Tensor::of<float>({3}, {2, 0, 4})), x = input({3, 2});
  auto product = [&](bool sparse) {
    Variable hot = call("one_hot", {classes}, {{"num_classes", kClasses}, {"sparse_output", sparse}});
    Variable turned = call("swapaxes", {x}, {{"axis1", 0}, {"axis2", 1}});
    return Function(call("times", {turned, hot}));
  };
  Value fed = Value::batch(Tensor::of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  near(product(true).eval({{x, fed}}), product(false).eval({{x, fed}}));
}

TEST(SparseMatrix, is_a_result_with_a_line_for_each_of_its_rows) {
  Variable classes = constant(Tensor::of<float>({3}, {2, 9, 4}));
  Tensor t =
      Function(call("one_hot", {classes}, {{"num_classes", kClasses}, {"sparse_output", true}})).eval().data;
  ASSERT_EQ(t.storage(), Storage::csr);
  EXPECT_EQ(t.shape(), Shape({3, kClasses}));
  EXPECT_EQ(numbers(Value(t, nullptr)), (std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(SparseMatrix, made_of_entries_in_any_order) {
  const int32_t places[] = {7, 0, 5, 3};
  const float values[] = {1, 2, 3, 4};
  Tensor t = Tensor::csr_matrix(DType::float32, {3, 3}, 4, places, values);
  EXPECT_EQ(t.nonzeros(), 4);
  EXPECT_EQ(numbers(Value(t, nullptr)), (std::vector<double>{2, 0, 0, 4, 0, 3, 0, 1, 0}));
  EXPECT_EQ(numbers(Value(Tensor::csr_matrix(DType::float64, {2, 2}, 1, places + 3, nullptr), nullptr)),
            (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(Tensor::csr_matrix(DType::float32, {2, 2}, 0, nullptr, nullptr).nonzeros(), 0);
}

TEST(SparseMatrix, has_at_most_as_many_elements_as_columns_can_name) {
  auto message = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const Error& e) {
      return e.kind() == ErrorKind::unsupported ? e.what() : "another kind of error";
    }
    return "";
  };
  auto sampled = [](int64_t samples) {
    return [=] {
      call("random_sample", {input({1 << 20}, {.axes = Axes()})},
           {{"num_samples", samples}, {"allow_duplicates", true}});
    };
  };
  EXPECT_EQ(message(sampled(2047)), "");
  EXPECT_NE(message(sampled(2048)).find("sparse rows of the shape [2048, 1048576]"), std::string::npos);
  auto vectors = [](bool sparse) {
    return
        [=] { call("one_hot", {input({1 << 11})}, {{"num_classes", 1 << 20}, {"sparse_output", sparse}}); };
  };
  EXPECT_NE(message(vectors(true)).find("at most 2147483647 elements"), std::string::npos);
  EXPECT_EQ(message(vectors(false)), "");
}
