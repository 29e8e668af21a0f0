#include "backends/cpu/tile_program.h"

#include <array>
#include <optional>

#include <cantik/error.h>

namespace cantik::cpu {

namespace {

std::optional<PairFirst> as_first(const Code& k) {
  switch (k.op) {
    case CANTIK_X_ADD: return PairFirst::add;
    case CANTIK_X_SUB: return PairFirst::sub;
    case CANTIK_X_MUL: return PairFirst::mul;
    case CANTIK_X_LT: return PairFirst::lt;
    case CANTIK_X_LE: return PairFirst::le;
    case CANTIK_X_GT: return PairFirst::gt;
    case CANTIK_X_GE: return PairFirst::ge;
    default: return std::nullopt;
  }
}

// How a code goes on from another one, and what it reads besides.
struct Second {
  PairSecond how;
  int32_t other;
};

// k goes on from code x, which is `first`.
std::optional<Second> as_second(const Code& k, int32_t x, const Code& first) {
  switch (k.op) {
    case CANTIK_X_ADD: return Second{PairSecond::add, k.a == x ? k.b : k.a};
    case CANTIK_X_SUB: return k.a == x ? Second{PairSecond::sub, k.b} : Second{PairSecond::sub_from, k.a};
    case CANTIK_X_MUL:
      return k.a == k.b ? Second{PairSecond::square, x} : Second{PairSecond::mul, k.a == x ? k.b : k.a};
    case CANTIK_X_MAX:  // which of two zeros, or of a NaN and a number, depends on the order
      if (k.a == x) return Second{PairSecond::max, k.b};
      break;
    case CANTIK_X_SELECT:
      if (k.c == first.a) return Second{PairSecond::c_else_a, k.b};
      if (k.c == first.b) return Second{PairSecond::c_else_b, k.b};
      if (k.b == first.a) return Second{PairSecond::a_else_c, k.c};
      if (k.b == first.b) return Second{PairSecond::b_else_c, k.c};
  }
  return std::nullopt;
}

bool commutes(int32_t op) {
  return op == CANTIK_X_ADD || op == CANTIK_X_MUL || op == CANTIK_X_EQ || op == CANTIK_X_NE;
}

std::array<int32_t, 3> arguments_of(const Code& k) { return {k.a, k.b, k.c}; }

}  // namespace

// Where the codes' numbers are while a program is made.
template <class T>
struct TileProgram<T>::Assembly {
  const Expression& e;
  const TileOperands& operands;
  // Of each code: the first and the last one that read it, its slot, and its step if it is not uniform.
  SmallVector<int32_t, 16> first, last, slot, step;
  SmallVector<char, 16> uniform;  // of each code
  SmallVector<char, 16> number;   // of each slot before scratch: it holds one number
  SmallVector<int32_t, 16> free;  // scratch
  int32_t next = 0, first_scratch = 0;
  bool any_uniform;

  Assembly(const Expression& e, const TileOperands& operands)
      : e(e),
        operands(operands),
        any_uniform(std::ranges::find(operands.uniform, true) != operands.uniform.end()) {
    const size_t count = e.codes.size();
    first.resize(count, -1);
    last.resize(count, -1);
    slot.resize(count, -1);
    step.resize(count, -1);
    uniform.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const Code& k = e.codes[i];
      uniform[i] = arity(k.op) > 0 || k.op == CANTIK_X_CONSTANT || is_uniform_input(k.a);
      for (int j = 0; j < arity(k.op); ++j) {
        const auto arg = static_cast<size_t>(arguments_of(k)[static_cast<size_t>(j)]);
        last[arg] = static_cast<int32_t>(i);
        if (first[arg] < 0) first[arg] = last[arg];
        uniform[i] = static_cast<char>(uniform[i] && uniform[arg]);
      }
    }
  }

  bool is_uniform_input(int32_t i) const {
    return static_cast<size_t>(i) < operands.uniform.size() && operands.uniform[static_cast<size_t>(i)];
  }
  int32_t overwritten_by(size_t result) const {
    return result < operands.overwrites.size() ? operands.overwrites[result] : -1;
  }
  // Whether a code after this one reads the input.
  bool read_after(int32_t input, int32_t code) const {
    for (size_t i = 0; i < e.codes.size(); ++i)
      if (e.codes[i].op == CANTIK_X_INPUT && e.codes[i].a == input) return last[i] > code;
    return false;
  }
  bool is_once(size_t code) const { return any_uniform && uniform[code]; }
  bool is_number(int32_t s) const { return s < first_scratch && number[static_cast<size_t>(s)]; }
};

template <class T>
TileProgram<T>::TileProgram(const Expression& e, const TileOperands& operands)
    : inputs_(operands.inputs >= 0 ? operands.inputs : e.inputs()), tile_(operands.tile) {
  // Products and sums are not contracted: fused or not, a chain has the same bits.
  Assembly p(e, operands);
  results_.resize(e.results.size());
  p.next = inputs_ + results();
  place_leaves(p);
  place_results(p);
  p.first_scratch = p.next;
  p.number.resize(static_cast<size_t>(p.first_scratch));
  for (size_t i = 0; i < e.codes.size(); ++i)
    if (p.slot[i] >= 0 && p.uniform[i] && (p.any_uniform || arity(e.codes[i].op) == 0))
      p.number[static_cast<size_t>(p.slot[i])] = 1;
  for (size_t i = 0; i < e.codes.size(); ++i)
    if (arity(e.codes[i].op) > 0) add_step(p, i);
  std::erase_if(steps_, [](const Step& s) { return !s.f; });
  for (const auto& [to, from] : copies_) read_full(p, from);
  slots_ = p.next;
}

template <class T>
void TileProgram<T>::place_leaves(Assembly& p) {
  const std::vector<Code>& codes = p.e.codes;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i].op == CANTIK_X_INPUT) p.slot[i] = codes[i].a;
    if (codes[i].op == CANTIK_X_CONSTANT) {
      p.slot[i] = p.next++;
      constants_.push_back(static_cast<T>(codes[i].value));
    }
  }
  for (size_t i = 0; i < codes.size(); ++i)  // what is computed once keeps its slot
    if (p.is_once(i) && p.slot[i] < 0) p.slot[i] = p.next++;
}

// A result is computed in its own slot; of several equal ones the first is, the others are copies. One that
// overwrites what is still to be read waits in scratch.
template <class T>
void TileProgram<T>::place_results(Assembly& p) {
  const Expression& e = p.e;
  for (size_t r = 0; r < e.results.size(); ++r)  // an operand that moves elsewhere is read at the very end
    if (const Code& k = e.codes[e.results[r]]; k.op == CANTIK_X_INPUT && p.overwritten_by(r) != k.a) {
      p.last[e.results[r]] = static_cast<int32_t>(e.codes.size());
      for (size_t q = 0; q < e.results.size(); ++q)
        if (p.overwritten_by(q) == k.a && e.codes[e.results[q]].op == CANTIK_X_INPUT &&
            e.codes[e.results[q]].a != k.a)
          throw unsupported("an update that swaps two operands in place is not supported");
    }
  for (size_t r = 0; r < e.results.size(); ++r) {
    int32_t to = inputs_ + static_cast<int32_t>(r), code = e.results[r];
    int32_t& at = p.slot[code];
    int32_t over = p.overwritten_by(r);
    results_[r] = to;
    if (at == over && over >= 0) continue;  // it stays as it is
    if (at < 0 && over >= 0 && p.read_after(over, code)) at = p.next++;
    if (at < 0)
      at = to;
    else
      copies_.push_back({to, at});
  }
  std::stable_partition(copies_.begin(), copies_.end(), [&](const auto& c) { return c.second < inputs_; });
}

template <class T>
void TileProgram<T>::add_step(Assembly& p, size_t code) {
  const Kernels<T>& table = kernels<T>();
  const Code& k = p.e.codes[code];
  const int n = arity(k.op);
  const int32_t arg[3] = {k.a, n > 1 ? k.b : k.a, n > 2 ? k.c : k.a};
  int32_t in[3];
  for (int j = 0; j < 3; ++j) in[j] = p.slot[arg[j]];
  if (p.is_once(code)) {
    uniform_.push_back({table.tile[k.op], p.slot[code], in[0], in[1], in[2]});
    return;
  }
  // Arguments read here for the last time give their scratch back, so that the step may run in place.
  const bool own = p.slot[code] >= 0;
  for (int j = 0; j < n; ++j) {
    const auto a = static_cast<size_t>(arg[j]);
    bool repeated = (j > 0 && arg[j] == arg[0]) || (j > 1 && arg[j] == arg[1]);
    if (p.slot[a] >= p.first_scratch && p.last[a] == static_cast<int32_t>(code) && !repeated)
      p.free.push_back(p.slot[a]);
  }
  if (!own) {
    if (p.free.empty())
      p.slot[code] = p.next++;
    else
      p.slot[code] = p.free.back(), p.free.pop_back();
  }
  p.step[code] = static_cast<int32_t>(steps_.size());
  if (join_step(p, code)) return;
  if (n == 2 && commutes(k.op) && p.is_number(in[0])) std::swap(in[0], in[1]);
  if (n == 2 && table.tile_by_one[k.op] && p.is_number(in[1])) {
    steps_.push_back({table.tile_by_one[k.op], p.slot[code], in[0], in[1], in[1]});
    return read_full(p, in[0]);
  }
  steps_.push_back({table.tile[k.op], p.slot[code], in[0], in[1], in[2]});
  for (int32_t x : in) read_full(p, x);
}

// Where an argument is read here alone, its step and this one may be one, if there is such a loop.
template <class T>
bool TileProgram<T>::join_step(Assembly& p, size_t code) {
  const Code& k = p.e.codes[code];
  for (int j = 0; j < std::min(2, arity(k.op)); ++j) {
    const auto x = static_cast<size_t>(j ? k.b : k.a);
    if (p.first[x] != p.last[x] || p.slot[x] < p.first_scratch || p.step[x] < 0) continue;
    if (k.op == CANTIK_X_SELECT && (j > 0 || k.b == k.a || k.c == k.a)) continue;
    const Step s = steps_[static_cast<size_t>(p.step[x])];
    const std::optional<PairFirst> first = as_first(p.e.codes[x]);
    if (!first || !s.f || !may_come_now(p, static_cast<size_t>(p.step[x]))) continue;
    const std::optional<Second> second = as_second(k, static_cast<int32_t>(x), p.e.codes[x]);
    if (!second || !is_pair(*first, second->how)) continue;
    if (second->other == static_cast<int32_t>(x) && second->how != PairSecond::square) continue;
    const int32_t c = p.slot[static_cast<size_t>(second->other)];
    const PairLoops<T>& loops = kernels<T>().pairs[static_cast<int>(*first)][static_cast<int>(second->how)];
    steps_[static_cast<size_t>(p.step[x])].f = nullptr;
    p.step[code] = -1;  // a pair is no step of another one
    steps_.push_back({loops.by[p.is_number(s.b)][p.is_number(c)], p.slot[code], s.a, s.b, c});
    return true;
  }
  return false;
}

// Whether the step may as well come now: nothing since has written what it reads.
template <class T>
bool TileProgram<T>::may_come_now(const Assembly& p, size_t step) const {
  for (size_t i = step + 1; i < steps_.size(); ++i) {
    const int32_t d = steps_[i].d, result = d - inputs_;
    if (d == steps_[step].a || d == steps_[step].b) return false;
    if (result >= 0 && result < results() && p.overwritten_by(static_cast<size_t>(result)) >= 0) return false;
  }
  return true;
}

// A step reads a tile full of what is in the slot.
template <class T>
void TileProgram<T>::read_full(const Assembly& p, int32_t s) {
  const int32_t place = s - inputs_ - results();
  auto& list = place >= 0 && place < static_cast<int32_t>(constants_.size()) ? spread_constants_ : spread_;
  if (p.is_number(s) && std::ranges::find(list, s) == list.end()) list.push_back(s);
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
