#include "onnx/sizes.h"

#include <algorithm>
#include <cstdlib>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::onnx {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;

int64_t checked(int64_t size) {
  if (size > kMost || size < -kMost) throw value_error(cat("arithmetic on sizes gives ", size));
  return size;
}

}  // namespace

const SizeAlgebra::Origin* SizeAlgebra::origin(int64_t symbol) const {
  const auto at = origins_.find(symbol);
  return at == origins_.end() ? nullptr : &at->second;
}

SizeAlgebra::Factors SizeAlgebra::factors(int64_t size) {
  if (!is_symbol(size)) {
    if (size <= CANTIK_ONNX_SYMBOL) return {1, {new_symbol()}};  // nothing is known of it
    return {size, {}};
  }
  const Origin* o = origin(size);
  if (!o || o->op != "Mul") return {1, {size}};
  Factors f;
  for (int64_t part : o->parts)
    if (is_symbol(part))
      f.symbols.push_back(part);
    else
      f.number = part;
  return f;
}

int64_t SizeAlgebra::of_factors(Factors f) {
  if (f.number == 0 || f.symbols.empty()) return f.number;
  if (f.number == 1 && f.symbols.size() == 1) return f.symbols[0];
  std::sort(f.symbols.begin(), f.symbols.end());
  if (f.number != 1) f.symbols.push_back(f.number);
  auto [at, fresh] = made_.try_emplace({"Mul", f.symbols}, 0);
  if (fresh) origins_[at->second = new_symbol()] = {"Mul", f.symbols};
  return at->second;
}

int64_t SizeAlgebra::product(const std::vector<int64_t>& sizes) {
  Factors all;
  for (int64_t s : sizes) {
    const Factors f = factors(s);
    if (f.number != 0 && std::abs(all.number) > kMost / std::abs(f.number))
      throw value_error("a product of sizes is far too large");
    all.number *= f.number;
    all.symbols.insert(all.symbols.end(), f.symbols.begin(), f.symbols.end());
  }
  return of_factors(std::move(all));
}

int64_t SizeAlgebra::quotient(int64_t a, int64_t b) {
  if (b == 0) throw value_error("a size is divided by 0");
  Factors left = factors(a), right = factors(b);
  for (auto at = right.symbols.begin(); at != right.symbols.end();) {
    const auto same = std::find(left.symbols.begin(), left.symbols.end(), *at);
    if (same == left.symbols.end()) {
      ++at;
      continue;
    }
    left.symbols.erase(same);
    at = right.symbols.erase(at);
  }
  if (right.symbols.empty() && right.number != 0 && left.number % right.number == 0) {
    left.number /= right.number;
    return of_factors(std::move(left));
  }
  if (left.symbols.empty() && right.symbols.empty()) return left.number / right.number;
  return named("Div", a, b);
}

int64_t SizeAlgebra::named(std::string_view op, int64_t a, int64_t b) {
  std::vector<int64_t> parts{a, b};
  if (op == "Add" || op == "Min" || op == "Max") std::sort(parts.begin(), parts.end());
  auto [at, fresh] = made_.try_emplace({std::string(op), parts}, 0);
  if (fresh) origins_[at->second = new_symbol()] = {std::string(op), parts};
  return at->second;
}

int64_t SizeAlgebra::arithmetic(std::string_view op, int64_t a, int64_t b) {
  if (op == "Mul") return product({a, b});
  if (op == "Div") return quotient(a, b);
  const bool known = !is_symbol(a) && !is_symbol(b);
  if (known) checked(a), checked(b);
  if (op == "Add") {
    if (known) return a + b;
    if (a == 0 || b == 0) return a == 0 ? b : a;
    const Origin* o = origin(a);
    if (o && o->op == "Sub" && o->parts[1] == b) return o->parts[0];
    return named(op, a, b);
  }
  if (op == "Sub") {
    if (known) return a - b;
    if (a == b) return 0;
    if (b == 0) return a;
    const Origin* o = origin(a);
    if (o && o->op == "Add" && o->parts[0] == b) return o->parts[1];
    if (o && o->op == "Add" && o->parts[1] == b) return o->parts[0];
    return named(op, a, b);
  }
  if (op == "Mod") {
    if (b == 0) throw value_error("a size is divided by 0");
    if (known) return (a % b + b) % b;
    if (b == 1 || a == b) return 0;
    return named(op, a, b);
  }
  if (op == "Min" || op == "Max") {
    if (known) return op == "Min" ? std::min(a, b) : std::max(a, b);
    return a == b ? a : named(op, a, b);
  }
  throw unsupported(cat("sizes that only a run knows are used by ", op));
}

}  // namespace cantik::onnx
