// How long this process waits for other workers: until the caller ends the call, one of them is lost, or the
// time is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "base/interrupt.h"
#include "base/socket.h"
#include "distributed/engine.h"
#include "distributed/watch.h"

namespace cantik::distributed {

constexpr double kMeeting = 60;  // seconds until all workers have come, when they meet for the first time

// Thrown where waiting has become useless. The `Asking` that threw it knows why.
struct Useless {};

// What a wait asks, of an engine or of sockets. Whoever asked before this one is asked, too.
struct Asking {
  const Watch* watch;                 // null while the workers meet for the first time
  const std::atomic<bool>* computes;  // as Waiting::computes
  int64_t number;                     // of the exchange that the others are to come to
  double until;                       // of clock_seconds()
  Interruption* outer = Attention::current();

  Watch::Loss loss = {};
  bool stalled = false;                      // the time is over
  std::exception_ptr interrupted = nullptr;  // what the outer one has thrown

  void ask() {
    try {
      if (outer) Attention::ask_now(*outer);
    } catch (...) {
      interrupted = std::current_exception();
      throw;
    }
    if (watch && ((loss = watch->lost(number)).number >= 0 || watch->is_called())) throw Useless();
    stalled = clock_seconds() > until;
    if (stalled) throw Useless();
  }
  // For engines, which no exception crosses.
  Waiting waiting() {
    auto go_on = [](void* self) {
      try {
        static_cast<Asking*>(self)->ask();
        return true;
      } catch (...) {
        return false;
      }
    };
    return {go_on, this, computes};
  }
};

}  // namespace cantik::distributed
