// Loops of users' graphs, seen through placeholders and blocks: what may close one, and the types in it.
#pragma once

#include <memory>

#include "graph/node.h"

namespace cantik {

// Throws where values of a step would depend on themselves, and where a loop looks back and ahead at once.
void check_loops(const std::shared_ptr<Node>& root);

// Rules begin with the types of operands, which in a loop begin with nothing. Where all that enters a loop is
// known, its delays get the types that agree with one another: found by going round with what is known,
// operands that are not left out of the elementwise operators. True if a delay's type became known;
// everything else follows by the ordinary rules.
bool infer_delays(const std::shared_ptr<Node>& root);

// The result of a function, inside blocks too, that makes the sequence axis; null where none does.
Variable maker_of_axes(const std::shared_ptr<Node>& root, const Axes& axes);

}  // namespace cantik
