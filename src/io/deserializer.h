// Deserializer: what a file format is to the rest of the reader. Sequences are known by number before
// anything of them is read; chunks of them are read as they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cantik/io.h>

#include "io/buffer.h"

namespace cantik {

// What is known of a sequence before it is read.
struct SequenceInfo {
  uint64_t key = 0;     // joins the sequences of several files
  int64_t samples = 0;  // as minibatches count them
  int32_t chunk = 0;
  int32_t in_chunk = 0;  // its place there
};

// The rows of one stream for all sequences of a chunk.
struct StreamRows {
  Buffer<int64_t> offsets;  // [sequences + 1], in rows
  // [rows + 1], in values. Dense: empty where every row is full; what a row lacks is 0
  Buffer<int64_t> starts;
  Buffer<int32_t> columns;  // sparse: of each value, rising in a row
  Buffer<float> values;     // sparse: empty if all of them are 1

  int64_t length(int64_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
  size_t bytes() const { return offsets.bytes() + starts.bytes() + columns.bytes() + values.bytes(); }
};

struct Chunk {
  std::vector<StreamRows> streams;
  size_t bytes() const {
    size_t n = 0;
    for (const StreamRows& s : streams) n += s.bytes();
    return n;
  }
};
using ChunkPtr = std::shared_ptr<const Chunk>;

class Deserializer {
 public:
  virtual ~Deserializer() = default;
  virtual const std::vector<Stream>& streams() const = 0;
  virtual const std::vector<SequenceInfo>& sequences() const = 0;  // chunk after chunk
  virtual int64_t chunks() const = 0;
  virtual ChunkPtr load(int64_t chunk) = 0;
  virtual std::string name() const = 0;  // for errors
  virtual void take_warnings(std::vector<std::string>&) {}
};

// The stream that minibatches are counted in, or -1. Two such, or two of one name, are an error.
int64_t counted_stream(const std::vector<Stream>& streams);

// Several as one. See minibatch_source.
DeserializerPtr joined(std::vector<DeserializerPtr> parts, int64_t cache_bytes);

}  // namespace cantik
