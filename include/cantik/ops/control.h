// What graphs are made of: names, types, gradients that stop, states. Written by tools/generate from
// src/ops/control/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// The operand, under another name.
//
// y = x, under another name.
CANTIK_API Function alias(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The result is input; ref, a parameter or constant, has that value when the run is over. What reads ref in
// the same run sees the old value.
CANTIK_API Function assign(const Variable& ref, const Variable& input, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// The same numbers in another element type, rounded to it. The gradient is cast back.
// dtype: element type of the result
CANTIK_API Function cast(const Variable& node_input, DType dtype, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// Options of custom_proxy_op().
struct CustomProxyOpOptions {
  // name of the operator it stands for
  std::string custom_op = "";
  // of its result
  Shape output_shape = {};
  // element type of its result
  DType output_data_type = DType::float32;
  // of the function
  std::string name = {};
};

// Stands for an operator of another program, such as one on quantised parameters: a network with it can be
// built, saved and loaded, and cannot be evaluated.
CANTIK_API Function custom_proxy_op(const std::vector<Variable>& operands,
                                    const CustomProxyOpOptions& options = {},
                                    SourceLocation where = SourceLocation::current());

// x with the dynamic axes of dynamic_axes_as: as it is where they are the same; once for each sample or step
// where x has fewer; step for step where both are sequences of the same lengths, or x of one step each.
CANTIK_API Function reconcile_dynamic_axes(const Variable& x, const Variable& dynamic_axes_as,
                                           const std::string& name = {},
                                           SourceLocation where = SourceLocation::current());

// The operand as it is; what stands below it gets no gradient from here.
//
// y = x, without a gradient.
CANTIK_API Function stop_gradient(const Variable& input, const std::string& name = {},
                                  SourceLocation where = SourceLocation::current());

}  // namespace cantik
