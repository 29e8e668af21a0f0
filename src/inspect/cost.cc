// The work and the memory that networks take.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/inspect.h>

#include "graph/node.h"
#include "graph/operator.h"

namespace cantik {
namespace {

// Numbers of a row; 0 where the shape is not known yet.
double numbers(const Variable& v) {
  const Shape& shape = v.shape();
  if (!shape.is_known()) return 0;
  double n = 1;
  for (const int64_t d : shape) n *= static_cast<double>(std::max<int64_t>(d, 0));
  return n;
}

double bytes(const Variable& v) { return numbers(v) * static_cast<double>(size_of(v.dtype())); }

// y = left . right over inner axes of k numbers: |left| |right| = |y| k^2, whatever the ranks are.
double product(const std::vector<Variable>& in, const Variable& y) {
  const double results = numbers(y);
  if (results == 0) return 0;
  if (in[0].is_sparse() || in[1].is_sparse()) return 2 * results;
  return 2 * std::sqrt(numbers(in[0]) * numbers(in[1]) * results);
}

// Filters [channels of one side, ...] meet each number of that side with all numbers of the others.
double convolution(const std::vector<Variable>& in, const Variable& met) {
  const Shape& filters = in[0].shape();
  if (!filters.is_known() || filters.rank() == 0 || filters[0] <= 0) return 0;
  return 2 * numbers(met) * numbers(in[0]) / static_cast<double>(filters[0]);
}

bool is_transposed(const Function& f) {
  for (const auto& [name, value] : f.attributes())
    if (name == "transpose") return value.integer() != 0;
  return false;
}

double operations_of(const Function& f) {
  const Operator* op = f.node()->op;
  if (!op) return 0;
  const std::vector<Variable> in = f.inputs();
  const std::string_view name = op->name;
  if (name == "times" || name == "times_transpose") return product(in, f.output());
  if (name == "convolution") return convolution(in, is_transposed(f) ? in[1] : f.output());
  if (name.starts_with("reduce_")) return numbers(in[0]);
  double total = 0;
  if (!op->expression.empty())
    for (const Variable& y : f.outputs()) total += numbers(y);
  return total;
}

}  // namespace

NetworkCost cost(const Function& network) {
  NetworkCost found;
  double values = 0;
  std::map<std::string, OperatorCost> by_name;
  for (const Function& f : functions_of(network, -1)) {
    if (f.is_block() || f.op_name() == "Combine") continue;
    OperatorCost& row = by_name[f.op_name()];
    row.op_name = f.op_name();
    ++row.functions;
    row.operations += operations_of(f);
    for (const Variable& y : f.outputs()) values += bytes(y);
  }
  for (const auto& [name, row] : by_name) {
    found.operators.push_back(row);
    found.operations += row.operations;
  }
  std::stable_sort(found.operators.begin(), found.operators.end(),
                   [](const OperatorCost& a, const OperatorCost& b) { return a.operations > b.operations; });
  double kept = 0;
  for (const Variable& v : network.inputs())
    if (v.is_parameter() || v.is_constant()) kept += bytes(v);
  found.parameter_bytes = static_cast<int64_t>(kept);
  found.value_bytes = static_cast<int64_t>(values);
  return found;
}

}  // namespace cantik
