// A learned positive factor that begins as 1 (Ghahremani and Droppo 2016).
#include <cmath>
#include <string>

#include "layers/block.h"

namespace cantik::layers {

Function stabilizer(double steepness, DType dtype, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  // softplus(alpha · steepness) / steepness = 1
  double begin = std::log(std::exp(steepness) - 1) / steepness;
  Variable alpha = parameter(Shape(), begin, dtype, "alpha");
  return block("Stabilizer", name, [&](const Variable& x) {
    Variable beta = call("softplus", {alpha}, {{"steepness", steepness}});
    return Variable(call("element_times", {beta, x}));
  });
}

}  // namespace cantik::layers
