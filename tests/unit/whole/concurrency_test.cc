// One Function evaluated by many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include <cantik/function.h>
#include <cantik/learners.h>
#include <cantik/trainer.h>

using namespace cantik;

namespace {

Tensor random_tensor(Shape shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 0.3f);
  Tensor t(DType::float32, std::move(shape));
  for (float& x : t.span<float>()) x = normal(engine);
  return t;
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
