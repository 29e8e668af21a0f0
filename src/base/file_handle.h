// FileHandle: an open file that is read at offsets, or appended to. What goes wrong is a text, for the error
// of the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cantik {

class FileHandle {
 public:
  FileHandle() = default;
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  // A regular file, to be read. Empty where it cannot be opened; then `why` says the reason.
  static FileHandle to_read(const std::string& path, std::string& why);
  // A new file, to be appended to. Empty and without a reason where a file of this name is there already.
  static FileHandle to_append(const std::string& path, std::string& why);

  explicit operator bool() const { return number_ >= 0; }
  void close();

  struct Facts {
    int64_t size = 0;
    int64_t changed = 0;  // when, in nanoseconds
    friend bool operator==(const Facts&, const Facts&) = default;
  };
  // False where the system does not tell; then `why` says the reason.
  bool look(Facts& facts, std::string& why) const;
  // How many bytes there were, 0 at the end of the file; -1 where it cannot be read, with the reason.
  int64_t read_at(int64_t offset, int64_t bytes, char* into, std::string& why) const;
  // How many bytes have been written: fewer than all where the rest cannot be, with the reason.
  size_t append(std::string_view bytes, std::string& why) const;

 private:
  explicit FileHandle(int number) : number_(number) {}
  int number_ = -1;
};

}  // namespace cantik
