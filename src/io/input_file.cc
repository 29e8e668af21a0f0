#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <cantik/error.h>

namespace cantik {
namespace {

int64_t change_of(const struct stat& s) {
  return static_cast<int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait for its other end
  struct stat s;
  std::string why;
  if (fd_ < 0 || ::fstat(fd_, &s) != 0)
    why = std::strerror(errno);
  else if (!S_ISREG(s.st_mode))
    why = "it is not a regular file";
  if (why.empty()) {
    size_ = s.st_size;
    changed_ = change_of(s);
    return;
  }
  if (fd_ >= 0) ::close(fd_);
  fail(why);
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read(int64_t offset, int64_t bytes, char* into) const {
  while (bytes > 0) {
    ssize_t n = ::pread(fd_, into, static_cast<size_t>(std::min(bytes, int64_t{1} << 30)), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(std::strerror(errno));
    if (n == 0) fail("it has become shorter since it was opened");
    offset += n;
    into += n;
    bytes -= n;
  }
}

void InputFile::expect_unchanged() const {
  struct stat s;
  if (::fstat(fd_, &s) != 0) fail(std::strerror(errno));
  if (s.st_size != size_ || change_of(s) != changed_) fail("it has changed since it was opened");
}

void InputFile::fail(const std::string& why) const {
  throw runtime_error("the input file " + path_ + " cannot be read: " + why);
}

}  // namespace cantik
