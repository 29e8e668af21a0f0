// Values that only become those of parameters: computed when all else is done, where they fit in the
// parameter's own memory.
#pragma once

#include <utility>
#include <vector>

#include "compile/graph.h"

namespace cantik::ir {

// Stores happen one after the other: a value that is a parameter (or lies in it), which another store
// writes, is copied first, so that the order of the stores does not matter.
void keep_old_values(Graph& g);

// Of nodes in order: the elementwise ones without rows that nothing but effects needs, in this order.
std::vector<NodeId> nodes_for_effects(const Graph& g, const std::vector<NodeId>& order);

// Pairs of a value and the parameter or constant in whose memory it may be made. `late` run in this order
// once all else has run, then the effects: so nobody reads what is overwritten.
std::vector<std::pair<ValueId, ValueId>> stores_in_place(const Graph& g, const std::vector<NodeId>& late,
                                                         const std::vector<NodeId>& effects);

}  // namespace cantik::ir
