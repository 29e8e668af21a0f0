// Operators that are objects of the program, in C++: values, gradients, training, recurrences, files, wrong
// use.
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

const double* row(const UserRows& r, int64_t i) {
  return static_cast<const double*>(r.operand->data) +
         (r.operand->map ? r.operand->map[i] : i) * r.operand->stride;
}
double* row_of_result(const UserRows& r, int64_t i) {
  return static_cast<double*>(r.operand->data) + i * r.operand->stride;
}

// y = x^3, element by element, in float64; backward reads x.
class Cube : public UserOperator {
 public:
  explicit Cube(int* calls = nullptr) : UserOperator("Cube", 1), calls_(calls) { reads_x = {true}; }
  std::vector<UserResult> infer(std::span<const Type> in) override { return {{in[0]}}; }
  std::shared_ptr<const void> forward(const UserCall& c) const override {
    if (calls_) ++*calls_;
    for (int64_t i = 0; i < c.y[0].rows(); ++i)
      for (int64_t k = 0; k < c.x[0].type->shape.elements(); ++k)
        row_of_result(c.y[0], i)[k] = std::pow(row(c.x[0], i)[k], 3);
    return nullptr;
  }
  void backward(const UserCall& c) const override {
    for (int64_t i = 0; i < c.dx[0].rows(); ++i)
      for (int64_t k = 0; k < c.x[0].type->shape.elements(); ++k)
        row_of_result(c.dx[0], i)[k] = row(c.dy[0], i)[k] * 3 * std::pow(row(c.x[0], i)[k], 2);
  }
  Function clone(const std::vector<Variable>& operands, const std::string& name) const override {
    return user_function(std::make_shared<Cube>(calls_), operands, name);
  }
  Dictionary saved() const override { return {{"class", "Cube"}}; }

 private:
  int* calls_;
};

// Its results, and nothing else.
class Shapes : public UserOperator {
 public:
  explicit Shapes(std::vector<UserResult> results)
      : UserOperator("Shapes", 1), results_(std::move(results)) {}
  std::vector<UserResult> infer(std::span<const Type>) override { return results_; }
  std::shared_ptr<const void> forward(const UserCall& c) const override {
    for (const UserRows& y : c.y)
      if (y) std::fill_n(static_cast<double*>(y.operand->data), y.rows() * y.type->shape.elements(), 1.0);
    return nullptr;
  }

 private:
  std::vector<UserResult> results_;
};

Variable doubles(Shape shape, Axes axes = Axes::batch()) {
  return input(std::move(shape),
               {.dtype = DType::float64, .needs_gradient = true, .axes = axes, .name = "x"});
}
Value batch(Shape shape, std::vector<double> numbers) {
  return Value::batch<double>(std::move(shape), numbers);
}
std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(UserOperator, computes_and_differentiates) {
  const Variable x = doubles({2});
  const Function y = user_function(std::make_shared<Cube>(), {x}, "cubed");
  EXPECT_EQ(y.op_name(), "Cube");
  EXPECT_EQ(y.output().name(), "cubed");
  EXPECT_TRUE(user_operator_of(y));
  EXPECT_FALSE(user_operator_of(Function()));
  EXPECT_FALSE(user_operator_of(exp(x)));
  const Feeds feeds{{x, batch({2, 2}, {1, 2, 3, -1})}};
  const Value value = exp(log(abs(y))).eval(feeds);
  EXPECT_NEAR(value.data.at(2), 27, 1e-9);
  const GradientReport report = check_gradient(reduce_sum(y), feeds);
  EXPECT_TRUE(report) << report.text();
}

TEST(UserOperator, in_a_recurrence_it_is_called_once_a_step) {
  int calls = 0;
  const Variable x = doubles({1}, Axes::sequence());
  const Variable place = placeholder("h", {DType::float64, Shape{1}, Axes::sequence(), Storage::dense, 0});
  const Function h = plus(user_function(std::make_shared<Cube>(&calls), {sequence::past_value(place)}), x);
  const Function loop = h.as_composite().replace_placeholders({{place, h.output()}});
  const Feeds feeds{{x, Value::sequences<double>({1}, {{0.5, 0.1, 0.2}, {0.3}})}};
  const Value y = loop.eval(feeds);
  EXPECT_EQ(calls, 3);
  EXPECT_NEAR(y.data.at(1), 0.225, 1e-12);
  EXPECT_TRUE(check_gradient(loop, feeds, {.wrt = {x}}));
}

TEST(UserOperator, is_copied_saved_and_read_again) {
  const Variable x = doubles({1});
  const Function y = user_function(std::make_shared<Cube>(), {x}).as_composite();
  const Function copy = y.clone(CloneMethod::share);
  EXPECT_NE(user_operator_of(copy.root()), user_operator_of(y.root()));
  const std::string bytes = y.to_bytes();
  set_user_function_reader(
      [](const Dictionary& saved, const std::vector<Variable>& in, const std::string& name) {
        if (saved.at("class").as<std::string>() != "Cube") return Function();
        return user_function(std::make_shared<Cube>(), in, name);
      });
  const Function read = Function::from_bytes(bytes);
  EXPECT_EQ(read.eval({{read.arguments()[0], batch({1, 1}, {2})}}).data.at(0), 8);
  set_user_function_reader(nullptr);
  const Function foreign = Function::from_bytes(bytes);
  EXPECT_THROW(foreign.eval({{foreign.arguments()[0], batch({1, 1}, {2})}}), Error);
}

TEST(UserOperator, results_have_names_and_may_pass_no_gradient) {
  const Variable x = doubles({2});
  const Type type{DType::float64, Shape{2}, Axes::batch(), Storage::dense, 0};
  const Function f = user_function(
      std::make_shared<Shapes>(std::vector<UserResult>{{type, "a"}, {type, {}, false}}), {x}, "both");
  ASSERT_EQ(f.outputs().size(), 2u);
  EXPECT_EQ(f.outputs()[0].name(), "a");
  EXPECT_EQ(f.outputs()[1].name(), "both");
  const Feeds feeds{{x, batch({1, 2}, {1, 2})}};
  EXPECT_EQ(f.as_composite().eval(feeds, {f.outputs()[1]})[0].data.at(1), 1);
  // a result that passes no gradient on needs no backward
  const Function through = plus(reduce_sum(f.outputs()[1]), reduce_sum(x));
  EXPECT_EQ(through.grad(feeds, {x})[0].data.at(0), 1);
}

TEST(UserOperator, wrong_use) {
  const Variable x = doubles({2});
  const Feeds feeds{{x, batch({1, 2}, {1, 2})}};
  const Type type{DType::float64, Shape{2}, Axes::batch(), Storage::dense, 0};
  auto with = [&](std::vector<UserResult> results) {
    return user_function(std::make_shared<Shapes>(std::move(results)), {x});
  };
  EXPECT_EQ(message([&] { user_function(nullptr, {x}); }), "a user function needs an operator");
  EXPECT_EQ(message([&] { user_function(std::make_shared<Cube>(), {x, x}); }),
            "Cube has 1 operands, 2 were given");
  const auto used = std::make_shared<Cube>();
  const Function first = user_function(used, {x});
  EXPECT_TRUE(message([&] { user_function(used, {x}); }).starts_with("Cube is the operator of another"));
  EXPECT_TRUE(message([&] { with({}); }).starts_with("Shapes has no results"));
  const Type open{DType::float64, Shape{kFree}, Axes::batch(), Storage::dense, 0};
  EXPECT_TRUE(message([&] { with({{open}}); }).starts_with("the type rule of Shapes returned the type"));
  const Function f = with({{type}});
  EXPECT_TRUE(message([&] { reduce_sum(f).grad(feeds, {x}); }).starts_with("Shapes has no backward"));
  EXPECT_TRUE(
      message([&] { f.as_composite().clone(CloneMethod::share); }).starts_with("Shapes has no clone"));
  EXPECT_TRUE(message([&] { f.as_composite().to_bytes(); }).starts_with("Shapes has no saved"));
}

// How often its lock was taken.
struct Taken {
  int times = 0, held = 0;
  cantik_lock lock{sizeof(cantik_lock), this,
                   [](void* self) -> void* {
                     Taken& t = *static_cast<Taken*>(self);
                     ++t.times, ++t.held;
                     return self;
                   },
                   [](void* self, void* entered) {
                     if (self == entered) --static_cast<Taken*>(self)->held;
                   }};
};

class Locked final : public Cube {
 public:
  explicit Locked(Taken& taken) : taken_(taken) { lock = &taken.lock; }
  std::shared_ptr<const void> forward(const UserCall& c) const override {
    EXPECT_EQ(taken_.held, 1);
    return Cube::forward(c);
  }

 private:
  Taken& taken_;
};

TEST(UserOperator, its_lock_is_taken_once_for_calls_that_follow_one_another) {
  Taken taken;
  const Variable x = doubles({2});
  auto locked = [&](const Variable& v) { return user_function(std::make_shared<Locked>(taken), {v}); };
  const Feeds feeds{{x, batch({1, 2}, {1, 2})}};
  const Function two = locked(locked(x));
  EXPECT_EQ(two.eval(feeds).data.at(1), 512);
  EXPECT_EQ(taken.times, 1);
  EXPECT_EQ(taken.held, 0);
  const Function apart = locked(exp(log(locked(x))));
  EXPECT_NEAR(apart.eval(feeds).data.at(1), 512, 1e-9);
  EXPECT_EQ(taken.times, 3);
  EXPECT_EQ(taken.held, 0);
}

class Thrower final : public Cube {
 public:
  std::shared_ptr<const void> forward(const UserCall&) const override {
    throw at_node(runtime_error("the sensor is off"));
  }
};

TEST(UserOperator, its_lock_is_left_where_a_call_fails) {
  Taken taken;
  const auto thrower = std::make_shared<Thrower>();
  thrower->lock = &taken.lock;
  const Variable x = doubles({2});
  const Function y = user_function(thrower, {x});
  message([&] { y.eval({{x, batch({1, 2}, {1, 2})}}); });
  EXPECT_EQ(taken.times, 1);
  EXPECT_EQ(taken.held, 0);
}

TEST(UserOperator, an_exception_reaches_the_caller_and_names_the_function) {
  const Variable x = doubles({2});
  const Function y = user_function(std::make_shared<Thrower>(), {x});
  const std::string text = message([&] { y.eval({{x, batch({1, 2}, {1, 2})}}); });
  EXPECT_TRUE(text.starts_with("the sensor is off\n  node")) << text;
}

// What is no std::exception, too: it may be how the program ends a run.
TEST(UserOperator, whatever_is_thrown_reaches_the_caller) {
  struct Stopped {};
  class Stopper : public UserOperator {
   public:
    Stopper() : UserOperator("Stopper", 1) {}
    std::vector<UserResult> infer(std::span<const Type> in) override { return {{in[0]}}; }
    std::shared_ptr<const void> forward(const UserCall&) const override { throw Stopped(); }
  };
  const Variable x = doubles({2});
  const Function y = user_function(std::make_shared<Stopper>(), {x});
  EXPECT_THROW(y.eval({{x, batch({1, 2}, {1, 2})}}), Stopped);
}

}  // namespace
