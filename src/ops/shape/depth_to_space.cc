// Channels become blocks of pixels, and the reverse.
#include <cantik/op.h>

#include "ops/shape/onnx_places.h"

using namespace cantik;

namespace {

struct DepthBlocks {
  int64_t block_size = 2;
  static constexpr auto fields() {
    return list(
        field("block_size", &DepthBlocks::block_size, "height and width of a block").key("blockSize"));
  }
};

Shape image(Builder& b, const DepthBlocks& a) {
  Shape x = b.x().shape();
  if (x.rank() != 3)
    throw Failure(CANTIK_RUNTIME,
                  "the operand must have the shape [channels, height, width], and has " + x.text());
  if (a.block_size < 1) throw value_failure("block_size is out of range: " + std::to_string(a.block_size));
  return x;
}

}  // namespace

CANTIK_OP(depth_to_space) {
  op.attributes<DepthBlocks>("depth_to_space(operand, block_size, name='')")
      .named("arrays", "widest")
      .doc(
          "[b * b * c, height, width] becomes [c, b * height, b * width]: the channels with equal remainder "
          "c make a block of b x b pixels.")
      .composite([](Builder& b, const DepthBlocks& a) {
        Shape x = image(b, a);
        int64_t n = a.block_size;
        if (x[0] >= 0 && (x[0] % n || x[0] / n % n))
          throw Failure(CANTIK_RUNTIME, "the number of channels must be a multiple of " + std::to_string(n) +
                                            " x " + std::to_string(n) + ", and is " + std::to_string(x[0]));
        Shape split{n, n, kInferred}, joined{kInferred};
        std::vector<int64_t> perm{2, 3, 0, 4, 1};  // [i, j, c, h, w] -> [c, h, i, w, j]
        Term y = b.call("reshape", {b.x()}, {{"shape", split}, {"begin_axis", 0}, {"end_axis", 1}});
        y = b.call("transpose", {y}, {{"perm", perm}});
        y = b.call("reshape", {y}, {{"shape", joined}, {"begin_axis", 1}, {"end_axis", 3}});
        b.result(b.call("reshape", {y}, {{"shape", joined}, {"begin_axis", 2}, {"end_axis", 4}}));
      })
      .cntk_block("DepthToSpace")
      .onnx_write("DepthToSpace",
                  [](OnnxGraph& g, const DepthBlocks& a) {
                    OnnxValue x = g.lead() == 0 ? g.unsqueeze(g.x(), {0}) : g.x();
                    if (g.lead() > 1) throw Failure(CANTIK_UNSUPPORTED, "the steps of a sequence are images");
                    OnnxValue y = g.node("DepthToSpace", {x}, {{"blocksize", a.block_size}});
                    g.result(g.lead() == 0 ? g.squeeze(y, {0}) : y);
                  })
      .onnx_read(
          "DepthToSpace",
          [](OnnxNode& n) {
            if (n.text("mode", "DCR") == "CRD") return onnx_places::channels_to_blocks(n);
            n.result(n.call("depth_to_space", {n.rows(n.x())}, {{"block_size", n.integer("blocksize")}}));
          })
      .sample({{8, 2, 3}});

  op.attributes<DepthBlocks>("space_to_depth(operand, block_size, name='')")
      .named("arrays", "widest")
      .doc(
          "[c, b * height, b * width] becomes [b * b * c, height, width]: the pixels of a block of b x b "
          "become channels.")
      .composite([](Builder& b, const DepthBlocks& a) {
        Shape x = image(b, a);
        int64_t n = a.block_size;
        if ((x[1] >= 0 && x[1] % n) || (x[2] >= 0 && x[2] % n))
          throw Failure(CANTIK_RUNTIME, "height and width must be multiples of " + std::to_string(n) +
                                            ", and are " + std::to_string(x[1]) + " and " +
                                            std::to_string(x[2]));
        Shape split{kInferred, n}, joined{kInferred};
        std::vector<int64_t> perm{2, 4, 0, 1, 3};  // [c, h, i, w, j] -> [i, j, c, h, w]
        Term y = b.call("reshape", {b.x()}, {{"shape", split}, {"begin_axis", 2}, {"end_axis", 3}});
        y = b.call("reshape", {y}, {{"shape", split}, {"begin_axis", 1}, {"end_axis", 2}});
        y = b.call("transpose", {y}, {{"perm", perm}});
        b.result(b.call("reshape", {y}, {{"shape", joined}, {"begin_axis", 0}, {"end_axis", 3}}));
      })
      .cntk_block("SpaceToDepth")
      .onnx_write("SpaceToDepth",
                  [](OnnxGraph& g, const DepthBlocks& a) {
                    OnnxValue x = g.lead() == 0 ? g.unsqueeze(g.x(), {0}) : g.x();
                    if (g.lead() > 1) throw Failure(CANTIK_UNSUPPORTED, "the steps of a sequence are images");
                    OnnxValue y = g.node("SpaceToDepth", {x}, {{"blocksize", a.block_size}});
                    g.result(g.lead() == 0 ? g.squeeze(y, {0}) : y);
                  })
      .onnx_read(
          "SpaceToDepth",
          [](OnnxNode& n) {
            if (n.text("mode", "DCR") == "CRD") return onnx_places::blocks_to_channels(n);
            n.result(n.call("space_to_depth", {n.rows(n.x())}, {{"block_size", n.integer("blocksize")}}));
          })
      .sample({{2, 4, 6}});
}
