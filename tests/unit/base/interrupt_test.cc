// Calls that are ended from outside: every occasion at which they ask is tried, and nothing may be half
// changed.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "temporary_path.h"

using namespace cantik;

namespace {

struct Stopped {};

// Asked at every occasion; ends the call at the occasion `at`, counted from 0.
struct EndAt {
  int64_t at = INT64_MAX, asked = 0;
  void operator()() {
    if (asked++ == at) throw Stopped();
  }
};

class Interrupted : public testing::Test {
 protected:
  void SetUp() override { Attention::set_pace({0, 0}); }
  void TearDown() override { Attention::set_pace({}); }

  // Calls f, ended at one occasion after another, until one call comes to its end; behind each that was
  // ended, check().
  template <class F, class Check>
  int64_t end_everywhere(F&& f, Check&& check) {
    for (int64_t at = 0;; ++at) {
      EndAt ask{at, 0};
      try {
        Interruption scope(ask);
        f();
        return at;
      } catch (const Stopped&) {
        check();
      }
    }
  }
};

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> all;
  for (int64_t i = 0; i < t.elements(); ++i) all.push_back(t.at(i));
  return all;
}

Value batch(const Shape& shape, double first = 0.1) {
  Tensor t(DType::float32, shape);
  for (int64_t i = 0; i < t.elements(); ++i)
    t.data<float>()[i] = static_cast<float>(first + 0.01 * static_cast<double>(i % 37));
  return Value::batch(t);
}

}  // namespace

TEST_F(Interrupted, scopes_take_turns) {
  EndAt outer, inner;
  may_end(1);  // nobody is asked
  {
    Interruption a(outer);
    may_end(1);
    {
      Interruption b(inner);
      may_end(1);
      const Uninterrupted whole;
      may_end(1);
      EndAt within;
      Interruption c(within);
      may_end(1);
      EXPECT_EQ(within.asked, 0);
    }
    may_end_now();
  }
  may_end(1);
  EXPECT_EQ(outer.asked, 2);
  EXPECT_EQ(inner.asked, 1);
}

TEST(Interruption, asks_after_a_while) {
  EndAt ask;
  Interruption scope(ask);
  may_end(999999);
  EXPECT_EQ(ask.asked, 0);  // not even the clock was read
  for (auto begin = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200);)
    may_end(1000001);
  EXPECT_GE(ask.asked, 1);
  EXPECT_LE(ask.asked, 4);
}

TEST_F(Interrupted, a_team_that_waits_asks) {
  for (int64_t at : {0, 1, 5}) {
    EndAt ask{at, 0};
    Interruption scope(ask);
    Team team(2);
    std::atomic<bool> other_ended{false};
    EXPECT_THROW(team.run([&](int part) {
      if (part == 0) return;
      struct Ended {
        std::atomic<bool>& said;
        ~Ended() { said = true; }
      } const ended{other_ended};
      while (!team.failed()) {
        std::this_thread::yield();
        may_end(1000001);  // a busy machine leaves this part to the thread that waits
      }
    }),
                 Stopped);
    EXPECT_TRUE(other_ended || team.size() == 1);
  }
}

TEST_F(Interrupted, runs) {
  Variable x = input({40}), s = input({8}, {.axes = Axes::sequence()});
  std::vector<layers::Activation> deep;
  for (int i = 0; i < 4; ++i) deep.insert(deep.end(), {layers::dense(30), layers::batch_normalization()});
  Function dense = layers::sequential(deep)(x);
  Function loop = layers::recurrence(layers::lstm(6))(s);
  std::vector<Tensor> parts{Tensor::full(DType::float32, {5, 8}, 0.5),
                            Tensor::full(DType::float32, {3, 8}, -1)};
  struct Case {
    Function f;
    Feeds feeds;
  };
  for (const Case& c : {Case{dense, {{x, batch({300, 40})}}}, Case{loop, {{s, Value::sequences(parts)}}}})
    for (int threads : {1, 2}) {
      const std::vector<double> expected = numbers(c.f.eval(c.feeds).data);
      int64_t occasions = end_everywhere(
          [&] { EXPECT_EQ(numbers(c.f.eval(c.feeds, RunOptions{.threads = threads}).data), expected); },
          [] {});
      EXPECT_GT(occasions, 3);
      EXPECT_GT(end_everywhere([&] { c.f.grad(c.feeds, c.f.parameters()); }, [] {}), 3);
    }
}

// Parameters, running statistics, moments and counts: of a minibatch that was ended, all from before it.
TEST_F(Interrupted, training_is_whole) {
  set_fixed_random_seed(3);
  Variable x = input({6}), y = input({4});
  Function z = layers::sequential(
      {layers::dense(5), layers::batch_normalization(), layers::dropout(0.3), layers::dense(4)})(x);
  Function loss = call("cross_entropy_with_softmax", {z, y});
  std::vector<Variable> all = z.parameters(), first(all.begin(), all.begin() + 2),
                        others(all.begin() + 2, all.end());
  auto by_graph = [](const std::vector<Variable>& p, const std::vector<Variable>& g) {
    std::vector<Variable> updates;
    for (size_t i = 0; i < p.size(); ++i)
      updates.push_back(
          call("assign",
               {p[i], call("minus", {p[i], call("element_times", {constant(Tensor::scalar(0.1)), g[i]})})}));
    return combine(updates);
  };
  for (const std::vector<LearnerPtr>& learners :
       {std::vector<LearnerPtr>{momentum_sgd(first, 0.1, {.momentum = 0.9}),
                                adam(others, 0.1, {.momentum = 0.9})},
        std::vector<LearnerPtr>{universal(by_graph, all)}}) {
    Trainer trainer(z, loss, learners);
    Feeds feeds{{x, batch({30, 6})}, {y, batch({30, 4}, 0.2)}};
    trainer.train_minibatch(feeds);
    auto state = [&] {
      std::vector<double> s;
      for (const std::vector<Variable>& list : {z.parameters(), z.constants()})
        for (const Variable& v : list)
          for (double n : numbers(v.value())) s.push_back(n);
      s.push_back(static_cast<double>(trainer.total_number_of_samples_seen()));
      return s;
    };
    const std::vector<double> before = state();
    const Dictionary learned = trainer.state();
    int64_t occasions = end_everywhere([&] { trainer.train_minibatch(feeds); },
                                       [&] {
                                         EXPECT_EQ(state(), before);
                                         EXPECT_EQ(trainer.state(), learned);
                                       });
    EXPECT_GT(occasions, 3);
    EXPECT_NE(state(), before);
  }
  reset_random_seed(0);
}

TEST_F(Interrupted, files_are_whole) {
  const std::string folder = temporary_path("interrupted");
  std::filesystem::remove_all(folder);
  const std::string path = folder + "/model";
  auto model_of = [](double value) {
    Variable w = parameter({700, 700}, Initializer(value));
    return call("times", {input({700}), w});
  };
  const Function old = model_of(1), young = model_of(2);
  old.save(path);
  const std::string bytes(read_file(path).view());
  EXPECT_GT(end_everywhere([&] { young.save(path); },
                           [&] {
                             EXPECT_EQ(read_file(path).view(), bytes);
                             EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
                           }),
            1);
  EXPECT_EQ(Function::load(path).parameters()[0].value().at(5), 2);
  EXPECT_GT(end_everywhere([&] { Function::load(path); }, [] {}), 2);
  old.save(path);
  EXPECT_GT(end_everywhere([&] { young.restore(path); },
                           [&] { EXPECT_EQ(young.parameters()[0].value().at(5), 2); }),
            1);
  EXPECT_EQ(young.parameters()[0].value().at(5), 1);
  std::filesystem::remove_all(folder);
}

TEST_F(Interrupted, sources_go_on_with_what_was_not_taken) {
  const std::string path = temporary_path("interrupted.ctf");
  {
    std::ofstream file(path);
    for (int i = 0; i < 60; ++i) file << i / 3 << " |x " << i << " " << 2 * i << "\n";
  }
  for (int64_t truncated : {0, 2}) {
    auto make = [&] {
      return minibatch_source({ctf(path, {{.name = "x", .dim = 2}}, {.chunk_bytes = 100})},
                              {.max_sweeps = 2, .truncation_length = truncated});
    };
    SourcePtr source, other = make();
    // the index of the file is made here, the order with the first minibatch
    EXPECT_GE(end_everywhere([&] { source = make(); }, [] {}), 1);
    int64_t occasions = 0;
    for (Minibatch expected; (expected = other->next({.samples = 7}));) {
      Minibatch m;
      occasions += end_everywhere([&] { m = source->next({.samples = 7}); }, [] {});
      ASSERT_TRUE(m);
      EXPECT_EQ(numbers(m["x"].data), numbers(expected["x"].data));
      EXPECT_EQ(m.sweep_end, expected.sweep_end);
    }
    EXPECT_GT(occasions, 10);
  }
  std::filesystem::remove(path);
}

TEST_F(Interrupted, searches_and_first_values) {
  layers::Step step = [](Variable h, Variable symbol) {
    h = call("plus", {h, symbol});
    return std::pair(h, h);
  };
  EXPECT_GT(end_everywhere(
                [&] {
                  beam_search(step, {batch({2, 5})}, {.vocabulary = 5, .end = 1, .max_length = 4, .beam = 2});
                },
                [] {}),
            3);
  Variable w = parameter({900, 1300}, normal(1, {.seed = 5})),
           same = parameter({900, 1300}, normal(1, {.seed = 5}));
  EXPECT_GT(end_everywhere([&] { w.value(); }, [] {}), 0);
  EXPECT_EQ(numbers(w.value()), numbers(same.value()));
}
