#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr size_t kBuffer = 1 << 16;

// A file descriptor that closes itself.
struct Handle {
  int fd;
  ~Handle() { if (fd >= 0) ::close(fd); }
};

std::string reason() { return std::strerror(errno); }

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Where a symbolic link leads: the file there is replaced, not the link.
std::string followed(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

// The part before .PID.NUMBER.tmp of a temporary file's name, without the leading dot; empty for any other name.
std::string_view stem_of(std::string_view entry) {
  auto drop = [&](auto&& ends) {
    size_t n = entry.size();
    while (n > 0 && ends(entry[n - 1])) --n;
    bool any = n < entry.size() && n > 0 && entry[n - 1] == '.';
    entry = any ? entry.substr(0, n - 1) : std::string_view();
  };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!entry.starts_with('.') || !entry.ends_with(".tmp")) return {};
  entry.remove_prefix(1);
  entry.remove_suffix(4);
  drop(digit);
  drop(digit);
  return entry;
}

// Removes temporary files for `name` whose writers are gone: a writer holds a lock on its file, which ends with it however it ends.
void remove_leftovers(const std::string& folder, const std::string& name) {
  struct Close { void operator()(DIR* d) const { ::closedir(d); } };
  std::unique_ptr<DIR, Close> entries(::opendir(folder.c_str()));
  if (!entries) return;
  while (const dirent* e = ::readdir(entries.get())) {
    std::string_view entry = e->d_name, stem = stem_of(entry);
    bool whole = stem == name, cut = entry.size() == NAME_MAX && !stem.empty() && name.starts_with(stem);
    if (!whole && !cut) continue;
    std::string path = cat(folder, "/", entry);
    struct stat s;
    if (::lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
    Handle file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (file.fd >= 0 && ::flock(file.fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

Bytes read_file(const std::string& path) {
  Handle file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat s;
  if (file.fd < 0 || ::fstat(file.fd, &s) != 0) throw runtime_error("the file " + path + " cannot be read: " + reason());
  if (!S_ISREG(s.st_mode)) throw runtime_error("the file " + path + " cannot be read: it is not a regular file");
  Bytes bytes;
  bytes.data = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(s.st_size) + 1);
  while (bytes.size < static_cast<size_t>(s.st_size)) {
    ssize_t n = ::read(file.fd, bytes.data.get() + bytes.size, static_cast<size_t>(s.st_size) - bytes.size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw runtime_error("the file " + path + " cannot be read: " + reason());
    if (n == 0) break;  // it has become shorter meanwhile
    bytes.size += static_cast<size_t>(n);
  }
  return bytes;
}

FileWriter::FileWriter(const std::string& path) : given_(path), target_(followed(path)), buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {
  struct stat old;
  bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) throw runtime_error("the file " + path + " cannot be written: it is not a regular file");
  std::string folder = folder_of(target_), name = target_.substr(target_.rfind('/') + 1);
  if (name.empty()) throw runtime_error("the file '" + path + "' cannot be written: it has no name");
  static std::atomic<unsigned> counter{0};
  do {
    std::string mark = cat(".", ::getpid(), ".", counter++, ".tmp");
    temporary_ = cat(folder, "/.", name.substr(0, NAME_MAX - mark.size() - 1), mark);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) continue;
    (void)::flock(fd_, LOCK_EX | LOCK_NB);
    if (struct stat s; ::fstat(fd_, &s) == 0 && s.st_nlink == 0) {  // somebody took it for a leftover before it was locked
      ::close(fd_);
      fd_ = -1;
      errno = EEXIST;
    }
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail("created");
  if (exists) (void)!::fchmod(fd_, old.st_mode & 07777);
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::fail(const char* what) const {
  throw runtime_error("the file " + given_ + " cannot be " + what + ": " + reason()).remedy("the file that was there is as before");
}

void FileWriter::put(const char* data, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = ::write(fd_, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("written");
    data += n;
    bytes -= static_cast<size_t>(n);
  }
}

void FileWriter::flush() {
  put(buffer_.get(), used_);
  used_ = 0;
}

void FileWriter::write(const void* data, size_t bytes) {
  if (used_ + bytes > kBuffer) flush();
  if (bytes >= kBuffer) return put(static_cast<const char*>(data), bytes);
  std::memcpy(buffer_.get() + used_, data, bytes);
  used_ += bytes;
}

void FileWriter::commit() {
  flush();
  if (::fsync(fd_) != 0) fail("written");
  int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail("written");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("written");
  temporary_.clear();
  // The new name is on the disk once the folder is. Some file systems cannot do this for folders: then it is so already.
  Handle folder{::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd >= 0) (void)::fsync(folder.fd);
  remove_leftovers(folder_of(target_), target_.substr(target_.rfind('/') + 1));
}

}  // namespace cantik
