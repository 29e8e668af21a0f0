#include "io/cbf_chunk.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/buffer.h"
#include "io/sparse_row.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerUnpackedSequence = 20;

template <class T>
struct CbfRows {
  Buffer<int64_t> starts;  // [rows + 1]
  Buffer<int32_t> columns;
  Buffer<T> values;
};

class ChunkReader {
 public:
  ChunkReader(ByteReader& bytes, std::span<const SequenceInfo> sequences, const std::string& file)
      : bytes_(bytes),
        sequences_(sequences),
        file_(file),
        lengths_(sequences.size()),
        longest_(sequences.size()) {
    for (const SequenceInfo& s : sequences) samples_ += s.samples;
  }

  Value value(const Stream& stream) {
    stream_ = &stream;
    rows_ = 0;
    Tensor data;
    if (stream.storage == Storage::dense)
      data = dense();
    else
      data = stream.dtype == DType::float64 ? sparse<double>() : sparse<float>();
    return {std::move(data), layout()};
  }

  // Each sequence is as long as the file says in front of them.
  void finish() {
    stream_ = nullptr;
    for (at_ = 0; at_ < sequences_.size(); ++at_)
      if (longest_[at_] != sequences_[at_].samples)
        refuse(cat("its longest stream has ", longest_[at_], " samples, and ", sequences_[at_].samples,
                   " are announced"));
    if (bytes_.left() != 0) {
      at_ = 0;
      refuse(cat(bytes_.left(), " bytes are left behind the sequences of chunk ", sequences_[0].chunk));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw runtime_error(cat(file_, " is not in CNTK's binary format: ", what))
        .line("file", cat(file_, ", byte ", bytes_.position()))
        .line("stream", stream_ ? stream_->name : "")
        .line("sequence", cat(sequences_[at_].key, ", number ", sequences_[at_].in_chunk, " of chunk ",
                              sequences_[at_].chunk))
        .remedy("convert the text file anew, with write_cbf");
  }

  void need(int64_t count, int64_t size) const {
    if (count > bytes_.left() / size)
      refuse(cat(count, " times ", size, " bytes are to come, and the chunk has ", bytes_.left(), " more"));
  }

  // The samples of the next sequence.
  int64_t count() {
    may_end(kWorkPerUnpackedSequence);
    need(1, 4);
    const int64_t samples = bytes_.number<uint32_t>();
    if (samples < 1 || samples > sequences_[at_].samples)
      refuse(cat("it has ", samples, " samples, and ", sequences_[at_].samples, " are announced"));
    lengths_[at_] = samples;
    longest_[at_] = std::max(longest_[at_], samples);
    rows_ += samples;
    return samples;
  }

  // Where streams have as many samples as the longest, the block is as large as it has to be.
  Tensor dense() {
    const int64_t row = stream_->shape[0] * static_cast<int64_t>(size_of(stream_->dtype)),
                  most = std::min(samples_, bytes_.left() / row);
    std::shared_ptr<void> block = allocate(bytes_of(most, static_cast<size_t>(row)));
    char *to = static_cast<char*>(block.get()), *end = to + most * row;
    for (at_ = 0; at_ < sequences_.size(); ++at_) {
      bytes_.lend(to, end);
      const int64_t n = count();
      need(n, row);
      bytes_.read(to, n * row);
      to += n * row;
    }
    bytes_.take_back();
    const Shape shape{rows_, stream_->shape[0]};
    Tensor data = Tensor::borrow(stream_->dtype, shape, block.get(), block, true);
    return rows_ < most / 2 ? data.clone().read_only() : data;
  }

  template <class T>
  Tensor sparse() {
    auto rows = std::make_shared<CbfRows<T>>();
    rows->starts.push(0);
    for (at_ = 0; at_ < sequences_.size(); ++at_) sequence(*rows);
    const bool ones = std::all_of(rows->values.data(), rows->values.data() + rows->values.size(),
                                  [](T x) { return x == T(1); });
    if (ones) rows->values.clear();
    rows->starts.fit();
    rows->columns.fit();
    rows->values.fit();
    return Tensor::csr(stream_->dtype, {rows_, stream_->shape[0]}, {rows, rows->starts.data()},
                       {rows, rows->columns.data()}, {rows, static_cast<const void*>(rows->values.data())});
  }

  template <class T>
  void sequence(CbfRows<T>& rows) {
    const int64_t samples = count();
    need(1, 4);
    const int64_t entries = bytes_.number<int32_t>(), first = rows.values.size();
    if (entries < 0) refuse(cat("it has ", entries, " entries"));
    need(entries, sizeof(T) + 4);
    bytes_.read(rows.values.grow(entries), entries * static_cast<int64_t>(sizeof(T)));
    bytes_.read(rows.columns.grow(entries), entries * 4);
    need(samples, 4);
    int64_t begin = first, kept = first;  // of a row's entries: as they came, and as they stay
    for (int64_t i = 0; i < samples; ++i) {
      const int64_t n = bytes_.number<int32_t>();
      if (n < 0 || n > first + entries - begin)
        refuse(cat("sample ", i, " has ", n, " of the sequence's ", entries, " entries"));
      const int64_t merged = row(rows.columns.data() + begin, rows.values.data() + begin, n);
      if (kept != begin) {
        std::copy_n(rows.columns.data() + begin, merged, rows.columns.data() + kept);
        std::copy_n(rows.values.data() + begin, merged, rows.values.data() + kept);
      }
      begin += n;
      kept += merged;
      rows.starts.push(kept);
    }
    if (begin != first + entries)
      refuse(cat("its samples have ", begin - first, " of its ", entries, " entries"));
    rows.columns.truncate(kept);
    rows.values.truncate(kept);
  }

  // Checks the columns and puts them in order. How many are left.
  template <class T>
  int64_t row(int32_t* columns, T* values, int64_t count) const {
    bool rising = true;
    for (int64_t k = 0; k < count; ++k) {
      if (columns[k] < 0 || columns[k] >= stream_->shape[0])
        refuse(
            cat("a number stands in column ", columns[k], ", and the stream's shape is ", stream_->shape[0]));
      rising &= k == 0 || columns[k - 1] < columns[k];
    }
    return rising ? count : merge_columns(columns, values, count);
  }

  // Streams whose sequences are as long share a layout.
  std::shared_ptr<const Layout> layout() {
    for (const auto& [lengths, layout] : layouts_)
      if (lengths == lengths_) return layout;
    const bool one_step = rows_ == static_cast<int64_t>(lengths_.size());
    layouts_.emplace_back(lengths_, one_step ? Layout::batch(rows_) : Layout::of_lengths(lengths_));
    return layouts_.back().second;
  }

  ByteReader& bytes_;
  std::span<const SequenceInfo> sequences_;
  const std::string& file_;
  int64_t samples_ = 0;                     // of all sequences, in their longest streams
  std::vector<int64_t> lengths_, longest_;  // of each sequence: in this stream, so far
  const Stream* stream_ = nullptr;
  int64_t rows_ = 0;  // of the stream, so far
  size_t at_ = 0;     // the sequence
  std::vector<std::pair<std::vector<int64_t>, std::shared_ptr<const Layout>>> layouts_;
};

}  // namespace

Chunk read_cbf_chunk(ByteReader& bytes, const std::vector<Stream>& streams,
                     std::span<const SequenceInfo> sequences, const std::string& file) {
  ChunkReader reader(bytes, sequences, file);
  Chunk chunk;
  for (const Stream& s : streams) chunk.push_back(reader.value(s));
  if (!sequences.empty()) reader.finish();
  return chunk;
}

}  // namespace cantik
