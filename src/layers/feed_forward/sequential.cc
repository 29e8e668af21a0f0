// One after the other.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct SequentialLayer : NamedLayer {
  std::vector<Activation> layers;

  static constexpr auto fields() {
    return list(option("layers", &SequentialLayer::layers, "functions of one argument").required());
  }
};

Function make_sequential(const SequentialLayer& o) {
  return network("keep", o.name, [&](Variable x) {
    for (const Activation& f : o.layers) x = f(x);
    return x;
  });
}

}  // namespace

CANTIK_LAYERS(sequential) { layers.add("sequential", make_sequential).doc("One layer after the other."); }

}  // namespace cantik::layers
