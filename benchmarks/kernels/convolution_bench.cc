// Convolutions over channels-last images: forwards, back to the operand, and the kernel's gradient.
#include <cantik/op/window.h>

#include "kernels/kernel_case.h"

namespace cantik::bench {
namespace {

struct Layer {
  const char* name;
  int64_t rows, size, channels, filters, kernel, stride, groups;
  bool padded;
};

// WORKLOADS.md: mnist_convnet, resnet20_cifar; then the shapes of larger networks.
const Layer kLayers[] = {
    {"mnist_1", 8, 28, 1, 32, 5, 1, 1, true},
    {"mnist_2", 16, 13, 32, 48, 3, 1, 1, false},
    {"mnist_3", 64, 5, 48, 64, 3, 1, 1, false},
    {"resnet_3_16", 8, 32, 3, 16, 3, 1, 1, true},
    {"resnet_16", 8, 32, 16, 16, 3, 1, 1, true},
    {"resnet_16_32", 8, 32, 16, 32, 3, 2, 1, true},
    {"resnet_32", 16, 16, 32, 32, 3, 1, 1, true},
    {"resnet_32_64", 16, 16, 32, 64, 3, 2, 1, true},
    {"resnet_64", 32, 8, 64, 64, 3, 1, 1, true},
    {"projection_16_32", 16, 32, 16, 32, 1, 2, 1, false},
    {"projection_32_64", 32, 16, 32, 64, 1, 2, 1, false},
    {"pointwise_64_256", 4, 28, 64, 256, 1, 1, 1, false},
    {"large_64", 1, 56, 64, 64, 3, 1, 1, true},
    {"large_256", 1, 14, 256, 256, 3, 1, 1, true},
    {"one_image_64", 1, 8, 64, 64, 3, 1, 1, true},
    {"depthwise_32", 4, 32, 32, 32, 3, 1, 32, true},
    {"depthwise_128", 4, 14, 128, 128, 3, 1, 128, true},
    {"depthwise_64_stride_2", 4, 56, 64, 64, 3, 2, 64, true},
    {"depthwise_256", 4, 14, 256, 256, 3, 1, 256, true},
    {"depthwise_64_128", 4, 28, 64, 128, 3, 1, 64, true},
    {"valid_1", 8, 32, 1, 32, 5, 1, 1, false},
    {"valid_3_16", 8, 34, 3, 16, 3, 1, 1, false},
    {"grouped_64", 4, 16, 64, 64, 3, 1, 4, true},
};

struct Shapes {
  Window window;
  Shape x, y, w;
  explicit Shapes(const Layer& l) {
    window.kernel = {l.kernel, l.kernel}, window.stride = {l.stride, l.stride}, window.dilation = {1, 1};
    window.lower = window.upper = {0, 0}, window.automatic = {l.padded, l.padded};
    int64_t out = window.result_size(0, l.size);
    x = {l.size, l.size, l.channels}, y = {out, out, l.filters},
    w = {l.filters, l.channels / l.groups, l.kernel, l.kernel};
  }
  std::vector<NamedAttribute> attributes() const {
    return {{"kernel", window.kernel}, {"stride", window.stride}, {"dilation", window.dilation},
            {"lower", window.lower},   {"upper", window.upper},   {"automatic", window.automatic}};
  }
  // Multiplications with taps inside the image count, those with padding do not.
  double flops(const Layer& l) const {
    double taps = 0;
    int64_t padding = window.padding(0, l.size);
    for (int64_t o = 0; o < y[0]; ++o)
      for (int64_t t = 0; t < l.kernel; ++t) {
        int64_t i = o * l.stride - padding + t;
        taps += i >= 0 && i < l.size;
      }
    return 2 * taps * taps * static_cast<double>(l.channels / l.groups * l.filters * l.rows);
  }
};

void forward(benchmark::State& state, const Layer& l, bool adjoint) {
  Shapes s(l);
  std::vector<NamedAttribute> attributes = s.attributes();
  attributes.push_back({"groups", l.groups});
  attributes.push_back({"last", true});
  if (adjoint) attributes.push_back({"shape", s.x.sub(2, 3) + s.x.sub(0, 2)});  // channels first
  KernelCase run(adjoint ? "correlate_adjoint" : "correlate", {batch(adjoint ? s.y : s.x), fixed(s.w)},
                 attributes, l.rows);
  run.measure(state, s.flops(l));
}

void sums(benchmark::State& state, const Layer& l) {
  Shapes s(l);
  std::vector<NamedAttribute> attributes = s.attributes();
  attributes.push_back({"groups", l.groups});
  attributes.push_back({"shape", s.w});
  attributes.push_back({"last", true});
  KernelCase("convolution_sums", {batch(s.x), batch(s.y)}, attributes, l.rows).measure(state, s.flops(l));
}

const bool registered = [] {
  for (const Layer& l : kLayers) {
    std::string name = std::string("convolution/") + l.name;
    benchmark::RegisterBenchmark((name + "/forward").c_str(), [&l](benchmark::State& s) {
      forward(s, l, false);
    })->UseManualTime();
    benchmark::RegisterBenchmark((name + "/operand").c_str(), [&l](benchmark::State& s) {
      forward(s, l, true);
    })->UseManualTime();
    benchmark::RegisterBenchmark((name + "/kernel").c_str(), [&l](benchmark::State& s) {
      sums(s, l);
    })->UseManualTime();
  }
  return true;
}();

}  // namespace
}  // namespace cantik::bench
