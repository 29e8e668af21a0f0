// Recurrences: cycles through delays become loops, whose values are those of a loop written by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <cantik/function.h>

#include "compile/pipeline.h"

using namespace cantik;

namespace {

using Matrix = std::vector<double>;

Value steps(Shape shape, std::span<const int64_t> lengths, const Matrix& numbers) {
  auto layout = Layout::of_lengths(lengths);
  return Value(Tensor::of<double>(Shape{layout->rows()} + shape, numbers), layout);
}

Matrix random_numbers(size_t n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> one(-1, 1);
  Matrix m(n);
  for (double& x : m) x = one(generator);
  return m;
}

Matrix numbers(const Value& v) {
  Matrix m;
  for (int64_t i = 0; i < v.data.elements(); ++i) m.push_back(v.data.at(i));
  return m;
}

// h[t] = tanh(x[t] · W + h[t -+ k] · R + b), with an initial state of its own for each sequence, or none.
struct Cell {
  int64_t inputs = 3, states = 4, delay = 1;
  bool ahead = false, batch_state = false;
  Matrix w = random_numbers(12, 1), r = random_numbers(16, 2), b = random_numbers(4, 3);

  struct Built {
    Variable x, state, w, r, b;
    Function h;
  };
  Built build() const {
    Built f;
    f.x = input({inputs},
                {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence(), .name = "x"});
    f.state = input({states}, {.dtype = DType::float64, .needs_gradient = true, .name = "state"});
    f.w = parameter({inputs, states}, Tensor::of<double>({inputs, states}, w), DType::float64, "W");
    f.r = parameter({states, states}, Tensor::of<double>({states, states}, r), DType::float64, "R");
    f.b = parameter({states}, Tensor::of<double>({states}, b), DType::float64, "b");
    Variable last = placeholder("h");
    Variable initial = batch_state ? f.state : constant(Tensor::of<double>({}, Matrix{0}));
    Variable delayed = call(ahead ? "future_value" : "past_value", {last, initial}, {{"time_step", delay}});
    Function h =
        call("tanh",
             {call("plus", {call("plus", {call("times", {f.x, f.w}), call("times", {delayed, f.r})}), f.b})});
    f.h = h.replace_placeholders({{last, h.output()}});
    return f;
  }
  Feeds feeds(const Built& f, std::span<const int64_t> lengths, const Matrix& x, const Matrix& state) const {
    Feeds list{{f.x, steps({inputs}, lengths, x)}};
    if (batch_state)
      list.emplace_back(
          f.state, Value::batch(Tensor::of<double>({static_cast<int64_t>(lengths.size()), states}, state)));
    return list;
  }

  Matrix by_hand(std::span<const int64_t> lengths, const Matrix& x, const Matrix& state) const {
    Matrix h(x.size() / static_cast<size_t>(inputs) * static_cast<size_t>(states));
    int64_t first = 0;
    for (size_t s = 0; s < lengths.size(); first += lengths[s++])
      for (int64_t i = 0; i < lengths[s]; ++i) {
        int64_t t = ahead ? lengths[s] - 1 - i : i, from = ahead ? t + delay : t - delay;
        for (int64_t j = 0; j < states; ++j) {
          double sum = b[static_cast<size_t>(j)];
          for (int64_t k = 0; k < inputs; ++k)
            sum += x[static_cast<size_t>((first + t) * inputs + k)] * w[static_cast<size_t>(k * states + j)];
          for (int64_t k = 0; k < states; ++k) {
            double before = from >= 0 && from < lengths[s]
                                ? h[static_cast<size_t>((first + from) * states + k)]
                            : batch_state ? state[s * static_cast<size_t>(states) + static_cast<size_t>(k)]
                                          : 0;
            sum += before * r[static_cast<size_t>(k * states + j)];
          }
          h[static_cast<size_t>((first + t) * states + j)] = std::tanh(sum);
        }
      }
    return h;
  }
};

const std::vector<int64_t> kLengths{5, 1, 3, 7, 3, 2};  // 21 rows

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

class Recurrence : public testing::TestWithParam<std::tuple<int, bool, bool>> {
 protected:
  Cell cell() const {
    Cell c;
    c.delay = std::get<0>(GetParam());
    c.ahead = std::get<1>(GetParam());
    c.batch_state = std::get<2>(GetParam());
    return c;
  }
};

TEST_P(Recurrence, is_the_loop_by_hand) {
  set_verification(true);
  Cell c = cell();
  Cell::Built f = c.build();
  Matrix x = random_numbers(63, 7), state = random_numbers(24, 8);
  Value h = f.h.eval(c.feeds(f, kLengths, x, state));
  EXPECT_EQ(h.layout->sequences(), 6);
  expect_near(numbers(h), c.by_hand(kLengths, x, state), 1e-14);
}

TEST_P(Recurrence, has_the_gradients_of_finite_differences) {
  Cell c = cell();
  Cell::Built f = c.build();
  Matrix x = random_numbers(63, 7), state = random_numbers(24, 8);
  std::vector<Variable> wrt{f.w, f.r, f.b, f.x};
  if (c.batch_state) wrt.push_back(f.state);
  std::vector<Value> g = f.h.grad(c.feeds(f, kLengths, x, state), wrt);
  Cell moved = c;
  auto check = [&](const Value& gradient, Matrix& of) {
    Matrix d = numbers(gradient);
    ASSERT_EQ(d.size(), of.size());
    for (size_t i = 0; i < of.size(); ++i) {
      auto total = [&](double at) {
        double kept = of[i], sum = 0;
        of[i] = at;
        for (double h : moved.by_hand(kLengths, x, state)) sum += h;
        of[i] = kept;
        return sum;
      };
      double step = 1e-5;
      EXPECT_NEAR(d[i], (total(of[i] + step) - total(of[i] - step)) / (2 * step), 1e-8) << "at " << i;
    }
  };
  check(g[0], moved.w);
  check(g[1], moved.r);
  check(g[2], moved.b);
  check(g[3], x);
  if (c.batch_state) check(g[4], state);
}

TEST_P(Recurrence, has_the_same_bits_alone_and_at_any_number_of_threads) {
  Cell c = cell();
  Cell::Built f = c.build();
  Matrix x = random_numbers(63, 7), state = random_numbers(24, 8);
  Matrix all = numbers(f.h.eval(c.feeds(f, kLengths, x, state), RunOptions{.threads = 1}));
  EXPECT_EQ(all, numbers(f.h.eval(c.feeds(f, kLengths, x, state), RunOptions{.threads = 3})));
  size_t row = 0;
  for (size_t s = 0; s < kLengths.size(); ++s) {
    size_t n = static_cast<size_t>(kLengths[s]);
    Matrix own(x.begin() + static_cast<std::ptrdiff_t>(row * 3),
               x.begin() + static_cast<std::ptrdiff_t>((row + n) * 3)),
        mine(state.begin() + static_cast<std::ptrdiff_t>(s * 4),
             state.begin() + static_cast<std::ptrdiff_t>(s * 4 + 4));
    int64_t length[] = {kLengths[s]};
    Matrix h = numbers(f.h.eval(c.feeds(f, length, own, mine)));
    EXPECT_TRUE(std::equal(h.begin(), h.end(), all.begin() + static_cast<std::ptrdiff_t>(row * 4)))
        << "sequence " << s;
    row += n;
  }
}

INSTANTIATE_TEST_SUITE_P(Delays, Recurrence,
                         testing::Combine(testing::Values(1, 2), testing::Bool(), testing::Bool()));

// The gradient by the state goes round the loop as it is, from nothing but the gradient of a later step.
TEST(Loops, a_running_sum_passes_its_gradient_on_unchanged) {
  Variable x = input({}, {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence()}),
           s = input({}, {.dtype = DType::float64, .needs_gradient = true});
  Variable before = placeholder("sum");
  Function sum = call("plus", {x, call("past_value", {before, s})});
  sum = sum.replace_placeholders({{before, sum.output()}});
  const std::vector<int64_t> lengths{3, 1};
  Feeds feeds{{x, steps({}, lengths, {1, 2, 3, 4})},
              {s, Value::batch(Tensor::of<double>({2}, Matrix{10, 20}))}};
  EXPECT_EQ(numbers(sum.eval(feeds)), (Matrix{11, 13, 16, 24}));
  std::vector<Value> g = sum.grad(feeds, {x, s});
  EXPECT_EQ(numbers(g[0]), (Matrix{3, 2, 1, 1}));
  EXPECT_EQ(numbers(g[1]), (Matrix{3, 1}));
}

// A run that turns out to make more rows than there was room for starts again: with more room, and from the
// same random numbers.
TEST(Sequences, longer_than_was_thought_run_once_more) {
  auto random = [](const Variable& like) { return call("uniform_like", {like}, {{"seed", 7}}); };
  Variable x = input({}, {.dtype = DType::float64, .axes = Axes::sequence()}),
           z = input({}, {.dtype = DType::float64, .axes = Axes::sequence()});
  Function places = call("sequence_where", {x});
  Variable noise = random(z), more = call("sequence_broadcast_as", {call("sequence_last", {noise}), places});
  Function both = combine({call("plus", {places, more}).output(), noise});
  Function twice = combine({random(z)});
  const std::vector<int64_t> lengths{3, 1};
  for (const Matrix& times : {Matrix{3, 0, 2, 4}, Matrix{1, 0, 1, 0}, Matrix{9, 9, 9, 9}}) {
    Feeds feeds{{x, steps({}, lengths, times)}, {z, steps({}, lengths, {0, 0, 0, 0})}};
    std::vector<Value> got = both.eval(feeds, both.outputs());
    Matrix drawn = numbers(got[1]), want;
    EXPECT_EQ(drawn, numbers(twice.eval({{z, steps({}, lengths, {0, 0, 0, 0})}})));
    for (size_t row = 0; row < 4; ++row)
      for (int k = 0; k < times[row]; ++k)
        want.push_back((row < 3 ? static_cast<double>(row) : 0) + drawn[row < 3 ? 2 : 3]);
    EXPECT_EQ(numbers(got[0]), want);
  }
}

}  // namespace
