// Tensors and layouts refuse counts, sizes and indices that do not fit them.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}
void expect_error(const std::string& part, const std::function<void()>& f) {
  EXPECT_NE(error_of(f).find(part), std::string::npos) << error_of(f);
}

template <class T>
std::shared_ptr<const T> shared(std::vector<T> numbers) {
  auto kept = std::make_shared<std::vector<T>>(std::move(numbers));
  return {kept, kept->data()};
}

Tensor csr(std::vector<int64_t> starts, std::vector<int32_t> columns, Shape shape = {2, 3}) {
  return Tensor::csr(DType::float32, std::move(shape), shared(std::move(starts)), shared(std::move(columns)),
                     nullptr);
}

}  // namespace

TEST(Tensor, takes_as_many_numbers_as_it_has_elements) {
  EXPECT_EQ(Tensor::of<float>({2, 2}, {1, 2, 3, 4}).at(3), 4);
  EXPECT_EQ(Tensor::of<double>({}, {7}).at(0), 7);
  EXPECT_EQ(Tensor::of<int32_t>({0, 3}, std::span<const int32_t>()).elements(), 0);
  expect_error("a tensor of shape [2, 2] has 4 elements, and was given 3 numbers",
               [] { Tensor::of<float>({2, 2}, {1, 2, 3}); });
  expect_error("a tensor of shape [2, 2] has 4 elements, and was given 5 numbers",
               [] { Tensor::of<float>({2, 2}, {1, 2, 3, 4, 5}); });
  expect_error("a tensor of shape [0] has 0 elements, and was given 1 number",
               [] { Tensor::of<int8_t>({0}, {1}); });
  expect_error("a tensor of shape [] has 1 element, and was given 0 numbers",
               [] { Tensor::of<double>({}, std::span<const double>()); });
  expect_error("a tensor of shape [?] ", [] { Tensor::of<float>({kInferred}, {1}); });
  const std::vector<float> numbers{1, 2, 3};
  expect_error("a tensor of shape [2, 2] has 4 elements, and was given 3 numbers",
               [&] { Value::batch<float>({2, 2}, numbers); });
}

TEST(Tensor, has_no_elements_beyond_its_end) {
  Tensor t = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  for (int64_t i : {int64_t{-1}, int64_t{4}, INT64_MAX, INT64_MIN})
    expect_error("([2 x 2], CPU) has 4 numbers; there is no number ", [&] { t.at(i); });
  expect_error("an empty tensor has no numbers", [] { Tensor().at(0); });
  Tensor ones = csr({0, 1, 2}, {2, 0});
  EXPECT_EQ(ones.stored(), 0);  // all are 1: none is kept
  EXPECT_EQ(ones.at(0), 1);
  expect_error("; there is no number " + std::to_string(ones.nonzeros()), [&] { ones.at(ones.nonzeros()); });
  const float values[] = {5, 6};
  Tensor numbers = Tensor::csr(DType::float32, {2, 3}, shared<int64_t>({0, 1, 2}), shared<int32_t>({2, 0}),
                               std::shared_ptr<const void>(std::shared_ptr<void>(), values));
  EXPECT_EQ(numbers.at(1), 6);
  EXPECT_EQ(numbers.span<float>().size(), 2u);
  expect_error("has 2 numbers; there is no number 2", [&] { numbers.at(2); });
}

TEST(Tensor, is_none_after_it_was_moved_from) {
  Tensor t = Tensor::of<float>({2}, {3, 4});
  const Tensor first = std::move(t);
  EXPECT_FALSE(t.defined());
  EXPECT_EQ(t.raw(), nullptr);
  EXPECT_EQ(t.owner(), nullptr);
  EXPECT_EQ(first.at(1), 4);
  t = first;  // may be used again
  Tensor other;
  other = std::move(t);
  EXPECT_FALSE(t.defined());
  EXPECT_EQ(other.at(0), 3);
  Tensor& same = other;
  other = std::move(same);
  EXPECT_EQ(other.at(0), 3);
  const int32_t columns[] = {1};
  Tensor sparse = Tensor::one_hot(DType::float32, {1, 2}, columns);
  const Tensor there = std::move(sparse);
  EXPECT_FALSE(sparse.is_sparse());
  EXPECT_EQ(sparse.starts(), nullptr);
  EXPECT_EQ(there.columns()[0], 1);
}

TEST(Tensor, of_more_bytes_than_there_are) {
  for (const Shape& s :
       {Shape{int64_t{1} << 40, int64_t{1} << 40}, Shape{INT64_MAX}, Shape{int64_t{1} << 46}}) {
    try {
      Tensor(DType::float32, s);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::memory);
      EXPECT_NE(std::string(e.what()).find("there is not enough memory for "), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("needed for a tensor float32" + s.text()), std::string::npos)
          << e.what();
    }
  }
  EXPECT_EQ(Shape({int64_t{1} << 40, int64_t{1} << 40}).elements(), INT64_MAX);
  EXPECT_EQ(Shape({int64_t{1} << 40, int64_t{1} << 40, 0}).elements(), 0);
  expect_error("Parameter('big'",
               [] { parameter({int64_t{1} << 30, int64_t{1} << 30}, 1.0, DType::float32, "big").value(); });
}

TEST(Tensor, sparse_rows_lie_inside) {
  EXPECT_EQ(csr({0, 1, 2}, {2, 0}).nonzeros(), 2);
  EXPECT_EQ(csr({3, 4, 5}, {9, 9, 9, 2, 0}).nonzeros(), 2);  // a part of a larger one
  expect_error("row 0 goes from entry 1 to 0", [] { csr({1, 0, 2}, {2, 0}); });
  expect_error("row 0 goes from entry -1 to 0", [] { csr({-1, 0, 2}, {2, 0}); });
  expect_error("outside of a row's 3 columns", [] { csr({0, 1, 2}, {2, 3}); });
  expect_error("outside of a row's 3 columns", [] { csr({0, 1, 2}, {2, -1}); });
  expect_error("a first axis that counts the rows", [] { csr({0}, {}, {}); });
  expect_error("the starts of the rows are missing",
               [] { Tensor::csr(DType::float32, {1, 2}, nullptr, nullptr, nullptr); });

  const std::vector<int32_t> two{1, 0}, three{1, 0, 2}, wrong{1, 3};
  expect_error("one-hot rows of shape [2, 3] need an index for each row, and were given 3",
               [&] { Tensor::one_hot(DType::float32, {2, 3}, three); });
  expect_error("one-hot rows of shape [] need an index for each row, and were given 2",
               [&] { Tensor::one_hot(DType::float32, {}, two); });
  expect_error("outside of a row's 3 columns", [&] { Tensor::one_hot(DType::float32, {2, 3}, wrong); });

  const int32_t places[] = {5, 6};
  expect_error("a sparse matrix of shape [2, 3] has no element number 6",
               [&] { Tensor::csr_matrix(DType::float32, {2, 3}, 2, places, nullptr); });
  expect_error("cannot have -1 entries",
               [&] { Tensor::csr_matrix(DType::float32, {2, 3}, -1, places, nullptr); });
  expect_error("a sparse matrix of shape [6] cannot have",
               [&] { Tensor::csr_matrix(DType::float32, {6}, 1, places, nullptr); });

  auto few = [](int64_t count, std::vector<int32_t> rows) {
    Tensor::row_sparse(DType::float32, {4, 2}, count, shared(std::move(rows)),
                       shared<float>(std::vector<float>(10)));
  };
  expect_error("a row_sparse tensor of shape [4, 2] was given 2 rows without their numbers",
               [&] { Tensor::row_sparse(DType::float32, {4, 2}, 2, shared<int32_t>({0, 3}), nullptr); });
  few(2, {0, 3});
  expect_error("a row_sparse tensor of shape [4, 2] has no row 4", [&] { few(2, {0, 4}); });
  expect_error("must rise: 1 comes after 1", [&] { few(2, {1, 1}); });
  expect_error("must rise: -1 comes after -1", [&] { few(1, {-1}); });
  expect_error("cannot have 5 rows", [&] { few(5, {0, 1, 2, 3, 4}); });
}

TEST(Tensor, views_are_of_what_is_there) {
  Tensor t = Tensor::zeros(DType::float32, {4, 3});
  expect_error("cannot be reshaped to", [&] { t.reshape({-3, -4}); });
  expect_error("cannot be reshaped to", [&] { t.reshape({5}); });
  expect_error("rows 3 to 5", [&] { t.rows(3, 5); });
  expect_error("rows -1 to 2", [&] { t.rows(-1, 2); });
  expect_error("leaves the shape", [&] { t.slice_view({3, 0}, {2, 3}); });
  expect_error("leaves the shape", [&] { t.slice_view({0, -1}, {3}); });
  expect_error("leaves the shape", [&] { t.slice_view({INT64_MAX, 0}, {1, 3}); });
  expect_error("leaves the shape", [&] { t.slice_view({1, 0}, {INT64_MAX, 3}); });
}

// As in products: whoever reads a matrix finds the same numbers.
TEST(Tensor, entries_of_one_place_add_up) {
  const int32_t places[] = {1, 1, 5};
  const float numbers[] = {7, 1, 2};
  const Tensor t = Tensor::csr_matrix(DType::float32, {2, 3}, 3, places, numbers).to_dense();
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(t.at(i), i == 1 ? 8 : i == 5 ? 2 : 0) << i;
}

TEST(Tensor, row_sparse_has_one_shape) {
  auto rows = std::make_shared<std::vector<int32_t>>(std::vector<int32_t>{2, 7});
  auto numbers = std::make_shared<std::vector<float>>(4, 1.0f);
  const Tensor t =
      Tensor::row_sparse(DType::float32, {10, 2}, 2, {rows, rows->data()}, {numbers, numbers->data()});
  expect_error("row_sparse tensors have no slices", [&] { t.rows(6, 10); });
  expect_error("row_sparse tensors cannot be reshaped", [&] { t.reshape({5, 4}); });
  EXPECT_EQ(t.reshape({10, 2}).to_dense().at(2 * 2), 1);
}

TEST(Shape, has_no_axes_beyond_its_rank) {
  Shape s{2, 3};
  for (int i : {-1, 2, 5}) expect_error("of the shape [2, 3]", [&] { s[i] = 1; });
  expect_error("of the shape []", [] { (void)Shape().back(); });
  expect_error("axes 1 to 3 of the shape [2, 3]", [&] { s.sub(1, 3); });
  expect_error("axes 2 to 1 of the shape [2, 3]", [&] { s.sub(2, 1); });
  expect_error("there is no dynamic axis 1: the value has [#]", [] { (void)Axes::batch()[1]; });
  expect_error("dynamic axes that are not known", [] {
    Axes axes = Axes::unknown();
    axes.push_back(Axis::batch());
  });
  expect_error("no dynamic axis with the number 1000000", [] { Axis::of_id(1000000).name(); });
}

TEST(Value, belongs_to_its_layout) {
  Tensor rows = Tensor::zeros(DType::float32, {4, 3});
  expect_error("the layout has 5 rows, but the tensor has the shape [4, 3]",
               [&] { Value(rows, Layout::batch(5)); });
  expect_error("the layout has 1 rows, but the tensor has the shape []",
               [] { Value(Tensor::scalar(1), Layout::batch(1)); });
  expect_error("a batch cannot have -1 samples", [] { Layout::batch(-1); });
  auto layout = Layout::of_lengths(std::vector<int64_t>{1, 3});
  for (int64_t i : {int64_t{-1}, int64_t{2}}) {
    expect_error("the layout has 2 sequences", [&] { (void)layout->length(i); });
    expect_error("the layout has 2 sequences", [&] { (void)layout->continues(i); });
    expect_error("the value has 2 sequences", [&] { Value(rows, layout).sequence(i); });
  }
  // Whoever changes a value's parts himself is stopped where it is fed.
  Variable x = input({3});
  Value v = Value::batch(rows);
  v.layout = Layout::batch(100);
  expect_error("has 4 rows, but its layout has 100", [&] { call("abs", {x}).eval({{x, v}}); });
}

TEST(Variable, of_nothing) {
  expect_error("the variable is empty", [] { (void)Variable().shape(); });
  expect_error("the variable is empty", [] { call("abs", {Variable()}); });
  Function f = call("abs", {input({3})});
  expect_error("the function has 1 outputs; there is no output 7",
               [&] { (void)Variable(f.node(), 7).shape(); });
}
