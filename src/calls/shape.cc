// Bodies of <cantik/ops/shape.h>. Written by tools/generate.
#include <cantik/ops/shape.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function crop_automatic(const Variable& node_input, const Variable& node_referent, const std::string& name,
                        SourceLocation where) {
  OriginScope scope(where);
  return call("crop_automatic", {node_input, node_referent}, {}, name);
}

Function crop_automatic_with_ancestors(const Variable& node_input, const Variable& node_referent,
                                       const Variable& ancestor_input, const Variable& ancestor_referent,
                                       const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("crop_automatic_with_ancestors", {node_input, node_referent, ancestor_input, ancestor_referent},
              {}, name);
}

Function crop_manual(const Variable& node_input, const Variable& node_referent, int64_t offset_x,
                     int64_t offset_y, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("crop_manual", {node_input, node_referent}, {{"offset_x", offset_x}, {"offset_y", offset_y}},
              name);
}

Function depth_to_space(const Variable& operand, int64_t block_size, const std::string& name,
                        SourceLocation where) {
  OriginScope scope(where);
  return call("depth_to_space", {operand}, {{"block_size", block_size}}, name);
}

Function expand_dims(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("expand_dims", {x}, {{"axis", axis.code}}, name);
}

Function eye_like(const Variable& x, bool sparse_output, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("eye_like", {x}, {{"sparse_output", sparse_output}}, name);
}

Function flatten(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("flatten", {x}, {{"axis", axis.code}}, name);
}

Function gather(const Variable& reference, const Variable& indices, AxisArgument axis,
                const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("gather", {reference, indices}, {{"axis", axis.code}}, name);
}

Function one_hot(const Variable& x, const OneHotOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("one_hot", {x},
              {{"num_classes", options.num_classes},
               {"sparse_output", options.sparse_output},
               {"axis", options.axis.code}},
              options.name);
}

Function pad(const Variable& x, const PadOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call(
      "pad", {x},
      {{"pattern", options.pattern}, {"mode", options.mode}, {"constant_value", options.constant_value}},
      options.name);
}

Function reshape(const Variable& x, const ReshapeOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("reshape", {x},
              {{"shape", options.shape},
               {"begin_axis", options.begin_axis.code},
               {"end_axis", options.end_axis.code}},
              options.name);
}

Function slice(const Variable& x, const SliceOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("slice", {x},
              {{"axis", codes(options.axis)},
               {"begin_index", options.begin_index},
               {"end_index", options.end_index},
               {"strides", options.strides}},
              options.name);
}

Function space_to_depth(const Variable& operand, int64_t block_size, const std::string& name,
                        SourceLocation where) {
  OriginScope scope(where);
  return call("space_to_depth", {operand}, {{"block_size", block_size}}, name);
}

Function splice(const std::vector<Variable>& inputs, AxisArgument axis, const std::string& name,
                SourceLocation where) {
  OriginScope scope(where);
  return call("splice", inputs, {{"axis", axis.code}}, name);
}

Function squeeze(const Variable& x, const std::vector<AxisArgument>& axes, const std::string& name,
                 SourceLocation where) {
  OriginScope scope(where);
  return call("squeeze", {x}, {{"axes", codes(axes)}}, name);
}

Function swapaxes(const Variable& x, AxisArgument axis1, AxisArgument axis2, const std::string& name,
                  SourceLocation where) {
  OriginScope scope(where);
  return call("swapaxes", {x}, {{"axis1", axis1.code}, {"axis2", axis2.code}}, name);
}

Function to_batch(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("to_batch", {x}, {}, name);
}

Function top_k(const Variable& x, int64_t k, AxisArgument axis, const std::string& name,
               SourceLocation where) {
  OriginScope scope(where);
  return call("top_k", {x}, {{"k", k}, {"axis", axis.code}}, name);
}

Function transpose(const Variable& x, const std::vector<int64_t>& perm, const std::string& name,
                   SourceLocation where) {
  OriginScope scope(where);
  return call("transpose", {x}, {{"perm", perm}}, name);
}

Function unpack_batch(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("unpack_batch", {x}, {}, name);
}

}  // namespace cantik
