// Graphs from their text, for tests of passes: Graph::text() the other way round.
#pragma once

#include <string_view>

#include "compile/graph.h"

namespace cantik::ir {

// The graph that text() printed, or somebody wrote in its form; values keep their numbers. What the text does
// not tell is not there: sources, and the operator that an expression comes from. A ValueError names the line
// that cannot be read. Objects of the user's program cannot be read.
CANTIK_API Graph parsed(std::string_view text);

}  // namespace cantik::ir
