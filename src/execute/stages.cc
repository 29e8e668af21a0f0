#include "execute/stages.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "backends/host/loops.h"
#include "base/denormals.h"
#include "base/interrupt.h"
#include "execute/device_calls.h"
#include "execute/kept_calls.h"
#include "execute/loop.h"

namespace cantik::runtime {

namespace {

// Element operations from which a second thread is worth its while, and so many more for each further one: in
// a run, in one with loops (threads share those by sequences, and everything else by rows, so that nearly all
// data go from cache to cache), in one that follows closely on another one, whose threads are still awake.
// Then from how many on an instruction is shared.
constexpr int64_t kTeamWork = 200000, kLoopTeamWork = 700000, kCloseWork = 30000, kSharedWork = 12000;

int64_t rows_of(const Instruction& i, const cantik_operand* operands) {
  if (!i.outputs) return 1;
  const cantik_operand &out = operands[i.first_operand + i.inputs], &in = operands[i.first_operand];
  if (!i.by_sequence) return out.rows;
  return out.offsets ? out.sequences : in.offsets ? in.sequences : out.rows;
}

// Rows that the instruction works on: of its result, or, where that is a sum over rows, of its operands.
[[gnu::always_inline]] inline int64_t rows_of_work(const Instruction& i, const cantik_operand* operands) {
  int64_t rows = rows_of(i, operands);
  if (i.sums_rows)
    for (int32_t k = i.first_operand; k < i.first_operand + i.inputs; ++k)
      rows = std::max(rows, operands[k].rows);
  return rows;
}

// The operand as a block sees it that begins with row `first`.
void move_to_row(cantik_operand& o, const cantik_operand& whole, int64_t first, int64_t row_bytes) {
  if (whole.starts)
    o.starts = whole.starts + first;  // entries stay where the starts say
  else if (whole.map)
    o.map = whole.map + first;  // the map leads to rows of the whole
  else
    o.data = static_cast<char*>(whole.data) + first * row_bytes;
}

void add_part(const StageProgram::Sum& sum, void* total, const void* part) {
  if (sum.dtype == DType::float32)
    host::loops<float>().add(static_cast<float*>(total), static_cast<const float*>(part), sum.elements);
  else
    host::loops<double>().add(static_cast<double*>(total), static_cast<const double*>(part), sum.elements);
}

// One run's way through the stages.
class Walker {
 public:
  Walker(Frame& f, const Sources& sources, Draws& draws, Team& team, bool check_nan, const Listening& l)
      : p_(*f.program),
        f_(f),
        sources_(sources),
        draws_(draws),
        team_(team),
        calls_{p_, sources, team, check_nan},
        listening_(l),
        next_final_(l.finals.empty() ? kNoFinal : l.finals[0].instruction) {}
  void go();

 private:
  void run_whole(size_t instruction);
  void run_on_device(size_t instruction);
  void run_blocks(const StageProgram& s);
  void make_layout(const Instruction& ins, cantik_run& r);
  // All instructions up to this one are done.
  void done(size_t instruction) {
    if (instruction >= next_final_) tell(instruction);
  }
  void tell(size_t instruction);

  static constexpr size_t kNoFinal = std::numeric_limits<size_t>::max();
  const Program& p_;
  Frame& f_;
  const Sources& sources_;
  Draws& draws_;
  Team& team_;
  const Calls calls_;
  const Listening& listening_;
  HeldLock lock_;
  size_t told_ = 0, next_final_;  // of the listener's finals; the instruction that the next one waits for
};

void Walker::tell(size_t instruction) {
  const std::vector<Final>& list = listening_.finals;
  while (told_ < list.size() && list[told_].instruction <= instruction)
    listening_.listener->is_final(list[told_++].output);
  next_final_ = told_ < list.size() ? list[told_].instruction : kNoFinal;
}

// The lengths of sequences that the instruction is about to make.
void Walker::make_layout(const Instruction& ins, cantik_run& r) {
  Frame& f = f_;
  std::vector<int64_t> lengths(static_cast<size_t>(r.in[0].offsets ? r.in[0].sequences : r.in[0].rows));
  r.scratch = f.workers[0].scratch.get();
  find_lengths(calls_, ins, r, f.keeper, lengths);
  std::shared_ptr<const Layout> layout = Layout::of_lengths(lengths);
  // made before, or fed: all on one axis are of one length
  if (const std::shared_ptr<const Layout>& known = f.spaces[ins.makes].layout) {
    for (int64_t s = 0; s < layout->sequences(); ++s)
      if (s >= known->sequences() || layout->length(s) != known->length(s)) {
        Error e = value_error(cat(ins.kernel.name, " makes ", layout->length(s), " steps of sequence ", s,
                                  " on an axis where it has ", s < known->sequences() ? known->length(s) : 0))
                      .remedy("give the results axes of their own, or sequences that are long enough");
        if (ins.source) rethrow_with(e, *sources_[ins.source]);
        throw e;
      }
    return;
  }
  if (layout->rows() > f.spaces[ins.makes].most) throw MoreRows(ins.makes, layout->rows());
  f.set_layout(static_cast<size_t>(ins.makes), std::move(layout));
}

// One instruction on all rows, its units shared out where that is worth it.
void Walker::run_whole(size_t i) {
  const Program& p = p_;
  Frame& f = f_;
  Team& team = team_;
  const Instruction& ins = p.instructions[i];
  cantik_run& r = f.runs[i];
  if (p.locks) lock_.take(ins.lock);
  std::unique_lock<std::mutex> stream_lock;
  if (ins.draws) {
    stream_lock = draws_.lock();
    r.draws = &draws_.of(*sources_[ins.source]);
  }
  if (ins.makes >= 0) make_layout(ins, r);
  if (ins.by_device) return run_on_device(i);
  int64_t rows = rows_of(ins, f.operands.data());
  int64_t units = calls_.units_of(ins, rows);
  r.begin = 0;
  r.end = units;
  r.scratch = f.workers[0].scratch.get();
  const int64_t worked_rows = rows_of_work(ins, f.operands.data());
  if (ins.needs_keeper) {
    call_with_keeper(calls_, ins, r, rows, *f.keeper);
    may_end(ins.row_work * worked_rows + kInstructionWork);
  } else if (ins.draws || ins.lock) {
    calls_.call(ins, r);  // in one piece: the stream of numbers, or the lock, is this thread's
    if (stream_lock.owns_lock()) stream_lock.unlock();
    may_end(ins.row_work * worked_rows + kInstructionWork);
  } else if (team.size() == 1 || units < 2 || ins.row_work * worked_rows < kSharedWork) {
    if (const int64_t work = ins.row_work * worked_rows; work < kTimedWork) {
      calls_.call(ins, r);
      may_end(work + kInstructionWork);
    } else {
      calls_.in_parts(ins, r, worked_rows);
    }
  } else {
    team.run([&](int worker) {
      FlushDenormals flush;
      cantik_run mine = r;
      mine.begin = units * worker / team.size();
      mine.end = units * (worker + 1) / team.size();
      mine.scratch = f.workers[worker].scratch.get();
      if (mine.begin < mine.end) calls_.in_parts(ins, mine, worked_rows / team.size());
    });
  }
  calls_.check(ins, r);
  if (ins.carries >= 0) carry_over_rows(f, ins);
  if (ins.border) clear_borders(f, ins);
}

void Walker::run_on_device(size_t i) {
  const Instruction& ins = p_.instructions[i];
  call_on_device(*f_.device, ins, static_cast<int64_t>(i), f_.runs[i], calls_);
  check_results(f_, ins, f_.runs[i], calls_);
  if (ins.carries >= 0) carry_over_rows(f_, ins);
  if (ins.border) clear_borders(f_, ins);
}

// A stage's blocks; each thread takes the next one that nobody has. Sums over rows get the parts of the
// blocks in the blocks' order: whoever waits for its turn waits for blocks that have begun.
void Walker::run_blocks(const StageProgram& s) {
  const Program& p = p_;
  Frame& f = f_;
  Team& team = team_;
  lock_.take(nullptr);
  // Blocks decide the bits of sums and of nothing else: where there are none, several threads get enough
  // blocks to have the same work.
  int64_t rows = f.rows(s.space), most = block_rows(s, f), size = most;
  if (s.sums.empty() && team.size() > 1)
    size = std::clamp<int64_t>((rows / (4 * team.size()) + 11) / 12 * 12, 1, most);
  const int64_t blocks = (rows + size - 1) / size;
  std::atomic<int64_t> next{0}, turn{0};
  team.run([&](int worker) {
    FlushDenormals flush;
    BlockWorker& w = f.workers[worker];
    w.operands = f.operands;
    w.runs.assign(f.runs.begin() + s.blocked_begin, f.runs.begin() + s.end);
    char* memory = static_cast<char*>(w.memory.get());
    point_at_block(f, s, most, memory, w.operands.data());
    char* parts = memory;
    for (const auto& slot : s.slots) parts += round_up(static_cast<size_t>(most * slot.row_bytes));
    for (int32_t i = s.blocked_begin; i < s.end; ++i) {
      cantik_run& r = w.runs[i - s.blocked_begin];
      r.in = w.operands.data() + p.instructions[i].first_operand;
      r.out = r.in + p.instructions[i].inputs;
      r.scratch = w.scratch.get();
    }
    for (int64_t b; !team.failed() && (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
      int64_t first = b * size, count = std::min(size, rows - first);
      for (const auto& m : s.moving)
        move_to_row(w.operands[m.operand], f.operands[m.operand], first, m.row_bytes);
      for (int32_t k : s.rowed) w.operands[k].rows = count;
      char* part = parts;
      for (const auto& sum : s.sums) {  // the first block writes the sums themselves
        w.operands[sum.operand].data = b == 0 ? f.operands[sum.operand].data : part;
        part += round_up(static_cast<size_t>(sum.elements) * size_of(sum.dtype));
      }
      for (int32_t i = s.blocked_begin; i < s.end; ++i) {
        const Instruction& ins = p.instructions[i];
        cantik_run& r = w.runs[i - s.blocked_begin];
        r.begin = 0;
        r.end = calls_.units_of(ins, count);
        calls_.in_parts(ins, r, count);
        calls_.check(ins, r);
      }
      if (s.sums.empty()) continue;
      for (int spins = 0; turn.load(std::memory_order_acquire) != b && !team.failed();)
        if (++spins % 64 == 0) std::this_thread::yield();
      if (team.failed()) return;
      if (b > 0)
        for (const auto& sum : s.sums)
          add_part(sum, f.operands[sum.operand].data, w.operands[sum.operand].data);
      turn.store(b + 1, std::memory_order_release);
    }
  });
}

void Walker::go() {
  std::optional<Uninterrupted> effects;  // the last stage
  for (const StageProgram& s : p_.stages) {
    if (p_.effects && &s == &p_.stages.back()) effects.emplace();
    for (int32_t i = s.whole_begin; i < s.blocked_begin; ++i) {
      run_whole(static_cast<size_t>(i));
      done(static_cast<size_t>(i));
    }
    if (s.blocked_begin == s.end) continue;
    if (s.loop) {
      lock_.take(nullptr);
      run_loop(f_, s, team_, calls_);
      carry_over_loop(f_, s);
    } else if (f_.rows(s.space) > s.block_rows) {
      run_blocks(s);
    } else {
      for (int32_t i = s.blocked_begin; i < s.end; ++i) run_whole(static_cast<size_t>(i));
    }
    done(static_cast<size_t>(s.end) - 1);
  }
}

}  // namespace

void run_stages(Frame& f, const Sources& sources, Draws& draws, const RunOptions& options,
                const Listening& listening) {
  const Program& p = *f.program;
  int threads = options.threads > 0 ? options.threads : thread_limit();
  int64_t work = 0;
  bool loops = false;
  if (threads > 1) {
    for (const Instruction& ins : p.instructions) work += ins.row_work * rows_of_work(ins, f.operands.data());
    loops = std::any_of(p.stages.begin(), p.stages.end(),
                        [&](const StageProgram& s) { return s.loop && !has_wide_steps(f, s); });
  }
  const bool is_close = !loops && work > kCloseWork;
  const int64_t each = loops ? kLoopTeamWork : is_close && runs_follow_closely() ? kCloseWork : kTeamWork;
  Team team(static_cast<int>(std::min<int64_t>(threads, 1 + work / each)));
  f.need_workers(static_cast<size_t>(team.size()));
  FlushDenormals flush;
  Walker walker(f, sources, draws, team, options.check_nan, listening);
  if (!f.device) {
    walker.go();
  } else {
    telling_of(p.instructions, sources, [&] {
      walker.go();
      f.device->queue.wait();
    });
  }
  if (is_close) run_has_ended();
}

}  // namespace cantik::runtime
