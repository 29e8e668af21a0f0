// The largest, or the mean, of each window; of all positions; and the largest put back where they came from.
#include "base/text.h"
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

constexpr int64_t kMax = 0, kAverage = 1;

struct PoolingLayer : NamedLayer {
  Shape filter_shape;
  PerAxis<int64_t> strides = 1;
  PerAxis<bool> pad = false;
};

constexpr auto kWindow =
    option("filter_shape", &PoolingLayer::filter_shape, "of the window, without channels").required();
constexpr auto kStrides =
    option("strides", &PoolingLayer::strides, "from one window to the next, for each axis");
constexpr auto kPad =
    option("pad", &PoolingLayer::pad, "whether windows may reach beyond the input, for each axis");

struct PoolingFields {
  static constexpr auto fields() { return list(kWindow, kStrides, kPad.scoped()); }
};
struct UnpoolingFields {
  static constexpr auto fields() { return list(kWindow, kStrides, kPad); }
};
struct NoFields {
  static constexpr auto fields() { return list(); }
};

struct PoolingWindow {
  PoolingWindow(const char* layer, const PoolingLayer& o) {
    const int axes = o.filter_shape.rank();
    if (axes == 0)
      throw value_error(cat(layer, ": the window has no axes"))
          .remedy("give a window size for each axis of the image");
    check_least(1, o.filter_shape, layer, "the window");
    strides = Shape(o.strides.over(axes, "strides"));
    pads = Shape(o.pad.over(axes, "pad"));
    check_least(1, strides, layer, "strides");
  }
  Shape strides, pads;
};

Function pooling(const char* op_name, int64_t type, const PoolingLayer& o) {
  const PoolingWindow w(op_name, o);
  return block(op_name, o.name, [&](const Variable& x) {
    return Variable(call("pooling", {x},
                         {{"pooling_type", type},
                          {"pooling_window_shape", o.filter_shape},
                          {"strides", w.strides},
                          {"auto_padding", w.pads}}));
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

Function max_pooling(const PoolingLayer& o) { return pooling("MaxPooling", kMax, o); }
Function average_pooling(const PoolingLayer& o) { return pooling("AveragePooling", kAverage, o); }
Function global_max_pooling(const NamedLayer& o) { return global("GlobalMaxPooling", kMax, o.name); }
Function global_average_pooling(const NamedLayer& o) {
  return global("GlobalAveragePooling", kAverage, o.name);
}

Function max_unpooling(const PoolingLayer& o) {
  const PoolingWindow w("MaxUnpooling", o);
  Variable x = placeholder("x"), y = placeholder("y"), inner_x = placeholder("x"), inner_y = placeholder("y");
  Function f = call("unpooling", {inner_x, inner_y},
                    {{"unpooling_type", kMax},
                     {"unpooling_window_shape", o.filter_shape},
                     {"strides", w.strides},
                     {"auto_padding", w.pads}});
  return as_block(f, {{inner_x, x}, {inner_y, y}}, "MaxUnpooling", o.name);
}

constexpr const char* kPoolingStruct = "PoolingOptions";

}  // namespace

CANTIK_LAYERS(pooling) {
  layers.add<PoolingFields>("max_pooling", max_pooling)
      .python("MaxPooling")
      .struct_name(kPoolingStruct)
      .doc("The largest element of each window over the last axes; channels stay apart.")
      .returns("a function of one argument")
      .example("C.layers.MaxPooling((3, 3), strides=2)(C.input_variable((8, 28, 28))).shape");
  layers.add<PoolingFields>("average_pooling", average_pooling)
      .python("AveragePooling")
      .struct_name(kPoolingStruct)
      .doc("The mean of each window over the last axes; positions in the padding do not count.")
      .returns("a function of one argument")
      .example("C.layers.AveragePooling((2, 2), strides=2)(C.input_variable((1, 4, 4))).shape");
  layers.add<NoFields>("global_max_pooling", global_max_pooling)
      .python("GlobalMaxPooling")
      .doc("The largest element of each channel: [channels, ...] gives [channels, 1...].")
      .returns("a function of one argument")
      .example("C.layers.GlobalMaxPooling()(C.input_variable((3, 4, 4))).shape");
  layers.add<NoFields>("global_average_pooling", global_average_pooling)
      .python("GlobalAveragePooling")
      .doc("The mean of each channel: [channels, ...] gives [channels, 1...].")
      .returns("a function of one argument")
      .example("C.layers.GlobalAveragePooling()(C.input_variable((3, 4, 4))).shape");
  layers.add<UnpoolingFields>("max_unpooling", max_unpooling)
      .python("MaxUnpooling")
      .struct_name(kPoolingStruct)
      .doc(
          "Puts the results of a MaxPooling back where they came from: each value goes to the place of its "
          "window's maximum, 0 stands elsewhere.")
      .returns("a function of two arguments: the pooled values, and the operand of the pooling")
      .example(
          "x = C.input_variable((1, 4, 4))\n"
          "C.layers.MaxUnpooling((2, 2), strides=2)(C.layers.MaxPooling((2, 2), strides=2)(x), x).shape");
}

}  // namespace cantik::layers
