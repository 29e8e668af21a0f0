// Calls into the user's code. What it raises reaches the caller as the RuntimeError that CNTK's users catch,
// raised from the user's own exception, whose traceback it keeps. What is no error (an interrupt, the end of
// the program) passes as it is.
#pragma once

#include <string>

#include "binding/common.h"

namespace cantik::python {

// "ValueError: what it says"
std::string exception_text(const nb::python_error& e);
// Of an exception that has just been caught: the RuntimeError with this text.
[[noreturn]] void raise_from_user(nb::python_error& e, const std::string& text);

// call() runs the user's code; the lock is held. `what`: whose code it is, "MySgd.update".
template <class F>
auto in_user_code(const std::string& what, F&& call) -> decltype(call()) {
  try {
    return call();
  } catch (nb::python_error& e) {
    raise_from_user(e, what + " raised " + exception_text(e));
  }
}

// A program that embeds Python may end it and keep its networks. From then on the user's code cannot be
// called: an error names it.
void watch_the_end();
bool python_has_ended();
void need_python(const std::string& what);

// "MySgd.update": a method of the object, as messages name it.
std::string method_name(nb::handle object, const char* method);

}  // namespace cantik::python
