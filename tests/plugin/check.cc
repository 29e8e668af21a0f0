// The example library from C++: loaded, used, differentiated, saved, and read again.   check LIBRARY
// write|read FILE
#include <cantik/cantik.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace cantik;

#define EXPECT(what) \
  if (!(what)) return std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what), 1

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  std::string file = argv[3];
  // a file that needs a library which is not there names the operator
  if (std::strcmp(argv[2], "unloaded") == 0) {
    try {
      Function f = Function::load(file);
      f.eval({{f.arguments()[0], Value::batch(Tensor::zeros(DType::float32, {1, 3}))}});
    } catch (const Error& e) {
      EXPECT(std::string(e.what()).find("swish") != std::string::npos ||
             std::string(e.what()).find("running_sum") != std::string::npos);
      EXPECT(std::string(e.what()).find("load_operators") != std::string::npos);
      return 0;
    }
    return std::fprintf(stderr, "a model of unknown operators was evaluated\n"), 1;
  }
  std::vector<std::vector<std::string>> loaded(4);
  std::vector<std::thread> threads;
  // all at once: one of them registers it
  for (auto& mine : loaded) threads.emplace_back([&] { mine = load_operators(argv[1]); });
  for (std::thread& t : threads) t.join();
  std::vector<std::string> names = loaded[0];
  for (const auto& mine : loaded) EXPECT(mine == names);
  EXPECT((names == std::vector<std::string>{"swish", "running_sum", "rms_norm", "sum_pool", "spread_pixels",
                                            "lagged", "distinct", "distinct_gradient", "keep_largest",
                                            "keep_largest_dx", "keep_largest_dscale", "stretch",
                                            "stretch_gradient", "vector_times", "gamma_sign", "user_times"}));
  EXPECT(load_operators(argv[1]) == names);  // again changes nothing

  Variable x = input({3}, {.needs_gradient = true});
  Function f = call("running_sum", {call("swish", {x}, {{"beta", 2.0}})});
  if (std::strcmp(argv[2], "read") == 0)
    f = Function::load(file), x = f.arguments()[0];
  else
    f.save(file);

  std::vector<float> numbers{-1, 0.5f, 2};
  Value fed = Value::batch<float>({1, 3}, numbers);
  Tensor y = f.eval({{x, fed}}).data;
  auto swish = [](double v) { return v / (1 + std::exp(-2 * v)); };
  auto slope = [](double v) {
    double s = 1 / (1 + std::exp(-2 * v));
    return s + 2 * v * s * (1 - s);
  };
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += swish(numbers[static_cast<size_t>(i)]);
    EXPECT(std::fabs(y.at(i) - sum) < 1e-6);
  }
  if (std::strcmp(argv[2], "read") == 0) return 0;
  Tensor dx = f.grad({{x, fed}}, {x})[0].data;
  for (int i = 0; i < 3; ++i)
    EXPECT(std::fabs(dx.at(i) - (3 - i) * slope(numbers[static_cast<size_t>(i)])) < 1e-5);
  try {
    call("running_sum", {input(Shape())});
    return std::fprintf(stderr, "the type rule was not asked\n"), 1;
  } catch (const Error& e) {
    EXPECT(std::string(e.what()).find("has no axis to sum along") != std::string::npos);
  }
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
