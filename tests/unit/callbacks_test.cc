// Callbacks of training sessions: those of the library, when they are called, and checkpoints that are
// written behind the training's back.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/rate_finder.h>
#include <cantik/schedules.h>
#include <cantik/train.h>

#include "tour_data.h"
#include "train/checkpoint_writer.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cantik_callbacks_XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  fs::path path;
};

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

const TourData& data() {
  static const TourData d = [] {
    NumpyRandom random(0);
    return tour_data(random, 100);
  }();
  return d;
}

// A small training: 100 samples, an epoch of 50.
struct Tour {
  TourModel m;
  std::shared_ptr<Trainer> trainer;
  std::shared_ptr<ArraySource> source;

  explicit Tour(std::vector<ProgressWriterPtr> writers = {}) {
    m.w.set_value(Tensor::full(DType::float32, {2, 2}, 0.25));
    m.b.set_value(Tensor::zeros(DType::float32, {2}));
    trainer = std::make_shared<Trainer>(
        m.z, m.loss, m.metric, std::vector<LearnerPtr>{momentum_sgd({m.w, m.b}, 0.02, {.momentum = 0.9})},
        std::move(writers));
    source = std::make_shared<ArraySource>(Arrays{{m.x, data().x}, {m.y, data().y}});
  }
  SessionOptions options(std::vector<CallbackPtr> callbacks, int64_t samples = 500) const {
    return {
        .minibatch_size = 10, .max_samples = samples, .progress = {50}, .callbacks = std::move(callbacks)};
  }
  void train(SessionOptions o) { TrainingSession(trainer, source, std::move(o)).train(); }
  std::vector<float> weights() const {
    const float* p = m.w.value().data<float>();
    return {p, p + 4};
  }
};

// Puts numbers of the test's into the records.
CallbackPtr measured(std::vector<double> values, const std::string& name = "val_metric") {
  return std::make_shared<EpochCallback>([values, name](EpochRecord& record) {
    const auto i = static_cast<size_t>(record.epoch() - 1);
    record.set(name, values[std::min(i, values.size() - 1)]);
    return true;
  });
}

// Keeps the records.
struct Records final : Callback {
  std::vector<EpochRecord> list;
  void on_epoch_end(TrainingSession&, EpochRecord& record) override { list.push_back(record); }
};

struct Told final : ProgressWriter {
  std::vector<std::pair<std::string, double>> list;
  void write(const std::string& key, double value) override { list.emplace_back(key, value); }
};

TEST(Callbacks, AreCalledInTheirOrder) {
  struct Log final : Callback {
    std::vector<std::string> calls;
    void on_training_start(TrainingSession&) override { calls.push_back("start"); }
    void on_training_end(TrainingSession&) override { calls.push_back("end"); }
    void on_minibatch_start(TrainingSession&) override { calls.push_back("("); }
    void on_minibatch_end(TrainingSession&) override { calls.push_back(")"); }
    void on_epoch_end(TrainingSession&, EpochRecord& r) override {
      calls.push_back("epoch " + std::to_string(r.epoch()));
    }
    void on_checkpoint_start(TrainingSession&, int64_t i) override {
      calls.push_back("checkpoint " + std::to_string(i));
    }
    void on_checkpoint_end(TrainingSession&, int64_t) override { calls.push_back("written"); }
    void on_cross_validation_start(TrainingSession&, int64_t i) override {
      calls.push_back("validation " + std::to_string(i));
    }
  };
  Folder folder;
  Tour tour;
  auto log = std::make_shared<Log>();
  SessionOptions o = tour.options({log}, 50);
  o.minibatch_size = 25;
  o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {50}, .in_background = false};
  o.cross_validation = CrossValidationConfig{
      .frequency = {25}, .callback = [](int64_t, double, int64_t, int64_t) { return true; }};
  tour.train(o);
  EXPECT_EQ(log->calls, (std::vector<std::string>{"start", "(", ")", "validation 0", "(", ")", "validation 1",
                                                  "epoch 1", "checkpoint 0", "written", "(", ")", "end"}));
}

TEST(Callbacks, RecordsHoldTheMeasurementsOfAnEpoch) {
  Tour tour, alone;
  auto records = std::make_shared<Records>();
  SessionOptions o = tour.options({records}, 130);
  o.cross_validation = CrossValidationConfig{.test = {.source = tour.source}, .frequency = {100}};
  tour.train(o);
  ASSERT_EQ(records->list.size(), 3U);  // the last one has the rest
  double loss = 0, metric = 0;
  for (int i = 0; i < 5; ++i) {
    alone.trainer->train_minibatch(alone.m.feeds(data(), i * 10, i * 10 + 10));
    loss += alone.trainer->previous_minibatch_loss_average() / 5;
    metric += alone.trainer->previous_minibatch_evaluation_average() / 5;
  }
  const EpochRecord& first = records->list[0];
  EXPECT_NEAR(first.at("loss"), loss, 1e-6);
  EXPECT_NEAR(first.at("metric"), metric, 1e-6);
  EXPECT_EQ(first.at("rate"), 0.02);
  EXPECT_EQ(first.at("samples"), 50);
  EXPECT_GE(first.at("seconds"), 0);
  EXPECT_EQ(first.find("val_metric"), nullptr);
  EXPECT_NE(records->list[1].find("val_metric"), nullptr);
  EXPECT_EQ(records->list[2].at("samples"), 30);
  EXPECT_EQ(records->list[2].epoch(), 3);
  EXPECT_EQ(error_of([&] { (void)first.at("auc"); }),
            "the record of an epoch has no entry 'auc'; it has loss, metric, rate, samples, seconds");
}

TEST(Callbacks, EndATraining) {
  struct Ending final : Callback {
    void on_minibatch_end(TrainingSession& s) override {
      if (s.trainer()->total_number_of_minibatches_seen() == 7) s.end();
    }
  };
  Tour tour;
  auto records = std::make_shared<Records>();
  TrainingSession session(tour.trainer, tour.source, tour.options({records, std::make_shared<Ending>()}));
  session.train();
  EXPECT_TRUE(session.is_ended());
  EXPECT_EQ(tour.trainer->total_number_of_samples_seen(), 70);
  EXPECT_EQ(records->list.size(), 2U);
}

TEST(EarlyStopping, GivesBackTheBestParameters) {
  for (bool larger : {false, true}) {
    const double sign = larger ? -1 : 1;
    std::vector<double> values{3, 2, 2.5, 1.95, 4, 5};
    for (double& v : values) v *= sign;
    Tour tour, shorter;
    auto stopping = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.patience = 2, .min_delta = 0.1, .larger_is_better = larger});
    tour.train(tour.options({measured(values), stopping}));
    EXPECT_EQ(stopping->best_epoch(), 2);  // 1.95 is not better by 0.1
    EXPECT_EQ(stopping->best(), 2 * sign);
    EXPECT_EQ(tour.trainer->total_number_of_samples_seen(), 200);
    shorter.train(shorter.options({}, 100));
    EXPECT_EQ(tour.weights(), shorter.weights());
  }
}

TEST(EarlyStopping, WaitsForANumber) {
  const double nan = std::nan("");
  Tour tour;
  auto stopping = std::make_shared<EarlyStopping>(EarlyStoppingOptions{.patience = 3, .restore_best = false});
  tour.train(tour.options({measured({nan, nan, 1, nan, nan, nan})}));
  EXPECT_EQ(stopping->best_epoch(), 0);
  Tour other;
  other.train(other.options({measured({nan, nan, 1, nan, nan, nan}), stopping}));
  EXPECT_EQ(stopping->best_epoch(), 3);
  EXPECT_EQ(other.trainer->total_number_of_samples_seen(), 300);
}

TEST(EarlyStopping, NamesTheEntriesThatThereAre) {
  Tour tour;
  EXPECT_TRUE(
      error_of([&] {
        tour.train(tour.options({early_stopping()}));
      }).starts_with("monitor must be one of loss, metric, rate, samples, seconds, not 'val_metric'"));
  EXPECT_EQ(error_of([] { early_stopping({.patience = 0}); }), "patience must be at least 1, and is 0");
  EXPECT_EQ(error_of([] { early_stopping({.min_delta = -1}); }), "min_delta must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { early_stopping({.monitor = ""}); }),
            "monitor must name an entry of the epochs' records");
}

TEST(ReduceOnPlateau, MultipliesTheRate) {
  Tour tour;
  auto records = std::make_shared<Records>();
  const ReduceOnPlateauOptions o{.factor = 0.5, .patience = 2, .cooldown = 1, .min_rate = 0.004};
  tour.train(tour.options({measured({1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}), reduce_on_plateau(o), records}));
  std::vector<double> rates;
  for (const EpochRecord& r : records->list) rates.push_back(r.at("rate"));
  // After epoch 3; epoch 4 rests; after epoch 6; epoch 7 is better; after epoch 9, not below the least.
  EXPECT_EQ(rates, (std::vector<double>{0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.005, 0.005, 0.005, 0.004}));
  EXPECT_EQ(error_of([] { reduce_on_plateau({.factor = 1}); }), "factor must be between 0 and 1, and is 1");
  EXPECT_EQ(error_of([] { reduce_on_plateau({.cooldown = -1}); }), "cooldown must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { reduce_on_plateau({.min_rate = -1}); }), "min_rate must be at least 0, and is -1");
}

TEST(GradientNorm, IsThatOfTheMeanLoss) {
  auto told = std::make_shared<Told>();
  Tour tour({told}), other;
  auto records = std::make_shared<Records>();
  tour.train(tour.options({gradient_norm({.every = 2}), throughput(), records}, 50));
  std::vector<double> norms;
  for (int i = 0; i < 5; ++i) {
    const Feeds feeds = other.m.feeds(data(), i * 10, i * 10 + 10);
    double sum = 0;
    for (const Value& gradient : other.m.loss.grad(feeds, {other.m.w, other.m.b}))
      for (float g : gradient.data.span<float>()) sum += static_cast<double>(g) * static_cast<double>(g);
    if (i % 2 == 0) norms.push_back(std::sqrt(sum) / 10);
    other.trainer->train_minibatch(feeds);
    EXPECT_NEAR(other.trainer->previous_minibatch_gradient_norm(), std::sqrt(sum) / 10, 1e-6);
  }
  std::vector<std::pair<std::string, double>> norms_told;
  for (const auto& entry : told->list)
    if (entry.first == "Gradient norm") norms_told.push_back(entry);
  ASSERT_EQ(norms_told.size(), norms.size());
  double mean = 0;
  for (size_t i = 0; i < norms.size(); ++i) {
    EXPECT_NEAR(norms_told[i].second, norms[i], 1e-6);
    mean += norms[i] / 3;
  }
  EXPECT_NEAR(records->list[0].at("gradient_norm"), mean, 1e-6);
  EXPECT_GT(records->list[0].at("samples_per_second"), 0);
  EXPECT_EQ(told->list.back().first, "Samples per second");
  EXPECT_EQ(error_of([] { gradient_norm({.every = 0}); }), "every must be at least 1, and is 0");
}

// ---- checkpoints

std::vector<CallbackPtr> watching() {
  return {measured({5, 4, 4.5, 4.4, 4.3, 3, 3.5, 3.4, 3.3, 3.2}),
          reduce_on_plateau({.factor = 0.5, .patience = 2, .min_delta = 0}), early_stopping({.patience = 4}),
          gradient_norm({.every = 3})};
}

TEST(Checkpoints, GoOnWithTheStateOfCallbacks) {
  for (int64_t stop : {40, 150, 380}) {
    Folder folder;
    auto configured = [&](Tour& t, std::vector<CallbackPtr> callbacks, int64_t samples, const char* name) {
      SessionOptions o = t.options(std::move(callbacks), samples);
      o.checkpoint = CheckpointConfig{.filename = folder / name, .frequency = {100}};
      t.train(std::move(o));
    };
    Tour whole, first, second;
    for (Tour* t : {&whole, &first, &second}) t->source->shuffle(t == &second ? 9 : 5);
    configured(whole, watching(), 500, "whole");
    {
      SessionOptions o = first.options(watching());
      o.checkpoint = CheckpointConfig{.filename = folder / "parts", .frequency = {100}};
      struct Stop final : Callback {
        int64_t at;
        explicit Stop(int64_t a) : at(a) {}
        void on_minibatch_end(TrainingSession& s) override {
          if (s.trainer()->total_number_of_samples_seen() == at) s.interrupt();
        }
      };
      o.callbacks.push_back(std::make_shared<Stop>(stop));
      TrainingSession session(first.trainer, first.source, o);
      session.train();
      EXPECT_TRUE(session.is_interrupted());
      EXPECT_EQ(first.trainer->total_number_of_samples_seen(), stop);
    }
    std::vector<CallbackPtr> callbacks = watching();
    callbacks.push_back(throughput());  // as many as before; it has no state
    configured(second, callbacks, 500, "parts");
    EXPECT_EQ(second.weights(), whole.weights()) << stop;
    EXPECT_EQ(second.trainer->total_number_of_samples_seen(), whole.trainer->total_number_of_samples_seen());
    EXPECT_EQ(second.trainer->parameter_learners()[0]->learning_rate(),
              whole.trainer->parameter_learners()[0]->learning_rate());
  }
}

TEST(Checkpoints, BelongToTheirCallbacks) {
  Folder folder;
  Tour tour, other;
  SessionOptions o = tour.options({early_stopping({.monitor = "loss"})}, 100);
  o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {50}};
  tour.train(o);
  o.callbacks.clear();
  EXPECT_TRUE(error_of([&] {
                other.train(o);
              }).starts_with("the checkpoint has the states of 1 callbacks, but the training has 0"));
}

// But for the number in the name of the function that is saved, which is made anew each time.
TEST(Checkpoints, HaveTheSameStateInTheBackground) {
  Folder folder;
  Tour tour;
  tour.train(tour.options({}, 100));
  const Dictionary of_caller{{"position", uint64_t{7}}};
  CheckpointWriter writer;
  writer.write(*tour.trainer, folder / "behind", of_caller);
  EXPECT_TRUE(writer.wait());
  tour.trainer->save_checkpoint(folder / "before", of_caller);
  const auto state = [&](const char* name) {
    return Dictionary::load(folder / name).at("cantik.trainer").as<Dictionary>().to_bytes();
  };
  EXPECT_FALSE(state("before").empty());
  EXPECT_EQ(state("behind"), state("before"));
}

TEST(Checkpoints, HaveTheSameNumbersInTheBackground) {
  Folder folder;
  for (bool background : {true, false}) {
    Tour tour;
    SessionOptions o = tour.options({}, 100);
    o.checkpoint = CheckpointConfig{.filename = folder / (background ? "behind" : "before"),
                                    .frequency = {20},
                                    .preserve_all = true,
                                    .in_background = background};
    set_fixed_random_seed(3);
    tour.train(o);
    reset_random_seed(0);
  }
  for (const char* number : {"", "0", "1", "2", "3", "4"}) {
    // Names of nodes differ from network to network; the numbers do not.
    const Function a = Function::load((folder / "behind") + number),
                   b = Function::load((folder / "before") + number);
    const std::vector<Variable> of_a = a.parameters(), of_b = b.parameters();
    ASSERT_EQ(of_a.size(), of_b.size());
    for (size_t i = 0; i < of_a.size(); ++i)
      for (int64_t k = 0; k < of_a[i].value().elements(); ++k)
        EXPECT_EQ(of_a[i].value().at(k), of_b[i].value().at(k)) << number;
  }
}

// What is written is the state at the checkpoint, however long the disk takes.
TEST(Checkpoints, AreOfTheMomentTheyWereTaken) {
  Folder folder;
  Tour tour, shorter;
  SessionOptions o = tour.options({}, 100);
  o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {50}, .preserve_all = true};
  tour.train(o);
  shorter.train(shorter.options({}, 50));
  Tour restored;
  restored.trainer->restore_from_checkpoint(folder / "m0");
  EXPECT_EQ(restored.weights(), shorter.weights());
  EXPECT_NE(restored.weights(), tour.weights());
}

TEST(Checkpoints, FailByName) {
  Folder folder;
  for (int64_t samples : {100, 20}) {  // found by the next checkpoint, or at the end
    Tour tour;
    SessionOptions o = tour.options({}, samples);
    o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {20}, .restore = false};
    fs::create_directories(folder / "m");
    const std::string error = error_of([&] { tour.train(o); });
    EXPECT_NE(error.find("m cannot be written: it is not a regular file"), std::string::npos) << error;
    EXPECT_NE(error.find("are both as before"), std::string::npos) << error;
    EXPECT_EQ(error.find("cannot be written"), error.rfind("cannot be written")) << error;
    EXPECT_LE(tour.trainer->total_number_of_samples_seen(), 40);
  }
}

TEST(Checkpoints, FailBesideAnotherError) {
  struct Failing final : Callback {
    void on_minibatch_end(TrainingSession& s) override {
      if (s.trainer()->total_number_of_samples_seen() == 30) throw runtime_error("the user's own error");
    }
  };
  Folder folder;
  Tour tour;
  SessionOptions o = tour.options({std::make_shared<Failing>()});
  o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {20}};
  EXPECT_EQ(error_of([&] { tour.train(o); }), "the user's own error");
  EXPECT_TRUE(fs::exists(folder / "m"));  // it was waited for
  Tour other;
  other.trainer->restore_from_checkpoint(folder / "m");
  EXPECT_EQ(other.trainer->total_number_of_samples_seen(), 20);
}

TEST(Checkpoints, InMemoryAreCopies) {
  Tour tour;
  const Dictionary begin = tour.trainer->checkpoint({{"own", uint64_t{7}}});
  const std::vector<float> before = tour.weights();
  tour.train(tour.options({}, 100));
  EXPECT_NE(tour.weights(), before);
  EXPECT_EQ(tour.trainer->restore_checkpoint(begin).at("own").as<uint64_t>(), 7U);
  EXPECT_EQ(tour.weights(), before);
  EXPECT_EQ(tour.trainer->total_number_of_samples_seen(), 0);
}

TEST(Session, IsInterruptedFromAnotherThread) {
  Folder folder;
  Tour tour;
  tour.source = std::make_shared<ArraySource>(Arrays{{tour.m.x, data().x}, {tour.m.y, data().y}});
  SessionOptions o = tour.options({}, ArraySource::kEndless);
  o.checkpoint = CheckpointConfig{.filename = folder / "m"};
  TrainingSession session(tour.trainer, tour.source, o);
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) session.interrupt();
  });
  session.train();
  over = true;
  other.join();
  Tour next;
  next.trainer->restore_from_checkpoint(folder / "m");
  EXPECT_EQ(next.weights(), tour.weights());
}

// ---- shuffled arrays

TEST(ArraySource, ShufflesEachSweepAnew) {
  Variable x = input({2}), s = input({1}, {.axes = Axes::sequence()}), sparse = input({5}, {.sparse = true});
  std::vector<float> numbers;
  std::vector<std::vector<float>> sequences;
  std::vector<int32_t> columns;
  for (int i = 0; i < 30; ++i) {
    const auto n = static_cast<float>(i);
    numbers.insert(numbers.end(), {n, -n});
    sequences.emplace_back(static_cast<size_t>(i % 4), n);
    columns.push_back(i % 5);
  }
  const Feeds feeds{{x, Value::batch(Tensor::of<float>({30, 2}, std::span<const float>(numbers)))},
                    {s, Value::sequences<float>({1}, sequences)},
                    {sparse, Value::batch(Tensor::one_hot(DType::float32, {30, 5}, columns))}};
  ArraySource source(feeds), same(feeds), other(feeds);
  source.shuffle(3), same.shuffle(3), other.shuffle(4);
  std::vector<std::vector<int>> sweeps(1);
  Feeds got;
  bool end = false;
  for (int minibatch = 0; sweeps.size() < 4; ++minibatch) {
    if (minibatch == 5) {  // goes on in the middle of a sweep, whatever its seed was
      other.restore(source.state());
      ASSERT_TRUE(other.next(7, got, end));
      const float first = *got[0].second.data.data<float>();
      ASSERT_TRUE(source.next(7, got, end));
      EXPECT_EQ(*got[0].second.data.data<float>(), first);
    } else {
      ASSERT_TRUE(source.next(7, got, end));
    }
    const Value &a = got[0].second, &b = got[1].second, &c = got[2].second;
    int64_t step = 0;
    for (int64_t i = 0; i < a.size(); ++i) {
      const int id = static_cast<int>(a.data.at(2 * i));
      sweeps.back().push_back(id);
      EXPECT_EQ(a.data.at(2 * i + 1), -id);
      EXPECT_EQ(b.layout->length(i), id % 4);
      for (int64_t k = 0; k < b.layout->length(i); ++k) EXPECT_EQ(b.data.at(step++), id);
      EXPECT_EQ(c.data.columns()[i], id % 5);
    }
    if (end) sweeps.emplace_back();
  }
  for (int i = 0; i < 3; ++i) {
    std::vector<int> sorted = sweeps[static_cast<size_t>(i)];
    EXPECT_NE(sorted, sweeps[static_cast<size_t>(i + 1) % 3]);
    std::sort(sorted.begin(), sorted.end());
    for (int k = 0; k < 30; ++k) EXPECT_EQ(sorted[static_cast<size_t>(k)], k);
  }
  ASSERT_TRUE(same.next(7, got, end));
  EXPECT_EQ(static_cast<int>(got[0].second.data.at(0)), sweeps[0][0]);
  ArraySource straight(feeds);
  EXPECT_TRUE(
      error_of([&] { straight.restore(source.state()); }).starts_with("the checkpoint stopped in shuffled"));
  EXPECT_TRUE(
      error_of([&] { source.restore(straight.state()); }).starts_with("the checkpoint stopped in data in"));
}

// ---- rates

TEST(RateFinder, LeavesTheTrainingAsItWas) {
  Tour tour, other;
  tour.train(tour.options({}, 30)), other.train(other.options({}, 30));
  const RateCurve curve = find_learning_rate(
      *tour.trainer, *tour.source, {.from = 1e-5, .to = 10, .minibatches = 40, .minibatch_size = 10});
  ASSERT_GE(curve.rates.size(), 10U);
  EXPECT_EQ(curve.rates.size(), curve.losses.size());
  EXPECT_EQ(curve.rates[0], 1e-5);
  EXPECT_NEAR(curve.rates[1] / curve.rates[0], std::pow(1e6, 1.0 / 39), 1e-9);
  EXPECT_GT(curve.suggestion, 1e-5);
  EXPECT_LT(curve.suggestion, 10);
  EXPECT_EQ(tour.weights(), other.weights());
  for (Tour* t : {&tour, &other}) t->train(t->options({}, 100));
  EXPECT_EQ(tour.weights(), other.weights());
  EXPECT_EQ(tour.trainer->parameter_learners()[0]->learning_rate(), 0.02);
}

TEST(RateFinder, RefusesWhatCannotBe) {
  Tour tour;
  auto attempt = [&](const RateFinderOptions& o) {
    return error_of([&] { find_learning_rate(*tour.trainer, *tour.source, o); });
  };
  EXPECT_TRUE(attempt({.from = 1, .to = 0.1}).starts_with("the rates must be above 0 and rise"));
  EXPECT_TRUE(attempt({.minibatches = 1}).starts_with("minibatches must be at least 2"));
  EXPECT_TRUE(attempt({.minibatch_size = 0}).starts_with("minibatch_size must be at least 1"));
  EXPECT_TRUE(attempt({.smoothing = 1}).starts_with("smoothing must be"));
  EXPECT_TRUE(attempt({.stop_at = 1}).starts_with("stop_at must be"));
  ArraySource one(Arrays{{tour.m.x, data().x}, {tour.m.y, data().y}}, 10);
  EXPECT_TRUE(error_of([&] { find_learning_rate(*tour.trainer, one); }).starts_with("the rate finder needs"));
}

TEST(Schedules, FollowTheirFormulas) {
  const TrainingParameterSchedule cosine = cosine_schedule(0.5, 1003, {.final_rate = 0.1, .steps = 17});
  for (int64_t t : {0, 1, 58, 59, 500, 1002}) {
    // The step in which t lies begins at i 1003 / 17 samples.
    const double i = std::floor((static_cast<double>(t) + 1) * 17 / 1003 - 1e-9);
    EXPECT_NEAR(cosine[t], 0.1 + 0.2 * (1 + std::cos(M_PI * i / 17)), 0.04) << t;
  }
  EXPECT_EQ(cosine[0], 0.5);
  EXPECT_EQ(cosine[1003], 0.1);
  EXPECT_EQ(cosine[1 << 30], 0.1);
  for (int64_t t = 1; t < 1010; ++t) EXPECT_LE(cosine[t], cosine[t - 1]);
  EXPECT_FALSE(cosine.is_sweep_based());
  EXPECT_EQ(cosine_schedule(0.5, 3)[1], 0.5 * (1 + std::cos(M_PI / 3)) / 2);
  EXPECT_EQ(cosine_schedule(0.5, 3, {.minibatch_size = 1}).minibatch_size(), 1);

  const TrainingParameterSchedule rising =
      warm_up(TrainingParameterSchedule(std::vector<double>{0.4, 0.2}, 100), 40, {.steps = 4});
  EXPECT_EQ(rising[0], 0.1);
  EXPECT_EQ(rising[10], 0.2);
  EXPECT_EQ(rising[39], 0.4);
  EXPECT_EQ(rising[139], 0.4);
  EXPECT_EQ(rising[140], 0.2);
  EXPECT_EQ(warm_up(0.3, 1)[0], 0.3);
  EXPECT_EQ(warm_up(TrainingParameterSchedule(0.3, 1), 10).minibatch_size(), 1);
  EXPECT_TRUE(error_of([] {
                warm_up(TrainingParameterSchedule(std::vector<double>{0.4, 0.2}), 40);
              }).starts_with("warm_up counts samples, and the schedule counts sweeps"));
  EXPECT_EQ(error_of([] { cosine_schedule(0.1, 0); }), "samples must be at least 1, and is 0");
  EXPECT_EQ(error_of([] { cosine_schedule(0.1, 10, {.steps = 0}); }), "steps must be at least 1, and is 0");
  EXPECT_TRUE(error_of([] { cosine_schedule(-1, 10); }).starts_with("rates must be at least 0"));
}

}  // namespace
}  // namespace cantik
