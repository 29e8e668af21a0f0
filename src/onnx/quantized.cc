// Operators of ONNX Runtime's domain over quantized values: each is ONNX's own between a DequantizeLinear and
// a QuantizeLinear.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
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

bool OnnxReader::quantized_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (n.domain != "com.microsoft") return false;
  if (n.op == "QuantizeLinear" ||
      n.op == "DequantizeLinear") {  // of more element types than ONNX's once were
    define_all(scope, n, {made(n.op, in, n.attributes)});
    return true;
  }
  const bool prefixed = n.op.starts_with(kPrefix);
  const std::string_view op = prefixed ? n.op.substr(kPrefix.size()) : n.op;
  if (n.op != "QGemm" && !(prefixed && (is_one_of(op, kSeveral) || is_one_of(op, kOne)))) return false;
  define_all(scope, n, quantized(n, in));
  return true;
}

}  // namespace cantik::onnx
