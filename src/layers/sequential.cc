// One after the other.
#include <string>
#include <vector>

#include "layers/block.h"

namespace cantik::layers {

Function sequential(const std::vector<Activation>& layers, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return network("keep", name, [&](Variable x) {
    for (const Activation& f : layers) x = f(x);
    return x;
  });
}

}  // namespace cantik::layers
