// ONNX's operators for tables (the domain ai.onnx.ml) that are read as several of ONNX's own: linear models,
// features that are scaled, normalized or filled in. The others are computed: computed/columns.cc, trees.cc,
// vectors.cc.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed/scores.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

std::vector<double> reals_of(const NodeRecord& n, std::string_view name) {
  const AttributeRecord* a = n.find(name);
  return a ? a->reals : std::vector<double>();
}

std::string_view text_of(const NodeRecord& n, std::string_view name, std::string_view otherwise) {
  const AttributeRecord* a = n.find(name);
  return a ? a->text : otherwise;
}

}  // namespace

// x W^T + b, with a row of coefficients for each target; both are parameters. `said`: how many targets there
// are if only a run knows the number of features.
int OnnxReader::linear_scores(const NodeRecord& n, int x, int64_t said) {
  const std::vector<double> w = reals_of(n, "coefficients"), b = reals_of(n, "intercepts");
  const std::vector<int64_t> dims = values_.dims(x);
  if (dims.size() != 2 || dims[1] == 0 || said < 1)
    throw value_error(cat(n.op, " reads a row of features for each sample"));
  const auto numbers = static_cast<int64_t>(w.size());
  const int64_t features = dims[1] > 0 ? dims[1] : numbers / said,
                targets = features > 0 ? numbers / features : 0;
  if (targets < 1 || targets * features != numbers ||
      (!b.empty() && b.size() != static_cast<size_t>(targets)))
    throw value_error(cat(n.op, " has ", w.size(), " coefficients and ", b.size(), " intercepts for ",
                          features, " features"));
  auto weights = [&](const std::vector<double>& values, const Shape& shape, std::string_view what) {
    Tensor t(DType::float64, shape);
    std::copy(values.begin(), values.end(), t.data<double>());
    ReadValue v;
    v.constant = true;
    v.variable =
        parameter(shape, Initializer(0.0), DType::float32, cat(n.name.empty() ? n.op : n.name, what));
    v.variable.set_value(t.cast(DType::float32));
    return values_.add(std::move(v));
  };
  const int coefficients = weights(w, Shape{targets, features}, ".W");
  const int intercepts = b.empty() ? -1 : weights(b, Shape{targets}, ".b");
  return made("Gemm", {made("Cast", {x}, {number_attribute("to", kFloat)}), coefficients, intercepts},
              {number_attribute("transB", 1)});
}

// Scores as the file asks for them.
int OnnxReader::transformed(const NodeRecord& n, int scores) {
  const std::string_view after = text_of(n, "post_transform", "NONE");
  if (after == "SOFTMAX") return made("Softmax", {scores}, {number_attribute("axis", 1)});
  if (after == "LOGISTIC") return made("Sigmoid", {scores});
  if (after == "NONE") return scores;
  throw unsupported(cat("the scores of ", n.op, " are transformed by ", after));
}

// The label of the class with the greatest score, and all scores. Of two classes there may be one score, that
// of the second: above 0 it is the second.
std::vector<int> OnnxReader::linear_classes(const NodeRecord& n, int x) {
  const std::vector<int64_t> labels = class_labels(n, "classlabels_ints");
  const auto classes = static_cast<int64_t>(labels.size());
  const auto rows = static_cast<int64_t>(reals_of(n, "intercepts").size());
  const int scores = linear_scores(n, x, rows > 0 ? rows : std::max<int64_t>(classes, 1));
  const int64_t count = values_.dims(scores).at(1);
  if (classes == 2 && count == 1) {
    const std::string_view after = text_of(n, "post_transform", "NONE");
    if (after != "NONE" && after != "LOGISTIC")
      throw unsupported(cat("one score for two classes is transformed by ", after));
    const int second = transformed(n, scores), first = made("Sub", {known_reals({1}), second});
    const int above =
        made("Cast", {made("Greater", {scores, known_reals({0})})}, {number_attribute("to", kInt64)});
    return {made("Gather", {known_numbers(labels), made("Squeeze", {above, known_numbers({1})})}),
            made("Concat", {first, second}, {number_attribute("axis", 1)})};
  }
  if (classes == 0 || classes != count)
    throw unsupported("a linear classifier whose classes do not have a score each cannot be read");
  const int best = made("ArgMax", {scores}, {number_attribute("axis", 1), number_attribute("keepdims", 0)});
  return {made("Gather", {known_numbers(labels), best}), transformed(n, scores)};
}

// (x - offset) scale, of each feature or of all.
int OnnxReader::scaled(const NodeRecord& n, int x) {
  const int64_t features = values_.dims(x).empty() ? 1 : values_.dims(x).back();
  auto fits = [&](int64_t count) { return count == 1 || features < 0 || count == features; };
  int y = made("Cast", {x}, {number_attribute("to", kFloat)});
  for (const auto& [name, op] : {std::pair("offset", "Sub"), std::pair("scale", "Mul")}) {
    const std::vector<double> numbers = reals_of(n, name);
    if (numbers.empty()) continue;
    const auto count = static_cast<int64_t>(numbers.size());
    if (!fits(count)) throw value_error(cat(n.op, " has ", count, " numbers for ", features, " features"));
    y = made(op, {y, known_reals(numbers)});
  }
  return y;
}

// A row of real numbers that does not change.
int OnnxReader::known_reals(const std::vector<double>& numbers) {
  Tensor t(DType::float64, Shape{static_cast<int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), t.data<double>());
  ReadValue v;
  v.constant = true;
  v.variable = constant(t.cast(DType::float32));
  return values_.add(std::move(v));
}

// Other numbers, for each feature or for all, where a number is missing: where it is none, or a certain one.
int OnnxReader::filled_in(const NodeRecord& n, int x) {
  const AttributeRecord *reals = n.find("imputed_value_floats"), *whole = n.find("imputed_value_int64s");
  if (reals == nullptr && whole == nullptr) throw value_error("Imputer has no numbers to fill in");
  const size_t count = reals ? reals->reals.size() : whole->integers.size();
  const int64_t features = values_.dims(x).empty() ? 1 : values_.dims(x).back();
  if (count != 1 && features >= 0 && static_cast<int64_t>(count) != features)
    throw value_error(cat("Imputer has ", count, " numbers for ", features, " features"));
  if (reals == nullptr) {
    const AttributeRecord* missing = n.find("replaced_value_int64");
    const int gap = made("Equal", {x, known_numbers({missing ? missing->integer : 0})});
    return made("Where", {gap, known_numbers(whole->integers), x});
  }
  const AttributeRecord* said = n.find("replaced_value_float");
  const double missing = said ? said->real : 0;
  const int gap = std::isnan(missing) ? made("IsNaN", {x}) : made("Equal", {x, known_reals({missing})});
  return made("Where", {gap, known_reals(reals->reals), x});
}

// Rows of which the sum of absolute values, or of squares, is 1; a row of zeros stays.
int OnnxReader::normalized(const NodeRecord& n, int x) {
  const std::string_view norm = text_of(n, "norm", "MAX");
  if (norm != "L1" && norm != "L2") throw unsupported(cat(n.op, " by ", norm, " cannot be read"));
  const int y = made("Cast", {x}, {number_attribute("to", kFloat)});
  const int length = made(norm == "L1" ? "ReduceL1" : "ReduceL2", {y, known_numbers({1})});
  ReadValue one;
  one.constant = true;
  one.variable = constant(Tensor::full(DType::float32, Shape{1, 1}, 1));
  const int ones = values_.add(std::move(one));
  const int any = made("Greater", {length, made("Sub", {ones, ones})});
  return made("Div", {y, made("Where", {any, length, ones})});
}

bool OnnxReader::table_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (n.domain != "ai.onnx.ml") return false;
  using Reads = std::vector<int> (*)(OnnxReader&, const NodeRecord&, int);
  constexpr std::pair<std::string_view, Reads> kNodes[] = {
      {"LinearClassifier", [](auto& r, auto& node, int x) { return r.linear_classes(node, x); }},
      {"LinearRegressor",
       [](auto& r, auto& node, int x) {
         const AttributeRecord* targets = node.find("targets");
         return std::vector{r.transformed(node, r.linear_scores(node, x, targets ? targets->integer : 1))};
       }},
      {"Scaler", [](auto& r, auto& node, int x) { return std::vector{r.scaled(node, x)}; }},
      {"Normalizer", [](auto& r, auto& node, int x) { return std::vector{r.normalized(node, x)}; }},
      // a column of scores for each class, in the order of the labels
      {"ZipMap", [](auto& r, auto&, int x) { return std::vector{r.made("Identity", {x})}; }},
      {"Imputer", [](auto& r, auto& node, int x) { return std::vector{r.filled_in(node, x)}; }},
  };
  const auto* at =
      std::find_if(std::begin(kNodes), std::end(kNodes), [&](const auto& k) { return k.first == n.op; });
  if (at == std::end(kNodes)) return false;
  if (in.empty() || in[0] < 0) throw value_error(cat(n.op, " lacks its input"));
  define_all(scope, n, at->second(*this, n, in[0]));
  return true;
}

}  // namespace cantik::onnx
