// Several functions of the same input, their results one behind the other.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct SideBySideLayer : NamedLayer {
  std::vector<Activation> functions;

  static constexpr auto fields() {
    return list(option("functions", &SideBySideLayer::functions, "functions of one argument").required());
  }
};

Function make_side_by_side(const SideBySideLayer& o) {
  return network("x", o.name, [&](const Variable& x) {
    std::vector<Variable> results;
    for (const Activation& f : o.functions) results.push_back(f(x));
    return Variable(call("splice", results));
  });
}

}  // namespace

CANTIK_LAYERS(side_by_side) {
  layers.add("side_by_side", make_side_by_side)
      .doc("The results of several functions of one argument, one behind the other along the last axis.");
}

}  // namespace cantik::layers
