// Workers as threads of one process, each with an engine of its own over TCP.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>
#include <cantik/interrupt.h>
#include <cantik/learners.h>
#include <cantik/ops.h>
#include <cantik/trainer.h>
#include <gtest/gtest.h>

#include "distributed/communicator.h"
#include "distributed/few_bits.h"
#include "distributed/tcp_engine.h"
#include "temporary_path.h"

namespace cantik {
namespace {

using Task = std::function<void(const CommunicatorPtr&)>;
using Adapter = std::function<std::unique_ptr<distributed::Engine>(std::unique_ptr<distributed::Engine>)>;

// Runs the task as each of so many workers.
void run_workers(int size, const Task& task, double silence = 4, const Adapter& adapt = {}) {
  Socket door = listen_on("127.0.0.1", 0);
  const int port = door.port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      distributed::Meeting m{.rank = rank, .size = size, .main = {"127.0.0.1", port}, .job = "test"};
      if (rank == 0) m.descriptor = door.release();
      std::unique_ptr<distributed::Engine> engine = distributed::tcp_engine(m);
      if (adapt) engine = adapt(std::move(engine));
      auto impl = std::make_unique<Communicator::Impl>(std::move(engine),
                                                       Communicator::Impl::Patience{.silence = silence});
      task(std::make_shared<Communicator>(std::move(impl)));
    });
  for (std::thread& t : threads) t.join();
}

TEST(Distributed, SumsAreInTheOrderOfRanks) {
  for (int size : {2, 3, 5}) {
    std::vector<std::vector<float>> found(static_cast<size_t>(size));
    auto number = [](int64_t rank, int64_t i) {
      return std::ldexp(static_cast<float>((i * 7919 + rank * 104729) % 1000 - 500),
                        static_cast<int>(i % 40 - 20));
    };
    run_workers(size, [&](const CommunicatorPtr& c) {
      for (int64_t n : {0, 1, 3, 3000, 70001}) {
        const Tensor a(DType::float32, {n}), b(DType::float32, {2});
        for (int64_t i = 0; i < n; ++i) a.data<float>()[i] = number(c->rank(), i);
        b.fill(1);
        const std::vector<Tensor> both{a, b};
        c->sum(both, "numbers");
        for (int64_t i = 0; i < n; ++i) {
          float sum = number(0, i);
          for (int r = 1; r < size; ++r) sum += number(r, i);
          ASSERT_EQ(a.data<float>()[i], sum);
        }
        ASSERT_EQ(b.at(1), size);
      }
    });
  }
}

TEST(Distributed, BytesGoWhereTheyBelong) {
  run_workers(3, [](const CommunicatorPtr& c) {
    const std::string own(static_cast<size_t>(c->rank() * 1000), static_cast<char>('a' + c->rank()));
    const std::vector<std::string> all = c->gather(own, "texts");
    for (size_t r = 0; r < 3; ++r) EXPECT_EQ(all[r], std::string(r * 1000, static_cast<char>('a' + r)));
    std::vector<std::string> out;
    for (int64_t to = 0; to < 3; ++to) out.push_back(std::to_string(c->rank() * 10 + to));
    const std::vector<std::string> in = c->all_to_all(out, "numbers");
    for (int64_t from = 0; from < 3; ++from)
      EXPECT_EQ(in[static_cast<size_t>(from)], std::to_string(from * 10 + c->rank()));
    const Tensor t = Tensor::full(DType::float64, {5}, static_cast<double>(c->rank()));
    c->broadcast(std::span(&t, 1), 2, "numbers");
    EXPECT_EQ(t.at(4), 2);
    c->barrier();
    EXPECT_EQ(c->exchanges(), 4);
  });
}

TEST(Distributed, AnotherExchangeIsNamed) {
  run_workers(2, [](const CommunicatorPtr& c) {
    const Tensor t = Tensor::zeros(DType::float32, {c->is_main() ? 2 : 3});
    try {
      c->sum(std::span(&t, 1), "gradients");
      FAIL();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("worker 1 exchange 1, sum of gradients, 12 bytes"),
                std::string::npos)
          << e.what();
    }
  });
}

TEST(Distributed, AWorkerThatLeavesIsNamed) {
  run_workers(3, [](const CommunicatorPtr& c) {
    c->barrier();
    if (c->rank() == 1) return;
    try {
      for (;;) c->barrier();
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).rfind("worker 1 of 3, on ", 0), 0u) << e.what();
    }
  });
}

TEST(Distributed, FewBitsLoseNothingForEver) {
  for (int bits : {1, 2, 4, 8, 16})
    run_workers(3, [bits](const CommunicatorPtr& c) {
      distributed::FewBits few(*c, bits);
      std::vector<double> sent(12), meant(12);
      const int steps = 400;
      for (int step = 0; step < steps; ++step) {
        const Tensor g(DType::float32, {3, 4});
        for (int64_t i = 0; i < 12; ++i) {
          auto of = [&](int64_t rank) {
            return std::sin(static_cast<float>(step + 5 * i + 11 * rank)) + 0.1f * static_cast<float>(i);
          };
          g.data<float>()[i] = of(c->rank());
          for (int64_t rank = 0; rank < 3; ++rank) meant[static_cast<size_t>(i)] += of(rank);
        }
        few.sum(std::span(&g, 1));
        for (int64_t i = 0; i < 12; ++i) sent[static_cast<size_t>(i)] += g.data<float>()[i];
      }
      for (size_t i = 0; i < 12; ++i)
        EXPECT_NEAR(sent[i] / steps, meant[i] / steps, bits == 1 ? 0.06 : 0.03 / bits);
    });
}

TEST(Distributed, FewBitsShowWhatDiverged) {
  for (int bits : {1, 4})
    for (const float wrong :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      run_workers(2, [&](const CommunicatorPtr& c) {
        distributed::FewBits few(*c, bits);
        const Tensor g = Tensor::full(DType::float32, {3, 4}, 1);
        if (c->rank() == 1) g.data<float>()[5] = wrong;
        few.sum(std::span(&g, 1));
        const std::span<const float> sums(g.data<float>(), 12);
        EXPECT_FALSE(std::all_of(sums.begin(), sums.end(), [](float x) { return std::isfinite(x); })) << bits;
      });
}

TEST(Distributed, GradientsOfAllWorkersUpdateEach) {
  std::vector<double> found(2);
  run_workers(2, [&](const CommunicatorPtr& c) {
    const Variable x = input({1}), w = parameter({1, 1}, 2.0);
    const Variable loss = reduce_sum(times(x, w));
    const LearnerPtr learner = data_parallel(sgd({w}, TrainingParameterSchedule(0.5, 1)), {}, c);
    Trainer trainer(Function(), loss, {learner});
    const Tensor data = Tensor::of<float>({2, 1}, {1.0f, 3.0f});
    // the second worker has nothing
    EXPECT_TRUE(trainer.train_minibatch(c->is_main() ? Feeds{{x, Value::batch(data)}} : Feeds{}));
    EXPECT_EQ(trainer.previous_minibatch_sample_count(), 2);
    EXPECT_EQ(trainer.previous_minibatch_loss_average(), 4);
    EXPECT_FALSE(trainer.train_minibatch(Feeds{}));
    found[static_cast<size_t>(c->rank())] = w.value().at(0);
  });
  EXPECT_EQ(found[0], 0);
  EXPECT_EQ(found[1], 0);
}

// A network whose gradients are worth an exchange during the backward pass, with the learner of a worker.
struct Wide {
  Variable x = input({30}), y = input({20});
  std::vector<Variable> weights;
  Variable loss;
  Wide() {
    Variable h = x;
    int64_t width = 30;
    for (int64_t next : {400, 900, 20}) {
      const Tensor w(DType::float32, {width, next});
      for (int64_t i = 0; i < w.elements(); ++i)
        w.data<float>()[i] = std::sin(static_cast<float>(i * 37 % 1009)) * 0.05f;
      weights.push_back(parameter({width, next}, 0.0));
      weights.back().set_value(w);
      h = tanh(times(h, weights.back()));
      width = next;
    }
    loss = squared_error(h, y);
  }
  // `count` samples from `first` on.
  Feeds feeds(int64_t first, int64_t count) const {
    const Tensor a(DType::float32, {count, 30}), b(DType::float32, {count, 20});
    for (int64_t i = 0; i < a.elements(); ++i)
      a.data<float>()[i] = std::cos(static_cast<float>(first * 30 + i));
    for (int64_t i = 0; i < b.elements(); ++i)
      b.data<float>()[i] = std::sin(static_cast<float>(first * 20 + i)) * 0.3f;
    return {{x, Value::batch(a)}, {y, Value::batch(b)}};
  }
};

std::string bits_of(const std::vector<Variable>& parameters) {
  std::string all;
  for (const Variable& p : parameters)
    all.append(static_cast<const char*>(p.value().raw()), p.value().bytes());
  return all;
}

// With check_nan gradients are exchanged after the run.
TEST(Distributed, ExchangeDuringTheBackwardPassChangesNoBits) {
  for (int size : {2, 3}) {
    std::vector<std::string> found;
    for (bool after : {false, true}) {
      std::vector<std::string> bits(static_cast<size_t>(size));
      run_workers(size, [&](const CommunicatorPtr& c) {
        const Wide net;
        const LearnerPtr learner = data_parallel(sgd(net.weights, TrainingParameterSchedule(0.01, 1)), {}, c);
        Trainer trainer(Function(), net.loss, {learner});
        const int64_t before = c->exchanges();
        for (int64_t step = 0; step < 6; ++step) {
          // of step 2 the first worker has nothing, of step 4 all but the first
          const bool has_data = c->is_main() ? step != 2 : step != 4;
          EXPECT_TRUE(trainer.train_minibatch(
              has_data ? net.feeds(step * 10 + c->rank(), 2 + c->rank()) : Feeds{}, {.check_nan = after}));
        }
        EXPECT_GT(c->exchanges() - before, after ? 12 : 6 * 4);
        EXPECT_FALSE(trainer.train_minibatch(Feeds{}));
        bits[static_cast<size_t>(c->rank())] = bits_of(net.weights);
      });
      for (const std::string& b : bits) EXPECT_EQ(b, bits[0]);
      found.push_back(bits[0]);
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

TEST(Distributed, AMinibatchThatFailsIsToldToTheOthers) {
  run_workers(3, [](const CommunicatorPtr& c) {
    const Wide net;
    const LearnerPtr learner = data_parallel(sgd(net.weights, TrainingParameterSchedule(0.01, 1)), {}, c);
    Trainer trainer(Function(), net.loss, {learner});
    EXPECT_TRUE(trainer.train_minibatch(net.feeds(c->rank(), 4)));
    // the main worker comes late, so that the others are in the midst of the exchange
    if (c->is_main()) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    const double begun = clock_seconds();
    auto ask = [&] {
      if (c->rank() == 1 && clock_seconds() - begun > 0.1) throw std::runtime_error("enough");
    };
    const Interruption scope(ask);
    try {
      trainer.train_minibatch(net.feeds(10 + c->rank(), 4));
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_NE(c->rank(), 1);
      EXPECT_EQ(std::string(e.what()).rfind("worker 1 of 3, on ", 0), 0u) << e.what();
      EXPECT_NE(std::string(e.what()).find("has left: it"), std::string::npos) << e.what();
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(c->rank(), 1) << e.what();
    }
    EXPECT_THROW(c->barrier(), Error);
  });
}

TEST(Distributed, GroupsExchangeByThemselves) {
  run_workers(4, [](const CommunicatorPtr& c) {
    const CommunicatorPtr even = c->sub_group({2, 0}), odd = c->sub_group({1, 3});
    const CommunicatorPtr& group = c->rank() % 2 ? odd : even;
    EXPECT_EQ(c->rank() % 2 ? even : odd, nullptr);
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->size(), 2);
    EXPECT_EQ(group->rank(), c->rank() / 2);
    EXPECT_EQ(group->current_worker(), c->current_worker());
    std::vector<double> own{static_cast<double>(c->rank())};
    group->sum(own, "ranks");
    EXPECT_EQ(own[0], c->rank() % 2 ? 4 : 2);
    const std::vector<std::string> all = group->gather(std::to_string(c->rank()), "ranks");
    EXPECT_EQ(all, (c->rank() % 2 ? std::vector<std::string>{"1", "3"} : std::vector<std::string>{"0", "2"}));
    const CommunicatorPtr one = group->sub_group({1});
    EXPECT_EQ(one != nullptr, group->rank() == 1);
    c->barrier();
    for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{}, {0, 0}, {4}, {-1}})
      EXPECT_THROW(c->sub_group(wrong), Error);
    try {
      c->sub_group({c->rank(), 3 - c->rank()});
      EXPECT_NE(c->rank(), 0);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("forming of a group of 0,3"), std::string::npos) << e.what();
    }
  });
}

// An engine whose worker fails when it is asked for a group.
class FailsInGroups final : public distributed::Engine {
 public:
  explicit FailsInGroups(std::unique_ptr<distributed::Engine> engine) : engine_(std::move(engine)) {}
  const char* name() const override { return engine_->name(); }
  int rank() const override { return engine_->rank(); }
  int size() const override { return engine_->size(); }
  bool serves_threads() const override { return engine_->serves_threads(); }
  int dead() override { return engine_->dead(); }
  const char* failure() const override { return engine_->failure(); }
  bool ends_together() const override { return engine_->ends_together(); }
  void finish(bool together) override { engine_->finish(together); }
  int part(const std::vector<int>&, std::unique_ptr<distributed::Engine>&,
           const distributed::Waiting&) override {
    throw runtime_error("no descriptor is left");
  }
  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const distributed::Waiting& waiting) override {
    return engine_->all_to_all(send, send_offsets, receive, receive_offsets, waiting);
  }
  int all_gather(char* all, const int64_t* offsets, const distributed::Waiting& waiting) override {
    return engine_->all_gather(all, offsets, waiting);
  }
  int broadcast(char* bytes, int64_t count, int root, const distributed::Waiting& waiting) override {
    return engine_->broadcast(bytes, count, root, waiting);
  }

 private:
  std::unique_ptr<distributed::Engine> engine_;
};

// The others wait for it in connections of their own, not in the engine.
TEST(Distributed, AWorkerThatIsLostWhileAGroupFormsIsNamed) {
  const Adapter fails = [](std::unique_ptr<distributed::Engine> engine) {
    return engine->rank() == 2 ? std::make_unique<FailsInGroups>(std::move(engine)) : std::move(engine);
  };
  auto task = [](const CommunicatorPtr& c) {
    try {
      c->sub_group({0, 1, 2});
      ADD_FAILURE();
    } catch (const Error& e) {
      const std::string text = e.what();
      if (c->rank() == 2) {
        EXPECT_EQ(text.rfind("no descriptor is left", 0), 0u) << text;
      } else {
        EXPECT_EQ(text.rfind("worker 2 of 3, on ", 0), 0u) << text;
        EXPECT_NE(text.find("has left: it has failed in exchange 1, forming of a group of 0,1,2"),
                  std::string::npos)
            << text;
      }
    }
    EXPECT_THROW(c->barrier(), Error);
  };
  run_workers(3, task, 4, fails);
}

TEST(Distributed, ValuesOfAllWorkersAreConcatenated) {
  run_workers(3, [](const CommunicatorPtr& c) {
    const int64_t n = c->rank();  // the first has none
    const Tensor rows = Tensor::full(DType::float32, {n, 2}, static_cast<double>(n));
    const std::vector<Tensor> all = c->concatenate(std::span(&rows, 1), "rows");
    ASSERT_EQ(all[0].shape(), (Shape{3, 2}));
    EXPECT_EQ(all[0].at(0), 1);
    EXPECT_EQ(all[0].at(2), 2);
    std::vector<int64_t> lengths(static_cast<size_t>(n + 1), n + 1);
    const std::vector<Value> values{
        Value::sequences(Tensor::full(DType::float64, {(n + 1) * (n + 1)}, 1.0), lengths),
        Value::batch(rows)};
    const std::vector<Value> together = c->concatenate(values, "values");
    EXPECT_EQ(together[0].layout->sequences(), 1 + 2 + 3);
    EXPECT_EQ(together[0].layout->length(5), 3);
    EXPECT_EQ(together[1].layout->rows(), 3);
    const Tensor other = Tensor::zeros(DType::float32, {1, c->is_main() ? 2 : 3});
    EXPECT_THROW(c->concatenate(std::span(&other, 1), "rows"), Error);
  });
}

// A linear network over one-hot samples, whose weights count how often each sample has been seen.
struct Counting {
  static constexpr int64_t kSamples = 24;
  Variable x = input({kSamples}), w = parameter({kSamples, 1}, 0.0);
  Variable wide = parameter({300, 300}, 0.0);  // exchanged during the backward pass, if it is learned
  Variable loss = reduce_sum(times(x, w)) + reduce_sum(wide);
  Trainer trainer;
  explicit Counting(const CommunicatorPtr& c, bool is_wide = false)
      : trainer(Function(), loss,
                {data_parallel(sgd(is_wide ? std::vector<Variable>{w, wide} : std::vector<Variable>{w},
                                   TrainingParameterSchedule(1.0, 1)),
                               {.elastic = true}, c)}) {}
  // Samples first, first + step, ... below last.
  Feeds feeds(int64_t first, int64_t last, int64_t step) const {
    std::vector<float> rows;
    for (int64_t i = first; i < last; i += step) {
      rows.resize(rows.size() + kSamples);
      rows[rows.size() - kSamples + static_cast<size_t>(i)] = 1;
    }
    const auto n = static_cast<int64_t>(rows.size()) / kSamples;
    return n == 0 ? Feeds{}
                  : Feeds{{x, Value::batch(Tensor::of<float>({n, kSamples}, std::span<const float>(rows)))}};
  }
};

// In a loop of the program's own: what a lost worker had of the minibatch at hand is missing, nothing else.
TEST(Distributed, OthersGoOnWithoutAWorkerThatIsLost) {
  for (int64_t lost : {0, 2})
    run_workers(3, [lost](const CommunicatorPtr& c) {
      const bool dies = c->rank() == lost;
      Counting net(c);
      for (int64_t begin = 0; begin < Counting::kSamples; begin += 6) {
        if (dies && begin == 12) return;
        EXPECT_TRUE(net.trainer.train_minibatch(net.feeds(begin + c->rank(), begin + 6, c->size())));
      }
      EXPECT_EQ(c->size(), 2);
      EXPECT_EQ(c->workers().size(), 2u);
      EXPECT_EQ(net.trainer.total_number_of_samples_seen(), 22);
      std::vector<double> missing;
      for (int64_t i = 0; i < Counting::kSamples; ++i)
        if (net.w.value().at(i) != -1) missing.push_back(static_cast<double>(i));
      EXPECT_EQ(missing,
                (std::vector<double>{12.0 + static_cast<double>(lost), 15.0 + static_cast<double>(lost)}));
    });
}

// The lost worker is missing at the checkpoint, which the others write all the same.
TEST(Distributed, ACheckpointIsSavedWithoutAWorkerThatIsLost) {
  for (int64_t lost : {0, 2}) {
    const std::string path = temporary_path("elastic.dnn");
    run_workers(3, [&](const CommunicatorPtr& c) {
      const bool dies = c->rank() == lost;
      Counting net(c);
      net.trainer.train_minibatch(net.feeds(c->rank(), 6, c->size()));
      if (dies) return;
      net.trainer.save_checkpoint(path, {{"told", uint64_t{7}}});
      EXPECT_EQ(c->size(), 2);
      net.trainer.train_minibatch(net.feeds(6 + c->rank(), 12, c->size()));
      EXPECT_EQ(net.trainer.total_number_of_samples_seen(), 12);
      EXPECT_EQ(net.trainer.restore_from_checkpoint(path).at("told").as<uint64_t>(), 7u);
      EXPECT_EQ(net.trainer.total_number_of_samples_seen(), 6);
      EXPECT_EQ(net.w.value().at(5), -1);
      EXPECT_EQ(net.w.value().at(6), 0);
    });
    for (const std::string& file : {path, path + ".ckp"}) std::remove(file.c_str());
  }
}

// One after another, until one is alone.
TEST(Distributed, TheLastWorkerGoesOnAlone) {
  for (bool is_wide : {false, true})
    run_workers(4, [is_wide](const CommunicatorPtr& c) {
      const int64_t own = c->rank();
      Counting net(c, is_wide);
      for (int64_t round = 1; round < 24; ++round) {
        if (own > 0 && round == 5 * own) return;
        net.trainer.train_minibatch(net.feeds(c->rank(), Counting::kSamples, c->size()));
      }
      EXPECT_EQ(c->size(), 1);
      EXPECT_EQ(own, 0);
    });
}

TEST(Distributed, AProcessByItselfIsAlone) {
  const CommunicatorPtr c = Communicator::world();
  EXPECT_EQ(c->size(), 1);
  EXPECT_EQ(c->engine(), "none");
  c->barrier();
  std::vector<double> numbers{1, 2};
  c->sum(std::span<double>(numbers), "numbers");
  EXPECT_EQ(numbers[1], 2);
  EXPECT_FALSE(Communicator::has_joined());
  EXPECT_THROW(c->broadcast({}, 1, "nothing"), Error);
  EXPECT_THROW(c->all_to_all({}, "nothing"), Error);
  EXPECT_THROW(c->meet_again(), Error);
  EXPECT_THROW(data_parallel(nullptr), Error);
  EXPECT_THROW(block_momentum(nullptr, {.block_size = 1}), Error);
  EXPECT_THROW(local_sgd(nullptr, {.block_size = 1}), Error);
}

}  // namespace
}  // namespace cantik
