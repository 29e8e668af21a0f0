// Which requests wait for a model, and in which order they run.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "serve/batcher.h"

namespace cantik::serve {
namespace {

// A batcher whose work waits until the test does it; its requests run one by one, and are known by their ids.
class Line {
 public:
  explicit Line(size_t waiting) {
    const auto later = [this](std::function<void()> work) {
      if (std::exchange(no_memory, false)) throw std::bad_alloc();
      work_.push_back(std::move(work));
    };
    const auto run = [this](std::span<WaitingRequest* const> batch, int) {
      if (std::exchange(run_throws, false)) throw 1;  // of no class that the batcher knows
      std::vector<InferAnswer> answers;
      for (const WaitingRequest* r : batch) {
        ran.push_back(r->prepared.request.id);
        answers.push_back({.id = r->prepared.request.id});
      }
      return answers;
    };
    batcher_ = std::make_shared<Batcher>(run, false, BatchLimits{.waiting = waiting},
                                         Executors{.soon = later, .aside = later}, metrics_);
  }

  // False where it was refused at once.
  bool submit(const std::string& id, std::shared_ptr<Client> client = {},
              std::shared_ptr<const std::atomic<bool>> given_up = {}) {
    auto request = std::make_unique<WaitingRequest>();
    request->prepared.request.id = id;
    request->prepared.request.client = std::move(client);
    request->prepared.request.given_up = std::move(given_up);
    request->done = [this, id](const Outcome& outcome) {
      if (std::exchange(cannot_tell, false)) throw std::bad_alloc();
      told.push_back(id);
      const auto* refusal = std::get_if<Refusal>(&outcome);
      if (refusal) refused.push_back(id);
      if (refusal && refusal->shortage()) short_of = *refusal->shortage();
    };
    try {
      batcher_->submit(std::move(request));
    } catch (const Refusal& refusal) {
      short_of = refusal.shortage().value();
      return false;
    }
    return true;
  }

  void work() {
    while (!work_.empty()) {
      const auto next = std::move(work_.front());
      work_.pop_front();
      next();
    }
  }

  std::vector<std::string> ran, told, refused;
  bool no_memory = false, run_throws = false, cannot_tell = false;  // once
  Shortage short_of = Shortage::ending;

 private:
  std::deque<std::function<void()>> work_;
  const std::shared_ptr<ModelMetrics> metrics_ = std::make_shared<ModelMetrics>();
  std::shared_ptr<Batcher> batcher_;
};

using Names = std::vector<std::string>;

// A client with an address of its own that has asked so often.
std::shared_ptr<Client> client_after(int requests) {
  auto client = std::make_shared<Client>(std::make_shared<AddressUse>(), Clock::now());
  for (int i = 0; i < requests; ++i) client->line_up(1e-3, Clock::now());
  return client;
}

TEST(Batcher, RequestsOfEqualsRunAsTheyCome) {
  Line line(8);
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(line.submit(id));
  line.work();
  EXPECT_EQ(line.ran, (Names{"a", "b", "c"}));
}

TEST(Batcher, ClientsThatAskedLessGoFirst) {
  Line line(8);
  const auto busy = client_after(100), quiet = client_after(10), fresh = client_after(0);
  line.submit("busy 1", busy);
  line.submit("quiet", quiet);
  line.submit("busy 2", busy);
  line.submit("fresh", fresh);
  line.work();
  EXPECT_EQ(line.ran, (Names{"fresh", "quiet", "busy 1", "busy 2"}));
}

TEST(Batcher, AFullLineRefusesItsLast) {
  Line line(2);
  const auto busy = client_after(100), busier = client_after(200), quiet = client_after(0);
  EXPECT_TRUE(line.submit("busy 1", busy));
  EXPECT_TRUE(line.submit("busy 2", busy));
  EXPECT_FALSE(line.submit("busier", busier));
  EXPECT_EQ(line.short_of, Shortage::places);
  EXPECT_TRUE(line.submit("quiet", quiet));
  EXPECT_TRUE(line.refused.empty()) << "told while another connection reads";
  line.work();
  EXPECT_EQ(line.ran, (Names{"quiet", "busy 1"}));
  EXPECT_EQ(line.refused, (Names{"busy 2"}));
  EXPECT_EQ(line.short_of, Shortage::overtaken);
}

TEST(Batcher, OneConnectionCannotHoldTheLine) {
  Line line(4);
  const auto greedy = client_after(0);
  int taken = 0;
  for (int i = 0; i < 10; ++i) taken += line.submit("greedy", greedy);
  EXPECT_EQ(taken, 4);
  // Each request in line counts for those behind it.
  EXPECT_TRUE(line.submit("fresh", client_after(0)));
  EXPECT_TRUE(line.submit("fresh too", client_after(0)));
  line.work();
  EXPECT_EQ(line.ran, (Names{"greedy", "fresh", "fresh too", "greedy"}));
}

TEST(Batcher, RequestsThatWereGivenUpDoNotRun) {
  Line line(8);
  const auto given_up = std::make_shared<std::atomic<bool>>(false);
  line.submit("a", {}, given_up);
  line.submit("b");
  *given_up = true;
  line.work();
  EXPECT_EQ(line.ran, (Names{"b"}));
  EXPECT_EQ(line.refused, (Names{"a"}));
}

TEST(Batcher, GoesOnAfterARunThatThrowsAnything) {
  Line line(8);
  line.run_throws = true;
  for (const char* id : {"a", "b"}) line.submit(id);
  line.work();
  line.submit("c");
  line.work();
  EXPECT_EQ(line.told, (Names{"a", "b", "c"}));
  EXPECT_EQ(line.refused, (Names{"a"}));
}

TEST(Batcher, TellsAnErrorWhereAnAnswerCannotBeTold) {
  Line line(8);
  line.cannot_tell = true;
  for (const char* id : {"a", "b"}) line.submit(id);
  line.work();
  EXPECT_EQ(line.told, (Names{"a", "b"}));
  EXPECT_EQ(line.refused, (Names{"a"}));
}

TEST(Batcher, RunsOnItsThreadWhereTheNextTurnCannotBeScheduled) {
  Line line(8);
  for (const char* id : {"a", "b"}) line.submit(id);
  line.no_memory = true;
  line.work();
  EXPECT_EQ(line.ran, (Names{"a", "b"}));
}

TEST(Batcher, ARequestThatCannotBeScheduledIsNotInLine) {
  Line line(8);
  line.no_memory = true;
  EXPECT_THROW(line.submit("a"), std::bad_alloc);
  EXPECT_TRUE(line.submit("b"));
  line.work();
  EXPECT_EQ(line.ran, (Names{"b"}));
  EXPECT_EQ(line.told, (Names{"b"}));
}

TEST(Batcher, ARequestKeepsItsPlaceWhereItsRefusalCannotBeTold) {
  Line line(1);
  EXPECT_TRUE(line.submit("busy", client_after(100)));
  line.no_memory = true;
  EXPECT_THROW(line.submit("quiet", client_after(0)), std::bad_alloc);
  line.work();
  EXPECT_EQ(line.told, (Names{"busy"}));
  EXPECT_TRUE(line.refused.empty());
}

}  // namespace
}  // namespace cantik::serve
