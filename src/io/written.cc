#include "io/written.h"

#include <limits>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/batch.h"

namespace cantik {

DeserializerPtr data_to_write(std::vector<DeserializerPtr> data, const std::string& format) {
  if (data.empty())
    throw value_error("no deserializer is given to write a file of").remedy("give at least one");
  for (const DeserializerPtr& d : data)
    if (!d) throw value_error("one of the deserializers is a null pointer").remedy("give what ctf returns");
  DeserializerPtr all = data.size() == 1 ? data[0] : joined(std::move(data), SourceOptions().cache_bytes);
  counted_stream(all->streams());
  for (const Stream& s : all->streams()) {
    if (s.dtype != DType::float32 && s.dtype != DType::float64)
      throw type_error(cat("the stream ", s.name, " has elements of ", name_of(s.dtype), ", and a file in ",
                           format, " has float32 or float64"));
    if (s.shape.elements() < 1 || s.shape.elements() > std::numeric_limits<int32_t>::max())
      throw value_error(cat("the stream ", s.name, " has samples of the shape ", s.shape.text()));
  }
  return all;
}

void each_sequence(Deserializer& data, const std::function<void(const WrittenSequence&)>& write) {
  const SequenceIndex* index = data.index();
  uint64_t number = 0;
  for (int64_t c = 0; c < data.chunks(); ++c) {
    may_end_now();
    const ChunkPtr chunk = with_neighbours(data.streams(), load_chunk(data, c));
    for (int64_t i = 0; i < sequences_of(*chunk); ++i, ++number) {
      const uint64_t key = index ? index->key(number) : number;
      for (size_t s = 0; s < chunk->size(); ++s)
        if (steps_of((*chunk)[s], i) < 1)
          throw runtime_error(cat("the stream ", data.streams()[s].name, " has no samples in sequence ", key))
              .line("file", data.name());
      write({*chunk, i, key});
    }
  }
}

Tensor written_rows(const Stream& stream, const Value& value, int64_t sequence) {
  const int64_t first = first_row(value, sequence), n = steps_of(value, sequence);
  const Tensor rows = value.data.rows(first, first + n);
  return stream.storage == Storage::dense ? rows.to_dense() : rows;
}

}  // namespace cantik
