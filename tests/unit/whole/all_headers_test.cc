// One program with everything that is public: networks, and operators of its own.
#include <cantik/cantik.h>
#include <cantik/op.h>

#include <gtest/gtest.h>

using namespace cantik;

CANTIK_OP(all_headers_cube) {
  op.signature("all_headers_cube(x)")
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .lower([](Builder& b) { b.result(b.x() * b.x() * b.x()); })
      .gradient([](Gradient& g) {
        g.dx(0, g.map({g.x(), g.dy()}, [](Real x, Real dy) { return 3 * x * x * dy; }));
      });
}

namespace {

// Moves by the sign of the gradient.
struct SignLearner final : Learner {
  using Learner::Learner;
  bool update(std::span<ParameterGradient> gradients, const Progress&) override {
    for (ParameterGradient& g : gradients) {
      Tensor value = g.parameter.value().clone();
      for (int64_t i = 0; i < value.elements(); ++i)
        value.data<float>()[i] -= g.value.at(i) > 0 ? 1.0f : -1.0f;
      g.parameter.set_value(value);
    }
    return true;
  }
};

}  // namespace

TEST(AllHeaders, stand_together) {
  Variable x = input({2}), w = parameter({2}, 3.0);
  Function loss = reduce_sum(element_times(x, w));
  Trainer trainer(loss, loss, {std::make_shared<SignLearner>(std::vector<Variable>{w}, 0.1)});
  trainer.train_minibatch({{x, Value::batch(Tensor::of<float>({1, 2}, {1, -1}))}});
  EXPECT_EQ(w.value().at(0), 2);
  EXPECT_EQ(w.value().at(1), 4);
  EXPECT_EQ(Stream{.name = "a stream of a source"}.name, "a stream of a source");
}

TEST(Real, counts_outside_of_a_trace) {
  EXPECT_EQ(abs(Real(-2)).value(), 2);
  EXPECT_EQ(max(Real(1), min(Real(5), Real(3))).value(), 3);
  EXPECT_EQ(select(Real(1) < 2, Real(7), Real(8)).value(), 7);
  EXPECT_DOUBLE_EQ(log_add_exp(Real(0), Real(0)).value(), std::log(2.0));
  EXPECT_DOUBLE_EQ(softplus(sigmoid(exp(Real(0.5)) / 2)).value(),
                   std::log1p(std::exp(1 / (1 + std::exp(-std::exp(0.5) / 2)))));
  Real symbol;
  Trace trace([&] { return symbol = Real::symbol(CANTIK_X_INPUT, 0) + 1; });
  EXPECT_THROW(sqrt(symbol), std::logic_error);  // of an expression that is over
  EXPECT_THROW(Trace([]() -> Real { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(sqrt(Real(9)).value(), 3);  // the tape of the trace that failed is gone
}
