// Running a program: feeds are checked, a frame is taken, operands are pointed at memory, instructions follow one another.
#include "runtime/executable.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <immintrin.h>

#include "base/text.h"
#include "base/thread_pool.h"
#include "graph/node.h"
#include "runtime/draws.h"
#include "runtime/profiler.h"

namespace cantik::runtime {

// The memory of one run, and its operands as the kernels see them. Kept between runs: with the same number of rows only
// the pointers to the caller's memory change.
struct Frame {
  std::shared_ptr<const Program> program;
  MemoryBlock memory, scratch;
  size_t bytes = 0;
  int64_t rows = -1;
  int threads = 0;
  std::vector<cantik_operand> operands;
  std::vector<cantik_run> runs;
  std::vector<NumberCell> lives;
};

// What depends on parameters only, for one version of them.
struct Executable::Packs {
  std::shared_ptr<const Program> program;
  std::vector<uint64_t> versions;
  std::vector<MemoryBlock> memory;  // of each setup value
};

namespace {

// Denormals are flushed inside a run; the caller's setting comes back.
class FlushDenormals {
 public:
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
  ~FlushDenormals() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
};

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

// Points an operand at dense memory or at the rows of a sparse tensor.
void point_at(cantik_operand& o, const Tensor& t) {
  o.data = t.raw();
  o.starts = t.starts();
  o.columns = t.columns();
}

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves, std::vector<std::shared_ptr<Node>> sources)
    : plan_(std::move(plan)), leaves_(std::move(leaves)), sources_(std::move(sources)) {
  if (plan_->free_inputs().empty()) fixed_ = plan_->program({}, sources_);
}

Executable::~Executable() = default;

std::shared_ptr<const Program> Executable::choose(const std::vector<const Value*>& feeds) {
  if (fixed_) return fixed_;
  std::vector<Shape> shapes;
  for (int32_t leaf : plan_->free_inputs()) {
    const Variable& v = leaves_[static_cast<size_t>(leaf)];
    const Shape& s = feeds[static_cast<size_t>(leaf)]->data.shape();
    shapes.push_back(v.axes().has_batch() ? s.sub(1, s.rank()) : s);
  }
  return plan_->program(shapes, sources_);
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
  }
  return f;
}

void Executable::give_back(std::unique_ptr<Frame> f) {
  std::lock_guard lock(mutex_);
  if (frames_.size() < 32) frames_.push_back(std::move(f));
}

namespace {

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

void Executable::execute(const Program& p, Frame& f, const RunOptions& options) {
  int threads = options.threads > 0 ? options.threads : thread_limit();
  size_t scratch = round_up(static_cast<size_t>(p.scratch_bytes));
  if (!f.scratch || f.threads < threads) {
    f.scratch = allocate_block(scratch * static_cast<size_t>(threads));
    f.threads = threads;
  }
  // A team is worth its waking only where the whole run has work for it.
  int64_t work = 0;
  for (const Instruction& ins : p.instructions) work += ins.row_work * rows_of(ins, f.operands.data());
  Team team(work > 100000 ? threads : 1);
  FlushDenormals flush;
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    const Instruction& ins = p.instructions[i];
    cantik_run& r = f.runs[i];
    int64_t rows = rows_of(ins, f.operands.data());
    int64_t units = ins.kernel.units ? ins.kernel.units(ins.kernel.state, rows) : rows;
    ProfileScope profile(ins.kernel.name);
    std::unique_lock<std::mutex> stream_lock;
    if (ins.draws) {
      Node& source = *sources_[static_cast<size_t>(ins.source)];
      stream_lock = std::unique_lock(source.state_mutex);
      r.draws = &stream_of(source);
    }
    if (team.size() == 1 || units < 2 || ins.draws || ins.row_work * rows < 20000) {
      r.begin = 0;
      r.end = units;
      r.scratch = f.scratch.get();
      char text[512] = "";
      if (cantik_status s = ins.kernel.run(ins.kernel.state, &r, text, sizeof text)) check_status(s, text, ins, sources_);
    } else {
      team.run([&](int worker) {
        FlushDenormals flush_too;
        cantik_run mine = r;
        mine.begin = units * worker / team.size();
        mine.end = units * (worker + 1) / team.size();
        mine.scratch = static_cast<char*>(f.scratch.get()) + scratch * static_cast<size_t>(worker);
        char text[512] = "";
        if (mine.begin < mine.end)
          if (cantik_status s = ins.kernel.run(ins.kernel.state, &mine, text, sizeof text)) check_status(s, text, ins, sources_);
      });
    }
    if (options.check_nan) {
      for (int k = 0; k < ins.outputs; ++k) {
        const OperandRef& ref = p.operands[static_cast<size_t>(ins.first_operand + ins.inputs + k)];
        Tensor t = Tensor::borrow(ref.dtype, {r.out[k].rows * ref.stride}, r.out[k].data, nullptr);
        if (ref.dtype != DType::float32 && ref.dtype != DType::float64) continue;
        for (int64_t e = 0; e < t.elements(); ++e)
          if (std::isnan(t.at(e))) {
            Error error = runtime_error(cat(ins.kernel.name, " made a NaN, in row ", ref.stride ? e / ref.stride : 0, ", element ", ref.stride ? e % ref.stride : 0));
            if (ins.source >= 0) rethrow_with(error, *sources_[static_cast<size_t>(ins.source)]);
            throw error;
          }
      }
    }
  }
}

void Executable::run(const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& options) {
  std::shared_ptr<const Program> program = choose(feeds);
  const Program& p = *program;
  int64_t rows = -1;
  std::shared_ptr<const Layout> layout;
  size_t first = 0;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (!wants(i) || !leaves_[i].axes().has_batch()) continue;
    int64_t n = feeds[i]->rows();
    if (rows >= 0 && n != rows)
      throw value_error(cat("the inputs have different numbers of samples: ", leaves_[first].text(), " has ", rows, ", ", leaves_[i].text(), " has ", n))
          .remedy("feed the same samples to all inputs");
    if (rows < 0) rows = n, layout = feeds[i]->layout, first = i;
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
  execute(p, *f, options);
  give_back(std::move(f));
}

Value Outputs::value(size_t i) const {
  const OperandRef& r = program_->outputs[i];
  const Type& t = program_->graph.type(program_->graph.outputs[i]);
  Shape shape = r.has_rows ? Shape{rows_} + t.shape : t.shape;
  Tensor tensor = Tensor::borrow(t.dtype, std::move(shape), const_cast<void*>(data(i)), block_);
  return Value(std::move(tensor), r.has_rows ? layout_ : nullptr);
}

}  // namespace cantik::runtime
