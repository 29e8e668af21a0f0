// Teams of threads, and one Function evaluated by many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cantik/function.h>
#include <cantik/learners.h>
#include <cantik/trainer.h>

#include "base/thread_pool.h"

using namespace cantik;

namespace {

Tensor random_tensor(Shape shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 0.3f);
  Tensor t(DType::float32, std::move(shape));
  for (float& x : t.span<float>()) x = normal(engine);
  return t;
}

TEST(Team, every_member_runs_every_call) {
  Team team(4);
  ASSERT_EQ(4, team.size());
  std::atomic<int> sum{0};
  for (int i = 0; i < 200; ++i) team.run([&](int member) { sum += member + 1; });
  EXPECT_EQ(200 * 10, sum.load());
}

TEST(Team, of_one_is_the_caller) {
  Team team(1);
  std::thread::id id;
  team.run([&](int) { id = std::this_thread::get_id(); });
  EXPECT_EQ(std::this_thread::get_id(), id);
}

TEST(Team, hands_an_exception_to_the_caller_and_goes_on) {
  Team team(3);
  EXPECT_THROW(team.run([&](int member) {
    if (member == 2) throw std::runtime_error("two");
  }),
               std::runtime_error);
  std::atomic<int> calls{0};
  team.run([&](int) { ++calls; });
  EXPECT_EQ(3, calls.load());
}

// A thread that the system does not let run: a signal holds it.
std::atomic<bool> held{false}, release{false};
void hold(int) {
  held = true;
  while (!release) usleep(1000);
}

TEST(Team, does_itself_what_no_worker_begins) {
  const pthread_t self = pthread_self();
  pthread_t other{};
  {
    Team team(2);
    ASSERT_EQ(2, team.size());
    for (bool came = false; !came;)  // until the worker has been quick enough
      team.run([&](int member) {
        if (member == 0)
          usleep(2000);
        else if (!pthread_equal(pthread_self(), self))
          other = pthread_self(), came = true;
      });
  }
  held = release = false;
  auto before = std::signal(SIGUSR1, hold);
  ASSERT_EQ(0, pthread_kill(other, SIGUSR1));
  while (!held) usleep(1000);
  for (int i = 0; i < 3; ++i) {  // ends while the worker is still held, or not at all
    Team team(2);
    int calls[2] = {0, 0};
    for (int k = 0; k < 5; ++k)
      team.run([&](int member) { calls[member] += pthread_equal(self, pthread_self()) ? 1 : 100; });
    EXPECT_EQ(5, calls[0]);
    EXPECT_EQ(5, calls[1]);
    EXPECT_THROW(team.run([](int member) {
      if (member == 1) throw std::runtime_error("one");
    }),
                 std::runtime_error);
  }
  release = true;
  std::signal(SIGUSR1, before);
}

TEST(Team, does_every_part_once_however_teams_come_and_go) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        Team team(3);
        for (int k = 0; k < i % 4; ++k) {
          int calls[3] = {0, 0, 0};  // written by whoever does the part, read when all are done
          team.run([&](int member) { ++calls[member]; });
          for (int m = 0; m < team.size(); ++m) wrong += calls[m] != 1;
        }
      }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(Team, nests) {
  std::atomic<int> inner{0};
  Team outer(2);
  outer.run([&](int) {
    Team team(2);
    team.run([&](int) { ++inner; });
  });
  EXPECT_EQ(4, inner.load());
}

TEST(Team, a_forked_child_has_threads_of_its_own) {
  {
    Team team(3);
    team.run([](int) {});
  }
  pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for its parent's threads is killed
    std::atomic<int> calls{0};
    Team team(3);
    team.run([&](int) { ++calls; });
    _exit(calls.load() == team.size() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Team, nobody_works_between_calls) {
  {
    Team team(4);
    team.run([](int) {});
  }
  auto used = [] {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
  };
  double before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(used() - before, 30) << "milliseconds of processor time while nothing runs";
}

struct Net {
  Variable x = input({24});
  Variable w = parameter({24, 16}, random_tensor({24, 16}, 1)), b = parameter({16}, random_tensor({16}, 2)),
           v = parameter({16, 5}, random_tensor({16, 5}, 3));
  Function y = call("times", {call("tanh", {call("plus", {call("times", {x, w}), b})}), v});
};

TEST(Concurrency, sixteen_threads_get_the_bits_of_one) {
  Net net;
  Tensor rows = random_tensor({40, 24}, 4);
  Value alone = net.y.eval({{net.x, Value::batch(rows)}});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        int64_t begin = (t + i) % 30, count = 1 + (t * i) % 10;
        Value part = net.y.eval({{net.x, Value::batch(rows.rows(begin, begin + count))}});
        if (std::memcmp(part.data.raw(), alone.data.rows(begin, begin + count).raw(), part.data.bytes()) != 0)
          ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(Concurrency, a_first_evaluation_by_many_threads) {
  for (int round = 0; round < 10; ++round) {
    Net net;
    Value rows = Value::batch(random_tensor({3, 24}, 5));
    std::vector<Value> results(8);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < results.size(); ++t)
      threads.emplace_back([&, t] { results[t] = net.y.eval({{net.x, rows}}); });
    for (std::thread& t : threads) t.join();
    for (const Value& r : results)
      EXPECT_EQ(0, std::memcmp(r.data.raw(), results[0].data.raw(), r.data.bytes()));
  }
}

// A model from a file serves all threads of a program: evaluated, printed, saved and cloned at the same time.
TEST(Concurrency, a_loaded_model_is_shared) {
  Net net;
  Value rows = Value::batch(random_tensor({5, 24}, 7));
  Value wanted = net.y.eval({{net.x, rows}});
  Function model = Function::from_bytes(net.y.to_bytes());
  std::string bytes = model.to_bytes(), text = model.text();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        Function f = t % 4 == 3 ? model.clone(CloneMethod::share) : model;
        Value v = f.eval({{f.arguments()[0], rows}});
        if (std::memcmp(v.data.raw(), wanted.data.raw(), v.data.bytes()) != 0) ++wrong;
        if (t % 4 == 1 && model.text() != text) ++wrong;
        if (t % 4 == 2 && model.to_bytes() != bytes) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(Concurrency, every_thread_trains_a_model_of_its_own) {
  std::vector<Tensor> weights(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < weights.size(); ++t)
    threads.emplace_back([&, t] {
      Net net;
      Function loss = call("reduce_sum", {call("square", {net.y})});
      Trainer trainer(net.y, loss, {adam({net.w, net.b, net.v}, 0.01, {.momentum = 0.9})});
      for (uint32_t i = 0; i < 20; ++i)
        trainer.train_minibatch({{net.x, Value::batch(random_tensor({8, 24}, i))}});
      weights[t] = Function::from_bytes(net.y.to_bytes()).parameters()[0].value().clone();
    });
  for (std::thread& t : threads) t.join();
  for (const Tensor& w : weights) EXPECT_EQ(0, std::memcmp(w.raw(), weights[0].raw(), w.bytes()));
}

// While weights are exchanged, an evaluation sees the old packed weights or the new ones, never a mixture of
// packs.
TEST(Concurrency, evaluation_while_a_parameter_changes) {
  Net net;
  Value rows = Value::batch(random_tensor({4, 24}, 6));
  net.y.eval({{net.x, rows}});
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) net.y.eval({{net.x, rows}});
  });
  for (int i = 0; i < 50; ++i) net.v.add_to_version();
  stop = true;
  reader.join();
  EXPECT_EQ(4, net.y.eval({{net.x, rows}}).rows());
}

}  // namespace
