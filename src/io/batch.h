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
  // Of a frame that is a sequence of its own: how many of its utterance lie in front of it and behind it, as
  // far as they are asked for.
  int64_t before = 0, after = 0;
};

// A value for each stream, its rows side by side. Rows that lie side by side in one chunk stay where they
// are. Samples that stand beside others are put there.
std::vector<Value> batch_of(const std::vector<Stream>& streams, std::span<const SequencePart> parts,
                            bool truncated);
// The same streams as chunks have them: samples alone.
std::vector<Stream> alone(std::vector<Stream> streams);
// A chunk whose samples have those beside them that its streams ask for.
ChunkPtr with_neighbours(const std::vector<Stream>& streams, const ChunkPtr& chunk);

}  // namespace cantik
