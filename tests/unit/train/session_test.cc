// Training sessions: when callbacks are called, what records hold, how a session ends.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <cantik/train.h>

#include "error_of.h"
#include "temporary_folder.h"
#include "tour_session.h"

namespace cantik {
namespace {

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
  TemporaryFolder folder;
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

TEST(Session, DoesNotTrainWithinItsTraining) {
  struct Again final : Callback {
    std::string error;
    void on_minibatch_end(TrainingSession& s) override {
      if (error.empty()) error = error_of([&] { s.train(); });
    }
  };
  Tour tour;
  auto again = std::make_shared<Again>();
  TrainingSession session(tour.trainer, tour.source, tour.options({again}));
  session.train();
  EXPECT_TRUE(again->error.starts_with("the session trains already")) << again->error;
  const int64_t seen = tour.trainer->total_number_of_samples_seen();
  EXPECT_GT(seen, 0);
  session.train();  // when it has ended it may be called again: everything has been seen
  EXPECT_EQ(tour.trainer->total_number_of_samples_seen(), seen);
}

TEST(Session, IsInterruptedFromAnotherThread) {
  TemporaryFolder folder;
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

// What a loop will ask for is told before the minibatch at hand is trained on.
class Recording final : public FeedSource {
 public:
  explicit Recording(const Arrays& arrays) : arrays_(arrays) {}
  std::optional<FeedMinibatch> next(int64_t samples) override {
    told.push_back("next " + std::to_string(samples));
    return arrays_.next(samples);
  }
  void expect(int64_t samples) override { told.push_back("expect " + std::to_string(samples)); }
  Dictionary state() const override { return arrays_.state(); }
  void restore(const Dictionary& d) override { arrays_.restore(d); }
  std::vector<std::string> told;

 private:
  ArraySource arrays_;
};

TEST(Train, TakesAnySource) {
  TourModel m, of_arrays;
  of_arrays.w.set_value(m.w.value());
  of_arrays.b.set_value(m.b.value());
  auto source = std::make_shared<Recording>(Arrays{{m.x, data().x}, {m.y, data().y}});
  const TrainConfig config{.minibatch_size = 64, .max_epochs = 2, .epoch_size = 100};
  auto learner = [](const TourModel& of) { return std::vector<LearnerPtr>{sgd({of.w, of.b}, 0.1)}; };
  const TrainingSummary on_source = train(m.loss, source, learner(m), config);
  const TrainingSummary on_arrays =
      train(of_arrays.loss, {{of_arrays.x, data().x}, {of_arrays.y, data().y}}, learner(of_arrays), config);
  ASSERT_EQ(on_source.epoch_summaries.size(), on_arrays.epoch_summaries.size());
  for (size_t i = 0; i < on_source.epoch_summaries.size(); ++i) {
    EXPECT_EQ(on_source.epoch_summaries[i].loss, on_arrays.epoch_summaries[i].loss);
    EXPECT_EQ(on_source.epoch_summaries[i].samples, on_arrays.epoch_summaries[i].samples);
  }
  EXPECT_EQ(error_of([&] { train(m.loss, source, learner(m), {.max_epochs = 2}); }),
            "max_epochs requires epoch_size where the source is no array");
  EXPECT_EQ(error_of([&] { train(m.loss, std::shared_ptr<FeedSource>(), learner(m)); }),
            "a training loop needs a source");
}

TEST(Train, PlansHowLongItGoesOn) {
  TourModel m;
  ArraySource arrays({{m.x, data().x}, {m.y, data().y}});
  const TrainingPlan epochs = training_plan(arrays, {.minibatch_size = 64, .max_epochs = 3});
  EXPECT_EQ(epochs.options.max_samples, 3 * arrays.rows());
  EXPECT_EQ(epochs.options.progress.count, arrays.rows());
  EXPECT_EQ(epochs.updates_every, arrays.rows() / 64);
  // A window has at least one minibatch.
  EXPECT_EQ(training_plan(arrays, {.minibatch_size = 64, .progress_frequency = 32}).updates_every, 1);
  // max_samples without an epoch: there is a summary at the end only.
  EXPECT_EQ(training_plan(arrays, {.max_samples = 500}).options.progress.count, 0);
  EXPECT_EQ(training_plan(arrays, {.max_epochs = INT64_MAX}).options.max_samples, ArraySource::kEndless);
  EXPECT_EQ(training_plan(arrays, {.writers = {std::make_shared<TrainingCollector>(7)}}).updates_every, 7);
}

TEST(Session, TellsASourceWhatItWillAskFor) {
  NumpyRandom random(0);
  const TourData d = tour_data(random, 200);
  TourModel m;
  auto source = std::make_shared<Recording>(Arrays{{m.x, d.x}, {m.y, d.y}});
  auto trainer =
      std::make_shared<Trainer>(m.z, m.loss, m.metric, std::vector<LearnerPtr>{sgd({m.w, m.b}, 0.1)});
  TrainingSession(
      trainer, source,
      {.minibatch_size = TrainingParameterSchedule(std::vector<double>{64, 32}, 100), .max_samples = 190})
      .train();
  EXPECT_EQ(source->told, (std::vector<std::string>{"next 64", "expect 64", "next 64", "expect 32", "next 32",
                                                    "expect 30", "next 30"}));
}

}  // namespace
}  // namespace cantik
