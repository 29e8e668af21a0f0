// Matrix products with packed weights, and the sums over rows that are the weights' gradients.
#include "kernels/kernel_case.h"

namespace cantik::bench {
namespace {

struct Sizes {
  int64_t rows, k, n;
};
const Sizes kSizes[] = {{1024, 1024, 1024}, {2048, 2048, 2048}, {256, 576, 96}, {256, 784, 200},
                        {64, 512, 512},     {32, 256, 1024},    {8, 256, 1024}, {4, 256, 1024},
                        {1, 256, 1024},     {256, 200, 10}};

void product(benchmark::State& state, const Sizes& s, DType dtype) {
  KernelCase run("product", {batch({s.k}, dtype), fixed({s.k, s.n}, dtype)}, {}, s.rows);
  run.measure(state, 2.0 * static_cast<double>(s.rows * s.k * s.n));
}

void weights(benchmark::State& state, const Sizes& s) {
  KernelCase run("row_product", {batch({s.k}), batch({s.n})}, {}, s.rows);
  run.measure(state, 2.0 * static_cast<double>(s.rows * s.k * s.n));
}

const bool registered = [] {
  for (const Sizes& s : kSizes) {
    std::string name =
        "product/" + std::to_string(s.rows) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n);
    benchmark::RegisterBenchmark((name + "/float32").c_str(), [&s](benchmark::State& b) {
      product(b, s, DType::float32);
    })->UseManualTime();
    benchmark::RegisterBenchmark((name + "/float64").c_str(), [&s](benchmark::State& b) {
      product(b, s, DType::float64);
    })->UseManualTime();
    benchmark::RegisterBenchmark((name + "/weights").c_str(), [&s](benchmark::State& b) {
      weights(b, s);
    })->UseManualTime();
  }
  return true;
}();

}  // namespace
}  // namespace cantik::bench
