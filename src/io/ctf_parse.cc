// From text to rows. A damaged sample is left out, if that is allowed, and the text goes on at the next | or
// line.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/ctf_number.h"

namespace cantik {
namespace {

enum Warning { kShortSample = 0 };

// Pictures are full of "0 0 0 0 ".
constexpr int64_t kZerosAtOnce = 4;
bool is_zeros(const char* p) { return std::memcmp(p, "0 0 0 0 ", 2 * kZerosAtOnce) == 0; }

// Names are short, and often differ in their last letter.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return false;
  return true;
}

// How a character is shown in an error.
std::string shown(char c) {
  if (c == '\n') return "the end of the line";
  if (c == '\0') return "a zero byte";
  unsigned char u = static_cast<unsigned char>(c);
  if (u < ' ' || u >= 0x7f) return cat("a byte of value ", static_cast<int>(u));
  return cat("'", c, "'");
}

}  // namespace

CtfParser::CtfParser(const std::vector<CtfStream>& streams, const Sequences& sequences, CtfProblems& problems,
                     std::vector<CtfRows>& rows)
    : streams_(streams), kind_(sequences), problems_(problems), rows_(rows), state_(streams.size()) {
  rows_.resize(streams.size());
  for (CtfRows& r : rows_) r.offsets.push(0);
}

void CtfParser::begin(uint64_t key) {
  finish_sequence();
  key_ = key - 1;
}

void CtfParser::lines(std::string_view text, int64_t offset) {
  begin_ = p_ = text.data();
  offset_ = offset;
  end_ = begin_ + text.size();
  while (p_ < end_) {
    const char* from = p_;
    next_sequence();
    lines_ += line();
    may_end(8 * (p_ - from));
  }
}

// A line without a number, where others have one, goes on with the sequence.
void CtfParser::next_sequence() {
  uint64_t key = key_ + 1;
  const char* p = p_;
  if (kind_.are_numbered && is_open_ && (!read_integer(p, key) || key == key_)) return;
  if (kind_.are_numbered && !is_open_ && !read_integer(p, key)) key = key_ + 1;
  finish_sequence();
  key_ = key;
  at_ = offset_ + (p_ - begin_);
  is_open_ = true;
}

void CtfParser::finish_sequence() {
  if (!is_open_) return;
  int64_t longest = 0;
  for (size_t s = 0; s < streams_.size(); ++s) {
    CtfRows& r = rows_[s];
    const int64_t n = state_[s].rows - r.offsets.back();
    if (n == 0)
      problems_.fatal(
          {at_, &streams_[s], &key_}, "the sequence has no sample of a stream",
          "every sequence needs a sample of every stream that is read: add one, or leave the stream out");
    longest = std::max(longest, n);
    r.offsets.push(state_[s].rows);
  }
  if (longest < lines_ && !kind_.are_counted)
    error({at_, nullptr, &key_},
          cat("the sequence has ", lines_, " lines, but its longest stream has only ", longest,
              longest == 1 ? " sample" : " samples"),
          "a line is a step of the sequence: begin with the first steps of all streams in the first line");
  is_open_ = false;
  lines_ = 0;
  ++sequences_;
}

// Whether it had any sample.
bool CtfParser::line() {
  const char* from = p_;
  while (is_digit(*p_)) ++p_;  // the sequence's number
  bool some = false;
  for (State& s : state_) s.in_line = 0;
  damaged_ = false;
  while (*p_ != '\n') {
    if (*p_ == '|') {
      field();
    } else if (is_blank(*p_) || ends_sample(*p_)) {
      ++p_;
    } else {
      error(p_, cat(shown(*p_), " where the | of a sample was expected"),
            p_ == from ? "sequences are numbered with digits alone"
                       : "write |name in front of a stream's numbers, |# in front of a comment");
      skip_field();
    }
  }
  for (const State& s : state_) some |= s.in_line > 0;
  if (!some && !damaged_)
    error(from, "the line has no sample of any stream that is read",
          "name the streams as the file does, or remove the line");
  ++p_;
  return some;
}

void CtfParser::error(const CtfProblems::Place& at, const std::string& what, const std::string& remedy) {
  damaged_ = true;
  problems_.error(at, what, remedy);
}

// To the next | or the end of the line, eight characters at a time.
void CtfParser::skip_field() {
  // the lowest bit that is set is that of the first byte that is c; others may be set above it
  auto bytes_that_are = [](uint64_t x, char c) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    x ^= kOnes * static_cast<unsigned char>(c);
    return (x - kOnes) & ~x & (kOnes << 7);
  };
  while (true) {
    uint64_t x;
    std::memcpy(&x, p_, sizeof x);
    const uint64_t found = bytes_that_are(x, '|') | bytes_that_are(x, '\n');
    p_ += std::countr_zero(found) / 8;
    if (found) return;
  }
}

// From | to the next one.
void CtfParser::field() {
  const char* bar = p_++;
  if (*p_ == '#') return skip_field();
  const char *name = p_, *p = p_;
  while (!ends_name(*p)) ++p;
  p_ = p;
  const std::string_view field(name, static_cast<size_t>(p - name));
  if (field.empty()) {
    error(bar, cat("| is followed by ", shown(*p_), ", not by a stream's name"),
          "write |name without a blank between, |# in front of a comment");
    return skip_field();
  }
  size_t s = next_;
  for (size_t i = 0; i < streams_.size() && !is_same(streams_[s].field, field); ++i)
    s = s + 1 == streams_.size() ? 0 : s + 1;
  if (!is_same(streams_[s].field, field)) return skip_field();  // a stream that nobody asked for
  next_ = s + 1 == streams_.size() ? 0 : s + 1;
  CtfRows& r = rows_[s];
  const int64_t before = r.count(streams_[s].sparse);
  if (state_[s].in_line > 0) {
    error(bar, "the line has a second sample of one stream",
          "write the sample into a line of its own: a line is one step of a sequence", &streams_[s]);
    return skip_field();
  }
  if (!(streams_[s].sparse ? sparse(s) : dense(s))) {
    r.truncate(before);
    return skip_field();
  }
  ++state_[s].rows;
  ++state_[s].in_line;
}

bool CtfParser::dense(size_t s) {
  CtfRows& r = rows_[s];
  const CtfStream& stream = streams_[s];
  const char *from = p_, *p = p_;
  // no text has more numbers than this
  const int64_t first = r.values.size(), most = std::min(stream.dim, (end_ - p) / 2 + 1);
  float* to = r.values.grow(most);
  int64_t n = 0;
  for (;; ++n) {
    while (is_blank(*p)) ++p;
    for (; most - n >= kZerosAtOnce && is_zeros(p); p += 2 * kZerosAtOnce, n += kZerosAtOnce)
      std::fill_n(to + n, kZerosAtOnce, 0.0F);
    if (ends_sample(*p)) break;
    float x;
    if (!read_number(p, x) || !ends_name(*p)) {
      p_ = p;
      error(p_, cat(shown(*p_), " in a number"),
            "numbers are written as -1.5e-3: digits in front of the point, blanks between numbers", &stream);
      return false;
    }
    if (n < most) to[n] = x;
  }
  p_ = p;
  r.values.truncate(first + std::min(n, most));
  if (n > stream.dim) {
    error(from,
          cat("the sample has ", n, n == 1 ? " number" : " numbers", ", but the stream's shape is ",
              stream.dim),
          "correct the sample, or give the stream its shape", &stream);
    return false;
  }
  if (n < stream.dim && r.starts.empty()) {
    problems_.warn(kShortSample, place(from, &stream),
                   cat("the sample has ", n, n == 1 ? " number" : " numbers", ", but the stream's shape is ",
                       stream.dim, "; zeros are taken for what is missing, here and elsewhere"));
    for (int64_t row = 0; row <= state_[s].rows; ++row) r.starts.push(row * stream.dim);
  }
  if (!r.starts.empty()) r.starts.push(first + n);
  return true;
}

bool CtfParser::sparse(size_t s) {
  CtfRows& r = rows_[s];
  const CtfStream& stream = streams_[s];
  const int64_t first = r.columns.size();
  const char* p = p_;
  int64_t last = -1;
  bool rising = true;
  while (true) {
    while (is_blank(*p)) ++p;
    if (ends_sample(*p)) break;
    const char* at = p;
    uint64_t index = 0;
    float x = 1;
    if (read_integer(p, index) && p[0] == ':' && p[1] == '1' && ends_name(p[2])) {  // as most are
      p += 2;
    } else if (p == at || *p != ':' || (++p, !read_number(p, x)) || !ends_name(*p)) {
      p_ = p;
      error(p_, cat(shown(*p_), " in a sparse number"),
            "sparse numbers are written as index:value, with a blank in front only", &stream);
      return false;
    }
    if (index >= static_cast<uint64_t>(stream.dim)) {
      p_ = p;
      error(at, cat("the index ", index, " is beyond the stream's shape ", stream.dim),
            "indices go from 0 to the shape less 1", &stream);
      return false;
    }
    int64_t column = static_cast<int64_t>(index);
    rising &= column > last;
    last = column;
    r.push(static_cast<int32_t>(column), x);
  }
  p_ = p;
  if (!rising) r.sort(first);
  r.end_row(state_[s].rows);
  return true;
}

void CtfParser::finish() {
  finish_sequence();
  for (CtfRows& r : rows_) {
    r.offsets.fit();
    r.starts.fit();
    r.columns.fit();
    r.values.fit();
  }
}

}  // namespace cantik
