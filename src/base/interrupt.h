// How work that takes long notices that somebody wants to end it (cantik/interrupt.h). Work is counted in
// element operations, of which a processor does one in about a nanosecond, or faster; from time to time the
// clock is read, and then `ask` may be run.
#pragma once

#include <cstdint>

#include <cantik/interrupt.h>

namespace cantik {

// What of this thread's interruption the library sees.
class Attention {
 public:
  static Interruption* current() { return current_; }
  static void worked(Interruption& i, int64_t work) {
    if ((i.left_ -= work) < 0) look(i);
  }
  static void ask_now(Interruption& i);

  // After so much work the clock is read; when so much time has passed, somebody is asked. Tests ask at every
  // occasion: {0, 0}.
  struct Pace {
    int64_t work = 1000000, nanoseconds = 50000000;
  };
  static void set_pace(const Pace& p) { pace_ = p; }

 private:
  friend class Interruption;
  friend class Uninterrupted;
  static void look(Interruption& i);
  static Pace pace_;
  // Read at every instruction: where they lie in a thread's memory is known when the library is loaded.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Interruption* current_;
  [[gnu::tls_model("initial-exec")]] static thread_local constinit bool closed_;
};

// So much work has been done. Where it was the last straw, throws what ends the call.
inline void may_end(int64_t work) {
  if (Interruption* i = Attention::current()) Attention::worked(*i, work);
}
// The same of work of any length: a system call that a signal ended, a wait.
inline void may_end_now() {
  if (Interruption* i = Attention::current()) Attention::ask_now(*i);
}

// While it lives, nobody is asked, not by calls in between either: what is being changed is changed as a
// whole.
class Uninterrupted {
 public:
  Uninterrupted() : interruption_(Attention::current_), was_closed_(Attention::closed_) {
    Attention::current_ = nullptr;
    Attention::closed_ = true;
  }
  ~Uninterrupted() {
    Attention::current_ = interruption_;
    Attention::closed_ = was_closed_;
  }
  Uninterrupted(const Uninterrupted&) = delete;

 private:
  Interruption* interruption_;
  bool was_closed_;
};

}  // namespace cantik
