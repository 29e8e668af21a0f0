// Python's lock, let go of and taken.
#pragma once

#include <Python.h>
#include <unistd.h>

#include <optional>

#include <cantik/interrupt.h>
#include <cantik/plugin.h>

namespace cantik::python {

// A thread that wants the lock when the interpreter has begun to end never gets it: Python ends such threads,
// by unwinding them through whatever frames there are, which C++ answers by aborting the process. So they
// stay where they are, and end with the process.
[[noreturn]] inline void stay() {
  for (;;) pause();
}

// What may wait for the lock: taking it, and running Python code.
template <class F>
void or_stay(F&& f) noexcept {
  try {
    f();
  } catch (...) {  // never left: what is caught cannot be stopped
    stay();
  }
}

#ifdef Py_LIMITED_API
// Whether this thread has the lock. Each Python has the function; the stable interface does not name it.
bool holds_lock();
#else
inline bool holds_lock() { return PyGILState_Check() != 0; }
#endif

// The lock is given back as PyGILState_Ensure found it.
inline void release(PyGILState_STATE found) {
  if (!holds_lock()) stay();  // Python code in between was told to end
  PyGILState_Release(found);
}

// The lock for what a run calls. Without Python it is not taken, and what is called says so.
const cantik_lock* lock_of_python();

// While it lives, signals end calls of the library as they end Python code: Ctrl-C by a KeyboardInterrupt,
// others by what their handlers raise. Python runs these on its main thread alone, so that other threads'
// calls need not ask.
class Interruptible {
 public:
  Interruptible();

 private:
  std::optional<Interruption> interruption_;
};
void watch_signals();  // at the start, on any thread

// While it lives, other threads may run Python code; this one may not.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    or_stay([this] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
  Interruptible interruptible_;
};

// While it lives, this thread may run Python code, whether it had the lock before or not.
class Locked {
 public:
  Locked() {
    or_stay([this] { state_ = PyGILState_Ensure(); });
  }
  ~Locked() { release(state_); }
  Locked(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace cantik::python
