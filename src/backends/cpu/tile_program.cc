#include "backends/cpu/tile_program.h"

namespace cantik::cpu {

template <class T>
TileProgram<T>::TileProgram(const Expression& given) {
  // Products and sums are not contracted: fused or not, a chain has the same bits.
  const Expression& e = given;
  const Kernels<T>& table = kernels<T>();
  inputs_ = given.inputs();
  size_t count = e.codes.size();
  std::vector<int32_t> last(count, -1);  // the last code that reads this one
  for (size_t i = 0; i < count; ++i) {
    const Code& k = e.codes[i];
    int n = arity(k.op);
    if (n > 0) last[static_cast<size_t>(k.a)] = static_cast<int32_t>(i);
    if (n > 1) last[static_cast<size_t>(k.b)] = static_cast<int32_t>(i);
    if (n > 2) last[static_cast<size_t>(k.c)] = static_cast<int32_t>(i);
  }
  results_.resize(e.results.size());
  std::vector<int32_t> slot(count, -1);
  int32_t next = inputs_ + static_cast<int32_t>(e.results.size());
  for (size_t i = 0; i < count; ++i) {
    if (e.codes[i].op == CANTIK_X_INPUT) slot[i] = e.codes[i].a;
    if (e.codes[i].op == CANTIK_X_CONSTANT) {
      slot[i] = next++;
      constants_.push_back(static_cast<T>(e.codes[i].value));
    }
  }
  // A result is computed in its own slot; of several equal ones the first is, the others are copies.
  for (size_t r = 0; r < e.results.size(); ++r) {
    int32_t to = inputs_ + static_cast<int32_t>(r);
    int32_t& at = slot[static_cast<size_t>(e.results[r])];
    if (at < 0) at = to;
    else copies_.push_back({to, at});
    results_[r] = to;
  }
  std::vector<int32_t> free;
  for (size_t i = 0; i < count; ++i) {
    const Code& k = e.codes[i];
    int n = arity(k.op);
    if (n == 0) continue;
    int32_t arg[3] = {k.a, n > 1 ? k.b : k.a, n > 2 ? k.c : k.a};
    int32_t in[3];
    for (int j = 0; j < 3; ++j) in[j] = slot[static_cast<size_t>(arg[j])];
    bool own = slot[i] >= 0;
    // Arguments read here for the last time give their scratch back, so that the step may run in place.
    for (int j = 0; j < n; ++j) {
      size_t a = static_cast<size_t>(arg[j]);
      bool scratch = slot[a] >= inputs_ + static_cast<int32_t>(e.results.size() + constants_.size());
      bool repeated = (j > 0 && arg[j] == arg[0]) || (j > 1 && arg[j] == arg[1]);
      if (scratch && last[a] == static_cast<int32_t>(i) && !repeated) free.push_back(slot[a]);
    }
    if (!own) {
      if (free.empty()) slot[i] = next++;
      else slot[i] = free.back(), free.pop_back();
    }
    steps_.push_back({table.tile[k.op], slot[i], in[0], in[1], in[2]});
  }
  slots_ = next;
}

template <class T>
void TileProgram<T>::start(T** slot, T* memory, int64_t n) const {
  for (int i = inputs_ + results(); i < slots_; ++i, memory += kTile) {
    slot[i] = memory;
    size_t constant = static_cast<size_t>(i - inputs_ - results());
    if (constant < constants_.size()) std::fill_n(memory, n, constants_[constant]);
  }
}

template class TileProgram<float>;
template class TileProgram<double>;

}  // namespace cantik::cpu
