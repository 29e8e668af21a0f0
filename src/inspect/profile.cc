// Profiles: recordings of runs, as tables and traces.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/profile.h>

#include "base/text.h"
#include "execute/profiler.h"

namespace cantik {
namespace {

// A text of JSON.
std::string quoted_for_json(const std::string& text) {
  std::string s = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      s += code;
      continue;
    }
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s + "\"";
}

template <class... T>
std::string formatted(const char* format, T... values) {
  const int size = std::snprintf(nullptr, 0, format, values...);
  std::string s(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(s.data(), s.size(), format, values...);
  s.pop_back();
  return s;
}

double milli(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
double micro(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

}  // namespace

Profile::Profile() : recording_(std::make_shared<runtime::Recording>()), kept_(cache_use()) { resume(); }

Profile::~Profile() {
  if (records_) runtime::Profiler::stop(recording_);
}

void Profile::resume() {
  if (records_) return;
  records_ = true;
  reset_memory_peak();
  runtime::Profiler::start(recording_);
}

void Profile::pause() {
  if (!records_) return;
  records_ = false;
  runtime::Profiler::stop(recording_);
  memory_ = std::max(memory_, memory_peak());
  kept_ = cache_use();
}

size_t Profile::memory() const { return records_ ? std::max(memory_, memory_peak()) : memory_; }

std::vector<ProfileEvent> Profile::events() const { return recording_->events(); }

std::vector<ProfileRow> Profile::rows() const {
  std::map<std::string, size_t> places;
  std::vector<ProfileRow> list;  // in the order in which kernels came first
  for (const ProfileEvent& e : events()) {
    const auto [at, is_new] = places.emplace(e.name, list.size());
    if (is_new) list.push_back({e.name});
    ProfileRow& row = list[at->second];
    ++row.calls;
    row.nanoseconds += e.end - e.begin;
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.nanoseconds > b.nanoseconds; });
  return list;
}

std::string Profile::table() const {
  const std::vector<ProfileRow> all = rows();
  int64_t total = 0;
  for (const ProfileRow& r : all) total += r.nanoseconds;
  std::string s = formatted("%-40s %9s %12s %12s %7s\n", "operator", "calls", "ms", "us/call", "%");
  for (const ProfileRow& r : all)
    s += formatted(
        "%-40s %9lld %12.3f %12.2f %7.1f\n", r.name.c_str(), static_cast<long long>(r.calls),
        milli(r.nanoseconds), micro(r.nanoseconds) / static_cast<double>(r.calls),
        100 * static_cast<double>(r.nanoseconds) / static_cast<double>(std::max<int64_t>(total, 1)));
  s += formatted("memory at its peak: %.3f MB\n", static_cast<double>(memory()) / 1e6);
  return s + formatted("kept for further runs: %.3f MB of %.0f MB", static_cast<double>(kept_.bytes) / 1e6,
                       static_cast<double>(kept_.budget) / 1e6);
}

std::string Profile::trace() const {
  std::unordered_map<uint64_t, size_t> threads;
  const std::string all = join(events(), ",\n", [&](const ProfileEvent& e) {
    const size_t thread = threads.emplace(e.thread, threads.size()).first->second;
    return formatted("{\"name\": %s, \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 0, \"tid\": %zu}",
                     quoted_for_json(e.name).c_str(), micro(e.begin), micro(e.end - e.begin), thread);
  });
  return "{\"traceEvents\": [" + all + "]}";
}

}  // namespace cantik
