// Runs a piece of a test in a process of its own, with less memory or file size, or to be killed.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

namespace cantik::support {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CANTIK_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(CANTIK_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline uint64_t address_space() {
  std::ifstream f("/proc/self/statm");
  uint64_t pages = 0;
  f >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// f's result, -1 if it threw, or 1000 and the signal that ended it. SIGXCPU: it took longer than `seconds` of
// a processor's time, which a busy machine does not change and a sanitizer makes ten times as much; SIGALRM:
// it waits for something that does not come.
template <class F>
int in_child(F&& f, unsigned seconds = 60) {
  pid_t child = fork();
  if (child == 0) {
    const unsigned most = kSanitized ? 10 * seconds : seconds;
    rlimit time{most, most + 5};
    setrlimit(RLIMIT_CPU, &time);
    alarm(20 * most);
    int result = -1;
    try {
      result = f();
    } catch (...) {
    }
    _exit(result & 255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return 1000 + WTERMSIG(status);
  return static_cast<int8_t>(WEXITSTATUS(status));
}

// From now on this process gets at most so many bytes more. The sanitizers reserve address space of their
// own: then it has no effect.
inline void limit_memory(uint64_t more) {
  if (kSanitized) return;
  rlimit limit{address_space() + more, address_space() + more};
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace cantik::support
