// Running the stages of a program: instructions on all rows, or block by block, dealt out to the threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "backends/cpu/table.h"
#include "graph/object.h"
#include "base/denormals.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "runtime/draws.h"
#include "runtime/executable.h"
#include "runtime/frame.h"
#include "runtime/profiler.h"
#include "runtime/status.h"

namespace cantik::runtime {

namespace {

// Element operations from which several threads are worth their while: in a run, in one with loops (threads
// share those by sequences, and everything else by rows, so that nearly all data go from cache to cache), in
// one instruction.
constexpr int64_t kTeamWork = 200000, kLoopTeamWork = 6000000, kSharedWork = 20000;

// What takes long goes in parts, so that a run can be ended between them. Work is a rough estimate, so that
// from kTimedWork on the clock says how long an instruction takes: the first time by a first part of it.
constexpr int64_t kTimedWork = 200000, kFirstParts = 64, kInstructionWork = 50;
constexpr double kPartNanoseconds = 50e6;

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

// Only calls of objects that follow one another stay in the user's language.
void enter_or_leave(ObjectStates& objects, bool object) {
  objects.may_stay = object;
  if (!object) objects.go_out();
}

void add_part(const StageProgram::Sum& sum, void* total, const void* part) {
  if (sum.dtype == DType::float32)
    cpu::kernels<float>().add(static_cast<float*>(total), static_cast<const float*>(part), sum.elements);
  else
    cpu::kernels<double>().add(static_cast<double*>(total), static_cast<const double*>(part), sum.elements);
}

}  // namespace

void Executable::check_numbers(const Program& p, const Instruction& ins, const cantik_run& r) const {
  for (int k = 0; k < ins.outputs; ++k) {
    const OperandRef& ref = p.operands[static_cast<size_t>(ins.first_operand + ins.inputs + k)];
    if ((ref.dtype != DType::float32 && ref.dtype != DType::float64) || ref.storage != Storage::dense)
      continue;
    Tensor t = Tensor::borrow(
        ref.dtype, {r.out[k].rows * ref.pitch},
        static_cast<char*>(r.out[k].data) - ref.place.offset * static_cast<int64_t>(size_of(ref.dtype)),
        nullptr);
    for (int64_t e = 0; e < r.out[k].rows * ref.stride; ++e)
      if (std::isnan(t.at(e / ref.stride * ref.pitch + e % ref.stride + ref.place.offset))) {
        Error error =
            runtime_error(cat(ins.kernel.name, " made a NaN, in row ", ref.stride ? e / ref.stride : 0,
                              ", element ", ref.stride ? e % ref.stride : 0));
        if (ins.source >= 0) rethrow_with(error, *sources_[static_cast<size_t>(ins.source)]);
        throw error;
      }
  }
}

void Executable::call(const Instruction& ins, cantik_run& r) const {
  const Node* of = nullptr;  // only where somebody asks
  // programs may come without their graphs
  if (Profiler::current() && ins.source >= 0 && static_cast<size_t>(ins.source) < sources_.size())
    of = sources_[static_cast<size_t>(ins.source)].get();
  ProfileScope profile(ins.kernel.name, of);
  call_kernel(ins, sources_,
              [&](char* text, size_t size) { return ins.kernel.run(ins.kernel.state, &r, text, size); });
}

// The units that r says, on the rows of one thread. Objects of the user's program see all of them at once.
void Executable::call_in_parts(const Instruction& ins, cantik_run& r, int64_t rows, const Team& team) const {
  const int64_t first = r.begin, last = r.end, work = ins.row_work * rows;
  if (work < kTimedWork || last - first < 2 || ins.object) {
    call(ins, r);
    return may_end(work + kInstructionWork);
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point before = Clock::now();
  double unit_time = ins.unit_time.known();
  for (int64_t next = first; next < last && !team.failed(); next = r.end) {
    const int64_t left = last - next;
    const double part =
        unit_time > 0 ? kPartNanoseconds / unit_time : static_cast<double>(left / kFirstParts);
    r.begin = next;
    r.end = part < static_cast<double>(left) ? next + std::max<int64_t>(1, static_cast<int64_t>(part)) : last;
    call(ins, r);
    const Clock::time_point now = Clock::now();
    const double took = std::max(1.0, std::chrono::duration<double, std::nano>(now - before).count());
    before = now;
    unit_time = took / static_cast<double>(r.end - r.begin);
    ins.unit_time.learn(static_cast<float>(unit_time));
    may_end(static_cast<int64_t>(took));
  }
  r.begin = first;
  r.end = last;
}

// The lengths of sequences that the instruction is about to make.
void Executable::make_layout(Frame& f, const Instruction& ins, cantik_run& r) const {
  std::vector<int64_t> lengths(static_cast<size_t>(r.in[0].offsets ? r.in[0].sequences : r.in[0].rows));
  r.scratch = f.workers[0].scratch.get();
  call_kernel(ins, sources_, [&](char* text, size_t size) {
    return ins.kernel.lengths(ins.kernel.state, &r, lengths.data(), text, size);
  });
  std::shared_ptr<const Layout> layout = Layout::of_lengths(lengths);
  // made before, or fed: all on one axis are of one length
  if (const std::shared_ptr<const Layout>& known = f.spaces[static_cast<size_t>(ins.makes)].layout) {
    for (int64_t s = 0; s < layout->sequences(); ++s)
      if (s >= known->sequences() || layout->length(s) != known->length(s)) {
        Error e = value_error(cat(ins.kernel.name, " makes ", layout->length(s), " steps of sequence ", s,
                                  " on an axis where it has ", s < known->sequences() ? known->length(s) : 0))
                      .remedy("give the results axes of their own, or sequences that are long enough");
        if (ins.source >= 0) rethrow_with(e, *sources_[static_cast<size_t>(ins.source)]);
        throw e;
      }
    return;
  }
  if (layout->rows() > f.spaces[static_cast<size_t>(ins.makes)].most)
    throw MoreRows(ins.makes, layout->rows());
  f.set_layout(static_cast<size_t>(ins.makes), std::move(layout));
}

// One instruction on all rows, its units shared out where that is worth it.
void Executable::run_whole(const Program& p, Frame& f, size_t i, Team& team, const RunOptions& options) {
  const Instruction& ins = p.instructions[i];
  cantik_run& r = f.runs[i];
  if (f.objects) enter_or_leave(*f.objects, ins.object);
  std::unique_lock<std::mutex> stream_lock;
  if (ins.draws) {
    stream_lock = draws_->lock();
    r.draws = &draws_->of(*sources_[static_cast<size_t>(ins.source)]);
  }
  if (ins.makes >= 0) make_layout(f, ins, r);
  int64_t rows = rows_of(ins, f.operands.data());
  int64_t units = units_of(ins, sources_, rows);
  r.begin = 0;
  r.end = units;
  r.scratch = f.workers[0].scratch.get();
  const int64_t worked_rows = rows_of_work(ins, f.operands.data());
  if (ins.draws) {
    call(ins, r);  // in one piece: the stream of numbers is this run's
    stream_lock.unlock();
    may_end(ins.row_work * worked_rows + kInstructionWork);
  } else if (team.size() == 1 || units < 2 || ins.row_work * worked_rows < kSharedWork) {
    if (const int64_t work = ins.row_work * worked_rows; work < kTimedWork) {
      call(ins, r);
      may_end(work + kInstructionWork);
    } else {
      call_in_parts(ins, r, worked_rows, team);
    }
  } else {
    team.run([&](int worker) {
      FlushDenormals flush;
      cantik_run mine = r;
      mine.begin = units * worker / team.size();
      mine.end = units * (worker + 1) / team.size();
      mine.scratch = f.workers[static_cast<size_t>(worker)].scratch.get();
      if (mine.begin < mine.end) call_in_parts(ins, mine, worked_rows / team.size(), team);
    });
  }
  if (options.check_nan) check_numbers(p, ins, r);
  if (ins.carries >= 0) carry_over_rows(p, f, ins);
  if (ins.border) clear_borders(p, f, ins);
}

// A stage's blocks; each thread takes the next one that nobody has. Sums over rows get the parts of the
// blocks in the blocks' order: whoever waits for its turn waits for blocks that have begun.
void Executable::run_blocks(const Program& p, Frame& f, const StageProgram& s, Team& team,
                            const RunOptions& options) {
  if (f.objects) enter_or_leave(*f.objects, false);
  // Blocks decide the bits of sums and of nothing else: where there are none, several threads get enough
  // blocks to have the same work.
  int64_t rows = f.rows(s.space), most = block_rows(s, f), size = most;
  if (s.sums.empty() && team.size() > 1)
    size = std::clamp<int64_t>((rows / (4 * team.size()) + 11) / 12 * 12, 1, most);
  const int64_t blocks = (rows + size - 1) / size;
  std::atomic<int64_t> next{0}, turn{0};
  team.run([&](int worker) {
    FlushDenormals flush;
    BlockWorker& w = f.workers[static_cast<size_t>(worker)];
    w.operands = f.operands;
    w.runs.assign(f.runs.begin() + s.blocked_begin, f.runs.begin() + s.end);
    char* memory = static_cast<char*>(w.memory.get());
    point_at_block(p, s, most, memory, w.operands.data());
    char* parts = memory;
    for (const auto& slot : s.slots) parts += round_up(static_cast<size_t>(most * slot.row_bytes));
    for (int32_t i = s.blocked_begin; i < s.end; ++i) {
      cantik_run& r = w.runs[static_cast<size_t>(i - s.blocked_begin)];
      r.in = w.operands.data() + p.instructions[static_cast<size_t>(i)].first_operand;
      r.out = r.in + p.instructions[static_cast<size_t>(i)].inputs;
      r.scratch = w.scratch.get();
    }
    for (int64_t b; !team.failed() && (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
      int64_t first = b * size, count = std::min(size, rows - first);
      for (const auto& m : s.moving)
        move_to_row(w.operands[static_cast<size_t>(m.operand)], f.operands[static_cast<size_t>(m.operand)],
                    first, m.row_bytes);
      for (int32_t k : s.rowed) w.operands[static_cast<size_t>(k)].rows = count;
      char* part = parts;
      for (const auto& sum : s.sums) {  // the first block writes the sums themselves
        w.operands[static_cast<size_t>(sum.operand)].data =
            b == 0 ? f.operands[static_cast<size_t>(sum.operand)].data : part;
        part += round_up(static_cast<size_t>(sum.elements) * size_of(sum.dtype));
      }
      for (int32_t i = s.blocked_begin; i < s.end; ++i) {
        const Instruction& ins = p.instructions[static_cast<size_t>(i)];
        cantik_run& r = w.runs[static_cast<size_t>(i - s.blocked_begin)];
        r.begin = 0;
        r.end = units_of(ins, sources_, count);
        call_in_parts(ins, r, count, team);
        if (options.check_nan) check_numbers(p, ins, r);
      }
      if (s.sums.empty()) continue;
      for (int spins = 0; turn.load(std::memory_order_acquire) != b && !team.failed();)
        if (++spins % 64 == 0) std::this_thread::yield();
      if (team.failed()) return;
      if (b > 0)
        for (const auto& sum : s.sums)
          add_part(sum, f.operands[static_cast<size_t>(sum.operand)].data,
                   w.operands[static_cast<size_t>(sum.operand)].data);
      turn.store(b + 1, std::memory_order_release);
    }
  });
}

void Executable::execute(const Program& p, Frame& f, const RunOptions& options) {
  int threads = options.threads > 0 ? options.threads : thread_limit();
  int64_t work = 0;
  bool loops = false;
  if (threads > 1) {
    for (const Instruction& ins : p.instructions) work += ins.row_work * rows_of_work(ins, f.operands.data());
    loops = std::any_of(p.stages.begin(), p.stages.end(), [](const StageProgram& s) { return s.loop >= 0; });
  }
  Team team(work > (loops ? kLoopTeamWork : kTeamWork) ? threads : 1);
  f.need_workers(static_cast<size_t>(team.size()));
  FlushDenormals flush;
  std::optional<Uninterrupted> effects;  // the last stage
  for (const StageProgram& s : p.stages) {
    if (p.effects && &s == &p.stages.back()) effects.emplace();
    for (int32_t i = s.whole_begin; i < s.blocked_begin; ++i)
      run_whole(p, f, static_cast<size_t>(i), team, options);
    if (s.blocked_begin == s.end) continue;
    if (s.loop >= 0) {
      if (f.objects) enter_or_leave(*f.objects, false);
      run_loop(p, f, s, team, options);
      carry_over_loop(p, f, s);
      continue;
    }
    if (f.rows(s.space) > s.block_rows) {
      run_blocks(p, f, s, team, options);
      continue;
    }
    for (int32_t i = s.blocked_begin; i < s.end; ++i) run_whole(p, f, static_cast<size_t>(i), team, options);
  }
}

}  // namespace cantik::runtime
