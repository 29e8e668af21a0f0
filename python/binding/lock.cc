#include "binding/lock.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "binding/common.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

std::atomic<unsigned long> main_thread{0};

// What enter returns where Python has ended: what is called says so. While Python is ending, who wants the
// lock stays.
constexpr intptr_t kNotTaken = -1;

void* enter(void*) {
  if (python_has_ended()) return reinterpret_cast<void*>(kNotTaken);
  PyGILState_STATE found{};
  or_stay([&] { found = PyGILState_Ensure(); });
  return reinterpret_cast<void*>(static_cast<intptr_t>(found));
}

void leave(void*, void* entered) {
  const auto found = reinterpret_cast<intptr_t>(entered);
  if (found != kNotTaken) release(static_cast<PyGILState_STATE>(found));
}

// What handlers raise is thrown, and reaches Python as it is.
void run_handlers(void*) {
  Locked lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

#ifdef Py_LIMITED_API
bool holds_lock() {
  using Check = int();
  static const auto check = reinterpret_cast<Check*>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return !check || check() != 0;
}
#endif

const cantik_lock* lock_of_python() {
  static constexpr cantik_lock lock{sizeof(cantik_lock), nullptr, &enter, &leave};
  return &lock;
}

void watch_signals() {
  main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  // a child has one thread
  pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

Interruptible::Interruptible() {
  if (PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed))
    interruption_.emplace(&run_handlers, nullptr);
}

}  // namespace cantik::python
