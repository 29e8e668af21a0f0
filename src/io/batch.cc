#include "io/batch.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <cantik/error.h>

#include "backends/host/pixels.h"
#include "base/memory.h"
#include "base/text.h"

namespace cantik {
namespace {

// Rows of one stream in a chunk, which lie side by side.
struct StepRun {
  const ChunkPtr* chunk;
  const Tensor* data;
  int64_t first, rows;
};

int64_t entries_of_steps(const StepRun& run) {
  return run.data->starts()[run.first + run.rows] - run.data->starts()[run.first];
}

// Its rows as a tensor of their own: [rows, shape...].
Tensor rows_of(const Stream& stream, const StepRun& run) {
  const Shape shape = Shape{run.rows} + stream.shape;
  const Tensor& t = *run.data;
  if (t.is_sparse())
    return Tensor::csr(stream.dtype, shape, {*run.chunk, t.starts() + run.first}, {*run.chunk, t.columns()},
                       {*run.chunk, static_cast<const void*>(t.raw())});
  char* at = static_cast<char*>(t.raw()) +
             static_cast<size_t>(run.first * stream.shape.elements()) * size_of(stream.dtype);
  return Tensor::borrow(stream.dtype, shape, at, *run.chunk, true);
}

// The values of sparse rows, which may be ones that are not written.
void copy_values(const StepRun& run, char* into) {
  const DType dtype = run.data->dtype();
  const size_t bytes = static_cast<size_t>(entries_of_steps(run)) * size_of(dtype);
  const Tensor ones = run.data->raw() ? Tensor() : Tensor::full(dtype, {entries_of_steps(run)}, 1);
  const char* from = ones.defined() ? static_cast<const char*>(ones.raw())
                                    : static_cast<const char*>(run.data->raw()) +
                                          static_cast<size_t>(run.data->starts()[run.first]) * size_of(dtype);
  if (bytes) std::memcpy(into, from, bytes);
}

Tensor dense(const Stream& stream, const std::vector<StepRun>& runs, int64_t rows) {
  if (runs.size() == 1 && runs[0].data->dtype() == stream.dtype) return rows_of(stream, runs[0]).to_dense();
  Tensor t(stream.dtype, Shape{rows} + stream.shape);
  char* at = static_cast<char*>(t.raw());
  const size_t row = static_cast<size_t>(stream.shape.elements()) * size_of(stream.dtype);
  for (const StepRun& run : runs) {
    if (run.data->dtype() != stream.dtype) {
      const int64_t row_elements = stream.shape.elements(), n = run.rows * row_elements;
      host::pixel_table().to_float(run.data->data<int16_t>() + run.first * row_elements, n,
                                   reinterpret_cast<float*>(at));
      at += static_cast<size_t>(n) * sizeof(float);
      continue;
    }
    if (!run.data->is_sparse()) {
      const size_t bytes = static_cast<size_t>(run.rows) * row;
      if (bytes)
        std::memcpy(at, static_cast<const char*>(run.data->raw()) + static_cast<size_t>(run.first) * row,
                    bytes);
      at += bytes;
      continue;
    }
    const Tensor part = rows_of(stream, run).to_dense();
    if (part.bytes()) std::memcpy(at, part.raw(), part.bytes());
    at += part.bytes();
  }
  return t;
}

Tensor sparse(const Stream& stream, const std::vector<StepRun>& runs, int64_t rows) {
  if (runs.size() == 1) return rows_of(stream, runs[0]);
  const size_t element = size_of(stream.dtype);
  int64_t count = 0;
  bool ones = true;
  for (const StepRun& run : runs) {
    count += entries_of_steps(run);
    ones &= !run.data->raw();
  }
  // One block: starts, values, columns.
  const size_t starts_bytes = static_cast<size_t>(rows + 1) * sizeof(int64_t),
               values_bytes = ones ? 0 : static_cast<size_t>(count) * element,
               columns_bytes = static_cast<size_t>(count) * sizeof(int32_t);
  std::shared_ptr<void> block = allocate(starts_bytes + values_bytes + columns_bytes);
  char* base = static_cast<char*>(block.get());
  int64_t* starts = reinterpret_cast<int64_t*>(base);
  char* values = ones ? nullptr : base + starts_bytes;
  int32_t* columns = reinterpret_cast<int32_t*>(base + starts_bytes + values_bytes);
  int64_t at = 0;
  *starts++ = 0;
  for (const StepRun& run : runs) {
    const int64_t first = run.data->starts()[run.first], n = entries_of_steps(run);
    for (int64_t i = 1; i <= run.rows; ++i) *starts++ = at + run.data->starts()[run.first + i] - first;
    std::copy_n(run.data->columns() + first, n, columns + at);
    if (values) copy_values(run, values + static_cast<size_t>(at) * element);
    at += n;
  }
  return Tensor::csr(stream.dtype, Shape{rows} + stream.shape, {block, reinterpret_cast<int64_t*>(base)},
                     {block, columns}, {block, static_cast<const void*>(values)});
}

// Each sample with those of its sequence on both sides, which lie side by side in the chunk but for those
// beyond an end: [rows, (left + 1 + right) * sample].
Tensor windows(const Stream& stream, size_t id, std::span<const SequencePart> parts,
               const std::vector<int64_t>& lengths, int64_t rows) {
  Tensor t(stream.dtype, Shape{rows} + stream.shape);
  char* to = static_cast<char*>(t.raw());
  const int64_t width = stream.left + 1 + stream.right;
  const size_t sample = static_cast<size_t>(stream.shape[0] / width) * size_of(stream.dtype);
  for (size_t i = 0; i < parts.size(); ++i) {
    const SequencePart& p = parts[i];
    const Value& v = (*p.chunk)[id];
    const bool is_whole = p.end < 0;
    const int64_t first = first_row(v, p.in_chunk) + (is_whole ? 0 : p.begin), end = first + lengths[i],
                  lowest = first - (is_whole ? p.before : p.begin),
                  highest = end + (is_whole ? p.after : steps_of(v, p.in_chunk) - p.end) - 1;
    const char* from = static_cast<const char*>(v.data.raw());
    for (int64_t row = first; row < end; ++row) {
      const int64_t begin = row - stream.left;
      if (begin >= lowest && row + stream.right <= highest) {
        std::memcpy(to, from + static_cast<size_t>(begin) * sample, static_cast<size_t>(width) * sample);
        to += static_cast<size_t>(width) * sample;
        continue;
      }
      for (int64_t other = begin; other <= row + stream.right; ++other, to += sample)
        std::memcpy(to, from + static_cast<size_t>(std::clamp(other, lowest, highest)) * sample, sample);
    }
  }
  return t;
}

bool same_lengths(const Layout& layout, const std::vector<int64_t>& lengths) {
  for (size_t i = 0; i < lengths.size(); ++i)
    if (layout.offsets()[i + 1] - layout.offsets()[i] != lengths[i]) return false;
  return true;
}

}  // namespace

std::vector<Value> batch_of(const std::vector<Stream>& streams, std::span<const SequencePart> parts,
                            bool truncated) {
  std::vector<Value> values;
  std::vector<int64_t> lengths(parts.size());
  std::vector<int32_t> continues;
  for (const SequencePart& p : parts) continues.push_back(p.continues);
  for (size_t id = 0; id < streams.size(); ++id) {
    const Stream& stream = streams[id];
    std::vector<StepRun> runs;
    int64_t rows = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const SequencePart& p = parts[i];
      const Value& v = (*p.chunk)[id];
      const int64_t begin = p.end < 0 ? 0 : p.begin,
                    n = (p.end < 0 ? steps_of(v, p.in_chunk) : p.end) - begin,
                    first = first_row(v, p.in_chunk) + begin;
      lengths[i] = n;
      rows += n;
      if (!runs.empty() && *runs.back().chunk == p.chunk && runs.back().first + runs.back().rows == first)
        runs.back().rows += n;
      else
        runs.push_back({&p.chunk, &v.data, first, n});
    }
    Tensor data = has_neighbours(stream)             ? windows(stream, id, parts, lengths, rows)
                  : stream.storage == Storage::dense ? dense(stream, runs, rows)
                                                     : sparse(stream, runs, rows);
    std::shared_ptr<const Layout> layout;
    for (const Value& other : values)
      if (same_lengths(*other.layout, lengths)) layout = other.layout;
    if (!layout) layout = truncated ? Layout::of_parts(lengths, continues) : Layout::of_lengths(lengths);
    values.emplace_back(std::move(data), std::move(layout));
  }
  return values;
}

std::vector<Stream> alone(std::vector<Stream> streams) {
  for (Stream& s : streams) {
    s.shape = chunk_shape(s);
    s.left = s.right = 0;
  }
  return streams;
}

ChunkPtr with_neighbours(const std::vector<Stream>& streams, const ChunkPtr& chunk) {
  bool is_as_it_comes = std::ranges::none_of(streams, has_neighbours);
  for (size_t i = 0; i < streams.size(); ++i) is_as_it_comes &= (*chunk)[i].data.dtype() == streams[i].dtype;
  if (is_as_it_comes) return chunk;
  std::vector<SequencePart> parts;
  for (int64_t i = 0; i < sequences_of(*chunk); ++i) parts.push_back({chunk, i});
  return std::make_shared<const Chunk>(batch_of(streams, parts, false));
}

}  // namespace cantik
