// Threads that load operator libraries while others build, run, differentiate, train and save networks of
// their operators.
//   threads EXAMPLE NNVM RELEASE_1
#include <cantik/cantik.h>
#include <cantik/native.h>

#include <barrier>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cantik;

namespace {

#define EXPECT(what) \
  if (!(what)) throw std::runtime_error(std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " #what)

constexpr int kRounds = 20;
constexpr size_t kOperators = 16;  // of the example
const std::vector<float> kNumbers{-1, 0.5f, 2, 3, -4, 0.25f};

Variable numbers() { return input({3}, {.needs_gradient = true}); }
Value fed() { return Value::batch<float>({2, 3}, kNumbers); }

bool is_near(const Value& v, const std::function<double(double)>& f) {
  for (size_t i = 0; i < kNumbers.size(); ++i)
    if (std::fabs(v.data.at(static_cast<int64_t>(i)) - f(kNumbers[i])) > 1e-4) return false;
  return true;
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// Of the libraries, each thread loads its own, in an order of its own: the first that comes registers it, the
// others find it.
void use_example(const std::string& path) {
  EXPECT(load_operators(path).size() == kOperators);
  Variable x = numbers();
  Function f = call("swish", {x}, {{"beta", 1.0}});
  EXPECT(is_near(f.eval({{x, fed()}}), [](double v) { return v * sigmoid_of(v); }));
  EXPECT(is_near(f.grad({{x, fed()}}, {x})[0],
                 [](double v) { return sigmoid_of(v) * (1 + v * (1 - sigmoid_of(v))); }));
  Function sums = call("running_sum", {f}), again = Function::from_bytes(sums.to_bytes());
  Value y = sums.eval({{x, fed()}}), z = again.eval({{again.arguments()[0], fed()}});
  for (int64_t i = 0; i < 6; ++i) EXPECT(y.data.at(i) == z.data.at(i));
}

void train_example(const std::string& path) {
  EXPECT(load_operators(path).size() == kOperators);
  Variable x = numbers(), w = parameter({3}, Initializer(0.5));
  Function loss = reduce_sum(square(call("rms_norm", {element_times(x, w)}) - call("swish", {x})));
  Trainer trainer({}, loss, {sgd({w}, TrainingParameterSchedule(0.05))});
  double first = 0;
  for (int i = 0; i < 10; ++i) {
    trainer.train_minibatch({{x, fed()}});
    if (i == 0) first = trainer.previous_minibatch_loss_average();
  }
  EXPECT(trainer.previous_minibatch_loss_average() < first);
}

void use_native(const std::string& path) {
  load_operators(path);
  static std::once_flag once;
  std::call_once(once, [&] { register_native_function("product", path, "CreateUserTimesFunction"); });
  Variable x = numbers(), w = parameter({3, 3}, Initializer(2));
  Function f = native_function("product", {w, x});
  const Value y = f.eval({{x, fed()}});
  for (int64_t i = 0; i < 6; ++i) EXPECT(y.data.at(i) == (i < 3 ? 3.0 : -1.5));
  const Value dw = f.grad({{x, fed()}}, {w})[0];  // sums of the columns of x: 2, -3.5, 2.25
  for (int64_t i = 0; i < 9; ++i) EXPECT(dw.data.at(i) == (i < 3 ? 2.0 : i < 6 ? -3.5 : 2.25));
}

void use_nnvm(const std::string& path) {
  load_operators(path);
  Variable x = numbers();
  Function f = call("mxnet.squared", {x});
  EXPECT(is_near(f.eval({{x, fed()}}), [](double v) { return v * v; }));
  EXPECT(is_near(f.grad({{x, fed()}}, {x})[0], [](double v) { return 2 * v; }));
  EXPECT(is_near(call("mxnet.shifted", {x}, {{"more", "by=2.5"}}).eval({{x, fed()}}),
                 [](double v) { return v + 2.5; }));
}

void use_release_1(const std::string& path) {
  load_operators(path);
  Variable x = numbers();
  Function gate = call("first_gate", {x});
  EXPECT(is_near(gate.eval({{x, fed()}}), [](double v) { return v * sigmoid_of(v); }));
  EXPECT(is_near(gate.grad({{x, fed()}}, {x})[0],
                 [](double v) { return sigmoid_of(v) * (1 + v * (1 - sigmoid_of(v))); }));
  EXPECT(is_near(call("first_double", {x}).eval({{x, fed()}}), [](double v) { return 2 * v; }));
  const Value sum = call("first_sum", {x}).eval({{x, fed()}});
  EXPECT(sum.data.at(0) == 1.5 && sum.data.at(1) == -0.75);
}

// Who asks for an operator while libraries are being loaded finds all of it or an error that names it.
void ask_early() {
  try {
    EXPECT(call("first_double", {numbers()}).outputs().size() == 1);
  } catch (const Error& e) {
    EXPECT(std::string(e.what()).find("first_double") != std::string::npos);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  const std::string example = argv[1], nnvm = argv[2], release_1 = argv[3];
  std::vector<std::function<void()>> jobs;
  for (int copies = 0; copies < 2; ++copies) {
    jobs.push_back([&] { use_example(example); });
    jobs.push_back([&] { train_example(example); });
    jobs.push_back([&] { use_native(example); });
    jobs.push_back([&] { use_nnvm(nnvm); });
    jobs.push_back([&] { use_release_1(release_1); });
    jobs.push_back(ask_early);
  }
  std::mutex mutex;
  std::vector<std::string> wrong;
  std::vector<std::thread> threads;
  std::barrier begin(static_cast<std::ptrdiff_t>(jobs.size()));
  for (const auto& job : jobs)
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      try {
        for (int i = 0; i < kRounds; ++i) job();
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex);
        wrong.push_back(e.what());
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& w : wrong) std::fprintf(stderr, "%s\n", w.c_str());
  return wrong.empty() ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
