// Learners against the numbers of CNTK 2.7, and what CNTK leaves open.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/learner_registry.h>
#include <cantik/learners.h>
#include <cantik/progress.h>
#include <cantik/seed.h>

#include "learners/builtin.h"

namespace cantik {
namespace {

struct GoldenCase {
  const char* kind;
  const char* name;
  DType dtype;
  std::vector<double> numbers;
};
const GoldenCase kGoldens[] = {
#include "golden/learners_cntk.inc"
};

using Schedule = TrainingParameterSchedule;
using Make = std::function<LearnerPtr(std::vector<Variable>)>;
using P = std::vector<Variable>;

Schedule rate(double x, int64_t minibatch_size) { return {x, minibatch_size}; }

const std::map<std::string, Make>& cases() {
  static const std::map<std::string, Make> all = {
      {"sgd", [](P p) { return sgd(p, 0.1); }},
      {"sgd_per_sample", [](P p) { return sgd(p, rate(0.1, 1)); }},
      {"sgd_8", [](P p) { return sgd(p, rate(0.1, 8)); }},
      {"sgd_learner_8", [](P p) { return sgd(p, 0.1, {.minibatch_size = 8}); }},
      {"sgd_16_learner_8", [](P p) { return sgd(p, rate(0.1, 16), {.minibatch_size = 8}); }},
      {"sgd_learner_0", [](P p) { return sgd(p, 0.1, {.minibatch_size = 0}); }},
      {"sgd_mean", [](P p) { return sgd(p, 0.1, {.use_mean_gradient = true}); }},
      {"sgd_mean_8", [](P p) { return sgd(p, rate(0.1, 8), {.use_mean_gradient = true}); }},
      {"sgd_list", [](P p) { return sgd(p, Schedule({{2, 0.1}, {1, 0.05}, {1, 0.5}}, 4, 1)); }},
      {"sgd_l1", [](P p) { return sgd(p, 0.1, {.l1_regularization_weight = 0.3}); }},
      {"sgd_l2", [](P p) { return sgd(p, 0.1, {.l2_regularization_weight = 0.3}); }},
      {"sgd_clip", [](P p) { return sgd(p, 0.1, {.gradient_clipping_threshold_per_sample = 0.15}); }},
      {"sgd_clip_norm",
       [](P p) {
         return sgd(
             p, 0.1,
             {.gradient_clipping_threshold_per_sample = 0.15, .gradient_clipping_with_truncation = false});
       }},
      {"sgd_all",
       [](P p) {
         return sgd(p, 0.1,
                    {.l1_regularization_weight = 0.03,
                     .l2_regularization_weight = 0.2,
                     .gradient_clipping_threshold_per_sample = 0.15});
       }},
      {"sgd_all_mean",
       [](P p) {
         return sgd(p, 0.1,
                    {.l1_regularization_weight = 0.03,
                     .l2_regularization_weight = 0.2,
                     .gradient_clipping_threshold_per_sample = 0.15,
                     .use_mean_gradient = true});
       }},
      {"sgd_clip_norm_mean",
       [](P p) {
         return sgd(p, 0.1,
                    {.gradient_clipping_threshold_per_sample = 0.15,
                     .gradient_clipping_with_truncation = false,
                     .use_mean_gradient = true});
       }},
      {"sgd_noise",
       [](P p) {
         return sgd(p, 0.1, {.l1_regularization_weight = 0.01, .gaussian_noise_injection_std_dev = 0.01});
       }},
      {"momentum", [](P p) { return momentum_sgd(p, 0.1, {.momentum = 0.9}); }},
      {"momentum_2", [](P p) { return momentum_sgd(p, 0.1, {.momentum = {0.9, 2}}); }},
      {"momentum_learner_8",
       [](P p) { return momentum_sgd(p, 0.1, {.momentum = 0.9, .minibatch_size = 8}); }},
      {"momentum_time_constant",
       [](P p) { return momentum_sgd(p, 0.1, {.momentum = momentum_as_time_constant(20)}); }},
      {"momentum_no_gain", [](P p) { return momentum_sgd(p, 0.1, {.momentum = 0.9, .unit_gain = false}); }},
      {"momentum_all",
       [](P p) {
         return momentum_sgd(p, 0.1,
                             {.momentum = 0.9,
                              .l1_regularization_weight = 0.03,
                              .l2_regularization_weight = 0.2,
                              .gradient_clipping_threshold_per_sample = 0.15});
       }},
      {"nesterov", [](P p) { return nesterov(p, 0.1, {.momentum = 0.9}); }},
      {"nesterov_2", [](P p) { return nesterov(p, 0.1, {.momentum = {0.9, 2}}); }},
      {"nesterov_no_gain", [](P p) { return nesterov(p, 0.1, {.momentum = 0.9, .unit_gain = false}); }},
      {"adagrad", [](P p) { return adagrad(p, 0.1); }},
      {"adagrad_no_average", [](P p) { return adagrad(p, 0.1, {.need_ave_multiplier = false}); }},
      {"adagrad_mean", [](P p) { return adagrad(p, 0.1, {.use_mean_gradient = true}); }},
      {"adadelta", [](P p) { return adadelta(p, 1.0); }},
      {"adadelta_default", [](P p) { return adadelta(p); }},
      {"adadelta_rho", [](P p) { return adadelta(p, rate(1, 2), {.rho = 0.5, .epsilon = 1e-3}); }},
      {"rmsprop",
       [](P p) { return rmsprop(p, 0.1, {.gamma = 0.9, .inc = 1.2, .dec = 0.8, .max = 10, .min = 0.001}); }},
      {"rmsprop_no_average",
       [](P p) {
         return rmsprop(
             p, 0.1,
             {.gamma = 0.9, .inc = 1.2, .dec = 0.8, .max = 10, .min = 0.001, .need_ave_multiplier = false});
       }},
      {"rmsprop_limits",
       [](P p) {
         return rmsprop(
             p, 0.1,
             {.gamma = 0.5, .inc = 2, .dec = 0.5, .max = 0.05, .min = 0.015, .need_ave_multiplier = false});
       }},
      {"adam", [](P p) { return adam(p, 0.1, {.momentum = 0.9}); }},
      {"adam_99", [](P p) { return adam(p, 0.1, {.momentum = {0.9, 2}, .variance_momentum = 0.99}); }},
      {"adam_no_gain",
       [](P p) {
         return adam(p, 0.1,
                     {.momentum = 0.9, .unit_gain = false, .variance_momentum = 0.99, .epsilon = 0.1});
       }},
      {"adamax",
       [](P p) { return adam(p, 0.1, {.momentum = 0.9, .variance_momentum = 0.8, .adamax = true}); }},
      {"fsadagrad", [](P p) { return fsadagrad(p, 0.1, {.momentum = 0.9}); }},
      {"fsadagrad_99",
       [](P p) {
         return fsadagrad(p, 0.1, {.momentum = {0.9, 2}, .unit_gain = false, .variance_momentum = 0.99});
       }},
      {"fsadagrad_momentum_0",
       [](P p) {
         return fsadagrad(p, 0.1,
                          {.momentum = {std::vector<double>{0.9, 0.0, 0.9}, 4}, .variance_momentum = 0.99});
       }},
  };
  return all;
}

Tensor numbers(DType t, Shape shape, const std::vector<double>& x) {
  return Tensor::of<double>(std::move(shape), x).cast(t);
}

bool step(Learner& l, const Variable& p, Tensor gradient, int64_t samples, int threads = 1) {
  ParameterGradient g{p, std::move(gradient)};
  return l.step({&g, 1}, {.samples = samples, .threads = threads});
}

constexpr int64_t kSamples[] = {4, 4, 3, 4, 2};
const std::vector<double> kW0 = {1, -1, 0.5, 0.25, 2, -0.125}, kG0 = {0.5, -2, 3, 0.1, 0.4, -0.7};

std::vector<double> gradient_of(int i) {
  std::vector<double> g = kG0;
  for (double& x : g) x *= (1 + 0.3 * i) * (i == 2 ? -1 : 1);
  return g;
}

struct FixedSeed {
  explicit FixedSeed(uint64_t seed) { set_fixed_random_seed(seed); }
  ~FixedSeed() { reset_random_seed(0); }
};

// Double agrees to the last bits; float to a few of them, sums being added in another order and products
// fused.
void expect_numbers(const GoldenCase& g, size_t from, const Tensor& w) {
  for (int64_t i = 0; i < w.elements(); ++i) {
    double expected = g.numbers[from + static_cast<size_t>(i)];
    double tolerance = (g.dtype == DType::float64 ? 1e-13 : 2e-6) * std::max(1.0, std::fabs(expected));
    EXPECT_NEAR(w.at(i), expected, tolerance)
        << g.kind << " " << g.name << " " << name_of(g.dtype) << ", number " << from + static_cast<size_t>(i);
  }
}

// The formula stands in the learner's file and in backends/cpu/formulas.h; where they are not the same any
// more, updates are several times slower.
TEST(Learner, UpdatesOfCommonLearnersAreCompiledLoops) {
  const P none = {parameter({1}, 0.5)};
  for (const char* kind : {"sgd", "momentum_sgd", "nesterov", "adam", "adamw"})
    for (bool unit_gain : {true, false})
      for (double decay : {0.0, 0.1}) {
        const LearnerDescription& d = describe_learner(kind);
        OptionValues options{{"l2_regularization_weight", decay}};
        for (const OptionDescription& o : d.options) {
          if (o.name == "momentum") options.emplace_back("momentum", 0.9);
          if (o.name == "unit_gain") options.emplace_back("unit_gain", unit_gain);
        }
        LearnerPtr learner = make_learner(kind, none, 0.1, options);
        auto* builtin = dynamic_cast<BuiltinLearner*>(learner.get());
        ASSERT_NE(builtin, nullptr);
        EXPECT_TRUE(builtin->has_loop(DType::float32))
            << kind << " unit gain " << unit_gain << " decay " << decay;
        EXPECT_TRUE(builtin->has_loop(DType::float64)) << kind;
      }
}

TEST(Learner, StepsAsCntkDoes) {
  FixedSeed seed(5);
  int seen = 0;
  for (const GoldenCase& g : kGoldens) {
    if (std::string(g.kind) != "dense") continue;
    ++seen;
    Variable p = parameter({2, 3}, numbers(g.dtype, {2, 3}, kW0), g.dtype);
    LearnerPtr l = cases().at(g.name)({p});
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(step(*l, p, numbers(g.dtype, {2, 3}, gradient_of(i)), kSamples[i]));
      expect_numbers(g, static_cast<size_t>(6 * i), p.value());
    }
    EXPECT_EQ(l->samples_seen(), 17);
    EXPECT_EQ(l->minibatches_seen(), 5);
  }
  EXPECT_EQ(static_cast<size_t>(seen), 2 * cases().size());
}

}  // namespace
}  // namespace cantik
