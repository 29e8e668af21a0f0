#include "execute/loop.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/denormals.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "execute/device_calls.h"
#include "execute/kept_calls.h"

namespace cantik::runtime {

namespace {

// What a step costs, in element operations: as much as its rows ask for, but weights are read for few rows,
// too, and each instruction takes its time before it begins.
constexpr int64_t kInstructionCost = 500;
// Of a step, and of one of its instructions: from here on threads share them.
constexpr int64_t kWideStep = 20000, kWideInstruction = 12000;
constexpr int64_t kLine = 64;           // bytes of a line of the cache
constexpr int64_t kMostFetched = 8192;  // bytes of an operand that are asked for ahead
struct StepCost {
  int64_t of_row = 0, of_weights = 0, fixed = 0;
  int64_t operator()(int64_t rows) const {
    return rows == 0 ? 0 : fixed + rows * of_row + std::max<int64_t>(0, 5 - 2 * rows) * of_weights / 2;
  }
};

StepCost step_cost(const Program& p, const StageProgram& s) {
  StepCost c;
  for (int32_t i = s.blocked_begin; i < s.end; ++i) {
    const Instruction& ins = p.instructions[i];
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

// Sums over the calls of all steps: of results without rows, of instructions that read what was saved.
class SumsOfLoop {
 public:
  SumsOfLoop(const Program& p, const StageProgram& s) {
    for (int32_t i = s.blocked_begin; i < s.end; ++i)
      if (const Instruction& ins = p.instructions[i]; ins.reads_saved)
        sums_.emplace_back(&ins, no_sums(p, ins));
  }
  SumsOfCalls* of(const Instruction& ins) {
    auto at = std::find_if(sums_.begin(), sums_.end(), [&](const auto& s) { return s.first == &ins; });
    return at == sums_.end() ? nullptr : &at->second;
  }
  void write(const Program& p, std::vector<cantik_operand>& operands) const {
    for (const auto& [ins, sums] : sums_)
      write_sums(p, *ins, sums, operands.data() + ins->first_operand + ins->inputs);
  }

 private:
  std::vector<std::pair<const Instruction*, SumsOfCalls>> sums_;
};

// One thread's way through the steps.
class Walk {
 public:
  // With a team, large instructions are shared out.
  Walk(Frame& f, const StageProgram& s, BlockWorker& w, const Calls& calls, SumsOfLoop* sums,
       Team* team = nullptr)
      : p_(*f.program),
        f_(f),
        s_(s),
        w_(w),
        calls_(calls),
        sums_(sums),
        team_(team),
        loop_(p_.graph.loops[s.loop]),
        steps_(f.steps(s.space)),
        layout_(*f.spaces[s.space].layout) {
    const Program& p = p_;
    w.operands = f.operands;
    w.runs.assign(f.runs.begin() + s.blocked_begin, f.runs.begin() + s.end);
    char* memory = static_cast<char*>(w.memory.get());
    point_at_block(f, s, block_rows(s, f), memory, w.operands.data());
    for (const auto& slot : s.slots)
      if (!slot.on_device) memory += round_up(static_cast<size_t>(block_rows(s, f) * slot.row_bytes));
    for (const auto& sum : s.sums) {  // what one call makes
      w.operands[sum.operand].data = memory;
      memory += round_up(static_cast<size_t>(sum.elements) * size_of(sum.dtype));
    }
    for (int32_t i = s.blocked_begin; i < s.end; ++i) {
      cantik_run& r = w.runs[i - s.blocked_begin];
      r.in = w.operands.data() + p.instructions[i].first_operand;
      r.out = r.in + p.instructions[i].inputs;
      r.scratch = w.scratch.get();
      r.begin = 0;
      const Instruction& ins = p.instructions[i];
      if (ins.in_steps)  // its rows are those of one step
        for (int32_t k = ins.first_operand; k < ins.first_operand + ins.inputs + ins.outputs; ++k)
          w.operands[k].offsets = nullptr;
    }
  }

  void go(int64_t first, int64_t last) {
    const int32_t* on_device = f_.device ? f_.device->order(static_cast<size_t>(s_.space)) : nullptr;
    for (int32_t k : s_.spread)
      w_.operands[k].map = (p_.operands[k].device_layout ? on_device : steps_.order.data()) + first;
    int64_t count = steps_.count();
    for (int64_t k = 0; k < count && !calls_.team.failed(); ++k) {
      int64_t t = loop_.descending ? count - 1 - k : k, end = std::min(last, steps_.alive(t));
      if (end <= first) continue;
      const int64_t next = loop_.descending ? t - 1 : t + 1;
      if (next >= 0 && next < count) fetch_rows(next, first, std::min(last, steps_.alive(next)));
      step(t, first, end);
    }
  }

 private:
  // The rows that the step will read are asked for while the one before it works: they are too few for the
  // processor to see that they follow one another.
  void fetch_rows(int64_t t, int64_t first, int64_t end) const {
    for (const auto& m : s_.given) {
      const int64_t bytes = (end - first) * m.row_bytes;
      if (bytes > kMostFetched) continue;
      const char* rows =
          static_cast<const char*>(f_.operands[m.operand].data) + (steps_.starts[t] + first) * m.row_bytes;
      for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(rows + at);
    }
  }

  void step(int64_t t, int64_t first, int64_t end) {
    int64_t at = steps_.starts[t] + first;
    for (const auto& m : s_.moving) {
      cantik_operand& o = w_.operands[m.operand];
      o.data = static_cast<char*>(f_.operands[m.operand].data) + at * m.row_bytes;
    }
    for (int32_t k : s_.rowed) w_.operands[k].rows = end - first;
    for (int32_t i = s_.blocked_begin; i < s_.end; ++i) {
      const Instruction& ins = p_.instructions[i];
      if (ins.stepped) {
        carry(ins, t, first, end);
        continue;
      }
      cantik_run& r = w_.runs[i - s_.blocked_begin];
      if (ins.by_device) {
        call_on_device(*f_.device, ins, i, r, calls_);
        check_results(f_, ins, r, calls_);
        continue;
      }
      if (ins.needs_keeper || ins.lock) {
        call_in_one_piece(ins, r, end - first);
        continue;
      }
      r.end = calls_.units_of(ins, end - first);
      if (team_ && r.end > 1 && !ins.draws && ins.row_work * (end - first) > kWideInstruction)
        share(ins, r, end - first);
      else
        calls_.in_parts(ins, r, end - first);
      calls_.check(ins, r);
    }
  }

  void call_in_one_piece(const Instruction& ins, cantik_run& r, int64_t rows) {
    {
      HeldLock lock;
      lock.take(ins.lock);
      if (ins.needs_keeper) {
        call_with_keeper(calls_, ins, r, rows, *f_.keeper, sums_ ? sums_->of(ins) : nullptr);
      } else {
        r.end = calls_.units_of(ins, rows);
        calls_.call(ins, r);
      }
    }
    may_end(ins.row_work * rows);
    calls_.check(ins, r);
  }

  void share(const Instruction& ins, const cantik_run& whole, int64_t rows) {
    team_->run([&](int worker) {
      FlushDenormals flush;
      cantik_run mine = whole;
      mine.begin = whole.end * worker / team_->size();
      mine.end = whole.end * (worker + 1) / team_->size();
      mine.scratch = f_.workers[worker].scratch.get();
      if (mine.begin < mine.end) calls_.in_parts(ins, mine, rows);
    });
  }

  // Rows of an earlier step; of the initial state for sequences that have none.
  void carry(const Instruction& ins, int64_t t, int64_t first, int64_t end) {
    int64_t from = loop_.descending ? t + ins.delay : t - ins.delay;
    int64_t alive = from >= 0 && from < steps_.count() ? std::clamp(steps_.alive(from), first, end) : first;
    const OperandRef& ref = p_.operands[ins.first_operand];
    size_t row_bytes = static_cast<size_t>(ref.stride) * size_of(ref.dtype);
    const int32_t result = ins.first_operand + ins.inputs;
    const int64_t next = ref.bytes_to_next(), next_to = p_.operands[result].bytes_to_next();
    char* to = static_cast<char*>(w_.operands[result].data);
    if (ins.on_device) {
      if (alive > first)
        f_.device->queue.within(to,
                                static_cast<const char*>(f_.operands[ins.first_operand].data) +
                                    (steps_.starts[from] + first) * next,
                                static_cast<size_t>(alive - first) * row_bytes);
    } else if (alive > first) {
      const char* rows = static_cast<const char*>(f_.operands[ins.first_operand].data) +
                         (steps_.starts[from] + first) * next;
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
    int64_t sequence = steps_.order[rank], into = loop_.descending ? layout_.length(sequence) - 1 - t : t;
    if (ins.carries >= 0)
      if (const char* row = f_.carried[ins.carries].row(sequence, into))
        return f_.write(to, row, row_bytes, ins.on_device);
    const char* from = initial_row(p_, f_, ins, loop_.from_end == loop_.descending, sequence, into);
    if (!from)
      throw value_error(cat("the initial state of ", ins.kernel.name, " has too few steps for a delay of ",
                            ins.delay, ": sequence ", sequence));
    if (!ins.on_device) return copy_initial(p_, ins, from, to, row_bytes);
    if (p_.operands[ins.first_operand + 1].on_device) return f_.device->queue.within(to, from, row_bytes);
    initial_.resize(row_bytes);
    copy_initial(p_, ins, from, initial_.data(), row_bytes);
    f_.device->queue.to_device(to, initial_.data(), row_bytes);
  }

  const Program& p_;
  Frame& f_;
  const StageProgram& s_;
  BlockWorker& w_;
  const Calls& calls_;
  SumsOfLoop* sums_;
  Team* team_;
  const ir::Loop& loop_;
  const Steps& steps_;
  const Layout& layout_;
  std::vector<char> initial_;  // a row on its way to the device
};

}  // namespace

bool has_wide_steps(const Frame& f, const StageProgram& s) {
  const auto& layout = f.spaces[s.space].layout;  // null where the run makes it
  if (s.in_steps || !layout || layout->sequences() != 1) return false;
  int64_t work = 0;
  for (int32_t i = s.blocked_begin; i < s.end; ++i) work += f.program->instructions[i].row_work;
  return work > kWideStep;
}

void run_loop(Frame& f, const StageProgram& s, Team& team, const Calls& calls) {
  const Layout& layout = *f.spaces[s.space].layout;
  auto walk = [&](int worker, int64_t first, int64_t last) {
    FlushDenormals flush;
    if (first < last) Walk(f, s, f.workers[worker], calls, nullptr).go(first, last);
  };
  if (s.in_steps) {
    SumsOfLoop sums(*f.program, s);
    FlushDenormals flush;
    if (layout.sequences() > 0) Walk(f, s, f.workers[0], calls, &sums).go(0, layout.sequences());
    return sums.write(*f.program, f.operands);
  }
  if (team.size() > 1 && !f.device && has_wide_steps(f, s))
    return Walk(f, s, f.workers[0], calls, nullptr, &team).go(0, 1);
  if (team.size() == 1 || f.device || layout.sequences() < 2) return walk(0, 0, layout.sequences());
  const std::vector<int64_t> cuts = shares(f.steps(s.space), step_cost(*f.program, s), team.size());
  team.run([&](int worker) { walk(worker, cuts[worker], cuts[worker + 1]); });
}

}  // namespace cantik::runtime
