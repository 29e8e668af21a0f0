#include "runtime/profiler.h"

#include <atomic>
#include <functional>
#include <thread>

namespace cantik::runtime {
namespace {
std::atomic<Profiler*> active{nullptr};
}

Profiler* Profiler::current() { return active.load(std::memory_order_relaxed); }

void Profiler::start() {
  static Profiler profiler;  // runs under way may still add to it after stop
  std::lock_guard lock(profiler.mutex_);
  profiler.events_.clear();
  active.store(&profiler, std::memory_order_release);
}

std::vector<ProfileEvent> Profiler::stop() {
  Profiler* p = active.exchange(nullptr);
  if (!p) return {};
  std::lock_guard lock(p->mutex_);
  return std::move(p->events_);
}

void Profiler::add(ProfileEvent e) {
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(e));
}

ProfileScope::~ProfileScope() {
  if (profiler_) profiler_->add({*name_, begin_, now(), std::hash<std::thread::id>()(std::this_thread::get_id())});
}

}  // namespace cantik::runtime
