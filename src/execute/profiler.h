// What a run spends its time on, while somebody asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cantik/profile.h>

namespace cantik {
struct Node;
}

namespace cantik::runtime {

// The events of one profile.
class Recording {
 public:
  void add(const ProfileEvent& e) {
    std::lock_guard lock(mutex_);
    events_.push_back(e);
  }
  std::vector<ProfileEvent> events() const {
    std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ProfileEvent> events_;
};

class Profiler {
 public:
  static Profiler* current();  // null: nobody asks
  static void start(std::shared_ptr<Recording> recording);
  static void stop(const std::shared_ptr<Recording>& recording);
  static void time_functions(bool on);
  static std::vector<NodeTime> function_times();
  void add(const ProfileEvent& e, const Node* of);

 private:
  static Profiler& instance();
  void publish();
  std::mutex mutex_;
  bool times_ = false;
  std::vector<std::shared_ptr<Recording>> recordings_;
  // by the function's uid and the kernel's name
  std::map<std::pair<std::string, std::string>, NodeTime> node_times_;
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
