#include "base/interrupt.h"

#include <chrono>

#include "base/denormals.h"

namespace cantik {
namespace {

int64_t now_in_nanoseconds() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace

Attention::Pace Attention::pace_;
[[gnu::tls_model("initial-exec")]] thread_local constinit Interruption* Attention::current_ = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit bool Attention::closed_ = false;

// The clock is not read here: most calls are over before anybody would ask.
Interruption::Interruption(void (*ask)(void*), void* context)
    : ask_(ask), context_(context), outer_(Attention::current_), left_(Attention::pace_.work) {
  if (!Attention::closed_) Attention::current_ = this;
}

Interruption::~Interruption() { Attention::current_ = outer_; }

void Attention::look(Interruption& i) {
  i.left_ = pace_.work;
  const int64_t time = now_in_nanoseconds();
  if (i.asked_ == 0) i.asked_ = time;
  if (time - i.asked_ >= pace_.nanoseconds) ask_now(i);
}

void Attention::ask_now(Interruption& i) {
  const KeepDenormals users_code;
  i.asked_ = now_in_nanoseconds();
  i.ask_(i.context_);
}

}  // namespace cantik
