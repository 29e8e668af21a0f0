// The passes: each takes the graph and changes it. pipeline.cc is their order.
#pragma once

#include <span>
#include <vector>

#include "compile/graph.h"

namespace cantik::ir {

// Gradients of the (summed) roots, given those of the roots themselves, with respect to `wrt`; -1 where a value has none.
std::vector<ValueId> differentiate(Graph& g, std::span<const ValueId> roots, std::span<const ValueId> seeds, std::span<const ValueId> wrt);

// Equal nodes become one; maps of one input that change nothing go.
void share(Graph& g);

// Chains of elementwise expressions become one expression.
void fuse(Graph& g);

}  // namespace cantik::ir
