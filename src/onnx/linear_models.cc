// ONNX's operators for linear models of tables (the domain ai.onnx.ml), which are read as several of ONNX's
// own.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
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

// x W^T + b, with a row of coefficients for each target; both are parameters.
int OnnxReader::linear_scores(const NodeRecord& n, int x) {
  const std::vector<double> w = reals_of(n, "coefficients"), b = reals_of(n, "intercepts");
  const std::vector<int64_t> dims = values_.dims(x);
  if (dims.size() != 2 || dims[1] < 1)
    throw value_error(cat(n.op, " reads a row of features for each sample"));
  const auto numbers = static_cast<int64_t>(w.size());
  const int64_t targets = numbers / dims[1];
  if (targets < 1 || targets * dims[1] != numbers || (!b.empty() && b.size() != static_cast<size_t>(targets)))
    throw value_error(cat(n.op, " has ", w.size(), " coefficients and ", b.size(), " intercepts for ",
                          dims[1], " features"));
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
  const int coefficients = weights(w, Shape{targets, dims[1]}, ".W");
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

// The label of the class with the greatest score, and all scores.
std::vector<int> OnnxReader::linear_classes(const NodeRecord& n, int x) {
  if (n.find("classlabels_strings")) throw unsupported("the labels of classes are texts");
  const AttributeRecord* labels = n.find("classlabels_ints");
  const int scores = linear_scores(n, x);
  if (!labels || static_cast<int64_t>(labels->integers.size()) != values_.dims(scores).at(1))
    throw unsupported("a linear classifier whose classes do not have a score each cannot be read");
  const int best = made("ArgMax", {scores}, {number_attribute("axis", 1), number_attribute("keepdims", 0)});
  return {made("Gather", {known_numbers(labels->integers), best}), transformed(n, scores)};
}

// (x - offset) scale, of each feature or of all.
int OnnxReader::scaled(const NodeRecord& n, int x) {
  const int64_t features = values_.dims(x).empty() ? 1 : values_.dims(x).back();
  int y = made("Cast", {x}, {number_attribute("to", kFloat)});
  for (const auto& [name, op] : {std::pair("offset", "Sub"), std::pair("scale", "Mul")}) {
    const std::vector<double> numbers = reals_of(n, name);
    if (numbers.empty()) continue;
    const auto count = static_cast<int64_t>(numbers.size());
    if (count != 1 && count != features)
      throw value_error(cat(n.op, " has ", count, " numbers for ", features, " features"));
    Tensor t(DType::float64, Shape{count});
    std::copy(numbers.begin(), numbers.end(), t.data<double>());
    ReadValue v;
    v.constant = true;
    v.variable = constant(t.cast(DType::float32));
    y = made(op, {y, values_.add(std::move(v))});
  }
  return y;
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

bool OnnxReader::linear_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (n.domain != "ai.onnx.ml") return false;
  const bool classes = n.op == "LinearClassifier", scores = n.op == "LinearRegressor";
  if (!classes && !scores && n.op != "Scaler" && n.op != "Normalizer") return false;
  if (in.empty() || in[0] < 0) throw value_error(cat(n.op, " lacks its input"));
  if (classes)
    define_all(scope, n, linear_classes(n, in[0]));
  else if (scores)
    define_all(scope, n, {transformed(n, linear_scores(n, in[0]))});
  else
    define_all(scope, n, {n.op == "Scaler" ? scaled(n, in[0]) : normalized(n, in[0])});
  return true;
}

}  // namespace cantik::onnx
