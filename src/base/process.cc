#include "base/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/text.h"

namespace cantik {

int64_t process_id() { return ::getpid(); }

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string program_of_parent() {
  std::error_code none;
  return std::filesystem::read_symlink(cat("/proc/", ::getppid(), "/exe"), none).string();
}

int64_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"),
                                                             std::fclose);
  long long all = 0, resident = 0;
  if (!file || std::fscanf(file.get(), "%lld %lld", &all, &resident) != 2) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

bool is_error_output_seen() { return ::isatty(STDERR_FILENO) == 1; }

void allow_most_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace cantik
