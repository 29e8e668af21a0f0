// Noise that forgets: in training each element is 0 with the given probability.
#include <string>

#include "layers/block.h"

namespace cantik::layers {

Function dropout(double rate, uint64_t seed, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return block("Dropout", name, [&](const Variable& x) {
    return Variable(call("dropout", {x}, {{"dropout_rate", rate}, {"seed", static_cast<int64_t>(seed)}}));
  });
}

}  // namespace cantik::layers
