// Rows so long that several threads share one: elementwise chains, lines, reductions. Numbers against direct
// loops, and the same bits at any thread count.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <cantik/function.h>
#include <cantik/initializer.h>

using namespace cantik;

namespace {

constexpr int64_t kPlanes = 24, kLines = 50, kColumns = 60;
constexpr int64_t kElements = kPlanes * kLines * kColumns;  // several pieces, the last one a larger one

std::vector<float> waves(int64_t n, double step) {
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(static_cast<float>(std::sin(static_cast<double>(i) * step)));
  return x;
}

Value batch_of(const Shape& shape, int64_t rows, double step) {
  const std::vector<float> x = waves(rows * shape.elements(), step);
  return Value::batch(Tensor::of<float>(Shape{rows} + shape, std::span<const float>(x)));
}

void expect_same_bits(const Function& f, const Feeds& feeds, const std::vector<Variable>& by) {
  const Value one = f.eval(feeds, RunOptions{.threads = 1});
  const std::vector<Value> slopes = f.grad(feeds, by, RunOptions{.threads = 1});
  for (int threads : {2, 3, 5}) {
    const Value again = f.eval(feeds, RunOptions{.threads = threads});
    EXPECT_EQ(0, std::memcmp(one.data.raw(), again.data.raw(), one.data.bytes())) << threads << " threads";
    const std::vector<Value> more = f.grad(feeds, by, RunOptions{.threads = threads});
    for (size_t i = 0; i < slopes.size(); ++i)
      EXPECT_EQ(0, std::memcmp(slopes[i].data.raw(), more[i].data.raw(), slopes[i].data.bytes()))
          << "gradient " << i << ", " << threads << " threads";
  }
}

TEST(LongRows, of_chains_meet_operands_that_broadcast) {
  const Shape shape{kPlanes, kLines, kColumns};
  for (const Shape& other :
       {Shape{kPlanes, 1, 1}, Shape{1, kLines, kColumns}, Shape{kPlanes, kLines, 1}, Shape{1, kLines, 1},
        Shape{kPlanes, 1, kColumns}, Shape{1, 1, kColumns}, Shape{1, 1, 1}, Shape{kColumns}, shape}) {
    SCOPED_TRACE(other.text());
    Variable x = input(shape, {.needs_gradient = true}), y = input(other, {.needs_gradient = true});
    Function f = call("plus", {call("element_times", {x, y}), call("exp", {y})});
    for (int64_t rows : {1, 3}) {
      Feeds feeds{{x, batch_of(shape, rows, 0.37)}, {y, batch_of(other, rows, 0.61)}};
      const Value all = f.eval(feeds, RunOptions{.threads = 2});
      const float *a = feeds[0].second.data.data<float>(), *b = feeds[1].second.data.data<float>(),
                  *z = all.data.data<float>();
      const int missing = 3 - other.rank();
      auto size = [&](int axis) { return axis < missing ? 1 : other[axis - missing]; };
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < kPlanes; ++i)
          for (int64_t j = 0; j < kLines; ++j)
            for (int64_t k = 0; k < kColumns; ++k) {
              const int64_t at = (row * kPlanes + i) * kLines * kColumns + j * kColumns + k;
              const int64_t there =
                  ((row * size(0) + i % size(0)) * size(1) + j % size(1)) * size(2) + k % size(2);
              ASSERT_NEAR(a[at] * b[there] + std::exp(b[there]), z[at], 1e-6) << i << " " << j << " " << k;
            }
      expect_same_bits(f, feeds, {x, y});
    }
    // The same with an operand that all rows share.
    Variable p = parameter(other, uniform(1, 3));
    Function g = call("element_times", {call("plus", {x, p}), p});
    expect_same_bits(g, {{x, batch_of(shape, 1, 0.37)}}, {x, p});
  }
}

TEST(LongRows, of_lines_and_reductions_are_shared) {
  const Shape shape{kPlanes, kLines, kColumns};
  Variable x = input(shape, {.needs_gradient = true});
  for (int64_t rows : {1, 2}) {
    Feeds feeds{{x, batch_of(shape, rows, 0.37)}};
    for (const char* name : {"softmax", "log_softmax"})
      for (int64_t axis : {0, 1, 2}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(axis));
        expect_same_bits(call(name, {x}, {{"axis", axis}}), feeds, {x});
      }
    for (const char* name : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_prod", "reduce_log_sum_exp"})
      for (int64_t axis : {0, 1, 2}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(axis));
        expect_same_bits(call(name, {x}, {{"axis", axis}}), feeds, {x});
      }
  }
  const Value y =
      call("reduce_sum", {x}, {{"axis", 1}}).eval({{x, batch_of(shape, 1, 0.37)}}, RunOptions{.threads = 3});
  const std::vector<float> numbers = waves(kElements, 0.37);
  for (int64_t i = 0; i < kPlanes; ++i)
    for (int64_t k = 0; k < kColumns; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < kLines; ++j)
        sum += numbers[static_cast<size_t>((i * kLines + j) * kColumns + k)];
      EXPECT_NEAR(sum, y.data.data<float>()[i * kColumns + k], 1e-4);
    }
  const Value z =
      call("log_softmax", {x}, {{"axis", 2}}).eval({{x, batch_of(shape, 1, 0.37)}}, RunOptions{.threads = 3});
  for (int64_t line = 0; line < kPlanes * kLines; ++line) {
    const float* from = numbers.data() + line * kColumns;
    double sum = 0;
    for (int64_t k = 0; k < kColumns; ++k) sum += std::exp(static_cast<double>(from[k]));
    for (int64_t k = 0; k < kColumns; ++k)
      EXPECT_NEAR(from[k] - std::log(sum), z.data.data<float>()[line * kColumns + k], 1e-5);
  }
}

}  // namespace
