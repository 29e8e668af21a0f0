// The stages of a program, one after the other: instructions on all rows, or block by block, dealt out to the
// threads.
#pragma once

#include <cantik/function.h>

#include "execute/draws.h"
#include "execute/frame.h"

namespace cantik::runtime {

void run_stages(Frame& f, const Sources& sources, Draws& draws, const RunOptions& options);

}  // namespace cantik::runtime
