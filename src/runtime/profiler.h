// What a run spends its time on, while somebody asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <cantik/api.h>

namespace cantik::runtime {

struct ProfileEvent {
  std::string name;
  int64_t begin_ns, end_ns;
  uint64_t thread;
};

class CANTIK_API Profiler {
 public:
  static Profiler* current();  // null: nobody asks
  static void start();
  static std::vector<ProfileEvent> stop();
  void add(ProfileEvent e);

 private:
  std::mutex mutex_;
  std::vector<ProfileEvent> events_;
};

class ProfileScope {
 public:
  explicit ProfileScope(const std::string& name) : profiler_(Profiler::current()) {
    if (profiler_) name_ = &name, begin_ = now();
  }
  ~ProfileScope();

 private:
  static int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  Profiler* profiler_;
  const std::string* name_ = nullptr;
  int64_t begin_ = 0;
};

}  // namespace cantik::runtime
