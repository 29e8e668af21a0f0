// Graphs of assignments in the training step: which values are made in the memory of parameters, and that
// readers see old ones.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/ops.h>
#include <cantik/trainer.h>

#include "compile/pipeline.h"
#include "compile/schedule.h"
#include "compiled.h"
#include "learners/universal.h"

namespace cantik {
namespace {

// How many stores find their value where it belongs.
int in_place(const Function& f) {
  ir::Request r;
  r.updates = f.outputs();
  r.mode = ir::Mode::training;
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  ir::Schedule s = ir::schedule(g);
  int count = 0;
  for (ir::NodeId id : s.effects) {
    const ir::Node& n = g.node(id);
    if (n.kind != ir::NodeKind::call || n.op->name != "store") continue;
    const ir::Place &to = s.places[n.in[0]], &from = s.places[n.in[1]];
    count += to.where == from.where && to.index == from.index;
  }
  return count;
}

Variable weights(double value) { return parameter({3}, value); }

TEST(StoresInPlace, ElementByElement) {
  Variable p = weights(1), m = weights(2), g = constant(Tensor::full(DType::float32, {3}, 4));
  EXPECT_EQ(in_place(assign(p, p - g)), 1);
  EXPECT_EQ(in_place(assign(p, g * g)), 1);
  Variable m2 = assign(m, 0.5 * m + g);
  EXPECT_EQ(in_place(combine({m2, assign(p, p - m2).output()})), 2);
}

TEST(StoresInPlace, NotWhatOthersStillRead) {
  Variable p = weights(1), q = weights(2);
  Variable old = p * p;  // read by what is stored in q, too
  EXPECT_EQ(in_place(combine({assign(p, q + 1).output(), assign(q, p + 1).output()})), 1)
      << "the second reads what the first writes";
  EXPECT_LE(in_place(combine({assign(p, old + 1).output(), assign(q, old + 2).output()})), 2);
  Variable w = parameter({3, 3}, 1.0), row = weights(1);
  EXPECT_EQ(in_place(assign(row, reduce_sum(w, {0}, false))), 0) << "no element by element";
}

// The parameters behind the assignments, after one run of all of them.
std::vector<float> first_elements(const Function& f, const std::vector<Variable>& of) {
  const std::vector<Variable> results = f.outputs();
  f.eval({}, std::span(results));
  std::vector<float> found;
  for (const Variable& v : of) found.push_back(static_cast<float>(v.value().at(0)));
  return found;
}

TEST(KeepOldValues, ParametersChangePlaces) {
  Variable p = weights(1), q = weights(2), s = weights(3);
  const std::vector<Variable> all{p, q, s};
  const std::vector<float> turned{2, 3, 1};
  EXPECT_EQ(
      first_elements(combine({assign(p, q).output(), assign(q, s).output(), assign(s, p).output()}), all),
      turned);
}

TEST(KeepOldValues, ThroughViewsAndInAnyOrder) {
  Variable p = parameter({2, 3}, 1.0), q = parameter({3, 2}, 2.0);
  const std::vector<float> swapped{2, 1};
  Function long_p = reshape(p, {.shape = {3, 2}}), wide_q = reshape(q, {.shape = {2, 3}});
  EXPECT_EQ(first_elements(combine({assign(q, long_p).output(), assign(p, wide_q).output()}), {p, q}),
            swapped);
  Variable now = weights(1), before = weights(0);
  const std::vector<float> want{5, 1};
  EXPECT_EQ(
      first_elements(combine({assign(now, now + 4).output(), assign(before, now).output()}), {now, before}),
      want);
}

TEST(KeepOldValues, NothingIsCopiedThatNobodyWrites) {
  Variable p = weights(1), q = weights(2), s = weights(3);
  auto untouched = [](const Function& f) {
    const ir::Request r{f.outputs(), {}, {}, ir::Mode::evaluation};
    return support::after("own_outputs", r) == support::after("keep_old_values", r);
  };
  EXPECT_TRUE(untouched(combine({assign(p, s).output(), assign(q, s).output()})));
  EXPECT_TRUE(untouched(assign(p, p)));
  EXPECT_FALSE(untouched(combine({assign(p, s).output(), assign(s, q).output()})));
}

struct Linear {
  Variable x = input({3}), w = weights(1);
  Function loss = reduce_sum(x * w);
};

TEST(UpdateGraph, IsPartOfTheStep) {
  Linear m;
  LearnerPtr learner =
      universal([](const std::vector<Variable>& p,
                   const std::vector<Variable>& g) { return assign(p[0], p[0] - 0.5 * g[0]); },
                {m.w});
  Trainer trainer(m.loss, m.loss, {learner});
  const float rows[] = {1, 2, 3, 1, 2, 3};
  EXPECT_TRUE(trainer.train_minibatch({{m.x, Value::batch<float>({2, 3}, rows)}}));
  EXPECT_EQ(m.w.value().at(0), 0);
  EXPECT_EQ(m.w.value().at(2), -2);
  EXPECT_EQ(trainer.total_number_of_samples_seen(), 2);
  EXPECT_DOUBLE_EQ(trainer.previous_minibatch_loss_average(), 6) << "of the weights before";
  // By itself it does the same.
  std::vector<ParameterGradient> gradients{{m.w, Tensor::full(DType::float32, {3}, 2)}};
  EXPECT_TRUE(learner->step(gradients, {.samples = 1}));
  EXPECT_EQ(m.w.value().at(0), -1);
}

TEST(UpdateGraph, WrongUse) {
  Variable w = weights(1), x = input({3});
  auto attempt = [&](const std::vector<Variable>& gradients, const Function& f) {
    try {
      universal({w}, gradients, f);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  Variable g = input({3}, {.axes = Axes()});
  EXPECT_EQ(attempt({g}, assign(w, w - g)), "none");
  EXPECT_TRUE(attempt({x}, assign(w, w - 1)).find("cannot stand for the gradient of") != std::string::npos);
  EXPECT_TRUE(
      attempt({g}, Function()).starts_with("the update function of a universal learner returned nothing"));
  Variable other = input({3}, {.axes = Axes()});
  EXPECT_TRUE(attempt({g}, assign(w, w - other)).find("which does not stand for a gradient") !=
              std::string::npos);
}

}  // namespace
}  // namespace cantik
