#include "io/opened.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/interrupt.h"

namespace cantik {
namespace {

constexpr std::chrono::milliseconds kBetweenOpenQuestions{20};

struct NobodyWaits {};  // ends what a thread does that nobody waits for

// What the caller and the thread have together.
struct Opening {
  std::function<DeserializerPtr()> make;
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  DeserializerPtr data;
  std::exception_ptr error;
  bool has_ended = false, is_left = false;

  void run() {
    auto ask = [this] {
      const std::lock_guard lock(mutex);
      if (is_left) throw NobodyWaits();
    };
    const Interruption scope(ask);
    DeserializerPtr made;
    std::exception_ptr wrong;
    try {
      made = make();
    } catch (...) {
      wrong = std::current_exception();
    }
    make = nullptr;
    const std::lock_guard lock(mutex);
    data = std::move(made);
    error = wrong;
    has_ended = true;
    changed.notify_all();
  }
};

}  // namespace

DeserializerPtr opened(std::function<DeserializerPtr()> make) {
  if (!Attention::current()) return make();  // nobody can end the call
  may_end_now();
  const auto opening = std::make_shared<Opening>();
  opening->make = std::move(make);
  try {
    std::thread([opening] { opening->run(); }).detach();
  } catch (const std::system_error&) {  // no more threads
    return opening->make();
  }
  std::unique_lock lock(opening->mutex);
  while (!opening->has_ended) {
    opening->changed.wait_for(lock, kBetweenOpenQuestions);
    lock.unlock();
    try {
      may_end_now();
    } catch (...) {
      const std::lock_guard again(opening->mutex);
      opening->is_left = true;
      throw;
    }
    lock.lock();
  }
  if (opening->error) std::rethrow_exception(opening->error);
  return std::move(opening->data);
}

}  // namespace cantik
