// Bodies of <cantik/ops/control.h>. Written by tools/generate.
#include <cantik/ops/control.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function alias(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("alias", {x}, {}, name);
}

Function assign(const Variable& ref, const Variable& input, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("assign", {ref, input}, {}, name);
}

Function cast(const Variable& node_input, DType dtype, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("cast", {node_input}, {{"dtype", dtype}}, name);
}

Function custom_proxy_op(const std::vector<Variable>& operands, const CustomProxyOpOptions& options,
                         SourceLocation where) {
  OriginScope scope(where);
  return call("custom_proxy_op", operands,
              {{"custom_op", options.custom_op},
               {"output_shape", options.output_shape},
               {"output_data_type", options.output_data_type}},
              options.name);
}

Function reconcile_dynamic_axes(const Variable& x, const Variable& dynamic_axes_as, const std::string& name,
                                SourceLocation where) {
  OriginScope scope(where);
  return call("reconcile_dynamic_axes", {x, dynamic_axes_as}, {}, name);
}

Function stop_gradient(const Variable& input, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("stop_gradient", {input}, {}, name);
}

}  // namespace cantik
