// TileProgram: an expression as a list of tile functions over slots. A slot is a tile of numbers: an
// operand's own memory, a filled constant, or scratch that is used again as soon as nobody needs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/table.h"
#include "graph/expression.h"

namespace cantik::cpu {

inline constexpr int64_t kTile = 512;  // elements

// What is known of a program's operands beforehand.
struct TileOperands {
  int inputs = -1;                  // how many there are, read or not; -1: those that are read
  std::vector<bool> uniform;        // of each input, whether it is one number, spread over its tile
  std::vector<int32_t> overwrites;  // of each result: the input whose memory it is written to, or -1
  int64_t tile = kTile;             // elements of a slot of scratch
};

template <class T>
class TileProgram {
 public:
  struct Step {
    TileFunction<T> f;
    int32_t d, a, b, c;
  };

  explicit TileProgram(const Expression& e, const TileOperands& operands = {});

  // Slots: first the inputs, then the results, then the constants, then scratch.
  int inputs() const { return inputs_; }
  int results() const { return static_cast<int>(results_.size()); }
  int slots() const { return slots_; }
  int result_slot(int i) const { return inputs_ + i; }
  // Elements from slot to slot: a line of the cache more than a tile, or all slots would fall on the same few
  // sets of it.
  int64_t spacing() const { return tile_ + 16; }
  // Scratch that run() wants, in elements.
  int64_t scratch() const { return (slots_ - inputs_ - results()) * spacing(); }
  int steps() const { return static_cast<int>(steps_.size()); }
  // Points the slots of constants and scratch into `memory`; start() sets constants for tiles of n, too.
  void point(T** slot, T* memory) const {
    for (int i = inputs_ + results(); i < slots_; ++i, memory += spacing()) slot[i] = memory;
  }
  void start(T** slot, T* memory, int64_t n) const;
  // Before run(), once the first kSome elements of uniform inputs are in their slots: computes what depends
  // on these only, and spreads what steps want in all n elements.
  static constexpr int64_t kSome = 16;
  void run_uniform(T* const* slot, int64_t n) const {
    for (const Step& s : uniform_) s.f(slot[s.d], slot[s.a], slot[s.b], slot[s.c], kSome);
    for (int32_t s : spread_) kernels<T>().fill(slot[s], *slot[s], n);
  }
  // n a multiple of 16, at most a tile; slots of inputs and results are set.
  void run(T* const* slot, int64_t n) const {
    for (const Step& s : steps_) s.f(slot[s.d], slot[s.a], slot[s.b], slot[s.c], n);
    for (const auto& [to, from] : copies_) std::copy_n(slot[from], n, slot[to]);
  }

 private:
  struct Assembly;
  void place_leaves(Assembly& p);
  void place_results(Assembly& p);
  void add_step(Assembly& p, size_t code);
  bool join_step(Assembly& p, size_t code);
  bool may_come_now(const Assembly& p, size_t step) const;
  void read_full(const Assembly& p, int32_t slot);

  int inputs_ = 0, slots_ = 0;
  int64_t tile_ = kTile;
  std::vector<int32_t> results_;
  std::vector<T> constants_;
  std::vector<Step> uniform_, steps_;
  // Numbers, by their slots, that a step reads as a tile full of them: most loops take one number.
  std::vector<int32_t> spread_, spread_constants_;
  // results that are inputs, constants or other results, or whose place is still read
  std::vector<std::pair<int32_t, int32_t>> copies_;
};

}  // namespace cantik::cpu
