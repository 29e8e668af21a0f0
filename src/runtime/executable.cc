// Running a program: feeds are checked, a frame is taken, operands are pointed at memory, instructions follow one another.
#include "runtime/executable.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "backends/cpu/table.h"
#include "base/denormals.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "graph/node.h"
#include "runtime/draws.h"
#include "runtime/profiler.h"

namespace cantik::runtime {

// What one thread needs: scratch of kernels, the values of one block, and its own view of a stage's operands.
struct BlockWorker {
  MemoryBlock scratch, memory;
  size_t bytes = 0;
  std::vector<cantik_operand> operands;
  std::vector<cantik_run> runs;
};

// The memory of one run, and its operands as the kernels see them. Kept between runs: with the same number of rows only
// the pointers to the caller's memory change.
struct Frame {
  std::shared_ptr<const Program> program;
  MemoryBlock memory;
  size_t bytes = 0;
  int64_t rows = -1;
  std::vector<BlockWorker> workers;  // the first is the calling thread's
  std::vector<cantik_operand> operands;
  std::vector<cantik_run> runs;
  std::vector<NumberCell> lives;
  std::vector<double> live_fields;
  std::vector<MemoryBlock> sparse;  // of each sparse value that stays inside
  std::vector<size_t> sparse_bytes;
};

// What depends on parameters only, for one version of them.
struct Executable::Packs {
  std::shared_ptr<const Program> program;
  std::vector<uint64_t> versions;
  std::vector<MemoryBlock> memory;  // of each setup value
};

namespace {

constexpr size_t kMostFrames = 32;

size_t round_up(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

void check_status(cantik_status status, const char* text, const Instruction& i, const std::vector<std::shared_ptr<Node>>& sources) {
  if (status == CANTIK_OK) return;
  Error e(status == CANTIK_VALUE ? ErrorKind::value : ErrorKind::runtime, i.kernel.name + ": " + text);
  if (i.source >= 0) rethrow_with(e, *sources[static_cast<size_t>(i.source)]);
  throw e;
}

int64_t rows_of(const Instruction& i, const cantik_operand* operands) {
  return i.outputs ? operands[i.first_operand + i.inputs].rows : 1;
}

// The operand as a block sees it that begins with row `first`.
void move_to_row(cantik_operand& o, const cantik_operand& whole, int64_t first, int64_t row_bytes) {
  if (whole.starts) o.starts = whole.starts + first;  // entries stay where the starts say
  else if (whole.map) o.map = whole.map + first;      // the map leads to rows of the whole
  else o.data = static_cast<char*>(whole.data) + first * row_bytes;
}

void add_part(const StageProgram::Sum& sum, void* total, const void* part) {
  if (sum.dtype == DType::float32) cpu::kernels<float>().add(static_cast<float*>(total), static_cast<const float*>(part), sum.elements);
  else cpu::kernels<double>().add(static_cast<double*>(total), static_cast<const double*>(part), sum.elements);
}

// Points an operand at dense memory or at the rows of a sparse tensor.
void point_at(cantik_operand& o, const Tensor& t) {
  o.data = t.raw();
  o.starts = t.starts();
  o.columns = t.columns();
}

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves, std::vector<std::shared_ptr<Node>> sources, ir::Request request)
    : plan_(std::move(plan)), request_(std::move(request)), leaves_(std::move(leaves)), sources_(std::move(sources)) {
  if (!plan_->is_open()) fixed_ = plan_->program({}, sources_);
}

Executable::~Executable() = default;

std::shared_ptr<const Program> Executable::choose(const std::vector<const Value*>& feeds, int64_t rows) {
  if (fixed_) return fixed_;
  std::vector<Shape> shapes;
  std::vector<std::pair<Variable, Shape>> given;
  for (int32_t leaf : plan_->free_inputs()) {
    const Variable& v = leaves_[static_cast<size_t>(leaf)];
    const Shape& s = feeds[static_cast<size_t>(leaf)]->data.shape();
    shapes.push_back(v.axes().has_batch() ? s.sub(1, s.rank()) : s);
    given.emplace_back(v, shapes.back());
  }
  if (plan_->needs_rows()) shapes.push_back(Shape{rows});
  return plan_->program(shapes, sources_, [&] {
    ir::Graph g = ir::imported(request_, given, rows);
    ir::run_passes(g, request_);
    return g;
  });
}

std::unique_ptr<Frame> Executable::take_frame(const std::shared_ptr<const Program>& program) {
  {
    std::lock_guard lock(mutex_);
    for (size_t i = frames_.size(); i-- > 0;)
      if (frames_[i]->program == program) {
        std::unique_ptr<Frame> f = std::move(frames_[i]);
        frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(i));
        return f;
      }
  }
  auto f = std::make_unique<Frame>();
  const Program& p = *program;
  f->program = program;
  f->operands.resize(p.operands.size());
  f->runs.resize(p.instructions.size());
  f->lives.resize(p.graph.lives.size());
  f->live_fields.resize(p.live_fields.size());
  f->sparse.resize(p.schedule.sparse.size());
  f->sparse_bytes.assign(p.schedule.sparse.size(), 0);
  for (size_t i = 0; i < p.operands.size(); ++i) {
    cantik_operand& o = f->operands[i];
    o = {};
    const OperandRef& r = p.operands[i];
    o.stride = r.has_rows ? r.stride : 0;
    if (r.place.where == ir::Where::number) o.data = const_cast<unsigned char*>(p.numbers[static_cast<size_t>(r.place.index)].bytes);
    if (r.place.where == ir::Where::live) o.data = f->lives[static_cast<size_t>(r.place.index)].bytes;
  }
  for (const Patch& s : p.stored) f->operands[static_cast<size_t>(s.operand)].data = leaves_[static_cast<size_t>(s.index)].value().raw();
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    cantik_run& r = f->runs[i];
    r = {};
    r.size = sizeof r;
    r.in = f->operands.data() + p.instructions[i].first_operand;
    r.out = r.in + p.instructions[i].inputs;
    r.training = p.graph.mode == ir::Mode::training;
    if (p.instructions[i].first_live >= 0) r.live = f->live_fields.data() + p.instructions[i].first_live;
  }
  return f;
}

void Executable::give_back(std::unique_ptr<Frame> f) {
  std::lock_guard lock(mutex_);
  if (frames_.size() >= kMostFrames) frames_.erase(frames_.begin());  // used longest ago: of a program, perhaps, that nobody asks for again
  frames_.push_back(std::move(f));
}

namespace {

// Bytes of a worker's memory for one block of a stage: its values, then the parts of the sums.
size_t block_bytes(const StageProgram& s, int64_t rows) {
  size_t total = 0;
  for (const auto& slot : s.slots) total += round_up(static_cast<size_t>(rows * slot.row_bytes));
  for (const auto& sum : s.sums) total += round_up(static_cast<size_t>(sum.elements) * size_of(sum.dtype));
  return total;
}

// Points the operands of a stage that live in a block at a worker's memory.
void point_at_block(const Program& p, const StageProgram& s, int64_t rows, char* memory, cantik_operand* operands) {
  size_t offset = 0;
  for (const auto& slot : s.slots) {
    for (int32_t k : s.rowed) {
      const OperandRef& r = p.operands[static_cast<size_t>(k)];
      if (r.place.where == ir::Where::block && r.place.index == slot.slot) operands[k].data = memory + offset;
    }
    offset += round_up(static_cast<size_t>(rows * slot.row_bytes));
  }
}

int64_t block_rows(const StageProgram& s, int64_t rows) { return std::max<int64_t>(1, std::min(rows, s.block_rows)); }

void make_worker(BlockWorker& w, const Program& p, int64_t rows) {
  size_t bytes = 0;
  for (const StageProgram& s : p.stages) bytes = std::max(bytes, block_bytes(s, block_rows(s, rows)));
  if (w.bytes < bytes || !w.memory) w.memory = allocate_block(bytes), w.bytes = bytes;
  if (!w.scratch) w.scratch = allocate_block(round_up(static_cast<size_t>(p.scratch_bytes)));
}

// Slots one behind the other; operands of the frame point at them.
void lay_out(Frame& f, int64_t rows) {
  const Program& p = *f.program;
  std::vector<size_t> offset(p.schedule.slots.size());
  size_t total = 0;
  for (size_t i = 0; i < offset.size(); ++i) {
    const ir::Slot& s = p.schedule.slots[i];
    offset[i] = total;
    total += round_up(static_cast<size_t>((s.has_rows ? rows : 1) * s.row_bytes));
  }
  if (total > f.bytes) {
    f.memory = allocate_block(total);
    f.bytes = total;
  }
  for (size_t i = 0; i < p.operands.size(); ++i) {
    const OperandRef& r = p.operands[i];
    cantik_operand& o = f.operands[i];
    o.rows = r.has_rows ? rows : 1;
    if (r.place.where == ir::Where::frame) o.data = static_cast<char*>(f.memory.get()) + offset[static_cast<size_t>(r.place.index)];
  }
  if (f.workers.empty()) f.workers.resize(1);
  for (BlockWorker& w : f.workers) make_worker(w, p, rows);
  for (const StageProgram& s : p.stages) point_at_block(p, s, block_rows(s, rows), static_cast<char*>(f.workers[0].memory.get()), f.operands.data());
  f.rows = rows;
}

}  // namespace

void Executable::prepare_outputs(const std::shared_ptr<const Program>& p, int64_t rows, Outputs& out) {
  bool reuse = out.program_ == p && out.rows_ == rows && out.block_.use_count() == 1;
  if (reuse) return;
  out.program_ = p;
  out.rows_ = rows;
  out.offsets_.clear();
  size_t total = 0;
  for (const OperandRef& r : p->outputs) {
    out.offsets_.push_back(total);
    if (r.place.where == ir::Where::output) total += round_up(static_cast<size_t>((r.has_rows ? rows : 1) * r.stride) * size_of(r.dtype));
  }
  if (out.block_.use_count() != 1 || out.bytes_ < total) {
    out.block_ = allocate(total);
    out.bytes_ = total;
  }
}

// Memory for sparse rows: where the rows start, the columns, the values, one behind the other.
void Executable::place_sparse(const Program& p, Frame& f, const std::vector<const Value*>& feeds, int64_t rows, Outputs& out) {
  out.sparse_.assign(p.outputs.size(), nullptr);
  out.operands_.assign(p.outputs.size(), {});
  std::vector<cantik_operand> where(p.schedule.sparse.size());
  for (size_t k = 0; k < where.size(); ++k) {
    const ir::SparseSlot& s = p.schedule.sparse[k];
    const Type& t = p.graph.type(s.value);
    int64_t entries = s.fixed + s.per_row * rows;
    for (int32_t leaf : s.feeds) entries += feeds[static_cast<size_t>(leaf)]->data.nonzeros();
    if (s.most >= 0) entries = std::min(entries, s.most);
    bool few = t.storage == Storage::row_sparse;
    int64_t width = few && t.shape[0] > 0 ? t.shape.elements() / t.shape[0] : 1, starts = few ? 2 : (t.axes.has_batch() ? rows : 1) + 1;
    size_t columns_at = round_up(static_cast<size_t>(starts) * sizeof(int64_t)), values_at = columns_at + round_up(static_cast<size_t>(entries) * sizeof(int32_t));
    size_t bytes = values_at + static_cast<size_t>(entries * width) * size_of(t.dtype);
    char* memory = nullptr;
    if (s.output >= 0) {
      out.sparse_[static_cast<size_t>(s.output)] = allocate(bytes);
      memory = static_cast<char*>(out.sparse_[static_cast<size_t>(s.output)].get());
    } else {
      if (f.sparse_bytes[k] < bytes) f.sparse[k] = allocate_block(bytes), f.sparse_bytes[k] = bytes;
      memory = static_cast<char*>(f.sparse[k].get());
    }
    where[k].starts = reinterpret_cast<int64_t*>(memory);
    where[k].columns = reinterpret_cast<int32_t*>(memory + columns_at);
    where[k].data = memory + values_at;
    if (s.output >= 0) out.operands_[static_cast<size_t>(s.output)] = where[k];
  }
  for (const Patch& s : p.sparse_patches) {
    cantik_operand& o = f.operands[static_cast<size_t>(s.operand)];
    o.starts = where[static_cast<size_t>(s.index)].starts;
    o.columns = where[static_cast<size_t>(s.index)].columns;
    o.data = where[static_cast<size_t>(s.index)].data;
  }
}

std::shared_ptr<const Executable::Packs> Executable::packs(const Program& p) {
  auto current = [&](const Packs& k) {
    if (k.program.get() != &p) return false;
    for (size_t i = 0; i < p.setup_leaves.size(); ++i)
      if (leaves_[static_cast<size_t>(p.setup_leaves[i])].node()->stored->version.load(std::memory_order_acquire) != k.versions[i]) return false;
    return true;
  };
  std::lock_guard lock(mutex_);
  if (packs_ && current(*packs_)) return packs_;
  auto made = std::make_shared<Packs>();
  // Nobody runs on the old packs: their memory serves the new ones.
  if (packs_ && packs_->program.get() == &p && packs_.use_count() == 1) made->memory = std::move(const_cast<Packs&>(*packs_).memory);
  for (int32_t leaf : p.setup_leaves) made->versions.push_back(leaves_[static_cast<size_t>(leaf)].node()->stored->version.load(std::memory_order_acquire));
  made->program = std::shared_ptr<const Program>(std::shared_ptr<void>(), &p);
  if (made->memory.empty())
    for (ir::ValueId v : p.schedule.setup_values) {
      const Type& t = p.graph.type(v);
      made->memory.push_back(allocate_block(static_cast<size_t>(t.shape.elements()) * size_of(t.dtype)));
    }
  MemoryBlock scratch = allocate_block(static_cast<size_t>(p.scratch_bytes));
  std::vector<cantik_operand> operands;
  for (const Instruction& i : p.setup) {
    operands.assign(static_cast<size_t>(i.inputs + i.outputs), {});
    for (size_t k = 0; k < operands.size(); ++k) {
      const OperandRef& r = p.operands[static_cast<size_t>(i.first_operand) + k];
      operands[k].rows = 1;
      if (r.place.where == ir::Where::stored) operands[k].data = leaves_[static_cast<size_t>(r.place.index)].value().raw();
      if (r.place.where == ir::Where::number) operands[k].data = const_cast<unsigned char*>(p.numbers[static_cast<size_t>(r.place.index)].bytes);
      if (r.place.where == ir::Where::setup) operands[k].data = made->memory[static_cast<size_t>(r.place.index)].get();
    }
    cantik_run run{};
    run.size = sizeof run;
    run.in = operands.data();
    run.out = operands.data() + i.inputs;
    run.scratch = scratch.get();
    run.end = i.kernel.units ? i.kernel.units(i.kernel.state, 1) : 1;
    char text[512] = "";
    check_status(i.kernel.run(i.kernel.state, &run, text, sizeof text), text, i, sources_);
  }
  packs_ = made;
  return made;
}

void Executable::check_numbers(const Program& p, const Instruction& ins, const cantik_run& r) const {
  for (int k = 0; k < ins.outputs; ++k) {
    const OperandRef& ref = p.operands[static_cast<size_t>(ins.first_operand + ins.inputs + k)];
    if ((ref.dtype != DType::float32 && ref.dtype != DType::float64) || ref.storage != Storage::dense) continue;
    Tensor t = Tensor::borrow(ref.dtype, {r.out[k].rows * ref.stride}, r.out[k].data, nullptr);
    for (int64_t e = 0; e < t.elements(); ++e)
      if (std::isnan(t.at(e))) {
        Error error = runtime_error(cat(ins.kernel.name, " made a NaN, in row ", ref.stride ? e / ref.stride : 0, ", element ", ref.stride ? e % ref.stride : 0));
        if (ins.source >= 0) rethrow_with(error, *sources_[static_cast<size_t>(ins.source)]);
        throw error;
      }
  }
}

void Executable::call(const Program& p, const Instruction& ins, cantik_run& r, const RunOptions& options) const {
  ProfileScope profile(ins.kernel.name);
  char text[512] = "";
  if (cantik_status s = ins.kernel.run(ins.kernel.state, &r, text, sizeof text)) check_status(s, text, ins, sources_);
  if (options.check_nan) check_numbers(p, ins, r);
}

// One instruction on all rows, its units shared out where that is worth it.
void Executable::run_whole(const Program& p, Frame& f, size_t i, Team& team, const RunOptions& options) {
  const Instruction& ins = p.instructions[i];
  cantik_run& r = f.runs[i];
  std::unique_lock<std::mutex> stream_lock;
  if (ins.draws) {
    Node& source = *sources_[static_cast<size_t>(ins.source)];
    stream_lock = std::unique_lock(source.state_mutex);
    r.draws = &stream_of(source);
  }
  int64_t rows = rows_of(ins, f.operands.data());
  int64_t units = ins.kernel.units ? ins.kernel.units(ins.kernel.state, rows) : rows;
  r.begin = 0;
  r.end = units;
  r.scratch = f.workers[0].scratch.get();
  if (team.size() == 1 || units < 2 || ins.draws || ins.row_work * rows < 20000) {
    call(p, ins, r, options);
    return;
  }
  RunOptions quiet = options;
  quiet.check_nan = false;
  team.run([&](int worker) {
    FlushDenormals flush;
    cantik_run mine = r;
    mine.begin = units * worker / team.size();
    mine.end = units * (worker + 1) / team.size();
    mine.scratch = f.workers[static_cast<size_t>(worker)].scratch.get();
    if (mine.begin < mine.end) call(p, ins, mine, quiet);
  });
  if (options.check_nan) check_numbers(p, ins, r);
}

// A stage's blocks, dealt out to the threads in turn. Sums over rows get the parts of the blocks in the blocks' order.
void Executable::run_blocks(const Program& p, Frame& f, const StageProgram& s, Team& team, const RunOptions& options) {
  int64_t rows = f.rows, size = block_rows(s, rows), blocks = (rows + size - 1) / size;
  std::atomic<int64_t> turn{0};
  std::atomic<bool> failed{false};
  team.run([&](int worker) {
    FlushDenormals flush;
    BlockWorker& w = f.workers[static_cast<size_t>(worker)];
    try {
      w.operands = f.operands;
      w.runs.assign(f.runs.begin() + s.blocked_begin, f.runs.begin() + s.end);
      char* memory = static_cast<char*>(w.memory.get());
      point_at_block(p, s, size, memory, w.operands.data());
      char* parts = memory;
      for (const auto& slot : s.slots) parts += round_up(static_cast<size_t>(size * slot.row_bytes));
      for (int32_t i = s.blocked_begin; i < s.end; ++i) {
        cantik_run& r = w.runs[static_cast<size_t>(i - s.blocked_begin)];
        r.in = w.operands.data() + p.instructions[static_cast<size_t>(i)].first_operand;
        r.out = r.in + p.instructions[static_cast<size_t>(i)].inputs;
        r.scratch = w.scratch.get();
      }
      for (int64_t b = worker; b < blocks; b += team.size()) {
        int64_t first = b * size, count = std::min(size, rows - first);
        for (const auto& m : s.moving) move_to_row(w.operands[static_cast<size_t>(m.operand)], f.operands[static_cast<size_t>(m.operand)], first, m.row_bytes);
        for (int32_t k : s.rowed) w.operands[static_cast<size_t>(k)].rows = count;
        char* part = parts;
        for (const auto& sum : s.sums) {  // the first block writes the sums themselves
          w.operands[static_cast<size_t>(sum.operand)].data = b == 0 ? f.operands[static_cast<size_t>(sum.operand)].data : part;
          part += round_up(static_cast<size_t>(sum.elements) * size_of(sum.dtype));
        }
        for (int32_t i = s.blocked_begin; i < s.end; ++i) {
          const Instruction& ins = p.instructions[static_cast<size_t>(i)];
          cantik_run& r = w.runs[static_cast<size_t>(i - s.blocked_begin)];
          r.begin = 0;
          r.end = ins.kernel.units ? ins.kernel.units(ins.kernel.state, count) : count;
          call(p, ins, r, options);
        }
        if (s.sums.empty()) continue;
        for (int spins = 0; turn.load(std::memory_order_acquire) != b && !failed.load(std::memory_order_relaxed);)
          if (++spins % 64 == 0) std::this_thread::yield();
        if (b > 0)
          for (const auto& sum : s.sums) add_part(sum, f.operands[static_cast<size_t>(sum.operand)].data, w.operands[static_cast<size_t>(sum.operand)].data);
        turn.store(b + 1, std::memory_order_release);
      }
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

void Executable::execute(const Program& p, Frame& f, const RunOptions& options) {
  int threads = options.threads > 0 ? options.threads : thread_limit();
  // A team is worth its waking only where the whole run has work for it.
  int64_t work = 0;
  if (threads > 1)
    for (const Instruction& ins : p.instructions) work += ins.row_work * rows_of(ins, f.operands.data());
  Team team(work > 200000 ? threads : 1);
  while (f.workers.size() < static_cast<size_t>(team.size())) {
    f.workers.emplace_back();
    make_worker(f.workers.back(), p, f.rows);
  }
  FlushDenormals flush;
  for (const StageProgram& s : p.stages) {
    for (int32_t i = s.whole_begin; i < s.blocked_begin; ++i) run_whole(p, f, static_cast<size_t>(i), team, options);
    if (s.blocked_begin == s.end) continue;
    if (f.rows > s.block_rows) {
      run_blocks(p, f, s, team, options);
      continue;
    }
    for (int32_t i = s.blocked_begin; i < s.end; ++i) run_whole(p, f, static_cast<size_t>(i), team, options);
  }
}

void Executable::run(const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& options) {
  int64_t rows = -1;
  std::shared_ptr<const Layout> layout;
  size_t first = 0;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    // Also of inputs that the plan does not read: their rows are those of the results.
    if (!leaves_[i].is_input() || !feeds[i] || !leaves_[i].axes().has_batch()) continue;
    int64_t n = feeds[i]->rows();
    if (rows >= 0 && n != rows)
      throw value_error(cat("the inputs have different numbers of samples: ", leaves_[first].text(), " has ", rows, ", ", leaves_[i].text(), " has ", n))
          .remedy("feed the same samples to all inputs");
    if (rows < 0) rows = n, layout = feeds[i]->layout, first = i;
  }
  std::shared_ptr<const Program> program = choose(feeds, rows < 0 ? 1 : rows);
  const Program& p = *program;
  if (int64_t made = p.graph.made_rows; made >= 0) {
    if (rows >= 0 && rows != made) throw value_error(cat("an axis of size ", made, " becomes the batch, but ", leaves_[first].text(), " has ", rows, " samples"));
    if (rows < 0) rows = made, layout = Layout::batch(made);
  }
  if (rows < 0) rows = 1;

  std::unique_ptr<Frame> f = take_frame(program);
  if (f->rows != rows) lay_out(*f, rows);
  for (const Patch& s : p.feeds) point_at(f->operands[static_cast<size_t>(s.operand)], feeds[static_cast<size_t>(s.index)]->data);
  prepare_outputs(program, rows, out);
  out.layout_ = layout;
  for (const Patch& s : p.output_patches) f->operands[static_cast<size_t>(s.operand)].data = out.data(static_cast<size_t>(s.index));
  std::shared_ptr<const Packs> kept;
  if (!p.setup.empty()) {
    kept = packs(p);
    for (const Patch& s : p.setup_patches) f->operands[static_cast<size_t>(s.operand)].data = kept->memory[static_cast<size_t>(s.index)].get();
  }
  for (size_t i = 0; i < p.graph.lives.size(); ++i) {
    const ir::Live& l = p.graph.lives[i];
    double x = sources_[static_cast<size_t>(l.source)]->attributes[static_cast<size_t>(l.field)].real();
    DType dtype = DType::float32;
    for (const Patch& s : p.lives)
      if (s.index == static_cast<int32_t>(i)) dtype = p.operands[static_cast<size_t>(s.operand)].dtype;
    copy_numbers(DType::float64, &x, dtype, f->lives[i].bytes, 1);
  }
  for (size_t i = 0; i < p.live_fields.size(); ++i) {
    const LiveField& l = p.live_fields[i];
    f->live_fields[i] = l.source < 0 ? l.value : sources_[static_cast<size_t>(l.source)]->attributes[static_cast<size_t>(l.field)].real();
  }
  if (!p.schedule.sparse.empty()) place_sparse(p, *f, feeds, rows, out);
  execute(p, *f, options);
  for (int32_t leaf : p.changed) leaves_[static_cast<size_t>(leaf)].add_to_version();
  give_back(std::move(f));
}

Outputs::FewRows Outputs::few_rows(size_t i) const {
  const cantik_operand& o = operands_[i];
  return {o.starts[1], o.columns, o.data};
}

Value Outputs::value(size_t i) const {
  const OperandRef& r = program_->outputs[i];
  const Type& t = program_->graph.type(program_->graph.outputs[i]);
  Shape shape = r.has_rows ? Shape{rows_} + t.shape : t.shape;
  if (r.storage != Storage::dense) {
    const cantik_operand& o = operands_[i];
    const std::shared_ptr<void>& owner = sparse_[i];
    std::shared_ptr<const int32_t> columns(owner, o.columns);
    std::shared_ptr<const void> values(owner, o.data);
    if (r.storage == Storage::row_sparse) return Value(Tensor::row_sparse(t.dtype, shape, o.starts[1], columns, values), nullptr);
    if (!r.has_rows) return Value(Tensor::csr_matrix(t.dtype, shape, o.starts[1] - o.starts[0], o.columns, o.data), nullptr);
    return Value(Tensor::csr(t.dtype, shape, std::shared_ptr<const int64_t>(owner, o.starts), columns, values), layout_);
  }
  Tensor tensor = Tensor::borrow(t.dtype, std::move(shape), const_cast<void*>(data(i)), block_);
  return Value(std::move(tensor), r.has_rows ? layout_ : nullptr);
}

}  // namespace cantik::runtime
