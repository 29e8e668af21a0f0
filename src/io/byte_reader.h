// ByteReader: numbers and blocks of a part of a file, one after another. Small ones come from a buffer that
// stays in the processor's cache, large ones go straight to where they belong. Blocks that fill one memory
// can be buffered in it: then they have to be moved by little or not at all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include <cantik/error.h>

#include "io/input_file.h"

namespace cantik {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

class ByteReader {
 public:
  ByteReader(const InputFile& file, int64_t begin, int64_t end) : file_(file), at_(begin), end_(end) {}

  // In the file: of the next byte; behind the last one.
  int64_t position() const { return at_ - (filled_ - used_); }
  int64_t left() const { return end_ - position(); }

  // The next bytes. The caller has compared them with left().
  void read(void* into, int64_t bytes) {
    char* to = static_cast<char*>(into);
    while (bytes > 0) {
      if (used_ == filled_) {
        if (bytes >= kBuffer) {
          file_.read(at_, bytes, to);
          at_ += bytes;
          return;
        }
        if (lent_ && to >= lent_ && to < lent_end_) lent_ = to;
        fill();
      }
      const int64_t n = std::min(bytes, filled_ - used_);
      if (to != from_ + used_) std::memmove(to, from_ + used_, static_cast<size_t>(n));
      used_ += n;
      to += n;
      bytes -= n;
    }
  }
  // The next number, the lowest byte first.
  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T x;
    read(&x, sizeof x);
    return x;
  }
  // From now on bytes may be buffered between `begin` and `end`, where the next block goes to the begin,
  // until take_back().
  void lend(char* begin, char* end) {
    lent_ = begin;
    lent_end_ = end;
  }
  void take_back() {
    at_ -= filled_ - used_;
    used_ = filled_ = 0;
    lent_ = lent_end_ = nullptr;
  }
  void skip(int64_t bytes) {
    const int64_t n = std::min(bytes, filled_ - used_);
    used_ += n;
    at_ += bytes - n;
  }

 private:
  static constexpr int64_t kBuffer = 128 << 10, kLeastLent = 16 << 10;
  void fill() {
    const int64_t lent = lent_end_ - lent_;
    if (lent < kLeastLent && !buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
    from_ = lent < kLeastLent ? buffer_.get() : lent_;
    filled_ = std::min({kBuffer, end_ - at_, lent < kLeastLent ? kBuffer : lent});
    used_ = 0;
    if (filled_ <= 0) throw runtime_error(file_.path() + " ends too early");
    file_.read(at_, filled_, from_);
    at_ += filled_;
  }

  const InputFile& file_;
  int64_t at_, end_;  // at_: behind the buffer
  std::unique_ptr<char[]> buffer_;
  char *lent_ = nullptr, *lent_end_ = nullptr;
  char* from_ = nullptr;  // what is buffered: in buffer_, or in memory that was lent
  int64_t used_ = 0, filled_ = 0;
};

}  // namespace cantik
