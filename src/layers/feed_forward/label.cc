// y = x, under a name.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct LabelLayer {
  std::string name;

  static constexpr auto fields() { return list(option("name", &LabelLayer::name, "the name").required()); }
};

Function make_label(const LabelLayer& o) { return call("alias", {placeholder("x")}, {}, o.name); }

}  // namespace

CANTIK_LAYERS(label) {
  layers.add("label", make_label)
      .python("Label")
      .doc("y = x, under a name to find it by.")
      .returns("a function of one argument")
      .example(
          "layers = [C.layers.Dense(2), C.layers.Label('hidden'), C.layers.Dense(1)]\n"
          "C.layers.Sequential(layers)(C.input_variable(3)).hidden.shape");
}

}  // namespace cantik::layers
