// What the reader asks of deserializers beyond their interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <cantik/deserializer.h>
#include <cantik/io.h>

namespace cantik {

// A chunk that has been read and found to be as its streams say.
using ChunkPtr = std::shared_ptr<const Chunk>;

// Reads a chunk. One that is not as the streams say is an error that names the deserializer.
ChunkPtr load_chunk(Deserializer& data, int64_t number);
// Adds its warnings to others.
inline void take_warnings(Deserializer& data, std::vector<std::string>& into) {
  std::ranges::move(data.take_warnings(), std::back_inserter(into));
}
// The sequences of a chunk.
std::vector<SequenceInfo> listed_of(const SequenceIndex& index, int64_t chunk);
// The memory that it takes.
size_t bytes_of(const Chunk& chunk);

// How many sequences there are, and how many steps one of them has in a stream.
inline int64_t sequences_of(const Chunk& chunk) { return chunk[0].layout->sequences(); }
inline int64_t steps_of(const Value& v, int64_t sequence) { return v.layout->length(sequence); }
// The row where a sequence begins.
inline int64_t first_row(const Value& v, int64_t sequence) {
  return v.layout->is_batch() ? sequence : v.layout->offsets()[sequence];
}
// Whether a sequence of a chunk has no steps in one of its streams.
inline bool is_without_steps(const Chunk& chunk, int64_t sequence) {
  return std::ranges::any_of(chunk, [sequence](const Value& v) { return steps_of(v, sequence) == 0; });
}
// The shape of a sample in chunks: without those that stand beside it.
inline Shape chunk_shape(const Stream& s) {
  return s.left + s.right == 0 ? s.shape : Shape{s.shape[0] / (s.left + 1 + s.right)};
}
// Whether chunks may have its samples as int16, which minibatches have as float32.
inline bool is_stored_small(const Stream& s) {
  return s.storage == Storage::dense && s.dtype == DType::float32 && s.left + s.right == 0;
}
inline bool has_neighbours(const Stream& s) { return s.left + s.right > 0; }
// The samples of a sequence, as minibatches count them: of the counted stream, or of the longest one.
int64_t samples_of(const Chunk& chunk, int64_t sequence, int64_t counted);

// The stream that minibatches are counted in, or -1. Two such, or two of one name, are an error.
int64_t counted_stream(const std::vector<Stream>& streams);
// Each at the place of its id.
std::vector<Stream> numbered(std::vector<Stream> streams);

// The data with an index of their sequences. Where they have none, they are read through for it.
DeserializerPtr indexed(DeserializerPtr data);
// Sequences cut into their steps, each a sequence of its own.
DeserializerPtr frames_of(DeserializerPtr data);
// Several as one. See minibatch_source.
DeserializerPtr joined(std::vector<DeserializerPtr> parts, int64_t cache_bytes);

}  // namespace cantik
