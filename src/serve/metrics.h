// What the server counts, as Prometheus reads it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "serve/request.h"

namespace cantik::serve {

// Numbers by size: each bound is twice the one before.
class Distribution {
 public:
  static constexpr int kBounds = 20;

  explicit Distribution(double first_bound) : first_(first_bound) {}
  void add(double number);
  // The lines of a histogram; `labels` without braces.
  void write(std::string& to, std::string_view name, std::string_view labels) const;

 private:
  double first_;
  std::array<std::atomic<uint64_t>, kBounds + 1> counts_{};
  std::atomic<double> sum_{0};
};

// Of one version of a model, or of its sequences.
struct ModelMetrics {
  std::atomic<uint64_t> answered{0}, failed{0};
  std::atomic<int64_t> waiting{0};
  Distribution wait_time{1e-5}, run_time{1e-5}, batch_size{1};

  void count(bool answered_well) {
    (answered_well ? answered : failed).fetch_add(1, std::memory_order_relaxed);
  }
};

// Why the server closed a connection that its client did not.
enum class Closing { slow, idle, gave_way };
inline constexpr std::string_view kClosingNames[] = {"slow", "idle", "gave_way"};

// Of the server.
struct ServerMetrics {
  std::atomic<int64_t> connections{0}, body_bytes{0}, streams{0};
  std::atomic<uint64_t> requests{0};
  std::array<std::atomic<uint64_t>, std::size(kShortageNames)> refused{};
  std::array<std::atomic<uint64_t>, std::size(kClosingNames)> closed{};
  Distribution request_time{1e-5};

  void count(Shortage why) { refused[static_cast<size_t>(why)].fetch_add(1, std::memory_order_relaxed); }
  void count(Closing why) { closed[static_cast<size_t>(why)].fetch_add(1, std::memory_order_relaxed); }
};

// A model's metrics with its labels: model="name",version="1".
struct LabelledMetrics {
  std::string labels;
  const ModelMetrics* metrics;
};

std::string prometheus_text(const ServerMetrics& server, const std::vector<LabelledMetrics>& models);

}  // namespace cantik::serve
