// The index of a file in CNTK's text format: where its sequences begin and how long they are.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/ctf_number.h"

namespace cantik {
namespace {

bool has_sample(const char* line, int64_t length, const CtfStream& stream) {
  const char* end = line + length;
  for (const char* p = line;
       (p = static_cast<const char*>(std::memchr(p, '|', static_cast<size_t>(end - p)))); ++p) {
    size_t left = static_cast<size_t>(end - p) - 1, n = stream.field.size();
    // p[left + 1] is '\n'
    if (left >= n && std::memcmp(p + 1, stream.field.data(), n) == 0 && ends_name(p[1 + n])) return true;
  }
  return false;
}

// The parts of an index while it grows.
class IndexBuilder {
 public:
  IndexBuilder(CtfIndex& index, int64_t chunk_bytes) : index_(index), chunk_bytes_(chunk_bytes) {}

  void begin(uint64_t key, int64_t offset) { key_ = key, begin_ = offset, open_ = true, samples_ = 0; }
  void add(bool counts, int64_t end) { samples_ += counts, end_ = end; }
  bool is_open() const { return open_; }
  uint64_t key() const { return key_; }
  void finish() {
    if (open_ && samples_ > 0) {
      const int64_t bytes = end_ - begin_;
      if (chunk_ < 0 || in_chunk_ + bytes > chunk_bytes_) {
        ++chunk_;
        number_ = 0;
        in_chunk_ = 0;
      }
      in_chunk_ += bytes;
      index_.add({key_, samples_, chunk_, number_++}, begin_, end_);
    }
    open_ = false;
  }

 private:
  CtfIndex& index_;
  int64_t chunk_bytes_, in_chunk_ = 0, begin_ = 0, end_ = 0, samples_ = 0;
  int32_t chunk_ = -1, number_ = 0;  // of the sequence in its chunk
  uint64_t key_ = 0;
  bool open_ = false;
};

}  // namespace

CtfIndex index_ctf(const InputFile& file, const CtfOptions& options, const CtfStream* counted,
                   CtfProblems& problems) {
  CtfIndex index;
  IndexBuilder builder(index, options.chunk_bytes);
  CtfText text(file, 0, file.size(), &problems);
  bool first = true, ids = false;
  uint64_t number = 0;
  for (std::string_view piece = text.next(); !piece.empty(); piece = text.next()) {
    int64_t offset = text.offset();
    for (const char *line = piece.data(), *end = line + piece.size(); line < end;) {
      const auto* behind =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line))) + 1;
      const char* from = line;
      line = behind;
      const int64_t line_end = std::min(offset + (behind - from), file.size());
      int64_t begin = offset;
      offset = line_end;
      if (first) {  // what looks like nothing at the beginning of the file is passed over
        const char* p = from;
        if (begin == 0 && behind - p > 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
        while (p + 1 < behind && (is_blank(*p) || (*p >= '\v' && *p <= '\r'))) ++p;
        if (p + 1 == behind) continue;
        begin += p - from;
        from = p;
        first = false;
        ids = index.is_numbered = *from != '|' && !options.skip_sequence_ids;
        if (ids && !is_digit(*from))
          problems.fatal({begin}, "the first line begins neither with the number of a sequence nor with |",
                         "write 0 |name numbers, or |name numbers where every line is a sequence");
      }
      uint64_t key = number;
      if (ids && is_digit(*from)) {
        const char* p = from;
        if (!read_integer(p, key))
          problems.fatal({begin}, "the number of a sequence is beyond 64 bits",
                         "number the sequences from 0");
      } else if (ids) {
        key = builder.key();
      }
      if (!ids || !builder.is_open() || key != builder.key()) {
        builder.finish();
        builder.begin(key, begin);
        ++number;
      }
      builder.add(!counted || has_sample(from, behind - from - 1, *counted), line_end);
    }
  }
  builder.finish();
  if (first) throw runtime_error(cat("the input file ", file.path(), " is empty"));
  if (index.sequences().empty())
    throw runtime_error(cat("the input file ", file.path(),
                            " has no sample of the stream that defines the size of minibatches"))
        .line("stream", cat(counted->name, ", written |", counted->field));
  index.shrink_to_fit();
  return index;
}

}  // namespace cantik
