// Calls of operators that leave something in their run, or read what was left.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "execute/calls.h"
#include "execute/keeper.h"

namespace cantik::runtime {

// A lock that stays taken between calls that follow one another.
class HeldLock {
 public:
  HeldLock() = default;
  HeldLock(const HeldLock&) = delete;
  ~HeldLock() { take(nullptr); }
  // Takes this lock, if it is not taken, and leaves any other; null: takes none.
  void take(const cantik_lock* lock) {
    if (lock == held_) return;
    if (const cantik_lock* old = std::exchange(held_, nullptr)) old->leave(old->user, entered_);
    if (!lock) return;
    entered_ = lock->enter(lock->user);
    held_ = lock;
  }

 private:
  const cantik_lock* held_ = nullptr;
  void* entered_ = nullptr;
};

// The sum over calls of a result without rows, by result of the instruction; none of those that have rows.
using SumsOfCalls = std::vector<std::vector<double>>;

// One call of a kernel that sees all rows, or, where it reads what other calls saved, one for each of these.
// Results without rows are then the sums over the calls; with `sums` they are added to those. `rows`: those
// that the kernel makes its units of.
void call_with_keeper(const Calls& calls, const Instruction& i, cantik_run& r, int64_t rows,
                      RunKeeper& keeper, SumsOfCalls* sums = nullptr);
// The lengths of the sequences that the instruction is about to make.
void find_lengths(const Calls& calls, const Instruction& i, cantik_run& r, RunKeeper* keeper,
                  std::span<int64_t> lengths);
// Sums of no calls yet.
SumsOfCalls no_sums(const Program& p, const Instruction& i);
// Writes them where the instruction's results are.
void write_sums(const Program& p, const Instruction& i, const SumsOfCalls& sums, cantik_operand* results);

}  // namespace cantik::runtime
