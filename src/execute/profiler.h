// What a run spends its time on, while somebody asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cantik/api.h>

namespace cantik {
struct Node;
}

namespace cantik::runtime {

struct ProfileEvent {
  std::string name;
  int64_t begin_ns, end_ns;
  uint64_t thread;
};

// What the kernels of a function have taken since node timing was switched on.
struct NodeTime {
  int64_t calls = 0, nanoseconds = 0;
};
// by the function's uid and the kernel's name
using NodeTimes = std::map<std::pair<std::string, std::string>, NodeTime>;

class CANTIK_API Profiler {
 public:
  static Profiler* current();  // null: nobody asks
  static void start();
  static std::vector<ProfileEvent> stop();
  // what is there is kept when it is switched off, and gone when it is switched on again
  static void time_nodes(bool on);
  static NodeTimes node_times();
  void add(ProfileEvent e, const Node* of);

 private:
  static Profiler& instance();
  void publish();
  std::mutex mutex_;
  bool records_ = false, times_ = false;
  std::vector<ProfileEvent> events_;
  NodeTimes node_times_;
};

class ProfileScope {
 public:
  explicit ProfileScope(const std::string& name, const Node* of = nullptr) : profiler_(Profiler::current()) {
    if (profiler_) name_ = &name, of_ = of, begin_ = now();
  }
  ~ProfileScope();

 private:
  static int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  Profiler* profiler_;
  const std::string* name_ = nullptr;
  const Node* of_ = nullptr;
  int64_t begin_ = 0;
};

}  // namespace cantik::runtime
