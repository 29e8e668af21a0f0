// Ending a long call from outside: calls of this thread ask now and then whether to go on.
//
//   std::atomic<bool> stop = false;                        // set by a button, a clock, a signal
//   auto ask = [&] { if (stop) throw Stopped(); };
//   Interruption scope(ask);
//   session.train();                                       // ends with Stopped, a tenth of a second later
//
// Every call that takes long asks: runs, training, reading and writing files, searches. A call that is ended
// leaves models, learners and files as they were before it, or before the minibatch at hand: nothing is half
// changed.
#pragma once

#include <cstdint>

#include <cantik/api.h>

namespace cantik {

// While it lives, calls of its thread run `ask` at least every tenth of a second, on this thread; an
// exception thrown there ends the call and reaches the caller. One within another one takes its place.
class CANTIK_API Interruption {
 public:
  // `ask` is called without arguments, and has to live as long as this object.
  template <class F>
  explicit Interruption(F& ask) : Interruption([](void* f) { (*static_cast<F*>(f))(); }, &ask) {}
  // The same of a plain function and its context.
  Interruption(void (*ask)(void*), void* context);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  friend class Attention;
  void (*ask_)(void*);
  void* context_;
  Interruption* outer_;
  int64_t left_ = 0;   // work until the clock is read
  int64_t asked_ = 0;  // when `ask` ran last, in nanoseconds of the clock; 0: not yet looked at
};

}  // namespace cantik
