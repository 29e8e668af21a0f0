#include "backends/cpu/tile_program.h"

#include <optional>

#include <cantik/error.h>

namespace cantik::cpu {

namespace {

std::optional<PairFirst> as_first(const Code& k) {
  switch (k.op) {
    case CANTIK_X_ADD: return PairFirst::add;
    case CANTIK_X_SUB: return PairFirst::sub;
    case CANTIK_X_MUL: return PairFirst::mul;
    default: return std::nullopt;
  }
}

// How the code goes on from code x.
std::optional<PairSecond> as_second(const Code& k, int32_t x) {
  const bool twice = k.a == k.b;
  switch (k.op) {
    case CANTIK_X_ADD: return twice ? std::nullopt : std::optional(PairSecond::add);
    case CANTIK_X_SUB:
      return twice ? std::nullopt : std::optional(k.a == x ? PairSecond::sub : PairSecond::sub_from);
    case CANTIK_X_MUL: return twice ? PairSecond::square : PairSecond::mul;
    case CANTIK_X_MAX:  // which of two zeros, or of a NaN and a number, depends on the order
      return k.a == x && !twice ? std::optional(PairSecond::max) : std::nullopt;
    default: return std::nullopt;
  }
}

bool commutes(int32_t op) {
  return op == CANTIK_X_ADD || op == CANTIK_X_MUL || op == CANTIK_X_EQ || op == CANTIK_X_NE;
}

}  // namespace

template <class T>
TileProgram<T>::TileProgram(const Expression& given, const TileOperands& operands) {
  // Products and sums are not contracted: fused or not, a chain has the same bits.
  const Expression& e = given;
  const Kernels<T>& table = kernels<T>();
  tile_ = operands.tile;
  inputs_ = operands.inputs >= 0 ? operands.inputs : given.inputs();
  size_t count = e.codes.size();
  SmallVector<int32_t, 16> last, slot,
      free;  // of each code the last one that reads it, and its slot; scratch
  SmallVector<char, 16> uniform;
  auto is_uniform = [&](int32_t input) {
    return static_cast<size_t>(input) < operands.uniform.size() &&
           operands.uniform[static_cast<size_t>(input)];
  };
  last.resize(count, -1);
  slot.resize(count, -1);
  uniform.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Code& k = e.codes[i];
    int n = arity(k.op);
    const int32_t arg[3] = {k.a, k.b, k.c};
    uniform[i] = n > 0 ? 1 : k.op == CANTIK_X_CONSTANT || is_uniform(k.a);
    for (int j = 0; j < n; ++j) {
      last[arg[j]] = static_cast<int32_t>(i);
      uniform[i] = static_cast<char>(uniform[i] && uniform[arg[j]]);
    }
  }
  bool any_uniform = std::ranges::find(operands.uniform, true) != operands.uniform.end();
  results_.resize(e.results.size());
  int32_t next = inputs_ + static_cast<int32_t>(e.results.size());
  for (size_t i = 0; i < count; ++i) {
    if (e.codes[i].op == CANTIK_X_INPUT) slot[i] = e.codes[i].a;
    if (e.codes[i].op == CANTIK_X_CONSTANT) {
      slot[i] = next++;
      constants_.push_back(static_cast<T>(e.codes[i].value));
    }
  }
  for (size_t i = 0; i < count; ++i)  // what is computed once keeps its slot
    if (any_uniform && uniform[i] && slot[i] < 0) slot[i] = next++;
  // Whether a code after this one reads the input.
  auto read_after = [&](int32_t input, int32_t code) {
    for (size_t i = 0; i < count; ++i)
      if (e.codes[i].op == CANTIK_X_INPUT && e.codes[i].a == input) return last[i] > code;
    return false;
  };
  auto overwritten = [&](size_t r) { return r < operands.overwrites.size() ? operands.overwrites[r] : -1; };
  for (size_t r = 0; r < e.results.size(); ++r)  // an operand that moves elsewhere is read at the very end
    if (const Code& k = e.codes[e.results[r]]; k.op == CANTIK_X_INPUT && overwritten(r) != k.a) {
      last[e.results[r]] = static_cast<int32_t>(count);
      for (size_t q = 0; q < e.results.size(); ++q)
        if (overwritten(q) == k.a && e.codes[e.results[q]].op == CANTIK_X_INPUT &&
            e.codes[e.results[q]].a != k.a)
          throw unsupported("an update that swaps two operands in place is not supported");
    }
  // A result is computed in its own slot; of several equal ones the first is, the others are copies. One that
  // overwrites what is still to be read waits in scratch.
  for (size_t r = 0; r < e.results.size(); ++r) {
    int32_t to = inputs_ + static_cast<int32_t>(r), code = e.results[r];
    int32_t& at = slot[code];
    int32_t over = overwritten(r);
    results_[r] = to;
    if (at == over && over >= 0) continue;  // it stays as it is
    if (at < 0 && over >= 0 && read_after(over, code)) at = next++;
    if (at < 0)
      at = to;
    else
      copies_.push_back({to, at});
  }
  std::stable_partition(copies_.begin(), copies_.end(), [&](const auto& c) { return c.second < inputs_; });
  const int32_t first_scratch = next;
  SmallVector<char, 16> number;  // of each slot, whether it holds one number
  number.resize(static_cast<size_t>(first_scratch));
  for (size_t i = 0; i < count; ++i)
    if (uniform[i] && (any_uniform || arity(e.codes[i].op) == 0) && slot[i] >= 0)
      number[static_cast<size_t>(slot[i])] = 1;
  auto is_number = [&](int32_t s) { return s < first_scratch && number[static_cast<size_t>(s)]; };
  auto read_full = [&](int32_t s) {
    const int32_t place = s - inputs_ - results();
    auto& list = place >= 0 && place < static_cast<int32_t>(constants_.size()) ? spread_constants_ : spread_;
    if (is_number(s) && std::ranges::find(list, s) == list.end()) list.push_back(s);
  };
  int32_t before = -1;  // the code of the last step
  for (size_t i = 0; i < count; ++i) {
    const Code& k = e.codes[i];
    int n = arity(k.op);
    if (n == 0) continue;
    int32_t arg[3] = {k.a, n > 1 ? k.b : k.a, n > 2 ? k.c : k.a};
    int32_t in[3];
    for (int j = 0; j < 3; ++j) in[j] = slot[arg[j]];
    if (any_uniform && uniform[i]) {
      uniform_.push_back({table.tile[k.op], slot[i], in[0], in[1], in[2]});
      continue;
    }
    bool own = slot[i] >= 0;
    // Arguments read here for the last time give their scratch back, so that the step may run in place.
    for (int j = 0; j < n; ++j) {
      size_t a = static_cast<size_t>(arg[j]);
      bool repeated = (j > 0 && arg[j] == arg[0]) || (j > 1 && arg[j] == arg[1]);
      if (slot[a] >= first_scratch && last[a] == static_cast<int32_t>(i) && !repeated)
        free.push_back(slot[a]);
    }
    if (!own) {
      if (free.empty())
        slot[i] = next++;
      else
        slot[i] = free.back(), free.pop_back();
    }
    // the step before, if nothing else reads what it makes, and this one are one
    const bool follows = n == 2 && before >= 0 && (k.a == before || k.b == before) &&
                         last[static_cast<size_t>(before)] == static_cast<int32_t>(i) &&
                         slot[static_cast<size_t>(before)] >= first_scratch;
    const auto first = follows ? as_first(e.codes[static_cast<size_t>(before)]) : std::nullopt;
    const auto second = first ? as_second(k, before) : std::nullopt;
    if (second) {
      Step& s = steps_.back();
      const int32_t c = k.a == before ? in[1] : in[0];
      const PairLoops<T>& loops = table.pairs[static_cast<int>(*first)][static_cast<int>(*second)];
      s = {loops.by[is_number(s.b)][is_number(c)], slot[i], s.a, s.b, c};
      before = -1;
      continue;
    }
    before = static_cast<int32_t>(i);
    if (n == 2 && commutes(k.op) && is_number(in[0])) std::swap(in[0], in[1]);
    if (n == 2 && table.tile_by_one[k.op] && is_number(in[1])) {
      steps_.push_back({table.tile_by_one[k.op], slot[i], in[0], in[1], in[1]});
      in[1] = in[0];
    } else {
      steps_.push_back({table.tile[k.op], slot[i], in[0], in[1], in[2]});
    }
    for (int32_t x : in) read_full(x);
  }
  slots_ = next;
  for (const auto& [to, from] : copies_) read_full(from);
}

template <class T>
void TileProgram<T>::start(T** slot, T* memory, int64_t n) const {
  point(slot, memory);
  for (size_t i = 0; i < constants_.size(); ++i)
    std::fill_n(memory + static_cast<int64_t>(i) * spacing(), kSome, constants_[i]);
  for (int32_t s : spread_constants_) kernels<T>().fill(slot[s], *slot[s], n);
}

template class TileProgram<float>;
template class TileProgram<double>;

}  // namespace cantik::cpu
