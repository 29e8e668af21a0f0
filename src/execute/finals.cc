#include "execute/finals.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cantik::runtime {

std::vector<Final> finals(const Program& p) {
  std::vector<int64_t> last(p.outputs.size(), -1);
  int64_t made = 0;  // the last instruction that makes sequences
  auto touch = [&](const Instruction& ins, int64_t at) {
    for (int32_t k = ins.first_operand; k < ins.first_operand + ins.inputs + ins.outputs; ++k)
      if (const ir::Place& place = p.operands[k].place; place.where == ir::Where::output)
        last[place.index] = at;
    if (ins.makes >= 0) made = at;
  };
  for (const StageProgram& s : p.stages) {
    for (int32_t i = s.whole_begin; i < s.blocked_begin; ++i) touch(p.instructions[i], i);
    for (int32_t i = s.blocked_begin; i < s.end; ++i) touch(p.instructions[i], s.end - 1);
  }
  std::vector<Final> list;
  for (size_t i = 0; i < last.size(); ++i) {
    const OperandRef& r = p.outputs[i];
    if (last[i] >= 0 && r.storage == Storage::dense && r.place.index == static_cast<int32_t>(i))
      list.push_back({static_cast<size_t>(std::max(last[i], made)), i});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Final& a, const Final& b) { return a.instruction < b.instruction; });
  return list;
}

}  // namespace cantik::runtime
