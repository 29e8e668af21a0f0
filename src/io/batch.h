// Sequences, or parts of them, as the values of a minibatch.
#pragma once

#include <span>
#include <vector>

#include "io/deserializer.h"

namespace cantik {

struct SequencePart {
  ChunkPtr chunk;
  int64_t in_chunk = 0;
  int64_t begin = 0, end = -1;  // steps; -1: all of them, whatever the stream
  int32_t continues = -1;       // the part of the last minibatch with which it goes on
};

// A value for each stream, its rows side by side. Rows that lie side by side in one chunk stay where they
// are.
std::vector<Value> batch_of(const std::vector<Stream>& streams, std::span<const SequencePart> parts,
                            bool truncated);

}  // namespace cantik
