// A loop, step after step, each on the rows of the sequences that are still going on.
//
// Sequences do not know of one another, so each thread takes whole sequences (a range of ranks, see
// tensor/steps.h) and goes through all their steps by itself: nobody waits for anybody. Of one sequence
// threads share the large instructions of each step.
#pragma once

#include "execute/calls.h"
#include "execute/frame.h"

namespace cantik::runtime {

// Whether a loop's steps are of one sequence and have so much to do that threads share their instructions.
bool has_wide_steps(const Frame& f, const StageProgram& s);

void run_loop(Frame& f, const StageProgram& s, Team& team, const Calls& calls);

}  // namespace cantik::runtime
