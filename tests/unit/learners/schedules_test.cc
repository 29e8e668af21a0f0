// Schedules by formula.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <cantik/schedules.h>

#include "error_of.h"

namespace cantik {
namespace {

TEST(Schedules, AreEqualToWhatTheirStatesGive) {
  for (const TrainingParameterSchedule& s :
       {TrainingParameterSchedule(0.1), TrainingParameterSchedule(0.1, 32),
        TrainingParameterSchedule(std::vector<double>{0.1, 0.05}, 100),
        TrainingParameterSchedule(std::vector<double>{0.1, 0.05}, 0, 16)}) {
    EXPECT_TRUE(TrainingParameterSchedule(s.state()) == s) << s.text();
    EXPECT_FALSE(TrainingParameterSchedule(s.state()) == s.transform([](double v) { return 2 * v; }));
  }
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
  EXPECT_EQ(error_of([] { cosine_schedule(-1, 10); }), "rate must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { cosine_schedule(0.1, 10, {.final_rate = -1}); }),
            "final_rate must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { cosine_schedule(0.1, 10, {.minibatch_size = -1}); }),
            "minibatch_size must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { warm_up(0.1, 10, {.steps = 0}); }), "steps must be at least 1, and is 0");
}

TEST(Schedules, one_that_was_moved_from) {
  TrainingParameterSchedule rate(0.5);
  const TrainingParameterSchedule other(std::move(rate));
  EXPECT_EQ(other[0], 0.5);
  EXPECT_EQ(rate[0], 0);  // NOLINT: that it can be asked at all
}

}  // namespace
}  // namespace cantik
