#include "execute/profiler.h"

#include <atomic>
#include <functional>
#include <thread>

#include "graph/node.h"

namespace cantik::runtime {
namespace {
std::atomic<Profiler*> active{nullptr};
}

Profiler* Profiler::current() { return active.load(std::memory_order_relaxed); }

Profiler& Profiler::instance() {
  static Profiler profiler;  // runs under way may still add to it after stop
  return profiler;
}

void Profiler::publish() { active.store(records_ || times_ ? this : nullptr, std::memory_order_release); }

void Profiler::start() {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  p.events_.clear();
  p.records_ = true;
  p.publish();
}

std::vector<ProfileEvent> Profiler::stop() {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  p.records_ = false;
  p.publish();
  return std::move(p.events_);
}

void Profiler::time_nodes(bool on) {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  if (on && !p.times_) p.node_times_.clear();
  p.times_ = on;
  p.publish();
}

NodeTimes Profiler::node_times() {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  return p.node_times_;
}

void Profiler::add(ProfileEvent e, const Node* of) {
  std::string uid = of ? uid_of(*of) : std::string();
  std::lock_guard lock(mutex_);
  if (times_ && of) {
    NodeTime& t = node_times_[{std::move(uid), e.name}];
    ++t.calls;
    t.nanoseconds += e.end_ns - e.begin_ns;
  }
  if (records_) events_.push_back(std::move(e));
}

ProfileScope::~ProfileScope() {
  if (profiler_)
    profiler_->add({*name_, begin_, now(), std::hash<std::thread::id>()(std::this_thread::get_id())}, of_);
}

}  // namespace cantik::runtime
