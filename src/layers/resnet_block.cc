// y = f(x) + x (He et al. 2015).
#include <string>

#include "layers/block.h"

namespace cantik::layers {

Function resnet_block(const Activation& f, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return network("x", name, [&](const Variable& x) { return Variable(call("plus", {f(x), x})); });
}

}  // namespace cantik::layers
