// Kernels for the nodes of a graph.
#pragma once

#include <string>

#include "backends/prepared.h"
#include "compile/graph.h"

namespace cantik::ir {

// The kernel of the node where it runs. An error where there is none.
Prepared prepare(const Graph& g, const Node& n);

// Whether the graph's device has a kernel for the node.
bool is_taken(const Graph& g, const Node& n);

}  // namespace cantik::ir
