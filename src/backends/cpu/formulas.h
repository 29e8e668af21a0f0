// Updates that are compiled as one loop each, with everything between reading and writing in registers.
//
// Learners state their formulas in their own files. An update whose traced formula is one of these runs as
// the loop, any other as tiles; LearnerLoops in the tests says which learners have to have one. Like
// kernels/, this file has nothing of external linkage.
#pragma once

#include <stdint.h>

namespace cantik::cpu {
namespace {

struct SgdFormula {
  static constexpr int kStates = 0, kRates = 1;
  template <bool kUnitGain, class R, class Root>
  static void step(R& w, const R& g, R*, const R* rate, Root) {
    w = w - rate[0] * g;
  }
};

// The factor of a new gradient.
template <bool kUnitGain, class R>
R gain_of(const R& momentum) {
  if constexpr (kUnitGain)
    return R(1) - momentum;
  else
    return R(1);
}

struct MomentumFormula {
  static constexpr int kStates = 1, kRates = 2;
  template <bool kUnitGain, class R, class Root>
  static void step(R& w, const R& g, R* state, const R* rate, Root) {
    state[0] = rate[1] * state[0] + gain_of<kUnitGain>(rate[1]) * rate[0] * g;
    w = w - state[0];
  }
};

struct NesterovFormula {
  static constexpr int kStates = 1, kRates = 2;
  template <bool kUnitGain, class R, class Root>
  static void step(R& w, const R& g, R* state, const R* rate, Root) {
    R step = gain_of<kUnitGain>(rate[1]) * rate[0] * g;
    state[0] = rate[1] * state[0] + step;
    w = -rate[1] * state[0] + w - step;
  }
};

struct AdamFormula {
  static constexpr int kStates = 2, kRates = 4;
  template <bool kUnitGain, class R, class Root>
  static void step(R& w, const R& g, R* state, const R* rate, Root root) {
    state[0] = rate[2] * state[0] + (R(1) - rate[2]) * (g * g);
    state[1] = rate[1] * state[1] + gain_of<kUnitGain>(rate[1]) * g;
    w = w - rate[0] * state[1] / (root(state[0]) + rate[3]);
  }
};

struct AdamwFormula {
  static constexpr int kStates = 2, kRates = 7;
  template <bool kUnitGain, class R, class Root>
  static void step(R& w, const R& g, R* state, const R* rate, Root root) {
    state[0] = rate[3] * state[0] + rate[4] * (g * g);
    state[1] = rate[5] * state[1] + rate[6] * g;
    w = w - rate[2] * w - rate[0] * state[1] / (root(state[0]) + rate[1]);
  }
};

// A formula with or without unit gain, with or without the decay of L2, whose weight is the number behind the
// rates. Arrays are the parameter, its gradient and the states.
template <class F, bool kUnitGain, bool kDecay>
struct UpdateFormula {
  static constexpr int kArrays = 2 + F::kStates, kNumbers = F::kRates + (kDecay ? 1 : 0);
  // x: an element of each array.
  template <class R, class Root>
  static void step(R* x, const R* number, Root root) {
    R g = x[1];
    if constexpr (kDecay) g = number[F::kRates] * x[0] + g;
    F::template step<kUnitGain>(x[0], g, x + 2, number, root);
  }
};

template <class... F>
struct FormulaList {
  static constexpr int kCount = sizeof...(F);
};

template <class F>
using WithGain = FormulaList<UpdateFormula<F, true, false>, UpdateFormula<F, true, true>,
                             UpdateFormula<F, false, false>, UpdateFormula<F, false, true>>;
template <class F>
using WithoutGain = FormulaList<UpdateFormula<F, false, false>, UpdateFormula<F, false, true>>;

template <class... L>
struct Joined;
template <class... F>
struct Joined<FormulaList<F...>> {
  using List = FormulaList<F...>;
};
template <class... F, class... G, class... L>
struct Joined<FormulaList<F...>, FormulaList<G...>, L...> {
  using List = typename Joined<FormulaList<F..., G...>, L...>::List;
};

using UpdateFormulas = Joined<WithoutGain<SgdFormula>, WithGain<MomentumFormula>, WithGain<NesterovFormula>,
                              WithGain<AdamFormula>, WithoutGain<AdamwFormula>>::List;

}  // namespace
}  // namespace cantik::cpu
