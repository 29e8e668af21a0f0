// Types that followed from a placeholder's, where what takes its place has another type.
#pragma once

#include <memory>
#include <vector>

#include "graph/node.h"

namespace cantik {

// Whether a value of the second type in the place of a placeholder of the first one changes what its readers
// know.
bool contradicts(const Type& promised, const Type& given);

// Functions below the root, inside blocks too, whose types follow from those of these variables know them no
// more: they are inferred anew. Parameters keep the dimensions that they were given, as in CNTK.
void forget_types(const std::shared_ptr<Node>& root, const std::vector<Variable>& changed);

}  // namespace cantik
