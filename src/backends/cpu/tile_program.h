// TileProgram: an expression as a list of tile functions over slots. A slot is a tile of numbers: an operand's own memory, a
// filled constant, or scratch that is used again as soon as nobody needs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/table.h"
#include "graph/expression.h"

namespace cantik::cpu {

inline constexpr int64_t kTile = 512;  // elements

template <class T>
class TileProgram {
 public:
  struct Step {
    TileFunction<T> f;
    int32_t d, a, b, c;
  };

  explicit TileProgram(const Expression& given);

  // Slots: first the inputs, then the results, then the constants, then scratch.
  int inputs() const { return inputs_; }
  int results() const { return static_cast<int>(results_.size()); }
  int slots() const { return slots_; }
  int result_slot(int i) const { return inputs_ + i; }
  // Scratch that run() wants, in elements; constants are filled by start().
  int64_t scratch() const { return (slots_ - inputs_ - results()) * kTile; }
  // Points the slots of constants and scratch into `memory` and fills the first n of each constant.
  void start(T** slot, T* memory, int64_t n = kTile) const;
  // n a multiple of 16, at most kTile; slots of inputs and results are set.
  void run(T* const* slot, int64_t n) const {
    for (const Step& s : steps_) s.f(slot[s.d], slot[s.a], slot[s.b], slot[s.c], n);
    for (const auto& [to, from] : copies_) std::copy_n(slot[from], n, slot[to]);
  }

 private:
  int inputs_ = 0, slots_ = 0;
  std::vector<int32_t> results_;
  std::vector<T> constants_;
  std::vector<Step> steps_;
  std::vector<std::pair<int32_t, int32_t>> copies_;  // results that are inputs, constants or other results
};

}  // namespace cantik::cpu
