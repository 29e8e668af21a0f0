// Looking into a network: its table and its picture, what a training step costs, whether the gradients are
// right, where infinities come from.
//
//   look [FILE FOR THE TRACE]
#include <cantik/cantik.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace cantik;

// Sequences of so many numbers each.
Value sequences(const std::vector<int64_t>& lengths) {
  std::mt19937 draw(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> numbers;
  for (const int64_t length : lengths) {
    std::vector<double>& steps = numbers.emplace_back(4 * length);
    std::ranges::generate(steps, [&] { return normal(draw); });
  }
  return Value::sequences<double>({4}, numbers);
}

int main(int argc, char** argv) try {
  using namespace cantik::layers;
  Variable x =
      input({4}, {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence(), .name = "x"});
  Function z = sequential(
      {fold(lstm(8, {.dtype = DType::float64})), dense(2, {.dtype = DType::float64, .name = "answer"})})(x);
  Function loss = reduce_sum(square(z));
  const Feeds feeds{{x, sequences({5, 2, 7})}};

  // What it is made of.
  std::printf("%s\n\n", summary(z).text().c_str());
  std::printf("%zu functions, %zu with the insides of layers\n\n", functions_of(z).size(),
              functions_of(z, -1).size());

  // What gradients cost: times by operator and memory; the trace opens in chrome://tracing or Perfetto.
  const Evaluation slope(loss, {.wrt = z.parameters()});
  Profile profile;
  for (int i = 0; i < 10; ++i) slope.run(feeds);
  profile.pause();
  std::printf("%s\n\n", profile.table().c_str());
  if (argc > 1) std::ofstream(argv[1]) << profile.trace();

  // Whether they are right: each against a central difference.
  const GradientReport report = check_gradient(loss, feeds);
  std::printf("%s\nthe gradients are %s\n\n", report.text().c_str(), report ? "right" : "wrong");

  // Where numbers get out of hand.
  Function wrong = tanh(exp(z * 1e6, "too large"));
  for (const NonFinite& n : find_non_finite(wrong, feeds))
    if (n.is_origin) std::printf("%s\n", n.text().c_str());
  return report ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
