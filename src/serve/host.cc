#include "serve/host.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
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

void ServerHost::log_exception(const std::exception& e) const noexcept {
  try {
    log("exception", "\"text\":" + json_string(e.what()));
  } catch (const std::exception&) {
  }
}

void ServerHost::infer(InferRequest request, std::function<void(Outcome)> done) {
  if (closing) throw Refusal(Shortage::ending, "the server is about to end");
  repository.find(request.model, request.version)->infer(std::move(request), std::move(done));
}

bool ServerHost::hold(Client& client, size_t bytes) {
  const auto n = static_cast<int64_t>(bytes);
  const int64_t left = static_cast<int64_t>(options.most_bodies) - metrics.body_bytes.fetch_add(n);
  std::atomic<int64_t>& of_address = client.address().body_bytes;
  const bool fits = n <= left && of_address.load(std::memory_order_relaxed) <= left;
  if (fits)
    of_address.fetch_add(n, std::memory_order_relaxed);
  else
    metrics.body_bytes.fetch_sub(n);
  return fits;
}

void ServerHost::release(Client& client, size_t bytes) {
  client.address().body_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  metrics.body_bytes.fetch_sub(static_cast<int64_t>(bytes));
}

}  // namespace cantik::serve
