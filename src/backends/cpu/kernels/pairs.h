// Two steps of an elementwise chain in one pass over a tile, where nothing else reads what the first one
// makes: it stays in registers.
#pragma once

#include <utility>

#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

template <PairFirst F, class T>
T first_of_pair(T a, T b) {
  if constexpr (F == PairFirst::add) return a + b;
  if constexpr (F == PairFirst::sub) return a - b;
  if constexpr (F == PairFirst::mul) return a * b;
}

template <PairSecond S, class T>
T second_of_pair(T x, T c) {
  if constexpr (S == PairSecond::add) return x + c;
  if constexpr (S == PairSecond::sub) return x - c;
  if constexpr (S == PairSecond::sub_from) return c - x;
  if constexpr (S == PairSecond::mul) return x * c;
  if constexpr (S == PairSecond::max) return x > c ? x : c;
  if constexpr (S == PairSecond::square) return x * x;
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
  for (int64_t i = 0; i < n; ++i)
    d[i] = second_of_pair<S>(first_of_pair<F>(a[i], one_b ? bn : b[i]), one_c ? cn : c[i]);
}

template <class T, PairFirst F, int... S>
void fill_pairs_of(Kernels<T>& k, std::integer_sequence<int, S...>) {
  ((k.pairs[static_cast<int>(F)][S] = {{{pair_of_steps<T, F, static_cast<PairSecond>(S), false, false>,
                                         pair_of_steps<T, F, static_cast<PairSecond>(S), false, true>},
                                        {pair_of_steps<T, F, static_cast<PairSecond>(S), true, false>,
                                         pair_of_steps<T, F, static_cast<PairSecond>(S), true, true>}}}),
   ...);
}

template <class T>
void fill_pairs(Kernels<T>& k) {
  constexpr std::make_integer_sequence<int, static_cast<int>(PairSecond::count)> all;
  fill_pairs_of<T, PairFirst::add>(k, all);
  fill_pairs_of<T, PairFirst::sub>(k, all);
  fill_pairs_of<T, PairFirst::mul>(k, all);
}

}  // namespace
}  // namespace cantik::cpu
