#include "execute/frame.h"

#include <algorithm>

namespace cantik::runtime {

namespace {
constexpr size_t kMostReserve = size_t{256} << 20, kMostTouched = size_t{1} << 20, kPage = 4096;

// Memory for sequences: where there is one longer than all before, there will be more. They find memory, and
// the pages of its beginning in place; what nobody touches further on costs nothing.
MemoryBlock reserve(size_t total) {
  size_t more = std::min(total, kMostReserve);
  MemoryBlock block = allocate_block(total + more);
  volatile char* memory = static_cast<char*>(block.get());
  for (size_t at = total; at < total + std::min(more, kMostTouched); at += kPage) memory[at] = 0;
  return block;
}
}  // namespace

Frame::Frame(const std::shared_ptr<const Program>& of) : program(of) {
  const Program& p = *program;
  operands.resize(p.operands.size());
  runs.resize(p.instructions.size());
  lives.resize(p.graph.lives.size());
  live_fields.resize(p.live_fields.size());
  sparse.resize(p.schedule.sparse.size());
  sparse_bytes.assign(p.schedule.sparse.size(), 0);
  maps_.resize(p.maps.size());
  steps_.resize(p.spaces.size());
  for (size_t i = 0; i < p.operands.size(); ++i) {
    cantik_operand& o = operands[i];
    o = {};
    const OperandRef& r = p.operands[i];
    o.stride = r.has_rows() ? r.pitch : 0;
    o.rows = 1;
    if (r.place.where == ir::Where::number)
      o.data = const_cast<unsigned char*>(p.numbers[r.place.index].bytes);
    if (r.place.where == ir::Where::live) o.data = lives[r.place.index].bytes;
  }
  if (p.graph.device.backend()) device = std::make_unique<DeviceFrame>(p);
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    cantik_run& r = runs[i];
    r = {};
    r.size = sizeof r;
    r.in = operands.data() + p.instructions[i].first_operand;
    r.out = r.in + p.instructions[i].inputs;
    r.training = p.graph.mode == ir::Mode::training;
    if (p.instructions[i].first_live >= 0) r.live = live_fields.data() + p.instructions[i].first_live;
  }
}

int64_t block_rows(const StageProgram& s, const Frame& f) {
  const RowSpace& space = f.spaces[s.space];
  // sequences without rows take no step
  if (s.loop)
    return std::max<int64_t>(1, space.layout ? std::min(space.layout->sequences(), space.most) : space.most);
  return std::max<int64_t>(1, std::min(space.most, s.block_rows));
}

int64_t Frame::most_rows() const {
  int64_t most = 1;
  for (const RowSpace& s : spaces) most = std::max(most, s.most);
  return most;
}

// Bytes of a worker's memory for one block of a stage: its values, then the parts of the sums.
size_t Frame::block_bytes(const StageProgram& s, bool on_device) const {
  int64_t rows = block_rows(s, *this);
  size_t total = 0;
  for (const auto& slot : s.slots)
    if (slot.on_device == on_device) total += round_up(bytes_of(rows, static_cast<size_t>(slot.row_bytes)));
  for (const auto& sum : s.sums)
    if (!on_device) total += round_up(bytes_of(sum.elements, size_of(sum.dtype)));
  return total;
}

void point_at_block(const Frame& f, const StageProgram& s, int64_t rows, char* memory,
                    cantik_operand* operands) {
  const Program& p = *f.program;
  char* on_device = f.device ? f.device->step(0) : nullptr;
  for (const auto& slot : s.slots) {
    char*& at = slot.on_device ? on_device : memory;
    for (int32_t k : s.rowed) {
      const OperandRef& r = p.operands[k];
      if (r.place.where == ir::Where::block && r.place.index == slot.slot) operands[k].data = r.in(at);
    }
    at += round_up(static_cast<size_t>(rows * slot.row_bytes));
  }
}

void Frame::make_step() {
  size_t bytes = 0;
  for (const StageProgram& s : program->stages) bytes = std::max(bytes, block_bytes(s, true));
  device->step(bytes);
}

void Frame::make_worker(BlockWorker& w) const {
  const Program& p = *program;
  size_t bytes = 0;
  for (const StageProgram& s : p.stages) bytes = std::max(bytes, block_bytes(s, false));
  if (w.bytes < bytes || !w.memory) w.memory = allocate_block(bytes), w.bytes = bytes;
  if (!w.scratch) w.scratch = allocate_block(round_up(static_cast<size_t>(p.scratch_bytes)));
}

void Frame::dismiss_workers() {
  constexpr size_t kLittle = 64 << 10;
  size_t bytes = 0;
  for (const BlockWorker& w : workers) bytes += w.bytes + static_cast<size_t>(program->scratch_bytes);
  if (bytes <= kLittle) return;
  workers.clear();
  count_bytes();
}

void Frame::need_workers(size_t count) {
  while (workers.size() < count) {
    workers.emplace_back();
    make_worker(workers.back());
  }
}

void Frame::lay_out() {
  bool fits = spaces.size() == wanted.size();
  for (size_t s = 0; s < wanted.size() && fits; ++s) fits = spaces[s].most == wanted[s].most;
  bool known = fits;
  if (!fits) spaces.assign(wanted.size(), {});
  for (size_t s = 0; s < wanted.size(); ++s) {
    spaces[s].most = wanted[s].most;
    if (!wanted[s].layout)
      spaces[s].layout = nullptr;
    else if (!spaces[s].layout || !spaces[s].layout->has_lengths_of(*wanted[s].layout))
      known = false, set_layout(s, wanted[s].layout);
  }
  if (!fits || memory_.get() != placed_at_) place();
  if (!known || workers.empty()) {
    if (workers.empty()) workers.resize(1);
    for (BlockWorker& w : workers) make_worker(w);
    if (device) make_step();
    for (const StageProgram& s : program->stages)
      if (!s.loop)
        point_at_block(*this, s, block_rows(s, *this), static_cast<char*>(workers[0].memory.get()),
                       operands.data());
    count_bytes();
  }
}

void Frame::count_bytes() {
  size_t bytes = operands.size() * sizeof(operands[0]) + runs.size() * sizeof(cantik_run);
  for (const BlockWorker& w : workers) bytes += w.bytes + static_cast<size_t>(program->scratch_bytes);
  for (const auto& map : maps_) bytes += map.capacity() * sizeof(int32_t);
  for (const size_t of_sparse : sparse_bytes) bytes += of_sparse;
  if (device) bytes += device->bytes();
  charge_.set(bytes);
}

// Slots one behind the other; operands point at them.
void Frame::place() {
  const Program& p = *program;
  std::vector<size_t> offset(p.schedule.slots.size());
  size_t total = 0, on_device = 0;
  for (size_t i = 0; i < offset.size(); ++i) {
    const ir::Slot& s = p.schedule.slots[i];
    size_t& end = s.on_device ? on_device : total;
    offset[i] = end;
    end += round_up(bytes_of(spaces[s.space].most, static_cast<size_t>(s.row_bytes)));
  }
  if (!memory_.get() || total > memory_.size()) {
    bool sequences =
        std::any_of(p.spaces.begin(), p.spaces.end(), [](const Space& s) { return s.axes.has_sequence(); });
    memory_.set(nullptr);
    memory_.set(sequences ? reserve(total) : allocate_block(total));
  }
  placed_at_ = memory_.get();
  char* const there = device ? device->values(on_device) : nullptr;
  for (size_t i = 0; i < p.operands.size(); ++i) {
    const OperandRef& r = p.operands[i];
    if (r.place.where == ir::Where::frame)
      operands[i].data =
          r.in((p.schedule.slots[r.place.index].on_device ? there : static_cast<char*>(memory_.get())) +
               offset[r.place.index]);
  }
}

void Frame::set_layout(size_t index, std::shared_ptr<const Layout> layout) {
  const Program& p = *program;
  RowSpace& space = spaces[index];
  space.layout = std::move(layout);
  const Layout& l = *space.layout;
  const int64_t* offsets = l.is_batch() ? nullptr : l.offsets().data();
  const int64_t* on_device = device && offsets ? device->put_offsets(index, l.offsets()) : nullptr;
  for (int32_t k : p.spaces[index].operands) {
    cantik_operand& o = operands[k];
    o.rows = l.rows();
    o.sequences = l.sequences();
    o.offsets = p.operands[k].device_layout ? on_device : offsets;
  }
  bool loops = std::any_of(p.stages.begin(), p.stages.end(), [&](const StageProgram& s) {
    return s.loop && s.space == static_cast<int32_t>(index);
  });
  if (loops) steps_[index].emplace(l);
  if (loops && device) device->put_order(index, steps_[index]->order);
  for (size_t m = 0; m < p.maps.size(); ++m) {
    if (p.maps[m].space != static_cast<int32_t>(index)) continue;
    maps_[m].resize(static_cast<size_t>(l.rows()));
    fill_row_map(p.maps[m].kind, l, loops ? &*steps_[index] : nullptr, maps_[m]);
    const int32_t* there = device ? device->put_map(m, maps_[m]) : nullptr;
    for (const MappedOperand& o : p.mapped) {
      if (o.map != static_cast<int32_t>(m)) continue;
      operands[o.operand].map = p.operands[o.operand].device_layout ? there : maps_[m].data();
    }
  }
}

}  // namespace cantik::runtime
