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
#include <cstring>
#include <memory>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"

namespace cantik {
namespace {

constexpr size_t kBuffer = 1 << 16;
constexpr size_t kPart = 16 << 20;  // bytes of one system call: nobody who wants to end it waits for more
constexpr int kMostLinks = 40;

// A system call that a signal has cut short is made again, unless the signal is to end more than that.
template <class F>
auto through_signals(F&& call) {
  for (;;) {
    auto result = call();
    if (result != -1 || errno != EINTR) return result;
    may_end_now();
  }
}

// A file descriptor that closes itself.
struct Handle {
  int fd;
  ~Handle() {
    if (fd >= 0) ::close(fd);
  }
};

int open_file(const std::string& path, int flags, mode_t mode = 0) {
  return through_signals([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

std::string reason() { return std::strerror(errno); }

Error not_written(const std::string& path, const std::string& why) {
  return runtime_error("the file " + path + " cannot be written: " + why);
}

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_in_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Where symbolic links lead: the file there is replaced, or made, not the link.
std::string followed(const std::string& given) {
  std::string path = given;
  for (int hops = 0; hops < kMostLinks; ++hops) {
    char target[PATH_MAX];
    ssize_t n = ::readlink(path.c_str(), target, sizeof target);
    if (n < 0) return path;  // no link
    std::string next(target, static_cast<size_t>(n));
    path = next.starts_with('/') ? next : folder_of(path) + "/" + next;
  }
  throw not_written(given, std::strerror(ELOOP));
}

// The part before .PID.NUMBER.tmp of a temporary file's name, without the leading dot; empty for any other
// name.
std::string_view stem_of(std::string_view entry) {
  auto drop = [&](auto&& ends) {
    size_t n = entry.size();
    while (n > 0 && ends(entry[n - 1])) --n;
    bool any = n < entry.size() && n > 0 && entry[n - 1] == '.';
    entry = any ? entry.substr(0, n - 1) : std::string_view();
  };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (entry.size() < 6 || !entry.starts_with('.') || !entry.ends_with(".tmp")) return {};
  entry.remove_prefix(1);
  entry.remove_suffix(4);
  drop(digit);
  drop(digit);
  return entry;
}

// Removes temporary files for `name` whose writers are gone. A writer holds a lock on its file until the file
// has its final name, and loses it however it ends.
void remove_leftovers(const std::string& folder, const std::string& name) {
  struct Close {
    void operator()(DIR* d) const { ::closedir(d); }
  };
  std::unique_ptr<DIR, Close> entries(::opendir(folder.c_str()));
  if (!entries) return;
  while (const dirent* e = ::readdir(entries.get())) {
    std::string_view entry = e->d_name, stem = stem_of(entry);
    bool whole = stem == name, cut = entry.size() == NAME_MAX && !stem.empty() && name.starts_with(stem);
    if (!whole && !cut) continue;
    std::string path = cat(folder, "/", entry);
    Handle file{open_file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)};
    struct stat opened, named;
    if (file.fd < 0 || ::fstat(file.fd, &opened) != 0 || !S_ISREG(opened.st_mode)) continue;
    if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0) continue;
    // The file may have got its final name since it was opened, and another one this name.
    bool same =
        ::lstat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
    if (same) ::unlink(path.c_str());
  }
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

void make_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat s;
  if (::stat(folder.c_str(), &s) == 0) return;  // where it is something else, opening the file says so
  make_folder_of(folder);
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    throw runtime_error("the folder " + folder + " cannot be made: " + reason()).line("file", path);
}

Bytes read_file(const std::string& path) {
  Handle file{open_file(path, O_RDONLY | O_NONBLOCK)};  // a pipe would wait for its other end
  struct stat s;
  auto unreadable = [&](const std::string& why) {
    return runtime_error("the file " + path + " cannot be read: " + why);
  };
  if (file.fd < 0 || ::fstat(file.fd, &s) != 0) throw unreadable(reason());
  if (!S_ISREG(s.st_mode)) throw unreadable("it is not a regular file");
  Bytes bytes;
  const size_t size = static_cast<size_t>(s.st_size);
  bytes.data = needed_for([&] { return cat("the ", size, " bytes of the file ", path); },
                          [&] {
                            return std::shared_ptr<char>(static_cast<char*>(system_memory(size + 1, size)),
                                                         [size](char* p) { give_back_memory(p, size + 1); });
                          });
  while (bytes.size < size) {
    char* to = bytes.data.get() + bytes.size;
    ssize_t n = through_signals([&] { return ::read(file.fd, to, std::min(size - bytes.size, kPart)); });
    if (n < 0) throw unreadable(reason());
    if (n == 0) break;  // it has become shorter meanwhile
    bytes.size += static_cast<size_t>(n);
    may_end(n);
  }
  return bytes;
}

FileWriter::FileWriter(const std::string& path)
    : given_(path), target_(followed(path)), buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {
  const std::string folder = folder_of(target_), name = name_in_folder(target_);
  struct stat old;
  bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) throw not_written(path, "it is not a regular file");
  if (name.empty()) throw runtime_error("the file '" + path + "' cannot be written: it has no name");
  make_folder_of(target_);
  static std::atomic<unsigned> counter{0};
  do {
    std::string mark = cat(".", ::getpid(), ".", counter++, ".tmp");
    temporary_ = cat(folder, "/.", name.substr(0, NAME_MAX - mark.size() - 1), mark);
    fd_ = open_file(temporary_, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd_ < 0) continue;
    // somebody may look at it for a moment, ...
    (void)through_signals([&] { return ::flock(fd_, LOCK_EX); });
    if (struct stat s; ::fstat(fd_, &s) == 0 && s.st_nlink == 0) {  // ... and have taken it for a leftover
      ::close(fd_);
      fd_ = -1;
      errno = EEXIST;
    }
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail("created");
  if (exists) (void)!::fchmod(fd_, old.st_mode & 07777);
}

FileWriter::~FileWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

void FileWriter::fail(const char* what) const {
  throw runtime_error("the file " + given_ + " cannot be " + what + ": " + reason())
      .remedy(
          "choose a place that can be written, and save again; the earlier file of this name has not "
          "changed");
}

void FileWriter::put(const char* data, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = through_signals([&] { return ::write(fd_, data, std::min(bytes, kPart)); });
    if (n < 0) fail("written");
    data += n;
    bytes -= static_cast<size_t>(n);
    may_end(n);
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

// The lock is held until the file has its name: another writer of the same path would take it for a leftover.
void FileWriter::commit() {
  flush();
  if (through_signals([&] { return ::fsync(fd_); }) != 0) fail("written");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("written");
  temporary_.clear();
  ::close(fd_);
  fd_ = -1;
  bring_folder_to_disk();
  remove_leftovers(folder_of(target_), name_in_folder(target_));
}

// A name is on the disk once its folder is.
void FileWriter::bring_folder_to_disk() const {
  Handle folder{open_file(folder_of(target_), O_RDONLY | O_DIRECTORY)};
  // files may be made in it, but it may not be read: nothing more can be done
  if (folder.fd < 0 && errno == EACCES) return;
  if (folder.fd >= 0 && through_signals([&] { return ::fsync(folder.fd); }) == 0) return;
  // a file system that cannot do this for folders
  if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return;
  throw runtime_error("the file " + given_ +
                      " is written, but its folder cannot be brought onto the disk: " + reason())
      .remedy("the file is there, but may be gone after a power failure: save it again, or elsewhere");
}

}  // namespace cantik
