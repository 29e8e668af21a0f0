// Noise-contrastive estimation, as a block "NCE" with CNTK's inner graph.
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/initializer.h>
#include <cantik/losses.h>

#include "tensor/function_seed.h"
#include "tensor/random.h"
#include "tensor/random_sample.h"

namespace cantik {
namespace {

Variable constant_of(const std::vector<double>& numbers, Shape shape, DType dtype, const std::string& name) {
  return constant(Tensor::of<double>(std::move(shape), std::span<const double>(numbers)).cast(dtype), name);
}

void check_nce_operands(const Variable& weights, const Variable& biases, const Variable& x,
                        const Variable& labels, int64_t classes) {
  const std::string n = std::to_string(classes);
  auto wrong = [&](const char* what, const Variable& v, const std::string& wanted) {
    return value_error(std::string("nce_loss: ") + what + " must have the shape " + wanted + ", and have " +
                       v.shape().text())
        .remedy("give numbers for the " + n + " classes that noise_distribution has weights for");
  };
  auto known = [](const Variable& v) { return v.shape().is_known(); };
  if (known(weights) &&
      (weights.shape().rank() != 2 || (weights.shape()[0] >= 0 && weights.shape()[0] != classes)))
    throw wrong("the weights", weights, "[" + n + ", width]");
  if (known(biases) && biases.shape() != Shape{classes, 1} && !biases.shape().has_inferred())
    throw wrong("the biases", biases, "[" + n + ", 1]");
  if (known(labels) && labels.shape().is_static() && labels.shape() != Shape{classes})
    throw wrong("the labels", labels, "[" + n + "]");
  if (known(x) && x.shape().rank() != 1)
    throw value_error("nce_loss: the input must be a vector, and has the shape " + x.shape().text());
}

// k p(c) for each class, and its weight: k p(c) over how often it is to be expected among the k drawn.
struct Noise {
  std::vector<double> share, weight;
  double entropy = 0;
};

Noise noise_of(const std::vector<double>& given, const NceLossOptions& o, uint64_t seed) {
  Noise n;
  check_sample(o.samples, static_cast<int64_t>(given.size()), o.allow_duplicates);
  const double sum = sums_of_weights<double>(given).back();
  for (double q : given) n.share.push_back(q / sum);
  std::vector<double> expected(given.size());
  RandomStream stream(seed);
  inclusion_frequencies<double>(stream, n.share, o.samples, o.allow_duplicates, expected);
  for (size_t i = 0; i < given.size(); ++i) {
    n.weight.push_back(expected[i] > 0 ? n.share[i] / expected[i] : 0);
    if (n.share[i] > 0) n.entropy += n.share[i] * std::log(n.share[i] * static_cast<double>(o.samples));
  }
  n.entropy *= static_cast<double>(o.samples);
  return n;
}

}  // namespace

Function nce_loss(const Variable& weights, const Variable& biases, const Variable& x, const Variable& labels,
                  const std::vector<double>& noise, const NceLossOptions& o, SourceLocation where) {
  OriginScope scope(where);
  const auto classes = static_cast<int64_t>(noise.size());
  const double k = static_cast<double>(o.samples);
  check_nce_operands(weights, biases, x, labels, classes);
  const uint64_t seed = o.seed && *o.seed != kAutoSeed ? *o.seed : next_function_seed();
  const Noise n = noise_of(noise, o, seed);
  call("times_transpose", {x, weights});  // the weights learn their width; nothing reads this
  const DType dtype = x.dtype() == DType::unknown ? DType::float32 : x.dtype();
  std::vector<double> logs;
  for (double p : n.share) logs.push_back(std::log(k * p));

  Variable in = placeholder("inputs"), label = placeholder("labels");
  Variable shares = constant_of(n.share, {classes}, dtype, "noise"),
           log_shares = constant_of(logs, {classes, 1}, dtype, "logNoisePrior");
  Variable importance = constant_of(n.weight, {classes}, dtype, "importanceWeights"),
           entropy = constant(Shape(), n.entropy, dtype, "noisePriorEntropy");
  auto number = [](const Variable& v) { return Variable(call("reshape", {v}, {{"shape", Shape{}}})); };
  auto vector = [&](const Variable& v) {
    return Variable(call("reshape", {v}, {{"shape", Shape{o.samples}}}));
  };
  auto sum = [](const Variable& v) {
    return Variable(
        call("reduce_elements", {v},
             {{"axis", axis_code::kAllStatic}, {"reduction", std::string("Sum")}, {"keepdims", false}}));
  };
  auto times = [](const Variable& a, const Variable& b, const char* name) {
    return Variable(call("times", {a, b}, {}, name));
  };

  Variable drawn = call("random_sample", {shares},
                        {{"num_samples", o.samples},
                         {"allow_duplicates", o.allow_duplicates},
                         {"seed", static_cast<int64_t>(seed)}},
                        "negativeSamples");
  Variable negative = call("plus",
                           {call("times_transpose", {in, times(drawn, weights, "negativeWeights")}),
                            vector(times(drawn, biases, "negativeBiases"))},
                           {}, "negativeLogits");
  Variable positive = call("plus",
                           {sum(call("element_times", {in, times(label, weights, "positiveWeights")})),
                            number(times(label, biases, "positiveBiases"))},
                           {}, "positiveLogits");
  Variable counts = call("times_transpose", {importance, drawn}, {}, "sampledImportanceWeights");
  Variable of_noise = call("log_add_exp", {negative, vector(times(drawn, log_shares, ""))});
  Variable on_noise =
      call("element_times", {constant(Shape(), k, dtype), sum(call("element_times", {counts, of_noise}))});
  Variable on_label =
      call("minus", {call("log_add_exp", {positive, number(times(label, log_shares, ""))}), positive}, {},
           "lossOnPositives");
  Function loss = call("plus", {on_label, call("minus", {on_noise, entropy})});
  return as_block(loss, {{in, x}, {label, labels}}, "NCE", o.name);
}

}  // namespace cantik
