// Graphs as the compiler sees them, as text.
#pragma once

#include <string>
#include <string_view>

#include "compile/pipeline.h"

namespace cantik::support {

// The graph's text after the named pass. Packed weights have no shape there: it follows from the processor's
// registers.
std::string after(const std::string& pass, const ir::Request& request);

// The text of a graph that is written down, after a pass; what nobody reads is gone.
std::string text_after(void (*pass)(ir::Graph&), std::string_view text);

// How often a part stands in a text.
int count(std::string_view text, std::string_view part);

}  // namespace cantik::support
