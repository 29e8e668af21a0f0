// Carried: what the delays of a run leave behind, for runs that go on with its sequences.
//
// Of each delay of k steps the last k rows of its operand are kept for each sequence, the oldest first. A
// sequence shorter than that keeps older rows, and before its beginning those of the initial state: so
// whoever goes on finds k rows, however short the parts. One run's rows are never changed once they are
// there; a run that fails leaves none, and those of the run before stay.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <cantik/dictionary.h>
#include <cantik/value.h>

#include "base/memory.h"

namespace cantik {
struct Node;
}

namespace cantik::runtime {

// The rows of one delay: [sequences, steps, row].
struct CarriedRows {
  // the user's; null where they come from a file, which has them in the same order
  const Node* delay = nullptr;
  DType dtype = DType::unknown;
  int64_t sequences = 0, steps = 0;
  size_t row_bytes = 0;
  // of each sequence: there was no row to keep, nobody can go on with it; empty: none of them
  std::vector<char> unknown;

  size_t sequence_bytes() const { return bytes_of(steps, row_bytes); }
  char* of(int64_t sequence) const {
    return static_cast<char*>(memory_.get()) + static_cast<size_t>(sequence) * sequence_bytes();
  }
  char* row(int64_t sequence, int64_t step) const {
    return of(sequence) + static_cast<size_t>(step) * row_bytes;
  }
  void resize(int64_t sequences);

 private:
  MemoryBlock memory_;
  size_t bytes_ = 0;
};

struct Carried {
  std::vector<CarriedRows> delays;
  // Of this delay, the `index`th of its program; null: it was not there.
  const CarriedRows* find(const Node* delay, size_t index) const;
};

// Whether nobody else holds this, or will: it may be written again.
template <class T>
bool alone(const std::shared_ptr<T>& c) {
  if (c.use_count() != 1) return false;
  // what the last holder read, in another thread, comes before what is written now
  std::shared_ptr<T>(c).reset();
  return true;
}

// The rows of the run that came last. Runs of several threads may share one: each goes on with what was last
// when it began.
class CarriedStates {
 public:
  std::shared_ptr<const Carried> last() const;
  std::shared_ptr<Carried> spare();  // to be filled by a run, its memory used again
  void keep(std::shared_ptr<Carried> made);
  // For an owner who arranges the rows himself: those kept last, and the memory to be used again.
  std::pair<std::shared_ptr<Carried>, std::shared_ptr<Carried>> take();
  void put(std::shared_ptr<Carried> last, std::shared_ptr<Carried> spare);
  // For checkpoints: of each delay the rows, [sequences, steps, elements].
  DictionaryVector state() const;
  void restore(const DictionaryVector& state);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Carried> last_, spare_;
};

}  // namespace cantik::runtime
