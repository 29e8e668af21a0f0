// The native function under which CNTK's programs and files know convolutions on bits: module
// Cntk.BinaryConvolution, its attributes, one level of signs of both operands, no means. It runs as
// binary_convolve.
#include <cantik/op.h>

#include "ops/nn/convolution_geometry.h"

using namespace cantik;

namespace {

struct NativeBinaryConvolve {
  int64_t stride = 1;
  bool padding = false;
  int64_t size = 0, h = 0, w = 0, channels = 0, filters = 0;
  static constexpr auto fields() {
    using N = NativeBinaryConvolve;
    return list(field("stride", &N::stride, "of the window, along both axes"),
                field("padding", &N::padding, "whether the result is as large as the operand"),
                field("size", &N::size, "taps along each axis"), field("h", &N::h, "rows of pixels"),
                field("w", &N::w, "columns"), field("channels", &N::channels, "of the operand"),
                field("filters", &N::filters, "channels of the result"));
  }
};

// What an attribute says of a shape has to be so; 0 says nothing.
void agree(const char* name, int64_t said, int64_t is) {
  if (said != 0 && is >= 0 && said != is)
    throw shape_failure(
        std::string(name) + " is " + std::to_string(said) + ", but the operands have " + std::to_string(is),
        "leave the argument out");
}

std::vector<int64_t> padded(const NativeBinaryConvolve& a) { return {0, a.padding, a.padding}; }

constexpr auto infer_native_convolution = [](Infer& in, const NativeBinaryConvolve& a) {
  const TypeView map = in.in(0), x = in.in(1);
  if (map.has_batch())
    throw value_failure("the filters of a convolution must not have a batch axis",
                        "use a parameter or a constant");
  if (!map.shape.is_known() || !x.shape.is_known()) return in.set(in.join(1, 0, Shape::unknown()));
  if (map.shape.rank() != 4 || x.shape.rank() != 3)
    throw shape_failure(
        "the filters must have the shape [filters, channels, size, size] and the operand [channels, height, "
        "width]; they have " +
        map.shape.text() + " and " + x.shape.text());
  agree("filters", a.filters, map.shape[0]), agree("size", a.size, map.shape[2]),
      agree("size", a.size, map.shape[3]);
  agree("channels", a.channels, x.shape[0]), agree("h", a.h, x.shape[1]), agree("w", a.w, x.shape[2]);
  ConvolutionAttributes c;
  c.strides = {a.stride, a.stride}, c.auto_padding = padded(a);
  in.set(in.join(1, 0, resolve_convolution(c, map.shape, x.shape).y));
};

constexpr auto lower_native_convolution = [](Builder& b, const NativeBinaryConvolve& a) {
  std::vector<int64_t> pads = padded(a);
  Shape strides{a.stride, a.stride};
  b.result(b.call("binary_convolve", {b.x(0), b.x(1)},
                  {{"strides", strides}, {"auto_padding", pads}, {"scale", "none"}, {"map_scale", "none"}}));
};

}  // namespace

CANTIK_OP(native_binary_convolve) {
  op.attributes<NativeBinaryConvolve>(
        "native_binary_convolve(convolution_map, operand, stride=1, padding=False, size=0, h=0, w=0, "
        "channels=0, filters=0, name='')")
      .doc(
          "CNTK's native function NativeBinaryConvolveFunction: binary_convolve of the signs alone. Of n "
          "products under the window's taps inside\n"
          "the operand, d of unlike signs, the result is n - 2 d.\n"
          "convolution_map: [filters, channels, size, size]; operand: [channels, h, w].\n"
          "The sizes among the attributes are those of the operands, or 0.")
      .type(infer_native_convolution)
      .lower(lower_native_convolution)
      .cntk_native("BinaryConvolveOp", "Cntk.BinaryConvolution", "CreateBinaryConvolveFunction")
      .named("test.operands", "pb")
      .named("test.gradient", "straight through the signs, by definition")
      .sample({{2, 3, 3, 3}, {3, 5, 4}}, {.stride = 2, .padding = true, .size = 3});
}
