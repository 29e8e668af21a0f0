// What depends on parameters only: made once for each version of them.
#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "graph/node.h"
#include "runtime/packs.h"

namespace cantik::runtime {

namespace {
constexpr int64_t kTeamWork = 200000;  // elements from which a team is worth its waking
}

struct Executable::PackingEnds {
  Executable& of;
  ~PackingEnds() {
    std::lock_guard lock(of.mutex_);
    of.packing_ = false;
    of.packed_.notify_all();
  }
};

// One thread makes them, without the lock; others that need the same wait for it.
std::shared_ptr<const Executable::Packs> Executable::packs(const Program& p, const RunOptions& options) {
  auto version_of = [&](int32_t leaf) {
    return leaves_[static_cast<size_t>(leaf)].node()->stored->version.load(std::memory_order_acquire);
  };
  auto current = [&](const Packs& k) {
    if (k.program.get() != &p) return false;
    for (size_t i = 0; i < p.setup_leaves.size(); ++i)
      if (version_of(p.setup_leaves[i]) != k.versions[i]) return false;
    return true;
  };
  auto made = std::make_shared<Packs>();
  {
    std::unique_lock lock(mutex_);
    while (packing_) {
      packed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      may_end(20000000);
      lock.lock();
    }
    if (packs_ && current(*packs_)) return packs_;
    // Nobody runs on the old packs: their memory serves the new ones.
    if (packs_ && packs_->program.get() == &p && packs_.use_count() == 1)
      made->memory = std::move(const_cast<Packs&>(*packs_).memory);
    packs_ = nullptr;
    packing_ = true;
  }
  const PackingEnds packing_ends{*this};
  for (int32_t leaf : p.setup_leaves) made->versions.push_back(version_of(leaf));
  make_packs(p, options, *made);
  std::lock_guard lock(mutex_);
  packs_ = made;
  return made;
}

void Executable::make_packs(const Program& p, const RunOptions& options, Packs& made) const {
  made.program = std::shared_ptr<const Program>(std::shared_ptr<void>(), &p);
  if (made.memory.empty())
    for (ir::ValueId v : p.schedule.setup_values) {
      const Type& t = p.graph.type(v);
      made.memory.push_back(allocate_block(bytes_of(t.shape.elements(), size_of(t.dtype))));
    }
  int64_t work = 0;
  for (const Instruction& i : p.setup) work += i.row_work;
  Team team(work > kTeamWork ? (options.threads > 0 ? options.threads : thread_limit()) : 1);
  std::vector<MemoryBlock> scratch;
  for (int i = 0; i < team.size(); ++i)
    scratch.push_back(allocate_block(static_cast<size_t>(p.scratch_bytes)));
  std::vector<cantik_operand> operands;
  for (const Instruction& i : p.setup) {
    operands.assign(static_cast<size_t>(i.inputs + i.outputs), {});
    for (size_t k = 0; k < operands.size(); ++k) {
      const OperandRef& r = p.operands[static_cast<size_t>(i.first_operand) + k];
      operands[k].rows = 1;
      if (r.place.where == ir::Where::stored)
        operands[k].data = leaves_[static_cast<size_t>(r.place.index)].value().raw();
      if (r.place.where == ir::Where::number)
        operands[k].data = const_cast<unsigned char*>(p.numbers[static_cast<size_t>(r.place.index)].bytes);
      if (r.place.where == ir::Where::setup)
        operands[k].data = made.memory[static_cast<size_t>(r.place.index)].get();
    }
    cantik_run run{};
    run.size = sizeof run;
    run.in = operands.data();
    run.out = operands.data() + i.inputs;
    const int64_t units = units_of(i, sources_, 1);
    auto go = [&](int worker, int64_t begin, int64_t end) {
      cantik_run mine = run;
      mine.scratch = scratch[static_cast<size_t>(worker)].get();
      mine.begin = begin;
      mine.end = end;
      if (begin < end || units == 0) call_in_parts(i, mine, 1, team);
    };
    if (units < 2 || i.row_work < kTeamWork / 8)
      go(0, 0, units);
    else
      team.run(
          [&](int worker) { go(worker, units * worker / team.size(), units * (worker + 1) / team.size()); });
  }
}

}  // namespace cantik::runtime
