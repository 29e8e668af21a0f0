#include "io/deserializer.h"

#include <algorithm>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

Error wrong_chunk(const Deserializer& data, int64_t number, const std::string& what) {
  return value_error(cat("chunk ", number, " of ", data.name(), ": ", what));
}

void check_stream(const Deserializer& data, int64_t number, const Stream& stream, const Value& v) {
  const std::string of = cat("the stream ", stream.name, " ");
  if (!v.data.defined() || !v.layout)
    throw wrong_chunk(data, number, of + "has no rows")
        .remedy("give a value with a layout, as Value::batch and Value::sequences make them");
  const bool is_widened = v.data.dtype() == DType::int16 && is_stored_small(stream);
  if (v.data.dtype() != stream.dtype && !is_widened)
    throw wrong_chunk(
        data, number,
        cat(of, "has elements of ", name_of(v.data.dtype()), ", and promised ", name_of(stream.dtype)));
  if (v.data.storage() == Storage::row_sparse || (stream.storage == Storage::csr && !v.data.is_sparse()))
    throw wrong_chunk(data, number, of + "is sparse, and the chunk has it densely")
        .remedy("give CSR rows, or describe the stream as dense");
  const Shape& s = v.data.shape();
  if (!(s.sub(1, s.rank()) == chunk_shape(stream)))
    throw wrong_chunk(data, number,
                      cat(of, "has samples of the shape ", s.sub(1, s.rank()).text(), ", and promised ",
                          chunk_shape(stream).text()));
  if (is_widened && v.data.is_sparse()) throw wrong_chunk(data, number, of + "has sparse rows of int16");
  if (has_neighbours(stream) && v.data.is_sparse())
    throw wrong_chunk(data, number, of + "has samples beside each one, and the chunk has it as sparse rows");
}

int64_t entries_of_rows(const Tensor& t) {
  return t.storage() == Storage::csr ? t.starts()[t.shape()[0]] : 0;
}

}  // namespace

ChunkPtr load_chunk(Deserializer& data, int64_t number) {
  auto chunk = std::make_shared<Chunk>(data.load(number));
  const std::vector<Stream>& streams = data.streams();
  if (chunk->size() != streams.size())
    throw wrong_chunk(data, number,
                      cat("it has ", chunk->size(), " values for ", streams.size(), " streams"));
  for (size_t i = 0; i < streams.size(); ++i) {
    const Value& v = (*chunk)[i];
    check_stream(data, number, streams[i], v);
    if (v.layout->sequences() != sequences_of(*chunk))
      throw wrong_chunk(data, number,
                        cat("the stream ", streams[0].name, " has ", sequences_of(*chunk),
                            " sequences, the stream ", streams[i].name, " has ", v.layout->sequences()));
  }
  if (const SequenceIndex* index = data.index()) {
    const int64_t listed = static_cast<int64_t>(index->of_chunk(number).size());
    if (listed != sequences_of(*chunk))
      throw wrong_chunk(data, number,
                        cat("it has ", sequences_of(*chunk), " sequences, its index has ", listed));
  }
  return chunk;
}

std::vector<SequenceInfo> listed_of(const SequenceIndex& index, int64_t chunk) {
  const auto [first, last] = index.of_chunk(chunk);
  std::vector<SequenceInfo> all;
  all.reserve(last - first);
  for (size_t i = first; i < last; ++i)
    all.push_back(
        {index.key(i), index.samples(i), static_cast<int32_t>(chunk), static_cast<int32_t>(i - first)});
  return all;
}

size_t bytes_of(const Chunk& chunk) {
  size_t n = 0;
  for (const Value& v : chunk) {
    const size_t element = size_of(v.data.dtype()), stored = static_cast<size_t>(entries_of_rows(v.data));
    n += v.layout->offsets().size_bytes();
    if (!v.data.is_sparse())
      n += v.data.bytes();
    else
      n += (static_cast<size_t>(v.layout->rows()) + 1) * sizeof(int64_t) +
           stored * (sizeof(int32_t) + (v.data.raw() ? element : 0));
  }
  return n;
}

int64_t samples_of(const Chunk& chunk, int64_t sequence, int64_t counted) {
  if (counted >= 0) return steps_of(chunk[counted], sequence);
  int64_t most = 0;
  for (const Value& v : chunk) most = std::max(most, steps_of(v, sequence));
  return most;
}

int64_t counted_stream(const std::vector<Stream>& streams) {
  if (streams.empty())
    throw value_error("a deserializer has no streams").remedy("describe at least one stream");
  std::vector<std::string> counted;
  int64_t found = -1;
  for (size_t i = 0; i < streams.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (streams[j].name == streams[i].name)
        throw runtime_error(cat("Two streams with the same name '", streams[i].name,
                                "' have been found. Please rename the duplicate."));
    if (!streams[i].defines_size) continue;
    counted.push_back(streams[i].name);
    found = static_cast<int64_t>(i);
  }
  if (counted.size() > 1)
    throw runtime_error(cat("Only a single stream is allowed to define the minibatch size, but ",
                            counted.size(),
                            " found: ", join(counted, ", ", [](const std::string& s) { return s; }), "."));
  return found;
}

std::vector<Stream> numbered(std::vector<Stream> streams) {
  for (const Stream& s : streams)
    if (s.left < 0 || s.right < 0 ||
        (has_neighbours(s) &&
         (s.storage != Storage::dense || s.shape.rank() != 1 || s.shape[0] % (s.left + 1 + s.right) != 0)))
      throw value_error(cat("the stream ", s.name, " of the shape ", s.shape.text(), " cannot have ", s.left,
                            " samples in front of each one and ", s.right, " behind"))
          .remedy("describe a dense stream of one axis, as long as all of these samples together");
  for (size_t i = 0; i < streams.size(); ++i) streams[i].id = static_cast<int64_t>(i);
  return streams;
}

}  // namespace cantik
