// Slots: sequences cut into parts of so many steps. Each slot brings one part after another of its sequences,
// side by side with the parts of the others.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "io/batch.h"
#include "io/reader.h"

namespace cantik {

class Slots {
 public:
  explicit Slots(int64_t length) : length_(length) {}

  // The parts of a minibatch of `count` slots. A sequence that has begun in a slot is always gone on with,
  // even where there are fewer slots than before; such a slot takes no new ones.
  std::vector<SequencePart> next(Reader& reader, int64_t count, bool& sweep_end);

  DictionaryVector state(const Timeline& timeline) const;
  // Whether the slots of the last minibatch are these: otherwise what went on in them begins anew where it
  // is.
  enum class Neighbours : uint8_t { same, others };
  void restore(const DictionaryVector& state, Reader& reader, Neighbours neighbours);
  void clear() { slots_.clear(); }

 private:
  struct Held {
    SequenceInfo info;
    ChunkPtr chunk;
    int64_t length = 0, done = 0;
    int32_t last_part = -1;  // where it stood in the last minibatch
    bool sweep_end = false;
  };
  using Slot = std::deque<Held>;
  static Held hold(const SequenceInfo& info, Reader& reader);

  int64_t length_;
  std::vector<Slot> slots_;
};

}  // namespace cantik
