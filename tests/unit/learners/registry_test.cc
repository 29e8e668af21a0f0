// Learners by name: the same as typed calls, and every wrong option is named.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/learner_registry.h>
#include <cantik/learners.h>

namespace cantik {
namespace {

// An option without a default cannot be left out.
static_assert(std::is_default_constructible_v<SgdOptions>);
static_assert(!std::is_default_constructible_v<AdamOptions>);
static_assert(!std::is_default_constructible_v<RmspropOptions>);

Variable weights() { return parameter({2}, Tensor::of<double>({2}, {1, -2}), DType::float64); }

Tensor after_steps(const std::function<LearnerPtr(std::vector<Variable>)>& make) {
  Variable w = weights();
  LearnerPtr learner = make({w});
  for (int i = 1; i <= 3; ++i) {
    ParameterGradient g{w, Tensor::of<double>({2}, {0.5 * i, -1.5})};
    learner->step({&g, 1}, {.samples = 2});
  }
  return w.value();
}

std::string error_of_kind(const std::function<void()>& f, ErrorKind kind) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    std::string text = e.what();
    return text.substr(0, text.find('\n'));
  }
  return "no error";
}

// What makes a learner of every kind; the options that have no default, and some that have.
const std::vector<std::pair<std::string, OptionValues>> kCalls = {
    {"sgd", {}},
    {"momentum_sgd", {{"momentum", 0.9}}},
    {"nesterov", {{"momentum", 0.9}}},
    {"adagrad", {}},
    {"adadelta", {}},
    {"rmsprop", {{"gamma", 0.9}, {"inc", 1.2}, {"dec", 0.5}, {"max", 10}, {"min", 0.1}}},
    {"adam", {{"momentum", 0.9}}},
    {"fsadagrad", {{"momentum", 0.9}}},
};

TEST(LearnerRegistry, MakesWhatTypedCallsMake) {
  using P = std::vector<Variable>;
  Tensor typed = after_steps([](P p) {
    return adam(p, 0.1,
                {.momentum = 0.9, .l2_regularization_weight = 0.3, .epsilon = 1e-3, .minibatch_size = 4});
  });
  Tensor named = after_steps([](P p) {
    return make_learner("adam", p, 0.1,
                        {{"minibatch_size", 4},
                         {"epsilon", 1e-3},
                         {"l2_regularization_weight", 0.3},
                         {"momentum", TrainingParameterSchedule(0.9)}});
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(typed.at(i), named.at(i));
    EXPECT_NE(typed.at(i), weights().value().at(i));
  }
}

TEST(LearnerRegistry, LeftOutOptionsHaveTheirDescribedDefaults) {
  for (const auto& [name, required] : kCalls) {
    OptionValues all = required;
    const LearnerDescription& d = describe_learner(name);
    for (const std::vector<OptionDescription>* list : {&d.options, &learner_options()})
      for (const OptionDescription& o : *list)
        if (!o.required) all.emplace_back(o.name, o.value);
    Tensor few = after_steps([&](std::vector<Variable> p) { return make_learner(name, p, 0.1, required); });
    Tensor whole = after_steps([&](std::vector<Variable> p) { return make_learner(name, p, 0.1, all); });
    for (int i = 0; i < 2; ++i) EXPECT_EQ(few.at(i), whole.at(i)) << name;
  }
}

TEST(LearnerRegistry, DescribesEveryOption) {
  const std::vector<std::string> names = learner_names();
  EXPECT_GE(names.size(), kCalls.size());
  for (const std::string& name : names) {
    const LearnerDescription& d = describe_learner(name);
    EXPECT_FALSE(d.doc.empty()) << name;
    EXPECT_FALSE(d.example.empty()) << name;
    for (const OptionDescription& o : d.options) EXPECT_FALSE(o.doc.empty()) << name << " " << o.name;
  }
  EXPECT_EQ(describe_learner("rmsprop").options[0].range, "above 0 and below 1");
  EXPECT_EQ(describe_learner("adam").options[3].range, "at least 0");
}

TEST(LearnerRegistry, NamesWhatIsWrong) {
  Variable w = weights();
  auto refused = [&](const std::string& name, const OptionValues& options, ErrorKind kind) {
    return error_of_kind([&] { make_learner(name, {w}, 0.1, options); }, kind);
  };
  EXPECT_EQ(refused("adem", {}, ErrorKind::key), "there is no learner adem");
  EXPECT_EQ(refused("adam", {}, ErrorKind::type), "adam needs the option momentum, which has no default");
  EXPECT_EQ(refused("sgd", {{"momentum", 0.9}}, ErrorKind::type), "sgd has no option momentum");
  EXPECT_EQ(refused("adam", {{"momentum", 0.9}, {"momentum", 0.8}}, ErrorKind::type),
            "the option momentum is given twice");
  EXPECT_EQ(refused("adam", {{"momentum", 0.9}, {"epsilon", true}}, ErrorKind::type),
            "the option epsilon must be a number");
  EXPECT_EQ(refused("adam", {{"momentum", true}}, ErrorKind::type),
            "the option momentum must be a number or a schedule");
  EXPECT_EQ(refused("adam", {{"momentum", 0.9}, {"adamax", 1}}, ErrorKind::type),
            "the option adamax must be true or false");
  EXPECT_EQ(refused("sgd", {{"minibatch_size", -1}}, ErrorKind::value),
            "sgd: minibatch_size must be at least 0, and is -1");
  // CNTK's own texts
  EXPECT_EQ(refused("adam", {{"momentum", 0.9}, {"epsilon", -1.0}}, ErrorKind::value),
            "Epsilon should be non-negative. You are trying to set it to -1.");
  const OptionValues rest = {{"inc", 1.2}, {"dec", 0.5}, {"max", 10}, {"min", 0.1}};
  for (double gamma : {0.0, 1.0, -1.0, std::nan("")}) {
    OptionValues options = rest;
    options.emplace_back("gamma", gamma);
    EXPECT_EQ(refused("rmsprop", options, ErrorKind::runtime), "RMSProp gamma must be in range (0.0, 1.0)");
  }
}

}  // namespace
}  // namespace cantik
