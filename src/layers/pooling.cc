// The largest, or the mean, of each window; of all positions; and the largest put back where they came from.
#include <string>

#include "base/text.h"
#include "layers/block.h"

namespace cantik::layers {
namespace {

constexpr int64_t kMax = 0, kAverage = 1;

Function pooling(const char* op_name, int64_t type, const Shape& window, const PoolingOptions& o) {
  if (window.empty())
    throw value_error(cat(op_name, ": the window has no axes"))
        .remedy("give a window size for each axis of the image");
  check_least(1, window, op_name, "the window");
  Shape strides(o.strides.over(window.rank(), "strides")), pads(o.pad.over(window.rank(), "pad"));
  check_least(1, strides, op_name, "strides");
  return block(op_name, o.name, [&](const Variable& x) {
    return Variable(call("pooling", {x},
                         {{"pooling_type", type},
                          {"pooling_window_shape", window},
                          {"strides", strides},
                          {"auto_padding", pads}}));
  });
}

// An unknown window is the whole of the input.
Function global(const char* op_name, int64_t type, const std::string& name) {
  return block(op_name, name, [&](const Variable& x) {
    return Variable(call("pooling", {x},
                         {{"pooling_type", type},
                          {"pooling_window_shape", Shape{-2}},
                          {"strides", Shape{1}},
                          {"auto_padding", Shape{0}}}));
  });
}

}  // namespace

Function max_pooling(const Shape& window, const PoolingOptions& o, SourceLocation where) {
  OriginScope scope(where);
  return pooling("MaxPooling", kMax, window, o);
}

Function average_pooling(const Shape& window, const PoolingOptions& o, SourceLocation where) {
  OriginScope scope(where);
  return pooling("AveragePooling", kAverage, window, o);
}

Function global_max_pooling(const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return global("GlobalMaxPooling", kMax, name);
}

Function global_average_pooling(const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return global("GlobalAveragePooling", kAverage, name);
}

Function max_unpooling(const Shape& window, const PoolingOptions& o, SourceLocation where) {
  OriginScope scope(where);
  check_least(1, window, "MaxUnpooling", "the window");
  Shape strides(o.strides.over(window.rank(), "strides")), pads(o.pad.over(window.rank(), "pad"));
  check_least(1, strides, "MaxUnpooling", "strides");
  Variable x = placeholder("x"), y = placeholder("y"), inner_x = placeholder("x"), inner_y = placeholder("y");
  Function f = call("unpooling", {inner_x, inner_y},
                    {{"unpooling_type", kMax},
                     {"unpooling_window_shape", window},
                     {"strides", strides},
                     {"auto_padding", pads}});
  return as_block(f, {{inner_x, x}, {inner_y, y}}, "MaxUnpooling", o.name);
}

}  // namespace cantik::layers
