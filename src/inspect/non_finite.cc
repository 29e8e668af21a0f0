// Values of a network that are not finite.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <cantik/check.h>
#include <cantik/evaluation.h>
#include <cantik/inspect.h>

#include "base/text.h"

namespace cantik {
namespace {

std::optional<NonFinite> bad_numbers(const Variable& v, const Value& value) {
  const Tensor& t = value.data;
  if (t.dtype() != DType::float32 && t.dtype() != DType::float64 && t.dtype() != DType::float16) return {};
  NonFinite found{v};
  int64_t first = -1;
  for (int64_t i = 0; t.raw() && i < t.stored(); ++i) {
    const double x = t.at(i);
    if (std::isfinite(x)) continue;
    if (first < 0) first = i;
    ++(std::isnan(x) ? found.nans : found.infinities);
  }
  if (first < 0) return {};
  const int64_t row =
      value.layout && !t.is_sparse() ? std::max<int64_t>(1, v.shape().elements()) : t.stored();
  found.row = first / row;
  found.element = first % row;
  return found;
}

// Results after the operands that they are made of.
std::vector<Function> operands_first(const Function& network) {
  std::vector<Function> list;
  std::unordered_set<Function> begun, done;
  std::vector<Function> open = functions_of(network);
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    const Function f = open.back();
    if (!begun.insert(f).second) {
      open.pop_back();
      if (done.insert(f).second) list.push_back(f);
      continue;
    }
    for (const Variable& v : f.inputs())
      if (v.is_output() && !begun.count(v.owner())) open.push_back(v.owner());
  }
  std::erase_if(list, [](const Function& f) { return f.op_name() == "Combine"; });
  return list;
}

}  // namespace

std::vector<NonFinite> find_non_finite(const Function& network, const Feeds& feeds,
                                       const RunOptions& options) {
  const Function whole = network.as_composite();
  const std::vector<Function> functions = operands_first(whole);
  std::vector<Variable> results;
  for (const Function& f : functions)
    for (const Variable& v : f.outputs()) results.push_back(v);
  const std::vector<Value> values = results.empty()
                                        ? std::vector<Value>()
                                        : Evaluation(whole, {.outputs = results}).run(feeds, options).outputs;

  std::vector<NonFinite> list;
  std::unordered_set<Variable> bad;
  auto look = [&](const Variable& v, const Value& value, bool is_origin) {
    std::optional<NonFinite> found = bad_numbers(v, value);
    if (!found) return;
    found->is_origin = is_origin;
    list.push_back(std::move(*found));
    bad.insert(v);
  };
  for (const auto& [input, value] : feeds) look(input, value, true);
  for (const Variable& v : whole.inputs())
    if (v.is_parameter() || v.is_constant()) look(v, Value(v.value(), nullptr), true);
  size_t at = 0;
  for (const Function& f : functions) {
    const std::vector<Variable> in = f.inputs();
    const bool is_origin =
        std::none_of(in.begin(), in.end(), [&](const Variable& v) { return bad.count(v) != 0; });
    for (const Variable& v : f.outputs()) look(v, values[at++], is_origin);
  }
  return list;
}

std::string NonFinite::text() const {
  std::string s = variable.text() + ": ";
  if (nans) s += cat(nans, nans == 1 ? " NaN" : " NaNs");
  if (nans && infinities) s += " and ";
  if (infinities) s += cat(infinities, infinities == 1 ? " infinity" : " infinities");
  return s + cat(", first in row ", row, ", element ", element);
}

}  // namespace cantik
