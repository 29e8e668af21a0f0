// Sessions, and sequences in parts, in C++: the bits of the whole, whatever is fed when.
#include <random>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

Variable sequence(Shape shape, const std::string& name = "x") {
  return input(std::move(shape), {.axes = Axes::sequence(), .name = name});
}

std::vector<float> numbers(int64_t count, unsigned seed) {
  std::mt19937 g(seed);
  std::normal_distribution<float> d;
  std::vector<float> list(static_cast<size_t>(count));
  for (float& x : list) x = d(g);
  return list;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.elements() == b.elements() &&
         std::equal(a.data<float>(), a.data<float>() + a.elements(), b.data<float>());
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

Function two_layers(const Variable& x) {
  return layers::sequential(
      {layers::recurrence(layers::lstm(7)), layers::dense(5), layers::recurrence(layers::gru(6))})(x);
}

TEST(Session, steps_make_the_whole) {
  Variable x = sequence({3});
  Function z = two_layers(x);
  Value data = Value::sequences<float>({3}, {numbers(3 * 17, 1)});
  Value whole = z.eval({{x, data}});
  Session s(z);
  for (int64_t t = 0; t < 17; ++t)
    EXPECT_TRUE(same(s.step(data.data.rows(t, t + 1)), whole.data.rows(t, t + 1))) << t;
  s.reset();
  for (int64_t t = 0; t < 17; t += 5) {
    int64_t end = std::min<int64_t>(17, t + 5);
    Value part = Value::sequences(data.data.rows(t, end), std::vector<int64_t>{end - t});
    EXPECT_TRUE(same(s.run({{x, part}})[0].data, whole.data.rows(t, end)));
  }
}

TEST(Session, streams_wait_and_are_forked) {
  Variable x = sequence({3});
  Function z = two_layers(x);
  Value data = Value::sequences<float>({3}, {numbers(12, 1), numbers(12, 2), numbers(12, 3)});
  Value whole = z.eval({{x, data}});
  auto row = [&](int64_t s, int64_t t) { return data.sequence(s).rows(t, t + 1); };
  auto expected = [&](int64_t s, int64_t t) { return whole.sequence(s).rows(t, t + 1); };
  Session s(z, 2);
  EXPECT_TRUE(same(s.step(row(1, 0), {1}), expected(1, 0)));
  EXPECT_TRUE(same(s.step(row(1, 1), {1}), expected(1, 1)));
  EXPECT_TRUE(same(s.step(row(0, 0), {0}), expected(0, 0)));
  Session before = s;
  EXPECT_TRUE(same(s.step(row(1, 2), {1}), expected(1, 2)));
  EXPECT_TRUE(same(before.step(row(1, 2), {1}), expected(1, 2)));
  s.select({1, -1, 0});
  EXPECT_EQ(s.streams(), 3);
  std::vector<Tensor> rows{row(1, 3), row(2, 0), row(0, 1)};
  Tensor three = s.step(Tensor::join_rows(rows));
  EXPECT_TRUE(same(three.rows(0, 1), expected(1, 3)));
  EXPECT_TRUE(same(three.rows(1, 2), expected(2, 0)));
  EXPECT_TRUE(same(three.rows(2, 3), expected(0, 1)));
}

TEST(Session, what_cannot_be) {
  Variable x = sequence({3});
  EXPECT_NE(message([&] {
              Session(layers::recurrence(layers::gru(2), {.go_backwards = true})(x));
            }).find("cannot look ahead"),
            std::string::npos);
  EXPECT_NE(message([&] { Session(call("sequence_last", {x})); }).find("cannot look at whole sequences"),
            std::string::npos);
  EXPECT_NE(message([&] { Session(layers::dense(2)(input({3}))); }).find("no input with a sequence axis"),
            std::string::npos);
  Session s(two_layers(x), 2);
  EXPECT_NE(
      message([&] { s.step(Tensor(DType::float32, {1, 3})); }).find("the data have 1 sequence for 2 streams"),
      std::string::npos);
  EXPECT_NE(message([&] { s.step(Tensor(DType::float32, {1, 3}), {2}); }).find("there is no stream 2"),
            std::string::npos);
  EXPECT_NE(message([&] { s.select({}); }).find("0 were selected"), std::string::npos);
}

TEST(Session, runs_in_the_order_of_its_inputs) {
  const Variable x = input({1}, {.axes = Axes::sequence(), .name = "x"});
  const Function sums =
      layers::recurrence([](const Variable& h, const Variable& v) { return plus(h, v); })(x);
  Session s(sums, 2);
  ASSERT_EQ(s.inputs().size(), 1u);
  EXPECT_TRUE(s.inputs()[0] == x);
  EXPECT_EQ(s.outputs().size(), 1u);
  EXPECT_TRUE(s.model() == sums);
  std::vector<Value> step{Value(Tensor::of<float>({2, 1}, {1, 10}), s.one_step(2))};
  s.run_in_order(step);
  step = {Value(Tensor::of<float>({2, 1}, {1, 10}), s.one_step(2))};
  EXPECT_EQ(s.run_in_order(step)[0].data.at(1), 20);
  std::vector<Value> none;
  EXPECT_TRUE(message([&] { s.run_in_order(none); }).starts_with("the session has 1 inputs, 0 values came"));
  EXPECT_TRUE(message([&] { s.run(Feeds{}); }).starts_with("function expects 1 arguments"));
}

// Sequences of the last minibatch may be gone on with in any place, and in several.
TEST(Parts, go_on_wherever_the_layout_says) {
  Variable x = sequence({2});
  Function z = layers::recurrence(layers::gru(4))(x);
  Value first = Value::sequences<float>({2}, {numbers(6, 1), numbers(2, 2), numbers(4, 3)});
  z.eval({{x, first}});
  Value then = Value::sequences<float>({2}, {numbers(4, 4), numbers(4, 4), numbers(2, 5), numbers(4, 6)});
  then.layout = Layout::of_parts(std::vector<int64_t>{2, 2, 1, 2}, std::vector<int32_t>{2, 0, 2, -1});
  Value found = z.eval({{x, then}});
  const int32_t from[] = {2, 0, 2, -1};
  for (int64_t s = 0; s < 4; ++s) {
    std::vector<Tensor> parts;
    if (from[s] >= 0) parts.push_back(first.sequence(from[s]));
    parts.push_back(then.sequence(s));
    Tensor joined = parts.size() > 1 ? Tensor::join_rows(parts) : parts[0];
    Value whole = z.eval({{x, Value::sequences(joined, std::vector<int64_t>{joined.shape()[0]})}});
    EXPECT_TRUE(same(found.sequence(s),
                     whole.data.rows(whole.data.shape()[0] - then.layout->length(s), whole.data.shape()[0])))
        << s;
    z.eval({{x, first}});
    found = z.eval({{x, then}});
  }
}

}  // namespace
