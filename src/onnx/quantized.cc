// Operators of ONNX Runtime's domain over quantized values: each is ONNX's own between a DequantizeLinear and
// a QuantizeLinear, or what its weights are as real numbers.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/recurrence.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

constexpr std::string_view kPrefix = "QLinear";
constexpr std::string_view kSeveral[] = {"Add", "Mul", "Concat"};
constexpr std::string_view kOne[] = {"Sigmoid", "LeakyRelu", "Softmax", "AveragePool", "GlobalAveragePool"};

bool is_one_of(std::string_view name, const auto& names) {
  for (std::string_view s : names)
    if (s == name) return true;
  return false;
}

// Weights of whole numbers [directions, columns, rows] as real ones [directions, rows, columns]. Scales and
// zero points are one for each direction, or one for each row; without zero points they are 0.
Tensor dequantized(const Tensor& whole, const Tensor& scale, const Tensor& zero) {
  const Shape& s = whole.shape();
  const bool by_rows = s.rank() == 3 && scale.shape() == Shape{s[0], s[2]};
  if (s.rank() != 3 || (!by_rows && !(scale.shape() == Shape{s[0]})) ||
      (zero.defined() && !(zero.shape() == scale.shape())))
    throw value_error(
        cat("quantized weights of the shape ", s.text(), " have scales of the shape ", scale.shape().text()));
  Tensor y(DType::float64, Shape{s[0], s[2], s[1]});
  for (int64_t d = 0; d < s[0]; ++d)
    for (int64_t r = 0; r < s[2]; ++r) {
      const int64_t at = by_rows ? d * s[2] + r : d;
      const double step = scale.at(at), none = zero.defined() ? zero.at(at) : 0;
      for (int64_t c = 0; c < s[1]; ++c)
        y.data<double>()[(d * s[2] + r) * s[1] + c] = (whole.at((d * s[1] + c) * s[2] + r) - none) * step;
    }
  return y.cast(DType::float32);
}

// The attributes that ONNX's own operator has, too.
std::vector<AttributeRecord> own_attributes(const NodeRecord& n) {
  std::vector<AttributeRecord> list;
  for (const AttributeRecord& a : n.attributes) {
    if (a.name == "channels_last" && a.integer != 0)
      throw unsupported(cat(n.op, " with the channels as the last axis cannot be read"));
    if (a.name != "channels_last" && a.name != "opset") list.push_back(a);
  }
  return list;
}

}  // namespace

// A whole number as a real one, less its zero point if there is one.
int OnnxReader::centred(int whole, int zero) {
  AttributeRecord to;
  to.name = "to";
  to.kind = AttributeRecord::Kind::integer;
  to.integer = kFloat;
  const int number = made("Cast", {whole}, {to});
  return zero < 0 ? number : made("Sub", {number, made("Cast", {zero}, {to})});
}

std::vector<int> OnnxReader::quantized(const NodeRecord& n, const std::vector<int>& in) {
  auto at = [&](size_t i) {
    if (i >= in.size() || in[i] < 0) throw value_error(cat(n.op, " lacks its input ", i));
    return in[i];
  };
  auto there = [&](size_t i) { return i < in.size() ? in[i] : -1; };
  // a value, its scale and its zero point
  auto real = [&](size_t i) { return made("DequantizeLinear", {at(i), at(i + 1), there(i + 2)}); };
  auto whole = [&](int y, size_t i) { return made("QuantizeLinear", {y, at(i), there(i + 1)}); };
  if (n.op == "QGemm") return {quantized_product(n, in)};
  const std::string_view op = n.op.substr(kPrefix.size());
  if (op == "Concat") {
    int y = real(2);
    for (size_t i = 5; i < in.size(); i += 3) y = made("Concat", {y, real(i)}, own_attributes(n));
    return {whole(y, 0)};
  }
  if (op == "Add") return {whole(made("Add", {real(0), real(3)}), 6)};
  if (op == "Mul") {  // the scales are multiplied first: an operand by itself may be too large for float32
    const int y = made("Mul", {centred(at(0), there(2)), centred(at(3), there(5))});
    return {whole(made("Mul", {y, made("Mul", {at(1), at(4)})}), 6)};
  }
  return {whole(made(op, {real(0)}, own_attributes(n)), 3)};
}

// alpha A B + C, of whole numbers, which float32 holds exactly; C has the scale of the product.
int OnnxReader::quantized_product(const NodeRecord& n, const std::vector<int>& in) {
  if (in.size() < 6) throw value_error(cat(n.op, " lacks an input"));
  for (size_t i : {0, 1, 3, 4})
    if (in[i] < 0) throw value_error(cat(n.op, " lacks its input ", i));
  auto there = [&](size_t i) { return i < in.size() ? in[i] : -1; };
  std::vector<AttributeRecord> turns;
  for (const AttributeRecord& a : n.attributes)
    if (a.name == "transA" || a.name == "transB")
      turns.push_back(a);
    else if (a.name == "alpha" && a.real != 1)
      throw unsupported(cat(n.op, " with the factor ", a.real, " cannot be read"));
  auto operand = [&](size_t i) { return centred(in[i], in[i + 2]); };
  int y = made("Gemm", {operand(0), operand(3), there(6) < 0 ? -1 : centred(there(6), -1)}, turns);
  y = made("Mul", {y, made("Mul", {in[1], in[4]})});
  return there(7) < 0 ? y : made("QuantizeLinear", {y, there(7), there(8)});
}

// An LSTM with weights of whole numbers. They become real ones here, and so does the arithmetic of the steps:
// docs/dev/decisions/onnx_dynamic_quantization.md.
std::vector<int> OnnxReader::quantized_lstm(const NodeRecord& n, std::vector<int> in) {
  in.resize(std::max<size_t>(in.size(), 12), -1);
  for (size_t i : {1, 2}) {
    const size_t scale = i == 1 ? 8 : 10;
    const Tensor zero = in[scale + 1] < 0 ? Tensor() : values_.tensor(in[scale + 1]);
    ReadValue weights;
    weights.constant = true;
    weights.variable = cantik::constant(dequantized(values_.tensor(in[i]), values_.tensor(in[scale]), zero));
    in[i] = values_.add(std::move(weights));
  }
  in.resize(8);
  NodeRecord lstm = n;
  lstm.op = "LSTM";
  return read_recurrence(values_, lstm, in, closings_);
}

// A product of real numbers with whole ones: A is quantized by the least and the greatest of its numbers.
int OnnxReader::dynamic_product(const NodeRecord& n, const std::vector<int>& in) {
  auto there = [&](size_t i) { return i < in.size() ? in[i] : -1; };
  const bool quantizes = n.op == "DynamicQuantizeMatMul";
  int a = there(0), scale = there(2), zero = there(4);
  const int b = there(1), b_scale = there(quantizes ? 2 : 3), b_zero = there(quantizes ? 3 : 5),
            bias = there(quantizes ? 4 : 6);
  if (a < 0 || b < 0 || scale < 0 || b_scale < 0) throw value_error(cat(n.op, " lacks an input"));
  if (quantizes) {
    const std::vector<int> made_of_a = all_made("DynamicQuantizeLinear", {a}, 3);
    a = made_of_a[0], scale = made_of_a[1], zero = made_of_a[2];
  }
  AttributeRecord to;
  to.name = "to";
  to.kind = AttributeRecord::Kind::integer;
  to.integer = kFloat;
  const int whole = made("Cast", {made("MatMulInteger", {a, b, zero, b_zero})}, {to});
  const int y = made("Mul", {whole, made("Mul", {scale, b_scale})});
  return bias < 0 ? y : made("Add", {y, bias});
}

bool OnnxReader::quantized_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (n.domain != "com.microsoft") return false;
  if (n.op == "QuantizeLinear" ||
      n.op == "DequantizeLinear") {  // of more element types than ONNX's once were
    define_all(scope, n, {made(n.op, in, n.attributes)});
    return true;
  }
  if (n.op == "DynamicQuantizeLSTM") {
    for (size_t i : {0, 1, 2, 8, 10})
      if (i >= in.size() || in[i] < 0) throw value_error(cat(n.op, " lacks its input ", i));
    define_all(scope, n, quantized_lstm(n, in));
    return true;
  }
  if (n.op == "DynamicQuantizeMatMul" || n.op == "MatMulIntegerToFloat") {
    define_all(scope, n, {dynamic_product(n, in)});
    return true;
  }
  const bool prefixed = n.op.starts_with(kPrefix);
  const std::string_view op = prefixed ? n.op.substr(kPrefix.size()) : n.op;
  if (n.op != "QGemm" && !(prefixed && (is_one_of(op, kSeveral) || is_one_of(op, kOne)))) return false;
  define_all(scope, n, quantized(n, in));
  return true;
}

}  // namespace cantik::onnx
