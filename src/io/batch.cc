#include "io/batch.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <cantik/error.h>

#include "base/memory.h"
#include "base/text.h"

namespace cantik {
namespace {

// Rows of one chunk that lie side by side.
struct StepRun {
  const ChunkPtr* chunk;
  int64_t first, rows;
};

// Values of a dense stream, full rows: [rows, width].
void copy_dense(const StreamRows& from, int64_t first, int64_t rows, int64_t width, float* into) {
  if (from.starts.empty()) {
    std::memcpy(into, from.values.data() + first * width, static_cast<size_t>(rows * width) * sizeof(float));
    return;
  }
  for (int64_t r = first; r < first + rows; ++r, into += width) {
    int64_t n = from.starts[r + 1] - from.starts[r];
    std::copy_n(from.values.data() + from.starts[r], n, into);
    std::fill_n(into + n, width - n, 0.0f);
  }
}

Tensor dense(const Stream& stream, const std::vector<StepRun>& runs, int64_t rows) {
  int64_t width = stream.shape.elements();
  Shape shape = Shape{rows} + stream.shape;
  size_t id = static_cast<size_t>(stream.id);
  if (runs.size() == 1 && (*runs[0].chunk)->streams[id].starts.empty()) {
    const StreamRows& r = (*runs[0].chunk)->streams[id];
    return Tensor::borrow(DType::float32, shape, const_cast<float*>(r.values.data() + runs[0].first * width),
                          *runs[0].chunk, true);
  }
  Tensor t(DType::float32, shape);
  float* at = t.data<float>();
  for (const StepRun& run : runs) {
    copy_dense((*run.chunk)->streams[id], run.first, run.rows, width, at);
    at += run.rows * width;
  }
  return t;
}

Tensor sparse(const Stream& stream, const std::vector<StepRun>& runs, int64_t rows) {
  Shape shape = Shape{rows} + stream.shape;
  size_t id = static_cast<size_t>(stream.id);
  int64_t count = 0;
  bool ones = true;
  for (const StepRun& run : runs) {
    const StreamRows& r = (*run.chunk)->streams[id];
    count += r.starts[run.first + run.rows] - r.starts[run.first];
    ones &= r.values.empty();
  }
  if (runs.size() == 1) {
    const ChunkPtr& chunk = *runs[0].chunk;
    const StreamRows& r = chunk->streams[id];
    return Tensor::csr(DType::float32, shape, {chunk, r.starts.data() + runs[0].first},
                       {chunk, r.columns.data()}, {chunk, static_cast<const void*>(r.values.data())});
  }
  // One block: starts, columns, values.
  size_t starts_bytes = static_cast<size_t>(rows + 1) * sizeof(int64_t),
         columns_bytes = static_cast<size_t>(count) * sizeof(int32_t);
  std::shared_ptr<void> block = allocate(starts_bytes + columns_bytes + (ones ? 0 : columns_bytes));
  char* base = static_cast<char*>(block.get());
  int64_t* starts = reinterpret_cast<int64_t*>(base);
  int32_t* columns = reinterpret_cast<int32_t*>(base + starts_bytes);
  float* values = ones ? nullptr : reinterpret_cast<float*>(base + starts_bytes + columns_bytes);
  int64_t at = 0;
  *starts++ = 0;
  for (const StepRun& run : runs) {
    const StreamRows& r = (*run.chunk)->streams[id];
    int64_t first = r.starts[run.first], n = r.starts[run.first + run.rows] - first;
    for (int64_t i = 1; i <= run.rows; ++i) *starts++ = at + r.starts[run.first + i] - first;
    std::copy_n(r.columns.data() + first, n, columns + at);
    if (values && r.values.empty())
      std::fill_n(values + at, n, 1.0f);
    else if (values)
      std::copy_n(r.values.data() + first, n, values + at);
    at += n;
  }
  return Tensor::csr(DType::float32, shape, {block, reinterpret_cast<int64_t*>(base)}, {block, columns},
                     {block, static_cast<const void*>(values)});
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
  for (const Stream& stream : streams) {
    size_t id = static_cast<size_t>(stream.id);
    std::vector<StepRun> runs;
    int64_t rows = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const SequencePart& p = parts[i];
      const StreamRows& r = p.chunk->streams[id];
      int64_t begin = p.end < 0 ? 0 : p.begin, n = (p.end < 0 ? r.length(p.in_chunk) : p.end) - begin,
              first = r.offsets[p.in_chunk] + begin;
      lengths[i] = n;
      rows += n;
      if (!runs.empty() && *runs.back().chunk == p.chunk && runs.back().first + runs.back().rows == first)
        runs.back().rows += n;
      else
        runs.push_back({&p.chunk, first, n});
    }
    Tensor data = stream.storage == Storage::dense ? dense(stream, runs, rows) : sparse(stream, runs, rows);
    std::shared_ptr<const Layout> layout;
    for (const Value& other : values)
      if (same_lengths(*other.layout, lengths)) layout = other.layout;
    if (!layout) layout = truncated ? Layout::of_parts(lengths, continues) : Layout::of_lengths(lengths);
    values.emplace_back(std::move(data), std::move(layout));
  }
  return values;
}

void append(StreamRows& into, const StreamRows& from, int64_t first, int64_t rows, bool sparse,
            int64_t width) {
  if (!sparse) {
    copy_dense(from, first, rows, width, into.values.grow(rows * width));
    return;
  }
  if (into.starts.empty()) into.starts.push(0);
  int64_t begin = from.starts[first], n = from.starts[first + rows] - begin,
          base = into.starts.back() - begin;
  for (int64_t r = first + 1; r <= first + rows; ++r) into.starts.push(base + from.starts[r]);
  std::copy_n(from.columns.data() + begin, n, into.columns.grow(n));
  float* values = into.values.grow(n);
  if (from.values.empty())
    std::fill_n(values, n, 1.0f);
  else
    std::copy_n(from.values.data() + begin, n, values);
}

}  // namespace cantik
