// What sessions and callbacks share.
#pragma once

#include <vector>

#include <cantik/callback.h>

#include "binding/training.h"

namespace cantik::python {

// A callback written in Python knows the Python object of the session that calls it, while it does.
class SessionOfCallback {
 public:
  nb::handle session() const { return session_.is_valid() ? session_ : nb::handle(Py_None); }
  void set_session(nb::handle session) { session_ = session; }

 protected:
  ~SessionOfCallback() = default;

 private:
  nb::handle session_;
};

std::vector<CallbackPtr> as_callbacks(nb::handle h);  // None, or a list
nb::object record_of(const EpochRecord& record);
// Numbers that Python code has changed or added.
void take_over(nb::handle python, EpochRecord& record);

}  // namespace cantik::python
