#include "serve/host.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

#include "serve/json.h"

namespace cantik::serve {

void ServerHost::log(std::string_view event, const std::string& members) const {
  if (!options.log) return;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char time[40], text[48];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03dZ", time, static_cast<int>(ms));
  options.log("{\"time\":" + json_string(text) + ",\"event\":" + json_string(event) +
              (members.empty() ? "" : ",") + members + "}");
}

void ServerHost::infer(InferRequest request, std::function<void(Outcome)> done) {
  if (closing) throw Refusal(kOverloaded, "the server is about to end");
  repository.find(request.model, request.version)->infer(std::move(request), std::move(done));
}

bool ServerHost::hold(size_t bytes) {
  const auto n = static_cast<int64_t>(bytes);
  if (metrics.body_bytes.fetch_add(n) + n <= static_cast<int64_t>(options.most_bodies)) return true;
  metrics.body_bytes.fetch_sub(n);
  return false;
}

void ServerHost::release(size_t bytes) { metrics.body_bytes.fetch_sub(static_cast<int64_t>(bytes)); }

}  // namespace cantik::serve
