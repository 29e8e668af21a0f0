// The workers of this process: those that a launcher has started together, or nobody.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <cantik/error.h>
#include <cantik/function.h>

#include "base/launch.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "distributed/communicator.h"

namespace cantik {

namespace {

struct World {
  std::mutex mutex;
  std::shared_ptr<Communicator> communicator;
};

World& the_world() {
  static World world;
  return world;
}

// Where a new worker is to be taken in: CANTIK_JOIN=10.0.0.1:41233.
Address place_to_join(const std::string& text) {
  const size_t colon = text.rfind(':');
  char* end = nullptr;
  const long port = colon == std::string::npos ? 0 : std::strtol(text.c_str() + colon + 1, &end, 10);
  if (port < 1 || port > 65535 || *end || colon == 0)
    throw value_error(cat("CANTIK_JOIN must be a host and a port, such as 10.0.0.1:41233, and is ", text));
  return {text.substr(0, colon), static_cast<int>(port)};
}

double seconds_of(const char* variable, double otherwise) {
  const char* given = std::getenv(variable);
  if (!given || !*given) return otherwise;
  char* end = nullptr;
  const double n = std::strtod(given, &end);
  if (*end || !(n > 0))
    throw value_error(cat(variable, " must be a number of seconds above 0, and is ", given));
  return n;
}

}  // namespace

std::shared_ptr<Communicator> Communicator::world() {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  if (w.communicator) return w.communicator;
  const Impl::Patience patience{.silence = seconds_of("CANTIK_SILENCE", Impl::Patience().silence),
                                .stall = seconds_of("CANTIK_STALL", Impl::Patience().stall)};
  const std::string join = environment("CANTIK_JOIN"), job = environment("CANTIK_JOB");
  std::unique_ptr<Impl> impl;
  if (!join.empty()) {
    impl = std::make_unique<Impl>(place_to_join(join), patience, job);
  } else {
    std::unique_ptr<distributed::Engine> engine = distributed::find_engine();
    impl = engine && engine->size() > 1 ? std::make_unique<Impl>(std::move(engine), patience, job)
                                        : std::make_unique<Impl>();
  }
  impl->share_processors();
  w.communicator = std::make_shared<Communicator>(std::move(impl));
  return w.communicator;
}

bool Communicator::has_joined() {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  return w.communicator && w.communicator->size() > 1;
}

void Communicator::finalize(const std::string& why) {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  if (w.communicator) w.communicator->impl_->end(why);
}

}  // namespace cantik
