#include "execute/profiler.h"

#include <algorithm>
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

void Profiler::publish() {
  active.store(!recordings_.empty() || times_ ? this : nullptr, std::memory_order_release);
}

void Profiler::start(std::shared_ptr<Recording> recording) {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  p.recordings_.push_back(std::move(recording));
  p.publish();
}

void Profiler::stop(const std::shared_ptr<Recording>& recording) {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  std::erase(p.recordings_, recording);
  p.publish();
}

void Profiler::time_functions(bool on) {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  if (on && !p.times_) p.node_times_.clear();
  p.times_ = on;
  p.publish();
}

std::vector<NodeTime> Profiler::function_times() {
  Profiler& p = instance();
  std::lock_guard lock(p.mutex_);
  std::vector<NodeTime> list;
  for (const auto& [key, time] : p.node_times_) list.push_back(time);
  return list;
}

void Profiler::add(const ProfileEvent& e, const Node* of) {
  std::string uid = of ? uid_of(*of) : std::string();
  std::lock_guard lock(mutex_);
  if (times_ && of) {
    NodeTime& t = node_times_[{uid, e.name}];
    t.uid = std::move(uid);
    t.kernel = e.name;
    ++t.calls;
    t.nanoseconds += e.end - e.begin;
  }
  for (const std::shared_ptr<Recording>& r : recordings_) r->add(e);
}

ProfileScope::~ProfileScope() {
  if (profiler_)
    profiler_->add({*name_, begin_, now(), std::hash<std::thread::id>()(std::this_thread::get_id())}, of_);
}

}  // namespace cantik::runtime

namespace cantik {

void time_functions(bool on) { runtime::Profiler::time_functions(on); }
std::vector<NodeTime> function_times() { return runtime::Profiler::function_times(); }

}  // namespace cantik
