// y = x, under a name.
#include <string>

#include "layers/block.h"

namespace cantik::layers {

Function label(const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("alias", {placeholder("x")}, {}, name);
}

}  // namespace cantik::layers
