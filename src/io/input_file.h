// InputFile: parts of a file at an offset. What was read is in memory of our own: a file that shrinks
// meanwhile is an error, no signal.
#pragma once

#include <cstdint>
#include <string>

namespace cantik {

class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  // All of them, or a RuntimeError.
  void read(int64_t offset, int64_t bytes, char* into) const;
  // A RuntimeError where the file is another one than it was when it was opened.
  void expect_unchanged() const;

 private:
  [[noreturn]] void fail(const std::string& why) const;
  std::string path_;
  int fd_ = -1;
  int64_t size_ = 0, changed_ = 0;  // changed_: when, in nanoseconds
};

}  // namespace cantik
