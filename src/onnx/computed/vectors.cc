// Support vector machines (the domain ai.onnx.ml): sums of a kernel between a row and the vectors that a
// training kept.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/computed/scores.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

enum class VectorKernelKind { linear, polynomial, radial, sigmoid };

struct VectorKernel {
  VectorKernelKind kind = VectorKernelKind::linear;
  double gamma = 0, offset = 0, degree = 0;

  double operator()(const double* a, const double* b, int64_t features) const {
    double sum = 0;
    if (kind == VectorKernelKind::radial) {
      for (int64_t i = 0; i < features; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
      return std::exp(-gamma * sum);
    }
    for (int64_t i = 0; i < features; ++i) sum += a[i] * b[i];
    if (kind == VectorKernelKind::linear) return sum;
    const double x = gamma * sum + offset;
    return kind == VectorKernelKind::sigmoid ? std::tanh(x) : std::pow(x, degree);
  }
};

VectorKernel kernel_of(const ComputedNode& n) {
  constexpr std::pair<std::string_view, VectorKernelKind> kKinds[] = {{"LINEAR", VectorKernelKind::linear},
                                                                      {"POLY", VectorKernelKind::polynomial},
                                                                      {"RBF", VectorKernelKind::radial},
                                                                      {"SIGMOID", VectorKernelKind::sigmoid}};
  const std::string name = n.text("kernel_type", "LINEAR");
  const auto* at =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == name; });
  if (at == std::end(kKinds)) throw value_error(cat("support vectors have no kernel ", name));
  VectorKernel k{at->second};
  const std::vector<double> numbers = n.reals("kernel_params");
  if (numbers.size() >= 3) k.gamma = numbers[0], k.offset = numbers[1], k.degree = numbers[2];
  return k;
}

// SupportRows of numbers, kept by the training.
struct SupportRows {
  std::vector<double> numbers;
  int64_t count = 0, features = 0;

  const double* row(int64_t i) const { return numbers.data() + i * features; }
};
SupportRows rows_of(std::vector<double> numbers, int64_t count, const char* what) {
  const auto size = static_cast<int64_t>(numbers.size());
  if (count < 1 || size < count || size % count != 0)
    throw value_error(cat(size, " numbers are no ", count, " ", what));
  return {std::move(numbers), count, size / count};
}

int64_t checked_features(const Array& x, int64_t features) {
  if (x.dims.at(1) != features)
    throw value_error(cat("rows have ", x.dims[1], " features, and the vectors ", features));
  return x.dims[0];
}

int64_t known_rows(const ComputedNode& n) { return std::max<int64_t>(n.dims.at(0).at(0), -1); }

// ---- regression, and telling what lies outside: sum of w_i K(x, v_i), plus rho

Computed vector_regression(const ComputedNode& n) {
  const VectorKernel kernel = kernel_of(n);
  std::vector<double> weight = n.reals("coefficients");
  const std::vector<double> rho = n.reals("rho");
  const int64_t supports = n.integer("n_supports", 0);
  if (n.text("post_transform", "NONE") != "NONE")
    throw unsupported("the sums of support vectors are transformed");
  if (rho.empty()) throw value_error("a regression has no rho");
  // no vectors: the coefficients are those of the features
  const bool is_linear = supports == 0;
  const SupportRows vectors = is_linear ? rows_of(weight, 1, "coefficients")
                                        : rows_of(n.reals("support_vectors"), supports, "support vectors");
  if (is_linear)
    weight = {1};
  else if (static_cast<int64_t>(weight.size()) != supports)
    throw value_error(cat(weight.size(), " coefficients are given for ", supports, " support vectors"));
  const bool is_one_class = n.integer("one_class", 0) != 0;
  return {{{{known_rows(n), 1}, kFloat}}, [=](const std::vector<Array>& in) {
            const int64_t rows = checked_features(in[0], vectors.features);
            Array y = sized({rows, 1});
            for (int64_t r = 0; r < rows; ++r) {
              double sum = rho[0];
              for (int64_t i = 0; i < vectors.count; ++i)
                sum += weight[i] *
                       kernel(in[0].numbers.data() + r * vectors.features, vectors.row(i), vectors.features);
              y.numbers[r] = !is_one_class ? sum : sum > 0 ? 1 : -1;
            }
            return std::vector<Array>{y};
          }};
}

// ---- classes: a machine for each pair of them

struct PairMachines {
  VectorKernel kernel;
  SupportRows vectors;               // class by class
  std::vector<int64_t> first;        // vector of each class, and one behind
  std::vector<double> weight;        // [classes - 1, vectors]
  std::vector<double> rho;           // of each pair
  std::vector<double> slope, shift;  // of the pairs' probabilities, or none
  int64_t classes = 0;

  int64_t pairs() const { return classes * (classes - 1) / 2; }

  // Of each pair (i, j), i < j, a number that is positive for i.
  std::vector<double> decisions(const double* x) const {
    std::vector<double> k, made;
    for (int64_t v = 0; v < vectors.count; ++v) k.push_back(kernel(x, vectors.row(v), vectors.features));
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j) {
        double sum = rho[made.size()];
        for (int64_t v = first[i]; v < first[i + 1]; ++v) sum += weight[(j - 1) * vectors.count + v] * k[v];
        for (int64_t v = first[j]; v < first[j + 1]; ++v) sum += weight[i * vectors.count + v] * k[v];
        made.push_back(sum);
      }
    return made;
  }
  // The class that most pairs are for, the first of several.
  int64_t elected(const std::vector<double>& decisions) const {
    std::vector<int64_t> votes(static_cast<size_t>(classes));
    size_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j) ++votes[decisions[pair++] > 0 ? i : j];
    return std::max_element(votes.begin(), votes.end()) - votes.begin();
  }
  // The probabilities of pairs by a sigmoid of the decision, [classes, classes].
  std::vector<double> pair_probabilities(const std::vector<double>& decisions) const {
    std::vector<double> r(static_cast<size_t>(classes * classes));
    size_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        constexpr double kLeast = 1e-7;
        const double p = 1 / (1 + std::exp(decisions[pair] * slope[pair] + shift[pair]));
        r[i * classes + j] = std::clamp(p, kLeast, 1 - kLeast);
        r[j * classes + i] = 1 - r[i * classes + j];
      }
    return r;
  }
};

// Probabilities of classes from those of pairs: the p that makes the sum over pairs of (r_ji p_i - r_ij
// p_j)^2 smallest, one p after another (Wu, Lin, Weng: Probability estimates for multi-class classification
// by pairwise coupling, 2004, the second method).
std::vector<double> coupled(const std::vector<double>& r, int64_t classes) {
  const auto k = static_cast<size_t>(classes);
  std::vector<double> q(k * k), p(k, 1.0 / static_cast<double>(k)), qp(k);
  for (size_t i = 0; i < k; ++i)
    for (size_t j = 0; j < k; ++j) {
      if (i == j) continue;
      q[i * k + i] += r[j * k + i] * r[j * k + i];
      q[i * k + j] = -r[j * k + i] * r[i * k + j];
    }
  const double close = 0.005 / static_cast<double>(k);
  for (size_t round = 0; round < std::max<size_t>(100, k); ++round) {
    double whole = 0;
    for (size_t i = 0; i < k; ++i) {
      qp[i] = 0;
      for (size_t j = 0; j < k; ++j) qp[i] += q[i * k + j] * p[j];
      whole += p[i] * qp[i];
    }
    double worst = 0;
    for (double v : qp) worst = std::max(worst, std::abs(v - whole));
    if (worst < close) break;
    for (size_t i = 0; i < k; ++i) {
      const double step = (whole - qp[i]) / q[i * k + i], all = 1 + step;
      p[i] += step;
      whole = (whole + step * (step * q[i * k + i] + 2 * qp[i])) / (all * all);
      for (size_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[i * k + j]) / all;
        p[j] /= all;
      }
    }
  }
  return p;
}

PairMachines machines_of(const ComputedNode& n) {
  PairMachines m;
  m.kernel = kernel_of(n);
  std::vector<double> numbers = n.reals("support_vectors");
  m.first = {0};
  for (int64_t count : n.integers("vectors_per_class")) {
    if (count < 0 || count > static_cast<int64_t>(numbers.size()) - m.first.back())
      throw value_error(cat("a class has ", count, " vectors, and all classes ", numbers.size(), " numbers"));
    m.first.push_back(m.first.back() + count);
  }
  m.classes = static_cast<int64_t>(m.first.size()) - 1;
  m.vectors = rows_of(std::move(numbers), m.first.back(), "support vectors");
  m.weight = n.reals("coefficients");
  m.rho = n.reals("rho");
  m.slope = n.reals("prob_a");
  m.shift = n.reals("prob_b");
  if (m.classes < 2 || static_cast<int64_t>(m.weight.size()) != (m.classes - 1) * m.vectors.count ||
      static_cast<int64_t>(m.rho.size()) != m.pairs() || m.slope.size() != m.shift.size() ||
      (!m.slope.empty() && m.slope.size() != m.rho.size()))
    throw value_error(cat("the numbers of ", m.classes, " classes with ", m.vectors.count,
                          " support vectors are not whole"));
  return m;
}

// The score of two classes without probabilities, of which `d` is the second one's.
void two_scores(ScoreTransform how, double d, double* y) {
  y[0] = -d, y[1] = d;
  if (how == ScoreTransform::logistic) transform_scores(how, y, 2);
  if (how == ScoreTransform::softmax || how == ScoreTransform::softmax_zero) y[0] = 1 - d;
}

// The label and a score for each class, or for each pair of them if there are no probabilities.
Computed vector_classification(const ComputedNode& n) {
  const std::vector<int64_t> labels = class_labels(n.node, "classlabels_ints");
  if (labels.empty()) throw value_error("the classes of support vectors have no labels");
  if (n.integers("vectors_per_class").empty())
    throw unsupported("classes by coefficients without support vectors are not read");
  const PairMachines m = machines_of(n);
  if (m.classes != static_cast<int64_t>(labels.size()))
    throw value_error(cat(m.classes, " classes have ", labels.size(), " labels"));
  const ScoreTransform after = score_transform(n.text("post_transform", "NONE"), "support vectors");
  const bool has_probabilities = !m.slope.empty();
  const int64_t columns = m.classes == 2 || has_probabilities ? m.classes : m.pairs();
  const int64_t rows_known = known_rows(n);
  return {{{{rows_known}, kInt64}, {{rows_known, columns}, kFloat}}, [=](const std::vector<Array>& in) {
            const int64_t rows = checked_features(in[0], m.vectors.features);
            Array label = sized({rows}), scores = sized({rows, columns});
            for (int64_t r = 0; r < rows; ++r) {
              const std::vector<double> d = m.decisions(in[0].numbers.data() + r * m.vectors.features);
              double* to = scores.numbers.data() + r * columns;
              label.numbers[r] = static_cast<double>(labels[m.elected(d)]);
              if (m.classes == 2 && !has_probabilities) {
                two_scores(after, d[0], to);
                continue;
              }
              const std::vector<double> made =
                  has_probabilities ? coupled(m.pair_probabilities(d), m.classes) : d;
              std::copy(made.begin(), made.end(), to);
              transform_scores(after, to, columns);
            }
            return std::vector<Array>{label, scores};
          }};
}

constexpr ComputedRule kVectorRules[] = {
    {"ai.onnx.ml::SVMRegressor", "2", vector_regression, 0, 0, kAllSets},
    {"ai.onnx.ml::SVMClassifier", "2", vector_classification, 0, 0, kAllSets},
};

}  // namespace

std::span<const ComputedRule> computed_vectors() { return kVectorRules; }

}  // namespace cantik::onnx
