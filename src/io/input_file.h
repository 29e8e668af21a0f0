// InputFile: parts of a file at an offset. What was read is in memory of our own: a file that shrinks
// meanwhile is an error, no signal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_handle.h"

namespace cantik {

class PackedFile;

class InputFile {
 public:
  static constexpr uint8_t kGzipMark[] = {0x1f, 0x8b};
  // How files that may be compressed are opened: what begins as gzip does is unpacked,
  // archive.zip@/path/in/it names a file in an archive. Offsets and sizes are of what is packed then.
  enum class Form : uint8_t { as_it_is, maybe_packed };

  explicit InputFile(std::string path, Form form = Form::as_it_is);
  ~InputFile();
  InputFile(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  int64_t size_on_disk() const { return facts_.size; }
  // When the file on the disk was changed last, in nanoseconds.
  int64_t changed() const { return facts_.changed; }
  // All of them, or a RuntimeError.
  void read(int64_t offset, int64_t bytes, char* into) const;
  // A RuntimeError where the file is another one than it was when it was opened.
  void expect_unchanged() const;

  // Of the file as it lies on the disk.
  void read_packed(int64_t offset, int64_t bytes, char* into) const;
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  void open(const std::string& path);
  std::string path_;
  FileHandle file_;
  FileHandle::Facts facts_;       // when it was opened
  int64_t begin_ = 0, size_ = 0;  // of its bytes in the file, where they are not packed
  std::unique_ptr<const PackedFile> packed_;
};

}  // namespace cantik
