// Training loops over arrays, against the logs of CNTK 2.7.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>

#include <unistd.h>

#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/seed.h>
#include <cantik/train.h>

#include "error_of.h"
#include "golden_text.h"
#include "tour_data.h"

namespace cantik {
namespace {

constexpr std::string_view kTrainingGolden =
#include "golden/train_cntk.inc"
    ;

struct TrainingSeed {
  explicit TrainingSeed(uint64_t seed) { set_fixed_random_seed(seed); }
  ~TrainingSeed() { reset_random_seed(0); }
};

// Temporary files of one test.
struct TrainingFolder {
  std::filesystem::path old = std::filesystem::current_path(),
                        path = std::filesystem::temp_directory_path() /
                               ("cantik_train_" + std::to_string(::getpid()));
  TrainingFolder() {
    std::filesystem::create_directory(path);
    std::filesystem::current_path(path);
  }
  ~TrainingFolder() {
    std::filesystem::current_path(old);
    std::filesystem::remove_all(path);
  }
};

template <class... T>
std::string text(const char* format, T... args) {
  char s[256];
  std::snprintf(s, sizeof s, format, args...);
  return s;
}

const TourData& training_data() {
  static const TourData d = [] {
    NumpyRandom random(0);
    return tour_data(random, 200);
  }();
  return d;
}

CheckpointConfig checkpoint(const std::string& name, Frequency frequency = {}, bool preserve_all = false) {
  return {.filename = name, .frequency = frequency, .preserve_all = preserve_all};
}

struct Case {
  std::optional<ProgressPrinterOptions> printer = ProgressPrinterOptions{.freq = 1};
  TrainConfig config = {};
  bool metric = true;
  TrainingParameterSchedule rate = 0.1;
  std::function<void(TrainConfig&, const TourModel&, Lines&)> more = {};
};

CrossValidationConfig validation(const TourModel& m, Lines* calls = nullptr) {
  CrossValidationConfig c;
  c.test.source = std::make_shared<ArraySource>(
      Arrays{{m.x, training_data().x.rows(0, 70)}, {m.y, training_data().y.rows(0, 70)}});
  if (calls)
    c.callback = [calls](int64_t index, double average, int64_t samples, int64_t minibatches) {
      calls->push_back(text("callback %d %.6f %d %d", static_cast<int>(index), average,
                            static_cast<int>(samples), static_cast<int>(minibatches)));
      return true;
    };
  return c;
}

Lines run(const Case& c) {
  TrainingSeed seed(1);
  TourModel m;
  Lines lines;
  std::vector<ProgressWriterPtr> writers;
  if (c.printer)
    writers.push_back(std::make_shared<ProgressPrinter>(
        *c.printer, [&](std::string_view line) { lines.push_back(without_time(std::string(line))); }));
  TrainConfig config = c.config;
  if (c.more) c.more(config, m, lines);
  LearnerPtr learner = sgd({m.w, m.b}, c.rate);
  if (c.metric) config.metric = m.metric;
  config.writers = writers;
  TrainingSummary r = train(m.loss, {{m.x, training_data().x}, {m.y, training_data().y}}, {learner}, config);
  auto told = [](const char* name, const std::vector<Summary>& list) {
    std::string s = std::string(name) + " ";
    for (size_t i = 0; i < list.size(); ++i)
      s += text("%s(%.6g %.6g %d)", i ? " " : "", list[i].loss, list[i].metric,
                static_cast<int>(list[i].samples));
    return s;
  };
  lines.push_back(told("updates", r.updates));
  lines.push_back(told("epoch_summaries", r.epoch_summaries));
  lines.push_back("seen " + std::to_string(learner->samples_seen()) + " " +
                  std::to_string(learner->minibatches_seen()) + " " + std::to_string(learner->sweeps_seen()));
  return lines;
}

Lines with_files(Lines lines) {
  std::vector<std::string> names;
  for (const auto& e : std::filesystem::directory_iterator("."))
    names.push_back(e.path().filename().string());
  std::erase_if(names, [](const std::string& name) { return name.ends_with(".ckp"); });  // beside each file
  std::sort(names.begin(), names.end());
  lines.push_back("files " +
                  std::accumulate(names.begin() + 1, names.end(), names[0],
                                  [](const std::string& a, const std::string& b) { return a + " " + b; }));
  return lines;
}

using Sizes = std::vector<double>;
using Counted = std::vector<TrainingParameterSchedule::Counted>;

TEST(Train, GoesAsCntkDoes) {
  std::map<std::string, Lines> golden = golden_blocks(kTrainingGolden);
  std::map<std::string, Case> cases;
  cases["plain"] = {};
  cases["epochs"] = {.config = {.minibatch_size = 64, .max_epochs = 2}};
  cases["epoch_size"] = {.config = {.minibatch_size = 64, .max_epochs = 3, .epoch_size = 100}};
  cases["max_samples"] = {.config = {.minibatch_size = 64, .max_samples = 150}};
  cases["more_samples"] = {.config = {.minibatch_size = 64, .max_samples = 450}};
  cases["long_epochs"] = {.config = {.minibatch_size = 64, .max_epochs = 2, .epoch_size = 300}};
  cases["sizes"] = {.config = {.minibatch_size = {Sizes{20, 50}, 60}}};
  cases["sizes_by_sample"] = {.config = {.minibatch_size = {Counted{{1, 50}, {1, 100}}, 1}, .max_epochs = 3}};
  cases["every_3"] = {.printer = {{.freq = 3, .num_epochs = 2}}, .config = {.max_epochs = 2}};
  cases["progress_frequency"] = {
      .printer = {{.freq = 2}}, .config = {.minibatch_size = 64, .max_epochs = 2, .progress_frequency = 100}};
  cases["table"] = {.printer = {{.freq = 0}}, .config = {.minibatch_size = 16, .max_epochs = 2}};
  cases["no_metric"] = {.printer = {{.freq = 2}}, .config = {.minibatch_size = 64}, .metric = false};
  cases["summaries"] = {.printer = ProgressPrinterOptions(),
                        .config = {.minibatch_size = 64, .max_epochs = 2}};
  cases["no_writer"] = {.printer = {}, .config = {.minibatch_size = 64, .max_epochs = 2}};
  cases["no_writer_16"] = {.printer = {}, .config = {.minibatch_size = 16, .progress_frequency = 100}};
  cases["no_writer_large"] = {.printer = {}, .config = {.minibatch_size = 300, .max_epochs = 2}};
  cases["no_writer_samples"] = {.printer = {}, .config = {.minibatch_size = 16, .max_samples = 100}};
  cases["rate_0"] = {.config = {.max_epochs = 2}, .rate = {Sizes{0.1, 0}, 64}};
  for (const char* name : {"no_writer", "no_writer_16", "no_writer_large", "no_writer_samples"})
    cases[name].printer.reset();
  cases["validate"] = {.config = {.minibatch_size = 64, .max_epochs = 2},
                       .more = [](TrainConfig& c, const TourModel& m, Lines& calls) {
                         c.cross_validation = validation(m, &calls);
                         c.cross_validation->test.minibatch_size = 30;
                         c.cross_validation->frequency = {100};
                       }};
  cases["validate_at_end"] = {
      .config = {.minibatch_size = 64, .max_epochs = 2},
      .more = [](TrainConfig& c, const TourModel& m, Lines&) { c.cross_validation = validation(m); }};
  cases["validate_some"] = {.printer = {{.freq = 1, .test_freq = 1}},
                            .config = {.minibatch_size = 64},
                            .more = [](TrainConfig& c, const TourModel& m, Lines&) {
                              c.cross_validation = validation(m);
                              c.cross_validation->test.max_samples = 50;
                            }};
  cases["validate_and_stop"] = {.config = {.minibatch_size = 64, .max_epochs = 2},
                                .more = [](TrainConfig& c, const TourModel& m, Lines&) {
                                  c.cross_validation = validation(m);
                                  c.cross_validation->frequency = {100};
                                  c.cross_validation->callback = [](int64_t, double, int64_t, int64_t) {
                                    return false;
                                  };
                                }};
  cases["validate_minibatches"] = {.config = {.minibatch_size = 64},
                                   .more = [](TrainConfig& c, const TourModel& m, Lines& calls) {
                                     c.cross_validation = validation(m, &calls);
                                     c.cross_validation->frequency = {2, DataUnit::minibatch};
                                   }};
  cases["validate_sweeps"] = {.config = {.minibatch_size = 64, .max_epochs = 2},
                              .more = [](TrainConfig& c, const TourModel& m, Lines& calls) {
                                c.cross_validation = validation(m, &calls);
                                c.cross_validation->frequency = {1, DataUnit::sweep};
                              }};
  cases["callback_only"] = {.config = {.minibatch_size = 64},
                            .more = [](TrainConfig& c, const TourModel& m, Lines& calls) {
                              c.cross_validation = validation(m, &calls);
                              c.cross_validation->test.source.reset();
                              c.cross_validation->frequency = {64};
                            }};
  for (const auto& [name, c] : cases)
    expect_close_lines(name, run(c), c.metric ? golden.at(name) : without_no_metric(golden.at(name)));

  TrainingFolder folder;
  auto keep = [](CheckpointConfig config) {
    return [config](TrainConfig& c, const TourModel&, Lines&) { c.checkpoint = config; };
  };
  CheckpointConfig alone = checkpoint("n");
  alone.restore = false;
  expect_close_lines("checkpoints",
                     with_files(run({.config = {.minibatch_size = 64, .max_epochs = 2},
                                     .more = keep(checkpoint("m", {100}, true))})),
                     golden.at("checkpoints"));
  expect_close_lines("checkpoints_go_on",
                     with_files(run({.config = {.minibatch_size = 64, .max_epochs = 3},
                                     .more = keep(checkpoint("m", {100}))})),
                     golden.at("checkpoints_go_on"));
  expect_close_lines("checkpoint_at_end",
                     with_files(run({.config = {.minibatch_size = 64}, .more = keep(alone)})),
                     golden.at("checkpoint_at_end"));
  expect_close_lines("checkpoints_by_minibatch",
                     with_files(run({.config = {.minibatch_size = 64},
                                     .more = keep(checkpoint("k", {2, DataUnit::minibatch}, true))})),
                     golden.at("checkpoints_by_minibatch"));
  EXPECT_EQ(cases.size() + 4, golden.size());
}

// Without the file itself the one with the highest number is taken; the run then ends where one without a
// break ends, bit for bit.
TEST(Train, GoesOnBitForBit) {
  TrainingFolder folder;
  auto weights = [](int64_t epochs, std::optional<CheckpointConfig> c, bool momentum) {
    TrainingSeed seed(1);
    TourModel m;
    LearnerPtr l = momentum ? momentum_sgd({m.w, m.b}, 0.1, {.momentum = 0.9})
                            : adam({m.w, m.b}, 0.1, {.momentum = 0.9});
    train(m.loss, {{m.x, training_data().x}, {m.y, training_data().y}}, {l},
          {.metric = m.metric, .max_epochs = epochs, .checkpoint = c});
    return std::pair(m.w.value().clone(), m.b.value().clone());
  };
  for (bool momentum : {true, false}) {
    std::string name = momentum ? "a" : "b";
    auto [w, b] = weights(3, {}, momentum);
    weights(2, checkpoint(name, {150}, true), momentum);
    std::filesystem::remove(name);  // leaves those at 160 and 328 samples and the last one
    std::filesystem::remove(name + "2");
    auto [w2, b2] = weights(3, checkpoint(name), momentum);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(w.at(i), w2.at(i));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(b.at(i), b2.at(i));
  }
}

TEST(Train, CountsOnWithTheSameLearner) {
  TourModel m;
  LearnerPtr l = sgd({m.w, m.b}, 0.1);
  Arrays arrays{{m.x, training_data().x}, {m.y, training_data().y}};
  EXPECT_EQ(train(m.loss, arrays, {l}, {.metric = m.metric}).epoch_summaries[0].samples, 200);
  const std::string seen_it_all = error_of([&] { train(m.loss, arrays, {l}, {.metric = m.metric}); });
  EXPECT_TRUE(
      seen_it_all.starts_with("nothing is left to train: the learners have seen 200 samples before, "
                              "and the training ends at 200"))
      << seen_it_all;
  TrainingSummary more = train(m.loss, arrays, {l}, {.metric = m.metric, .max_epochs = 2});
  ASSERT_EQ(more.epoch_summaries.size(), 2u);
  EXPECT_EQ(more.epoch_summaries[0].samples, 32);
  EXPECT_EQ(more.epoch_summaries[1].samples, 168);
}

TEST(Train, TestsAtTheEnd) {
  TrainingSeed seed(1);
  TourModel m;
  Lines lines;
  auto printer = std::make_shared<ProgressPrinter>(
      ProgressPrinterOptions{.test_freq = 2},
      [&](std::string_view line) { lines.push_back(without_time(std::string(line))); });
  Arrays some{{m.x, training_data().x.rows(0, 70)}, {m.y, training_data().y.rows(0, 70)}};
  TrainConfig config{.metric = m.metric,
                     .minibatch_size = 64,
                     .writers = {printer},
                     .test = TestConfig{std::make_shared<ArraySource>(some), 16}};
  TrainingSummary r =
      train(m.loss, {{m.x, training_data().x}, {m.y, training_data().y}}, {sgd({m.w, m.b}, 0.1)}, config);
  expect_close_lines(
      "test", lines,
      {"Learning rate per minibatch: 0.1", "Finished Epoch[1]: loss = 1.811980 * 200, metric = 52.00% * 200",
       " Evaluation Minibatch[   1-   2]: metric = 59.38% * 32;",
       " Evaluation Minibatch[   3-   4]: metric = 46.88% * 32;",
       "Finished Evaluation [1]: Minibatch[1-5]: metric = 52.86% * 70;"});
  ASSERT_TRUE(r.test);
  EXPECT_NEAR(r.test->metric, 37.0 / 70, 1e-7);
  EXPECT_EQ(r.test->samples, 70);
  Summary alone = test(m.metric, some, {.writers = {printer}});
  EXPECT_NEAR(alone.metric, 37.0 / 70, 1e-7);
  EXPECT_EQ(lines.back(), "Finished Evaluation [2]: Minibatch[1-3]: metric = 52.86% * 70;");
}

TEST(Train, TakesSparseArrays) {
  auto weights = [](bool sparse) {
    TrainingSeed seed(1);
    Variable x = input({2}), y = input({2}, {.sparse = sparse}), w = parameter({2, 2}, glorot_uniform());
    std::vector<int32_t> labels;
    for (int i = 0; i < 200; ++i) labels.push_back(training_data().y.at(2 * i + 1) != 0);
    Tensor one_hot = Tensor::one_hot(DType::float32, {200, 2}, labels);
    Function z = call("times", {x, w});
    train(call("cross_entropy_with_softmax", {z, y}),
          {{x, training_data().x}, {y, sparse ? one_hot : training_data().y}}, {sgd({w}, 0.1)},
          {.metric = call("classification_error", {z, y})});
    return w.value().clone();
  };
  Tensor dense = weights(false), sparse = weights(true);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(dense.at(i), sparse.at(i));
}

TEST(Train, RefusesWhatCannotBe) {
  TourModel m;
  Arrays arrays{{m.x, training_data().x}, {m.y, training_data().y}};
  auto attempt = [&](const Arrays& a, const TrainConfig& c = {}) {
    return error_of([&] { train(m.loss, a, {sgd({m.w, m.b}, 0.1)}, c); });
  };
  EXPECT_TRUE(attempt({{m.x, training_data().x}, {m.y, training_data().y.rows(0, 3)}})
                  .starts_with("all data items must have the same first dimension"));
  EXPECT_EQ(attempt({{m.x, training_data().x.rows(0, 0)}, {m.y, training_data().y.rows(0, 0)}}),
            "data is empty");
  EXPECT_EQ(attempt({}), "the source needs at least one array");
  EXPECT_EQ(attempt(arrays, {.max_epochs = 1, .max_samples = 5}),
            "max_epochs and max_samples are mutually exclusive.");
  EXPECT_EQ(attempt(arrays, {.max_epochs = 0}), "max_epochs must be at least 1, and is 0");
  EXPECT_EQ(attempt(arrays, {.max_samples = 0}), "max_samples must be at least 1, and is 0");
  EXPECT_EQ(attempt(arrays, {.progress_frequency = -1}), "progress_frequency must be at least 0, and is -1");
  EXPECT_TRUE(
      attempt(arrays, {.minibatch_size = 0}).starts_with("minibatch_size must be at least 1, and is 0"));
  EXPECT_TRUE(attempt(arrays, {.epoch_size = -1}).starts_with("epoch_size must be at least 1, and is -1"));
  EXPECT_EQ(attempt(arrays, {.callbacks = {nullptr}}), "a callback is a null pointer");
  EXPECT_TRUE(attempt(arrays, {.checkpoint = checkpoint("")}).starts_with("Checkpoint file name"));
  const std::string without_y = attempt({{m.x, training_data().x}});
  EXPECT_TRUE(without_y.starts_with("function expects 2 arguments")) << without_y;
  EXPECT_TRUE(without_y.ends_with("give data for y")) << without_y;
  EXPECT_TRUE(error_of([&] {
                train(m.loss, arrays, {});
              }).starts_with("These must be at least one learner.\n  remedy   give one"));
  EXPECT_TRUE(error_of([&] {
                test(m.metric, arrays, {.minibatch_size = 0});
              }).starts_with("minibatch_size must be at least 1, and is 0"));
  EXPECT_EQ(error_of([&] { test(Variable(), arrays); }), "Eval function is not allowed to be null.");
}

}  // namespace
}  // namespace cantik
