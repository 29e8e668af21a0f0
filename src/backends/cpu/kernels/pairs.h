// Two steps of an elementwise chain in one pass over a tile, where nothing else reads what the first one
// makes: it stays in registers.
#pragma once

#include <utility>

#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

template <PairFirst F, class T>
auto first_of_pair(T a, T b) {
  if constexpr (F == PairFirst::add) return a + b;
  if constexpr (F == PairFirst::sub) return a - b;
  if constexpr (F == PairFirst::mul) return a * b;
  if constexpr (F == PairFirst::lt) return a < b;
  if constexpr (F == PairFirst::le) return a <= b;
  if constexpr (F == PairFirst::gt) return a > b;
  if constexpr (F == PairFirst::ge) return a >= b;
}

template <PairSecond S, class First, class T>
T second_of_pair(First x, T a, T b, T c) {
  if constexpr (S == PairSecond::add) return x + c;
  if constexpr (S == PairSecond::sub) return x - c;
  if constexpr (S == PairSecond::sub_from) return c - x;
  if constexpr (S == PairSecond::mul) return x * c;
  if constexpr (S == PairSecond::max) return x > c ? x : c;
  if constexpr (S == PairSecond::square) return x * x;
  if constexpr (S == PairSecond::c_else_a) return x ? c : a;
  if constexpr (S == PairSecond::c_else_b) return x ? c : b;
  if constexpr (S == PairSecond::a_else_c) return x ? a : c;
  if constexpr (S == PairSecond::b_else_c) return x ? b : c;
}

// one_b, one_c: a single number.
template <class T, PairFirst F, PairSecond S, bool one_b, bool one_c>
void pair_of_steps(T* d, const T* a, const T* b, const T* c, int64_t n) {
  const T bn = one_b ? *b : T(0), cn = one_c ? *c : T(0);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i) {
    const T x = a[i], y = one_b ? bn : b[i], z = one_c ? cn : c[i];
    d[i] = second_of_pair<S>(first_of_pair<F>(x, y), x, y, z);
  }
}

template <PairFirst F, PairSecond S, class T>
PairLoops<T> pair_loops() {
  if constexpr (is_pair(F, S))
    return {{{pair_of_steps<T, F, S, false, false>, pair_of_steps<T, F, S, false, true>},
             {pair_of_steps<T, F, S, true, false>, pair_of_steps<T, F, S, true, true>}}};
  return {};
}

template <int F, class T, int... S>
void fill_pairs_of(Kernels<T>& k, std::integer_sequence<int, S...>) {
  ((k.pairs[F][S] = pair_loops<static_cast<PairFirst>(F), static_cast<PairSecond>(S), T>()), ...);
}

template <class T, int... F>
void fill_pairs(Kernels<T>& k, std::integer_sequence<int, F...>) {
  (fill_pairs_of<F>(k, std::make_integer_sequence<int, static_cast<int>(PairSecond::count)>()), ...);
}

template <class T>
void fill_pairs(Kernels<T>& k) {
  fill_pairs(k, std::make_integer_sequence<int, static_cast<int>(PairFirst::count)>());
}

}  // namespace
}  // namespace cantik::cpu
