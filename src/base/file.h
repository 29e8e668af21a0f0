// Whole files: read into memory, and written so that a crash at any moment leaves the old file or the new
// one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cantik {

struct Sink {
  virtual void write(const void* data, size_t bytes) = 0;

 protected:
  ~Sink() = default;
};

struct Bytes {
  std::shared_ptr<char> data;
  size_t size = 0;
  std::string_view view() const { return {data.get(), size}; }
};

bool is_file(const std::string& path);
void make_folder_of(const std::string& path);  // of a file: where it is not there, with those that it lies in
Bytes read_file(const std::string& path);      // a RuntimeError says why it cannot be read

// The new contents go to a temporary file beside the old one. commit() brings them onto the disk and only
// then in its place; without commit() nothing has happened. What a writer left that was killed before is
// removed then too. Any number of writers may write one file: the last commit counts. The folder is made
// where it is missing.
class FileWriter final : public Sink {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  void write(const void* data, size_t bytes) override;
  void commit();

 private:
  void flush();
  void put(const char* data, size_t bytes);
  void bring_folder_to_disk() const;
  [[noreturn]] void fail(const char* what) const;

  std::string given_, target_, temporary_;
  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  int fd_ = -1;
};

}  // namespace cantik
