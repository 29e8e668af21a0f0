// Bodies of <cantik/ops/reduce.h>. Written by tools/generate.
#include <cantik/ops/reduce.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function argmax(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("argmax", {x}, {{"axis", axis.code}}, name);
}

Function argmin(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("argmin", {x}, {{"axis", axis.code}}, name);
}

Function cumsum(const Variable& x, AxisArgument axis, bool reverse, const std::string& name,
                SourceLocation where) {
  OriginScope scope(where);
  return call("cumsum", {x}, {{"axis", axis.code}, {"reverse", reverse}}, name);
}

Function reduce_l1(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                   const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_l1", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_l2(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                   const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_l2", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_log_sum_exp(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                            const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_log_sum_exp", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_max(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                    const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_max", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_mean(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                     const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_mean", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_min(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                    const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_min", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_prod(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                     const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_prod", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_sum(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                    const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_sum", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

Function reduce_sum_square(const Variable& x, const std::vector<AxisArgument>& axis, bool keepdims,
                           const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("reduce_sum_square", {x}, {{"axis", codes(axis)}, {"keepdims", keepdims}}, name);
}

}  // namespace cantik
