#include "execute/carrying.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "graph/node.h"
#include "execute/frame.h"

namespace cantik::runtime {

namespace {

bool any_goes_on(const Layout* l) {
  return l &&
         std::any_of(l->continues().begin(), l->continues().end(), [](int32_t from) { return from >= 0; });
}

[[noreturn]] void refuse(Error e, const Node& n) { rethrow_with(e, n); }

// Every sequence that goes on has rows to go on with.
void check_rows(const Carrying& c, const CarriedRows& wanted, const Node& delay) {
  for (int64_t s = 0; s < c.parts->sequences(); ++s) {
    if (!c.parts->continues(s)) continue;
    int32_t from = c.parts->continues()[s];
    auto fail = [&](const std::string& why, const char* remedy) {
      refuse(runtime_error(cat("sequence ", s, " is flagged as a continuation of sequence ", from,
                               " of the last minibatch, ", why))
                 .remedy(remedy),
             delay);
    };
    if (!c.before)
      fail("but there is no earlier minibatch to continue",
           "flag the sequences of the first minibatch as starts: start flags that are True");
    if (from >= c.before->sequences)
      fail(cat("which had ", c.before->sequences, c.before->sequences == 1 ? " sequence" : " sequences"),
           "feed continued sequences in the places where they stood");
    if (c.before->steps != wanted.steps || c.before->row_bytes != wanted.row_bytes ||
        c.before->dtype != wanted.dtype)
      fail("whose states have another shape or element type",
           "flag the sequences as starts: start flags that are True");
    if (!c.before->unknown.empty() && c.before->unknown[from])
      fail("which had no steps and no initial state",
           "flag the sequence as a start: a start flag that is True");
  }
}

}  // namespace

const char* initial_row(const Program& p, const Frame& f, const Instruction& ins, bool back, int64_t sequence,
                        int64_t into) {
  int32_t k = ins.first_operand + 1;
  const OperandRef& ref = p.operands[k];
  const cantik_operand& init = f.operands[k];
  int64_t row = 0;
  if (init.offsets) {  // the last rows of another sequence; looking ahead, the first
    const std::span<const int64_t> offsets = f.spaces[ref.space].layout->offsets();
    if (sequence >= init.sequences)
      throw value_error(cat("the initial state of ", ins.kernel.name, " has ", init.sequences,
                            init.sequences == 1 ? " sequence" : " sequences", ", and sequence ", sequence,
                            " needs one"))
          .remedy("give it as many sequences as the operand has");
    int64_t first = offsets[sequence], last = offsets[sequence + 1];
    row = last - first == 1 ? first : back ? last - ins.delay + into : first + ins.delay - 1 - into;
    if (row < first || row >= last) return nullptr;
  } else if (ref.has_rows()) {
    row = sequence;
  }
  return static_cast<const char*>(init.data) + static_cast<size_t>(row * init.stride) * size_of(ref.dtype);
}

void copy_initial(const Program& p, const Instruction& ins, const char* from, char* to, size_t row_bytes) {
  const OperandRef& ref = p.operands[static_cast<size_t>(ins.first_operand) + 1];
  size_t element = size_of(ref.dtype);
  if (static_cast<size_t>(ref.stride) * element == row_bytes) {
    std::memcpy(to, from, row_bytes);
    return;
  }
  // a number stands for all elements
  for (size_t at = 0; at < row_bytes; at += element) std::memcpy(to + at, from, element);
}

void begin_carrying(Frame& f, const Sources& sources, const Carried* before, Carried& after) {
  const Program& p = *f.program;
  f.carried.assign(p.carriers.size(), {});
  after.delays.resize(p.carriers.size());
  for (size_t i = 0; i < p.carriers.size(); ++i) {
    const Instruction& ins = p.instructions[p.carriers[i]];
    const OperandRef& x = p.operands[ins.first_operand];
    const Node& delay = *sources[ins.source];
    CarriedRows& rows = after.delays[i];
    rows.delay = &delay;
    rows.dtype = x.dtype;
    rows.steps = ins.delay;
    rows.row_bytes = static_cast<size_t>(x.stride) * size_of(x.dtype);
    Carrying& c = f.carried[i];
    c.after = &rows;
    if (const Layout* l = f.wanted[x.space].layout.get(); any_goes_on(l)) {
      c.parts = l;
      c.before = before ? before->find(&delay, i) : nullptr;
      check_rows(c, rows, delay);
    }
  }
}

void refuse_parts(const Frame& f, const Sources& sources) {
  const Program& p = *f.program;
  for (int32_t i : p.whole) {
    const Instruction& ins = p.instructions[i];
    for (int32_t k = ins.first_operand; k < ins.first_operand + ins.inputs; ++k) {
      const Layout* l = f.wanted[p.operands[k].space].layout.get();
      if (!any_goes_on(l)) continue;
      int64_t s = 0;
      while (!l->continues(s)) ++s;
      refuse(runtime_error(cat("the operator looks at whole sequences, but sequence ", s,
                               " is flagged as a continuation of the last minibatch"))
                 .remedy("feed whole sequences"),
             *sources[ins.source]);
    }
  }
}

// After a delay has run: of each sequence the last rows of its operand.
template <class RowOf>
static void keep_last(const Program& p, const Frame& f, const Instruction& ins, const Layout& layout,
                      const RowOf& row_of) {
  const Carrying& c = f.carried[ins.carries];
  CarriedRows& to = *c.after;
  const OperandRef& x = p.operands[ins.first_operand];
  to.resize(layout.sequences());
  for (int64_t s = 0; s < layout.sequences(); ++s)
    for (int64_t j = 0; j < to.steps; ++j) {
      int64_t step = layout.length(s) - to.steps + j;
      if (step >= 0) {
        f.read(to.row(s, j), row_of(s, step), to.row_bytes, x.on_device);
      } else if (const char* older = c.row(s, to.steps + step)) {
        std::memcpy(to.row(s, j), older, to.row_bytes);
      } else if (const char* initial = initial_row(p, f, ins, true, s, to.steps + step)) {
        if (p.operands[ins.first_operand + 1].on_device)
          f.read(to.row(s, j), initial, to.row_bytes, true);
        else
          copy_initial(p, ins, initial, to.row(s, j), to.row_bytes);
      } else {
        to.unknown.resize(static_cast<size_t>(layout.sequences()), 0);
        to.unknown[s] = 1;
      }
    }
}

void carry_over_loop(Frame& f, const StageProgram& s) {
  const Program& p = *f.program;
  const ir::Loop& loop = p.graph.loops[s.loop];
  for (int32_t i = s.blocked_begin; i < s.end; ++i) {
    const Instruction& ins = p.instructions[i];
    if (ins.carries < 0) continue;
    const Steps& steps = f.steps(s.space);
    const Layout& layout = *f.spaces[s.space].layout;
    std::vector<int32_t>& rank = f.ranks;
    rank.resize(steps.order.size());
    for (size_t r = 0; r < rank.size(); ++r) rank[steps.order[r]] = static_cast<int32_t>(r);
    const char* rows = static_cast<const char*>(f.operands[ins.first_operand].data);
    const int64_t next = p.operands[ins.first_operand].bytes_to_next();
    keep_last(p, f, ins, layout, [&](int64_t sequence, int64_t step) {
      int64_t t = loop.from_end ? layout.length(sequence) - 1 - step : step;
      return rows + (steps.starts[t] + rank[sequence]) * next;
    });
  }
}

void carry_over_rows(Frame& f, const Instruction& ins) {
  const Program& p = *f.program;
  const Carrying& c = f.carried[ins.carries];
  const cantik_operand& x = f.operands[ins.first_operand];
  const Layout& layout = *f.spaces[p.operands[ins.first_operand].space].layout;
  const cantik_operand& y = f.operands[ins.first_operand + ins.inputs];
  size_t bytes = c.after->row_bytes, element = size_of(c.after->dtype);
  auto row = [&](const cantik_operand& o, int64_t at) {
    return static_cast<char*>(o.data) + static_cast<size_t>(at * o.stride) * element;
  };
  for (int64_t s = 0; s < layout.sequences(); ++s)
    for (int64_t t = 0; t < std::min<int64_t>(ins.delay, layout.length(s)); ++t)
      if (const char* kept = c.row(s, t))
        f.write(row(y, layout.offsets()[s] + t), kept, bytes, ins.on_device);
  keep_last(p, f, ins, layout,
            [&](int64_t sequence, int64_t step) { return row(x, layout.offsets()[sequence] + step); });
}

void clear_borders(Frame& f, const Instruction& ins) {
  const Program& p = *f.program;
  const Layout* parts = f.wanted[p.operands[ins.first_operand].space].layout.get();
  if (!any_goes_on(parts)) return;
  const cantik_operand& state = f.operands[ins.first_operand + ins.inputs];
  const OperandRef& ref = p.operands[ins.first_operand + ins.inputs];
  const std::vector<char> zeros(static_cast<size_t>(ref.stride) * size_of(ref.dtype), 0);
  const auto offsets = ref.has_rows() ? f.spaces[ref.space].layout : nullptr;
  for (int64_t s = 0; s < parts->sequences(); ++s) {
    if (!parts->continues(s)) continue;
    int64_t first = state.offsets ? offsets->offsets()[s] : s,
            last = state.offsets ? offsets->offsets()[static_cast<size_t>(s) + 1] : s + 1;
    for (int64_t row = first; row < last; ++row)
      f.write(static_cast<char*>(state.data) + static_cast<size_t>(row * state.stride) * size_of(ref.dtype),
              zeros.data(), zeros.size(), ins.on_device);
  }
}

}  // namespace cantik::runtime
