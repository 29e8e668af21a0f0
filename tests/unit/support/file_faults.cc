#include "file_faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace cantik::support {

FileFaults& file_faults() {
  static FileFaults f;
  return f;
}

namespace {

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

bool fails(int error) {
  ++file_faults().calls;
  errno = error;
  return true;
}
bool interrupted() {
  int left = file_faults().signals.load();
  while (left > 0)
    if (file_faults().signals.compare_exchange_weak(left, left - 1)) return fails(EINTR);
  return false;
}

}  // namespace
}  // namespace cantik::support

using namespace cantik::support;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* next = real<int(const char*, int, ...)>("open");
  return interrupted() ? -1 : next(path, flags, mode);
}

ssize_t read(int fd, void* to, size_t bytes) {
  static auto* next = real<ssize_t(int, void*, size_t)>("read");
  return interrupted() ? -1 : next(fd, to, bytes);
}

ssize_t write(int fd, const void* from, size_t bytes) {
  static auto* next = real<ssize_t(int, const void*, size_t)>("write");
  if (interrupted()) return -1;
  if (file_faults().writes_until == 0 && fails(ENOSPC)) return -1;
  if (file_faults().writes_until > 0) --file_faults().writes_until;
  return next(fd, from, bytes);
}

int fsync(int fd) {
  static auto* next = real<int(int)>("fsync");
  if (interrupted()) return -1;
  struct stat s;
  const int error =
      fstat(fd, &s) == 0 && S_ISDIR(s.st_mode) ? file_faults().sync_folder : file_faults().sync_file;
  if (error && fails(error)) return -1;
  return file_faults().quick_sync ? 0 : next(fd);
}

}  // extern "C"
