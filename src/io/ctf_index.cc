// The index of a file in CNTK's text format: where its sequences begin and how long they are.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/ctf_number.h"

namespace cantik {
namespace {

// The file a line at a time, through a block that grows where a line is longer.
class TextLines {
 public:
  TextLines(const InputFile& file, CtfProblems& problems) : file_(file), problems_(problems), block_(kBlock) {
    fill();
  }

  // The next line, with a '\n' behind it. Null at the end.
  const char* next(int64_t& length) {
    while (true) {
      const char* from = block_.data() + at_;
      const void* found = std::memchr(from + scanned_, '\n', static_cast<size_t>(filled_ - at_ - scanned_));
      if (found || (done_ && at_ < filled_)) {
        length = found ? static_cast<const char*>(found) - from : filled_ - at_;
        begin_ = base_ + at_;
        at_ = std::min(at_ + length + 1, filled_);
        scanned_ = 0;
        return from;
      }
      if (done_) return nullptr;
      scanned_ = filled_ - at_;
      fill();
    }
  }
  int64_t begin() const { return begin_; }     // of the line, in the file
  int64_t end() const { return base_ + at_; }  // behind its '\n'

 private:
  static constexpr int64_t kBlock = 1 << 20;

  // Moves what is left to the front and reads on. A line that does not end for long is looked at more
  // closely: lines may be long, but of text.
  void fill() {
    std::memmove(block_.data(), block_.data() + at_, static_cast<size_t>(filled_ - at_));
    base_ += at_;
    filled_ -= at_;
    at_ = 0;
    if (filled_ + kBlock / 2 > static_cast<int64_t>(block_.size())) {
      check_text();
      block_.resize(block_.size() * 2);
    }
    int64_t n = std::min(static_cast<int64_t>(block_.size()) - 1 - filled_, file_.size() - base_ - filled_);
    file_.read(base_ + filled_, n, block_.data() + filled_);
    filled_ += n;
    done_ = base_ + filled_ == file_.size();
    block_[static_cast<size_t>(filled_)] = '\n';  // behind the last line, which may lack it
    may_end(4 * n);
  }
  void check_text() const {
    if (const void* zero = std::memchr(block_.data(), 0, static_cast<size_t>(filled_)))
      problems_.fatal({base_ + (static_cast<const char*>(zero) - block_.data())},
                      "a zero byte in a line that does not end",
                      "give a file of text; this one may be of another kind, or damaged");
  }
  const InputFile& file_;
  CtfProblems& problems_;
  std::vector<char> block_;
  int64_t base_ = 0, at_ = 0, filled_ = 0, scanned_ = 0, begin_ = 0;
  bool done_ = false;
};

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
  TextLines lines(file, problems);
  bool first = true, ids = false;
  uint64_t number = 0;
  int64_t length;
  while (const char* line = lines.next(length)) {
    int64_t offset = lines.begin();
    if (first) {  // what looks like nothing at the beginning of the file is passed over
      const char* end = line + length;
      if (offset == 0 && length >= 3 && std::memcmp(line, "\xef\xbb\xbf", 3) == 0) line += 3;
      while (line < end && (is_blank(*line) || (*line >= '\v' && *line <= '\r'))) ++line;
      if (line == end) continue;
      offset += length - (end - line);
      length = end - line;
      first = false;
      ids = *line != '|' && !options.skip_sequence_ids;
      if (ids && !is_digit(*line))
        problems.fatal({offset}, "the first line begins neither with the number of a sequence nor with |",
                       "write 0 |name numbers, or |name numbers where every line is a sequence");
    }
    uint64_t key = number;
    if (ids && is_digit(*line)) {
      const char* p = line;
      if (!read_integer(p, key))
        problems.fatal({offset}, "the number of a sequence is beyond 64 bits", "number the sequences from 0");
    } else if (ids) {
      key = builder.key();
    }
    if (!ids || !builder.is_open() || key != builder.key()) {
      builder.finish();
      builder.begin(key, offset);
      ++number;
    }
    builder.add(!counted || has_sample(line, length, *counted), lines.end());
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
