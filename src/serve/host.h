// ServerHost: what all connections of a server share.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include <cantik/serve.h>

#include "serve/metrics.h"
#include "serve/repository.h"

namespace cantik::serve {

struct ServerHost {
  const ServerOptions& options;
  ServerMetrics& metrics;
  Repository& repository;
  std::function<void(std::function<void()>)> aside =
      {};                            // runs work on another thread than requests are read on
  std::atomic<bool> ready{false};    // the models have been loaded
  std::atomic<bool> closing{false};  // requests that came are finished, connections are closed

  // Writes an event: {"time": ..., "event": event, members}; `members` is JSON.
  void log(std::string_view event, const std::string& members) const;
  // Does the work. Whatever it throws ends nothing else: it is logged, and the answer is false.
  template <class Work>
  bool guarded(Work&& work) const noexcept {
    try {
      work();
      return true;
    } catch (const std::exception& e) {
      log_exception(e);
      return false;
    }
  }
  // Writes an event "exception", where there is memory for it.
  void log_exception(const std::exception& e) const noexcept;
  void infer(InferRequest request, std::function<void(Outcome)> done);
  // Whether so many bytes more of a client's requests may be held; they are counted until release(). All
  // requests from one address hold at most as much as is left for others.
  bool hold(Client& client, size_t bytes);
  void release(Client& client, size_t bytes);
};

inline constexpr std::string_view kExtensions[] = {"binary_tensor_data", "model_repository", "sequence"};

}  // namespace cantik::serve
