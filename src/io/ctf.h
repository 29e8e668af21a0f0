// CNTK's text format, the parts: problems in the text, the index of its sequences, the parser of their rows.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/prefix_sums.h"
#include "io/buffer.h"
#include "io/deserializer.h"
#include "io/input_file.h"

namespace cantik {

// Characters by what they mean behind a stream's name: numbers stand apart by blanks; a sample ends at | and
// at the end of the line, and, as in CNTK, at control characters.
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool ends_sample(char c) {
  return c == '|' || (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
}
inline bool ends_name(char c) { return is_blank(c) || ends_sample(c); }

// Errors and warnings about the text, with the line they are on. A bounded number of errors may be passed
// over.
class CtfProblems {
 public:
  CtfProblems(const InputFile& file, int64_t most) : file_(file), most_(most) {}

  struct Place {
    int64_t offset;  // in the file
    const CtfStream* stream = nullptr;
    const uint64_t* key = nullptr;  // of the sequence
  };
  void error(const Place& at, const std::string& what, const std::string& remedy);
  [[noreturn]] void fatal(const Place& at, const std::string& what, const std::string& remedy);
  void warn(int kind, const Place& at, const std::string& what);         // the first of each kind
  void note(std::string what) { warnings_.push_back(std::move(what)); }  // about the file as a whole
  void take_warnings(std::vector<std::string>& into);

 private:
  std::string where(int64_t offset) const;
  const InputFile& file_;
  int64_t most_;
  std::set<int64_t> errors_;  // where: a chunk that is read again has the same ones
  std::set<int> warned_;
  std::vector<std::string> warnings_;
};

// The sequences of a file, and where their texts are: whole lines, one text behind another but for lines that
// belong to none.
class CtfIndex {
 public:
  // The next sequence, and its text in the file.
  void add(const SequenceInfo& info, int64_t begin, int64_t end) {
    if (const int64_t before = begin - texts_.sum(), last = skipped_.empty() ? 0 : skipped_.back().bytes;
        before != last)
      skipped_.push_back({static_cast<int64_t>(sequences_.size()), before});
    sequences_.push_back(info);
    texts_.add(end - begin);
  }
  void reserve(int64_t sequences) {
    sequences_.reserve(static_cast<size_t>(sequences));
    texts_.reserve(sequences);
  }
  void shrink_to_fit() {
    sequences_.shrink_to_fit();
    texts_.shrink_to_fit();
  }

  const SequenceIndex& sequences() const { return sequences_; }
  int64_t size() const { return static_cast<int64_t>(sequences_.size()); }
  int64_t begin(int64_t sequence) const { return texts_[sequence] + skipped(sequence); }
  int64_t end(int64_t sequence) const { return texts_[sequence + 1] + skipped(sequence); }

 private:
  struct Skipped {
    int64_t sequence, bytes;  // in front of this one and those behind it
  };
  int64_t skipped(int64_t sequence) const {
    if (skipped_.size() <= 1)
      return skipped_.empty() ? 0 : skipped_[0].bytes * (sequence >= skipped_[0].sequence);
    const auto next = std::upper_bound(skipped_.begin(), skipped_.end(), sequence,
                                       [](int64_t s, const Skipped& x) { return s < x.sequence; });
    return next == skipped_.begin() ? 0 : next[-1].bytes;
  }
  SequenceIndex sequences_;
  PrefixSums texts_;  // bytes
  std::vector<Skipped> skipped_;
};

// One pass over the file, for the borders of sequences. A line counts if it has a sample of the stream
// `counted`, where there is one; sequences without any are left out.
CtfIndex index_ctf(const InputFile& file, const CtfOptions& options, const CtfStream* counted,
                   CtfProblems& problems);

// The rows of one stream for all sequences of a chunk, while they are read.
struct CtfRows {
  Buffer<int64_t> offsets;  // [sequences + 1], in rows
  // [rows + 1], in values. Dense: empty where every row is full; what a row lacks is 0
  Buffer<int64_t> starts;
  Buffer<int32_t> columns;  // sparse: of each value, rising in a row
  Buffer<float> values;     // sparse: empty if all of them are 1

  struct Sizes {
    int64_t offsets = 0, starts = 0, columns = 0, values = 0;
  };
  Sizes sizes() const { return {offsets.size(), starts.size(), columns.size(), values.size()}; }
  // Room for as many, and some more.
  void reserve(const Sizes& s) {
    auto most = [](int64_t n) { return n + n / 64; };
    offsets.reserve(most(s.offsets));
    starts.reserve(most(s.starts));
    columns.reserve(most(s.columns));
    values.reserve(most(s.values));
  }
};

// The chunk that owns them. Dense rows that are not full stay as short as they are.
Chunk chunk_of(const std::vector<CtfStream>& streams, std::vector<CtfRows> rows);

// Parses one sequence after another into the rows of a chunk.
class CtfParser {
 public:
  CtfParser(const std::vector<CtfStream>& streams, bool counted, CtfProblems& problems,
            std::vector<CtfRows>& rows);

  // text: whole lines, '\n' behind the last one even where the file has none; `offset` of it in the file.
  void sequence(std::string_view text, int64_t offset, uint64_t key);
  void finish();

 private:
  struct State {  // of a stream
    int64_t rows = 0;
    bool ones = true;  // all values so far
    int64_t in_line = 0;
  };
  bool line();
  void field();
  bool sample(size_t s);
  bool dense(size_t s);
  bool sparse(size_t s);
  void sort_row(CtfRows& rows, int64_t first);
  CtfProblems::Place place(const char* p, const CtfStream* stream = nullptr) const {
    return {offset_ + (p - begin_), stream, &key_};
  }
  void error(const char* p, const std::string& what, const std::string& remedy,
             const CtfStream* stream = nullptr);
  void skip_field() {
    while (*p_ != '|' && *p_ != '\n') ++p_;
  }

  const std::vector<CtfStream>& streams_;
  bool counted_;  // one stream says how long a sequence is
  CtfProblems& problems_;
  std::vector<CtfRows>& rows_;  // of each stream
  std::vector<State> state_;
  size_t next_ = 0;  // the stream that is likely to come
  const char *p_ = nullptr, *begin_ = nullptr;
  int64_t offset_ = 0;
  uint64_t key_ = 0;
  bool damaged_ = false;  // the line, so far
};

}  // namespace cantik
