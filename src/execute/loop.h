// A loop, step after step, each on the rows of the sequences that are still going on.
//
// Sequences do not know of one another, so each thread takes whole sequences (a range of ranks, see
// tensor/steps.h) and goes through all their steps by itself: nobody waits for anybody.
#pragma once

#include "execute/calls.h"
#include "execute/frame.h"

namespace cantik::runtime {

void run_loop(Frame& f, const StageProgram& s, Team& team, const Calls& calls);

}  // namespace cantik::runtime
