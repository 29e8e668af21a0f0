// What depends on parameters only: made once for each version of them.
#include <algorithm>

#include "base/thread_pool.h"
#include "graph/node.h"
#include "runtime/packs.h"
#include "runtime/profiler.h"

namespace cantik::runtime {

namespace {
constexpr int64_t kTeamWork = 200000;  // elements from which a team is worth its waking
}

std::shared_ptr<const Executable::Packs> Executable::packs(const Program& p, const RunOptions& options) {
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
  int64_t work = 0;
  for (const Instruction& i : p.setup) work += i.row_work;
  Team team(work > kTeamWork ? (options.threads > 0 ? options.threads : thread_limit()) : 1);
  std::vector<MemoryBlock> scratch;
  for (int i = 0; i < team.size(); ++i) scratch.push_back(allocate_block(static_cast<size_t>(p.scratch_bytes)));
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
    const int64_t units = i.kernel.units ? i.kernel.units(i.kernel.state, 1) : 1;
    auto go = [&](int worker, int64_t begin, int64_t end) {
      cantik_run mine = run;
      mine.scratch = scratch[static_cast<size_t>(worker)].get();
      mine.begin = begin;
      mine.end = end;
      char text[512] = "";
      ProfileScope profile(i.kernel.name);
      if (begin < end || units == 0) check_status(i.kernel.run(i.kernel.state, &mine, text, sizeof text), text, i, sources_);
    };
    if (units < 2 || i.row_work < kTeamWork / 8) go(0, 0, units);
    else team.run([&](int worker) { go(worker, units * worker / team.size(), units * (worker + 1) / team.size()); });
  }
  packs_ = made;
  return made;
}

}  // namespace cantik::runtime
