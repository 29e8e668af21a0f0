// CNTK's text format, the parts: problems in the text, the index of its sequences, the parser of their rows.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
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
inline bool ends_name(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '|' || c == '\x7f'; }

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

// Part of a file in pieces of whole lines, about a megabyte each: what is parsed is in the cache.
class CtfText {
 public:
  // With `problems`, long lines with zero bytes in them are refused.
  CtfText(const InputFile& file, int64_t begin, int64_t end, CtfProblems* problems = nullptr);
  // The next piece, with a '\n' behind its last line, which may lack it at the end of the file. It is there
  // until the next call. Empty where the part ends.
  std::string_view next();
  int64_t offset() const { return offset_; }  // of the piece, in the file

 private:
  void read_on();
  const InputFile& file_;
  CtfProblems* problems_;
  int64_t offset_ = 0, behind_, end_;  // behind what has been read
  MemoryBlock block_;
  int64_t base_;                              // of the block, in the file
  int64_t room_ = 0, used_ = 0, filled_ = 0;  // bytes of the block
};

// The sequences of a file, and where the texts of its chunks are. What each sequence has is found again when
// it is read.
class CtfIndex {
 public:
  // Whole lines that follow one another, all of sequences of one chunk.
  struct Text {
    int64_t begin = 0, end = 0;
    int64_t sequence = 0;  // the first one
  };

  // The next sequence, and its text in the file.
  void add(const SequenceInfo& info, int64_t begin, int64_t end) {
    const bool goes_on = !texts_.empty() && texts_.back().end == begin && sequences_.chunks() > info.chunk;
    if (goes_on)
      texts_.back().end = end;
    else
      texts_.push_back({begin, end, static_cast<int64_t>(sequences_.size())});
    sequences_.push_back(info);
  }
  void shrink_to_fit() {
    sequences_.shrink_to_fit();
    texts_.shrink_to_fit();
  }
  const SequenceIndex& sequences() const { return sequences_; }
  // Those of a chunk; of all.
  std::span<const Text> texts_of(int64_t chunk) const;
  const std::vector<Text>& texts() const { return texts_; }
  // Whether sequences are numbered, so that lines without a number, or with that of the line above, go on.
  bool is_numbered = false;

  // An index of what a file kept; false, and an empty one, where the parts do not fit each other or a text of
  // so many bytes.
  bool assign(SequenceIndex sequences, std::vector<Text> texts, int64_t size);

 private:
  SequenceIndex sequences_;
  std::vector<Text> texts_;
};

// One pass over the file, for the borders of sequences. A line counts if it has a sample of the stream
// `counted`, where there is one; sequences without any are left out.
CtfIndex index_ctf(const InputFile& file, const CtfOptions& options, const CtfStream* counted,
                   CtfProblems& problems);

// The rows of one stream for all sequences of a chunk, while they are read. What most data do not need is not
// there: where each row begins, if each has as many values as the others, and values that are all 1.
struct CtfRows {
  Buffer<int64_t> offsets;  // [sequences + 1], in rows
  // [rows + 1], in values. Dense: empty where every row is full; what a row lacks is 0. Sparse: empty where
  // every row has one value.
  Buffer<int64_t> starts;
  Buffer<int32_t> columns;  // sparse: of each value, rising in a row
  Buffer<float> values;     // sparse: empty if all of them are 1

  int64_t count(bool sparse) const { return sparse ? columns.size() : values.size(); }
  // To fewer values than there are: those of a row that is damaged go.
  void truncate(int64_t count) {
    if (!columns.empty()) columns.truncate(count);
    if (!values.empty()) values.truncate(count);
  }
  // Of sparse rows: one more value of the last row.
  void push(int32_t column, float x) {
    if (x != 1 && values.empty()) write_ones();
    columns.push(column);
    if (!values.empty() || x != 1) values.push(x);
  }
  // Its columns, from `first` on, are brought into order, values of one column added.
  void sort(int64_t first);
  // The row is complete; there were so many in front of it.
  void end_row(int64_t rows) {
    if (starts.empty()) {
      if (columns.size() == rows + 1) return;
      write_starts(rows);
    }
    starts.push(columns.size());
  }

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

 private:
  void write_ones();                // for the values so far
  void write_starts(int64_t rows);  // for so many rows, of one value each
};

// The chunk that owns them. Dense rows that are not full stay as short as they are.
Chunk chunk_of(const std::vector<CtfStream>& streams, std::vector<CtfRows> rows);

// Parses the lines of one sequence after another into the rows of a chunk.
class CtfParser {
 public:
  struct Sequences {
    bool are_numbered = false;  // see CtfIndex
    bool are_counted = false;   // one stream says how long a sequence is
  };
  CtfParser(const std::vector<CtfStream>& streams, const Sequences& sequences, CtfProblems& problems,
            std::vector<CtfRows>& rows);

  // With the lines that follow begins a sequence; `key` is its number where lines have none.
  void begin(uint64_t key);
  // Whole lines, '\n' behind the last one, and kDigitsAtOnce bytes that can be read; `offset` of them in the
  // file.
  void lines(std::string_view text, int64_t offset);
  // The last sequence is complete.
  void finish();
  int64_t sequences() const { return sequences_; }  // complete ones

 private:
  struct State {  // of a stream
    int64_t rows = 0;
    int64_t in_line = 0;
  };
  void next_sequence();
  void finish_sequence();
  bool line();
  void field();
  bool sample(size_t s);
  bool dense(size_t s);
  bool sparse(size_t s);
  CtfProblems::Place place(const char* p, const CtfStream* stream = nullptr) const {
    return {offset_ + (p - begin_), stream, &key_};
  }
  void error(const CtfProblems::Place& at, const std::string& what, const std::string& remedy);
  void error(const char* p, const std::string& what, const std::string& remedy,
             const CtfStream* stream = nullptr) {
    error(place(p, stream), what, remedy);
  }
  void skip_field();

  const std::vector<CtfStream>& streams_;
  const Sequences kind_;
  CtfProblems& problems_;
  std::vector<CtfRows>& rows_;  // of each stream
  std::vector<State> state_;
  size_t next_ = 0;  // the stream that is likely to come
  const char *p_ = nullptr, *begin_ = nullptr, *end_ = nullptr;
  int64_t offset_ = 0;
  // Of the sequence.
  uint64_t key_ = 0;
  bool is_open_ = false;
  int64_t lines_ = 0, at_ = 0;  // that have a sample; where it begins in the file
  int64_t sequences_ = 0;
  bool damaged_ = false;  // the line, so far
};

}  // namespace cantik
