// LineReader: the lines of a part of a file, one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <cantik/error.h>

#include "io/input_file.h"

namespace cantik {

class LineReader {
 public:
  static constexpr int64_t kLongest = 1 << 18;

  // `line`: the number of the first one. `longest`: how many bytes a line may have.
  LineReader(const InputFile& file, int64_t begin, int64_t end, int64_t line = 1, int64_t longest = kLongest)
      : file_(file), at_(begin), end_(end), line_(line - 1), longest_(longest) {}

  // The next line without what ends it, valid until the next call; false at the end.
  bool next(std::string_view& line) {
    for (;;) {
      const char* from = buffer_.get() + used_;
      const void* found =
          filled_ > used_ ? std::memchr(from, '\n', static_cast<size_t>(filled_ - used_)) : nullptr;
      if (found || (at_ == end_ && filled_ > used_)) {
        const int64_t n = found ? static_cast<const char*>(found) - from : filled_ - used_;
        position_ = at_ - (filled_ - used_);
        used_ += n + (found ? 1 : 0);
        ++line_;
        line = {from, static_cast<size_t>(n)};
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return true;
      }
      if (at_ == end_) return false;
      fill();
    }
  }
  // Of the line that came last: where it begins in the file, and its number from 1 on.
  int64_t position() const { return position_; }
  int64_t line() const { return line_; }
  // Where the next line begins.
  int64_t next_position() const { return at_ - (filled_ - used_); }

 private:
  // What is left of the buffer goes to its beginning; a line that fills it gets a larger one.
  void fill() {
    filled_ -= used_;
    if (filled_ == room_) {
      if (room_ >= longest_)
        throw runtime_error(file_.path() + " has a line of more than " + std::to_string(longest_) + " bytes")
            .remedy("is it a text file?");
      room_ = std::min(std::max(2 * room_, kLongest), longest_);
      auto larger = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(room_));
      if (filled_) std::memcpy(larger.get(), buffer_.get() + used_, static_cast<size_t>(filled_));
      buffer_ = std::move(larger);
    } else {
      std::memmove(buffer_.get(), buffer_.get() + used_, static_cast<size_t>(filled_));
    }
    used_ = 0;
    const int64_t n = std::min(room_ - filled_, end_ - at_);
    file_.read(at_, n, buffer_.get() + filled_);
    filled_ += n;
    at_ += n;
  }

  const InputFile& file_;
  int64_t at_, end_, position_ = 0, line_;  // at_: behind the buffer
  int64_t longest_, room_ = 0;
  std::unique_ptr<char[]> buffer_;
  int64_t used_ = 0, filled_ = 0;
};

}  // namespace cantik
