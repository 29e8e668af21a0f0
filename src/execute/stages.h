// The stages of a program, one after the other: instructions on all rows, or block by block, dealt out to the
// threads.
#pragma once

#include <vector>

#include <cantik/function.h>

#include "execute/draws.h"
#include "execute/finals.h"
#include "execute/frame.h"

namespace cantik::runtime {

// `listener`: who takes results while the run goes on, and which are final when; null: nobody.
struct Listening {
  ResultListener* listener = nullptr;
  std::vector<Final> finals;
};
void run_stages(Frame& f, const Sources& sources, Draws& draws, const RunOptions& options,
                const Listening& listening);

}  // namespace cantik::runtime
