#include "base/file_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cantik {
namespace {

constexpr int64_t kMostAtOnce = int64_t{1} << 30;
constexpr mode_t kRights = 0666;  // less those that the user's mask takes

}  // namespace

FileHandle::FileHandle(FileHandle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void FileHandle::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

FileHandle FileHandle::to_read(const std::string& path, std::string& why) {
  // Without O_NONBLOCK a pipe would wait for its other end.
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat s;
  if (!file || ::fstat(file.number_, &s) != 0)
    why = std::strerror(errno);
  else if (!S_ISREG(s.st_mode))
    why = "it is not a regular file";
  else
    return file;
  return {};
}

FileHandle FileHandle::to_append(const std::string& path, std::string& why) {
  FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kRights));
  if (!file && errno != EEXIST) why = std::strerror(errno);
  return file;
}

bool FileHandle::look(Facts& facts, std::string& why) const {
  struct stat s;
  if (::fstat(number_, &s) != 0) {
    why = std::strerror(errno);
    return false;
  }
  facts.size = s.st_size;
  facts.changed = static_cast<int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
  return true;
}

int64_t FileHandle::read_at(int64_t offset, int64_t bytes, char* into, std::string& why) const {
  int64_t done = 0;
  while (done < bytes) {
    const auto most = static_cast<size_t>(std::min(bytes - done, kMostAtOnce));
    const ssize_t n = ::pread(number_, into + done, most, offset + done);
    if (n == 0) break;
    if (n > 0) {
      done += n;
    } else if (errno != EINTR) {
      why = std::strerror(errno);
      return -1;
    }
  }
  return done;
}

size_t FileHandle::append(std::string_view bytes, std::string& why) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(number_, bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += static_cast<size_t>(n);
    } else if (errno != EINTR) {
      why = std::strerror(errno);
      break;
    }
  }
  return done;
}

}  // namespace cantik
