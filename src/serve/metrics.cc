#include "serve/metrics.h"

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/memory.h>

#include "base/process.h"

namespace cantik::serve {
namespace {

std::string number(double n) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, n).ptr};
}

void head(std::string& to, std::string_view name, std::string_view kind, std::string_view help) {
  to.append("# HELP ")
      .append(name)
      .append(" ")
      .append(help)
      .append("\n# TYPE ")
      .append(name)
      .append(" ")
      .append(kind);
  to += '\n';
}

void line(std::string& to, std::string_view name, std::string_view labels, double n) {
  to += name;
  if (!labels.empty()) to.append("{").append(labels).append("}");
  to.append(" ").append(number(n)).append("\n");
}

void one(std::string& to, std::string_view name, std::string_view kind, std::string_view help, double n) {
  head(to, name, kind, help);
  line(to, name, {}, n);
}

}  // namespace

void Distribution::add(double n) {
  size_t place = 0;
  for (double bound = first_; place < kBounds && n > bound; bound *= 2) ++place;
  counts_[place].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(n, std::memory_order_relaxed);
}

void Distribution::write(std::string& to, std::string_view name, std::string_view labels) const {
  const std::string base(name), with(labels.empty() ? std::string() : std::string(labels) + ",");
  uint64_t below = 0;
  double bound = first_;
  for (size_t i = 0; i < kBounds; ++i, bound *= 2) {
    below += counts_[i].load(std::memory_order_relaxed);
    line(to, base + "_bucket", with + "le=\"" + number(bound) + "\"", static_cast<double>(below));
  }
  below += counts_[kBounds].load(std::memory_order_relaxed);
  line(to, base + "_bucket", with + "le=\"+Inf\"", static_cast<double>(below));
  line(to, base + "_sum", labels, sum_.load(std::memory_order_relaxed));
  line(to, base + "_count", labels, static_cast<double>(below));
}

std::string prometheus_text(const ServerMetrics& server, const std::vector<LabelledMetrics>& models) {
  const auto of = [](const auto& n) { return static_cast<double>(n.load(std::memory_order_relaxed)); };
  std::string to;
  one(to, "cantik_connections", "gauge", "Connections that are open", of(server.connections));
  one(to, "cantik_body_bytes", "gauge", "Bytes of requests that are held", of(server.body_bytes));
  one(to, "cantik_streams", "gauge", "Sequences that are carried from request to request",
      of(server.streams));
  one(to, "cantik_memory_bytes", "gauge", "Memory in use for tensors, results and runs",
      static_cast<double>(memory_in_use()));
  one(to, "process_resident_memory_bytes", "gauge", "Resident memory of the process",
      static_cast<double>(resident_bytes()));
  one(to, "cantik_requests_total", "counter", "Requests of every kind", of(server.requests));
  const auto by_reason = [&](std::string_view name, std::string_view help, const auto& names,
                             const auto& counts) {
    head(to, name, "counter", help);
    for (size_t i = 0; i < counts.size(); ++i)
      line(to, name, "reason=\"" + std::string(names[i]) + "\"", of(counts[i]));
  };
  by_reason("cantik_refused_total", "Requests and connections refused because of load, by what was short",
            kShortageNames, server.refused);
  by_reason("cantik_closed_total", "Connections that the server closed", kClosingNames, server.closed);
  head(to, "cantik_request_seconds", "histogram", "From a request's last byte to its answer");
  server.request_time.write(to, "cantik_request_seconds", {});
  const auto each = [&](std::string_view name, std::string_view kind, std::string_view help,
                        const std::function<void(std::string_view, const LabelledMetrics&)>& write) {
    head(to, name, kind, help);
    for (const LabelledMetrics& m : models) write(name, m);
  };
  each("cantik_infer_total", "counter", "Requests that a model answered or failed",
       [&](auto name, const auto& m) {
         line(to, name, m.labels + ",outcome=\"answered\"", of(m.metrics->answered));
         line(to, name, m.labels + ",outcome=\"failed\"", of(m.metrics->failed));
       });
  each("cantik_waiting", "gauge", "Requests that wait for a model",
       [&](auto name, const auto& m) { line(to, name, m.labels, of(m.metrics->waiting)); });
  each("cantik_wait_seconds", "histogram", "Time of requests before their run",
       [&](auto name, const auto& m) { m.metrics->wait_time.write(to, name, m.labels); });
  each("cantik_run_seconds", "histogram", "Time of runs",
       [&](auto name, const auto& m) { m.metrics->run_time.write(to, name, m.labels); });
  each("cantik_batch_requests", "histogram", "Requests in a minibatch",
       [&](auto name, const auto& m) { m.metrics->batch_size.write(to, name, m.labels); });
  return to;
}

}  // namespace cantik::serve
