// Several functions of the same input, their results one behind the other.
#include <string>
#include <vector>

#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {

Function side_by_side(const std::vector<Activation>& functions, const std::string& name,
                      SourceLocation where) {
  OriginScope scope(where);
  return network("x", name, [&](const Variable& x) {
    std::vector<Variable> results;
    for (const Activation& f : functions) results.push_back(f(x));
    return Variable(call("splice", results));
  });
}

}  // namespace cantik::layers
