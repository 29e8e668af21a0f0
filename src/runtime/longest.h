// How long the longest sequence on an axis is in a run, where that decides the shape of something.
#pragma once

#include <vector>

#include <cantik/function.h>

#include "compile/pipeline.h"

namespace cantik::runtime {

// Of each of these axes: what was fed says it; where the run itself makes the axis, its lengths are found by a run of their own.
std::vector<std::pair<Axes, int64_t>> longest_sequences(const std::vector<Axes>& axes, const Feeds& feeds, const ir::Request& request);

}  // namespace cantik::runtime
