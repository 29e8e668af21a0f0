// Running a loop: step after step, each on the rows of the sequences that are still going on.
//
// Sequences do not know of one another, so each thread takes whole sequences (a range of ranks, see
// tensor/steps.h) and goes through all their steps by itself: nobody waits for anybody.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/denormals.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "runtime/executable.h"
#include "runtime/frame.h"
#include "runtime/status.h"

namespace cantik::runtime {

namespace {

// What a step costs, in element operations: as much as its rows ask for, but weights are read for few rows,
// too, and each instruction takes its time before it begins.
constexpr int64_t kInstructionCost = 500;
struct StepCost {
  int64_t of_row = 0, of_weights = 0, fixed = 0;
  int64_t operator()(int64_t rows) const {
    return rows == 0 ? 0 : fixed + rows * of_row + std::max<int64_t>(0, 5 - 2 * rows) * of_weights / 2;
  }
};

StepCost step_cost(const Program& p, const StageProgram& s) {
  StepCost c;
  for (int32_t i = s.blocked_begin; i < s.end; ++i) {
    const Instruction& ins = p.instructions[static_cast<size_t>(i)];
    c.fixed += kInstructionCost;
    c.of_row += ins.row_work;
    if (p.graph.node(ins.node).kind == ir::NodeKind::call) c.of_weights += ins.row_work;
  }
  return c;
}

// The ranks of each thread: [cuts[i], cuts[i + 1]), so that the one with the most work has as little as
// possible.
std::vector<int64_t> shares(const Steps& steps, const StepCost& cost, int count) {
  const int64_t n = steps.count() > 0 ? steps.alive(0) : 0;
  auto cost_of = [&](int64_t first, int64_t last) {
    int64_t total = 0;
    for (int64_t t = 0; t < steps.count() && steps.alive(t) > first; ++t)
      total += cost(std::min(last, steps.alive(t)) - first);
    return total;
  };
  // As many ranks as cost no more than this.
  auto furthest = [&](int64_t first, int64_t most) {
    int64_t low = first, high = n;
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      if (cost_of(first, middle) <= most)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  };
  int64_t high = cost_of(0, n), low = high / count;
  std::vector<int64_t> cuts(static_cast<size_t>(count) + 1, n);
  cuts[0] = 0;
  while (high - low > high / 64 + 1) {
    int64_t middle = (low + high) / 2, at = 0;
    std::vector<int64_t> made{0};
    for (int i = 0; i < count; ++i) made.push_back(at = furthest(at, middle));
    if (at < n) {
      low = middle;
    } else {
      high = middle;
      cuts = std::move(made);
    }
  }
  return cuts;
}

// One thread's way through the steps.
class Walk {
 public:
  Walk(const Program& p, Frame& f, const StageProgram& s, BlockWorker& w, const Sources& sources)
      : p_(p),
        f_(f),
        s_(s),
        w_(w),
        sources_(sources),
        loop_(p.graph.loops[static_cast<size_t>(s.loop)]),
        steps_(f.steps(s.space)),
        layout_(*f.spaces[static_cast<size_t>(s.space)].layout) {
    w.operands = f.operands;
    w.runs.assign(f.runs.begin() + s.blocked_begin, f.runs.begin() + s.end);
    point_at_block(p, s, block_rows(s, f), static_cast<char*>(w.memory.get()), w.operands.data());
    for (int32_t i = s.blocked_begin; i < s.end; ++i) {
      cantik_run& r = w.runs[static_cast<size_t>(i - s.blocked_begin)];
      r.in = w.operands.data() + p.instructions[static_cast<size_t>(i)].first_operand;
      r.out = r.in + p.instructions[static_cast<size_t>(i)].inputs;
      r.scratch = w.scratch.get();
      r.begin = 0;
      const Instruction& ins = p.instructions[static_cast<size_t>(i)];
      if (ins.object)  // its rows are those of one step
        for (int32_t k = ins.first_operand; k < ins.first_operand + ins.inputs + ins.outputs; ++k)
          w.operands[static_cast<size_t>(k)].offsets = nullptr;
    }
  }

  template <class Call>
  void go(int64_t first, int64_t last, const Team& team, const Call& call) {
    for (int32_t k : s_.spread) w_.operands[static_cast<size_t>(k)].map = steps_.order.data() + first;
    int64_t count = steps_.count();
    for (int64_t k = 0; k < count && !team.failed(); ++k) {
      int64_t t = loop_.descending ? count - 1 - k : k, end = std::min(last, steps_.alive(t));
      if (end > first) step(t, first, end, call);
    }
  }

 private:
  template <class Call>
  void step(int64_t t, int64_t first, int64_t end, const Call& call) {
    int64_t at = steps_.starts[static_cast<size_t>(t)] + first;
    for (const auto& m : s_.moving) {
      cantik_operand& o = w_.operands[static_cast<size_t>(m.operand)];
      o.data = static_cast<char*>(f_.operands[static_cast<size_t>(m.operand)].data) + at * m.row_bytes;
    }
    for (int32_t k : s_.rowed) w_.operands[static_cast<size_t>(k)].rows = end - first;
    for (int32_t i = s_.blocked_begin; i < s_.end; ++i) {
      const Instruction& ins = p_.instructions[static_cast<size_t>(i)];
      if (ins.stepped) {
        carry(ins, t, first, end);
        continue;
      }
      cantik_run& r = w_.runs[static_cast<size_t>(i - s_.blocked_begin)];
      r.end = units_of(ins, sources_, end - first);
      call(ins, r, end - first);
    }
  }

  // Rows of an earlier step; of the initial state for sequences that have none.
  void carry(const Instruction& ins, int64_t t, int64_t first, int64_t end) {
    int64_t from = loop_.descending ? t + ins.delay : t - ins.delay;
    int64_t alive = from >= 0 && from < steps_.count() ? std::clamp(steps_.alive(from), first, end) : first;
    const OperandRef& ref = p_.operands[static_cast<size_t>(ins.first_operand)];
    size_t row_bytes = static_cast<size_t>(ref.stride) * size_of(ref.dtype);
    const int32_t result = ins.first_operand + ins.inputs;
    const int64_t next = ref.bytes_to_next(),
                  next_to = p_.operands[static_cast<size_t>(result)].bytes_to_next();
    char* to = static_cast<char*>(w_.operands[static_cast<size_t>(result)].data);
    if (alive > first) {
      const char* rows = static_cast<const char*>(f_.operands[static_cast<size_t>(ins.first_operand)].data) +
                         (steps_.starts[static_cast<size_t>(from)] + first) * next;
      if (next == next_to && static_cast<size_t>(next) == row_bytes)
        std::memcpy(to, rows, static_cast<size_t>(alive - first) * row_bytes);
      else
        for (int64_t i = 0; i < alive - first; ++i) std::memcpy(to + i * next_to, rows + i * next, row_bytes);
    }
    for (int64_t rank = alive; rank < end; ++rank)
      begin(ins, t, rank, to + (rank - first) * next_to, row_bytes);
  }

  void begin(const Instruction& ins, int64_t t, int64_t rank, char* to, size_t row_bytes) {
    // how far from the border
    int64_t sequence = steps_.order[static_cast<size_t>(rank)],
            into = loop_.descending ? layout_.length(sequence) - 1 - t : t;
    if (ins.carries >= 0)
      if (const char* row = f_.carried[static_cast<size_t>(ins.carries)].row(sequence, into)) {
        std::memcpy(to, row, row_bytes);
        return;
      }
    const char* from = initial_row(p_, f_, ins, loop_.from_end == loop_.descending, sequence, into);
    if (!from)
      throw value_error(cat("the initial state of ", ins.kernel.name, " has too few steps for a delay of ",
                            ins.delay, ": sequence ", sequence));
    copy_initial(p_, ins, from, to, row_bytes);
  }

  const Program& p_;
  Frame& f_;
  const StageProgram& s_;
  BlockWorker& w_;
  const Sources& sources_;
  const ir::Loop& loop_;
  const Steps& steps_;
  const Layout& layout_;
};

}  // namespace

void Executable::run_loop(const Program& p, Frame& f, const StageProgram& s, Team& team,
                          const RunOptions& options) {
  const Layout& layout = *f.spaces[static_cast<size_t>(s.space)].layout;
  auto walk = [&](int worker, int64_t first, int64_t last) {
    FlushDenormals flush;
    if (first == last) return;
    Walk(p, f, s, f.workers[static_cast<size_t>(worker)], sources_)
        .go(first, last, team, [&](const Instruction& ins, cantik_run& r, int64_t rows) {
          call_in_parts(ins, r, rows, team);
          if (options.check_nan) check_numbers(p, ins, r);
        });
  };
  if (team.size() == 1 || s.objects || layout.sequences() < 2) return walk(0, 0, layout.sequences());
  const std::vector<int64_t> cuts = shares(f.steps(s.space), step_cost(p, s), team.size());
  team.run([&](int worker) {
    walk(worker, cuts[static_cast<size_t>(worker)], cuts[static_cast<size_t>(worker) + 1]);
  });
}

}  // namespace cantik::runtime
