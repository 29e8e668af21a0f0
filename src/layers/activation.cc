// An activation function as a layer of its own.
#include <string>

#include "layers/block.h"

namespace cantik::layers {

Function activation(const Activation& f, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return block("Activation", name, [&](const Variable& x) { return f(x); });
}

}  // namespace cantik::layers
