#include "runtime/packs.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "execute/device_calls.h"
#include "graph/node.h"

namespace cantik::runtime {

namespace {
constexpr int64_t kTeamWork = 200000;  // elements from which a team is worth its waking

void make_room(const Program& p, Packs& made) {
  if (p.graph.device.backend()) made.device = std::make_unique<DeviceFrame>(p);
  size_t total = 0;
  for (ir::ValueId v : p.schedule.setup_values) {
    const Type& t = p.graph.type(v);
    const size_t bytes = bytes_of(t.shape.elements(), size_of(t.dtype));
    const bool there = p.graph.is_on_device(v);
    made.on_device.push_back(there ? DeviceMemory(p.graph.device, bytes) : DeviceMemory());
    made.memory.push_back(there ? MemoryBlock() : allocate_block(bytes));
    total += there ? bytes : made.memory.back().get_deleter().bytes;
  }
  made.charge.set(total);
}

void make_packs(const Program& p, const std::vector<Variable>& leaves, const Sources& sources,
                const RunOptions& options, Packs& made) {
  if (made.memory.empty()) make_room(p, made);
  int64_t work = 0;
  for (const Instruction& i : p.setup) work += i.row_work;
  Team team(work > kTeamWork ? (options.threads > 0 ? options.threads : thread_limit()) : 1);
  const Calls calls{p, sources, team, options.check_nan};
  std::vector<MemoryBlock> scratch;
  for (int i = 0; i < team.size(); ++i)
    scratch.push_back(allocate_block(static_cast<size_t>(p.scratch_bytes)));
  std::vector<cantik_operand> operands;
  for (const Instruction& i : p.setup) {
    operands.assign(static_cast<size_t>(i.inputs + i.outputs), {});
    for (size_t k = 0; k < operands.size(); ++k) {
      const OperandRef& r = p.operands[static_cast<size_t>(i.first_operand) + k];
      operands[k].rows = 1;
      if (r.place.where == ir::Where::stored) operands[k].data = leaves[r.place.index].value().raw();
      if (r.place.where == ir::Where::number)
        operands[k].data = const_cast<unsigned char*>(p.numbers[r.place.index].bytes);
      if (r.place.where == ir::Where::setup) operands[k].data = made.of(r.place.index);
    }
    cantik_run run{};
    run.size = sizeof run;
    run.in = operands.data();
    run.out = operands.data() + i.inputs;
    if (i.by_device) {
      call_on_device(*made.device, i, &i - p.setup.data(), run, calls);
      continue;
    }
    const int64_t units = calls.units_of(i, 1);
    auto go = [&](int worker, int64_t begin, int64_t end) {
      cantik_run mine = run;
      mine.scratch = scratch[worker].get();
      mine.begin = begin;
      mine.end = end;
      if (begin < end || units == 0) calls.in_parts(i, mine, 1);
    };
    if (units < 2 || i.row_work < kTeamWork / 8)
      go(0, 0, units);
    else
      team.run(
          [&](int worker) { go(worker, units * worker / team.size(), units * (worker + 1) / team.size()); });
  }
}

}  // namespace

struct PackShelf::PackingEnds {
  PackShelf& of;
  ~PackingEnds() {
    std::lock_guard lock(of.mutex_);
    of.packing_ = false;
    of.packed_.notify_all();
  }
};

std::shared_ptr<const Packs> PackShelf::of(const std::shared_ptr<const Program>& program,
                                           const std::vector<Variable>& leaves, const Sources& sources,
                                           const RunOptions& options) {
  const Program& p = *program;
  auto version_of = [&](int32_t leaf) {
    return leaves[leaf].node()->stored->version.load(std::memory_order_acquire);
  };
  auto current = [&](const Packs& k) {
    for (size_t i = 0; i < p.setup_leaves.size(); ++i)
      if (version_of(p.setup_leaves[i]) != k.versions[i]) return false;
    return true;
  };
  if (std::shared_ptr<const Packs> kept = kept_.find(&p, current)) return kept;
  {
    std::unique_lock lock(mutex_);
    while (packing_) {
      packed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      may_end(20000000);
      lock.lock();
    }
    packing_ = true;
  }
  const PackingEnds packing_ends{*this};
  std::shared_ptr<Packs> made = kept_.take(&p);
  if (made && current(*made)) {
    kept_.give_back(&p, made);
    return made;
  }
  // Nobody runs on the old packs: their memory serves the new ones.
  const bool fresh = !made || !alone(made);
  if (fresh) made = std::make_shared<Packs>();
  made->program = program;
  made->versions.clear();
  for (int32_t leaf : p.setup_leaves) made->versions.push_back(version_of(leaf));
  telling_of(p.setup, sources, [&] {
    make_packs(p, leaves, sources, options, *made);
    if (made->device) made->device->queue.wait();
  });
  kept_.give_back(&p, made);
  if (fresh) Shelf::made();
  return made;
}

}  // namespace cantik::runtime
