// Types while a placeholder is open: an elementwise function of an operand that is known and one that is open
// has the shape of the known one, as in CNTK, until the placeholder is replaced. If the known one is a
// sequence, so is the result; a batch might still meet a sequence, which CNTK does not allow.
#pragma once

#include <memory>

#include "graph/node.h"

namespace cantik {

// Of one function, what inference left open. True if something is presumed now.
bool presume(Node& node);
// Of all functions below the root, if placeholders are open there.
void presume_graph(const std::shared_ptr<Node>& root);
// What was presumed, and what followed from it, is not known any more.
void forget_presumed(const std::shared_ptr<Node>& root);

}  // namespace cantik
