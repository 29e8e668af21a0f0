// Checkpoints with the state of callbacks, and those that are written behind the training's back.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <thread>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/seed.h>

#include "error_of.h"
#include "temporary_folder.h"
#include "tour_session.h"
#include "train/checkpoint_writer.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

std::vector<CallbackPtr> watching() {
  return {measured({5, 4, 4.5, 4.4, 4.3, 3, 3.5, 3.4, 3.3, 3.2}),
          reduce_on_plateau({.factor = 0.5, .patience = 2, .min_delta = 0}), early_stopping({.patience = 4}),
          gradient_norm({.every = 3})};
}

TEST(Checkpoints, GoOnWithTheStateOfCallbacks) {
  for (int64_t stop : {40, 150, 380}) {
    TemporaryFolder folder;
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
  TemporaryFolder folder;
  Tour tour, other;
  SessionOptions o = tour.options({early_stopping({.monitor = "loss"})}, 100);
  o.checkpoint = CheckpointConfig{.filename = folder / "m", .frequency = {50}};
  tour.train(o);
  o.callbacks.clear();
  EXPECT_TRUE(error_of([&] {
                other.train(o);
              }).starts_with("the checkpoint has the states of 1 callbacks, but the training has 0"));
}

TEST(Checkpoints, HaveTheSameStateInTheBackground) {
  TemporaryFolder folder;
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
  TemporaryFolder folder;
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

TEST(Checkpoints, AreOfTheMomentTheyWereTaken) {
  TemporaryFolder folder;
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
  TemporaryFolder folder;
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
  TemporaryFolder folder;
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

}  // namespace
}  // namespace cantik
