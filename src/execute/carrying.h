// Delays of a run: they begin where the run before stopped, and leave their last rows for the next one.
#pragma once

#include <memory>
#include <vector>

#include "plan/program.h"
#include "execute/carried.h"

namespace cantik::runtime {

struct Frame;
using Sources = ir::Sources;

// One delay in a run: whence its first rows come, where its last ones go.
struct Carrying {
  const Layout* parts = nullptr;  // which sequences go on; null: none does
  const CarriedRows* before = nullptr;
  CarriedRows* after = nullptr;

  // The row `into` steps behind the border of a sequence that goes on; null where it begins.
  const char* row(int64_t sequence, int64_t into) const {
    return parts && parts->continues(sequence) ? before->row(parts->continues()[sequence], into) : nullptr;
  }
};

// What each delay goes on with, `before` being what the last run left; `after` gets room for what this one
// leaves. Every sequence that goes on has rows to go on with.
void begin_carrying(Frame& f, const Sources& sources, const Carried* before, Carried& after);
// Refuses sequences that go on, by operators that look at whole ones.
void refuse_parts(const Frame& f, const Sources& sources);
// After the loop, or the delay outside of one, has run.
void carry_over_loop(Frame& f, const StageProgram& s);
void carry_over_rows(Frame& f, const Instruction& delay);
// Initial states have no gradient where sequences go on.
void clear_borders(Frame& f, const Instruction& border);

// The row of an initial state for the step that stands `into` steps behind the border of a sequence; null
// where it has too few. `back`: the delay looks back.
const char* initial_row(const Program& p, const Frame& f, const Instruction& delay, bool back,
                        int64_t sequence, int64_t into);
void copy_initial(const Program& p, const Instruction& delay, const char* from, char* to, size_t row_bytes);

}  // namespace cantik::runtime
