// y = f(x) + x (He et al. 2015).
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct ResnetBlockLayer : NamedLayer {
  Activation f;

  static constexpr auto fields() {
    return list(option("f", &ResnetBlockLayer::f, "a function of one argument").required());
  }
};

Function make_resnet_block(const ResnetBlockLayer& o) {
  return network("x", o.name, [&](const Variable& x) { return Variable(call("plus", {o.f(x), x})); });
}

}  // namespace

CANTIK_LAYERS(resnet_block) {
  layers.add("resnet_block", make_resnet_block)
      .doc("y = f(x) + x (He et al. 2015, \"Deep residual learning\").");
}

}  // namespace cantik::layers
