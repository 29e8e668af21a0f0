// What the writers of files share: the sequences of deserializers, one after another, as they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/deserializer.h"

namespace cantik {

// A sequence of a chunk, and its number in the data.
struct WrittenSequence {
  const Chunk& chunk;
  int64_t in_chunk;
  uint64_t key;
};

// Streams as a file of `format` can have them: names that differ, of float32 or float64. Several
// deserializers are joined.
DeserializerPtr data_to_write(std::vector<DeserializerPtr> data, const std::string& format);
// Calls `write` for each sequence. A sequence without a sample in one of the streams is an error: no file has
// such.
void each_sequence(Deserializer& data, const std::function<void(const WrittenSequence&)>& write);
// The rows of a sequence, densely for a dense stream.
Tensor written_rows(const Stream& stream, const Value& value, int64_t sequence);

}  // namespace cantik
