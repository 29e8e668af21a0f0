#include "binding/user_code.h"

#include <atomic>

namespace cantik::python {
namespace {
std::atomic<bool> ended = false;
}

void watch_the_end() {
  Py_AtExit([] { ended = true; });  // the last that Python does
}

bool python_has_ended() { return ended.load(std::memory_order_relaxed); }

void need_python(const std::string& what) {
  if (python_has_ended())
    throw runtime_error(what + " is written in Python, and Python has ended")
        .remedy("end Python after the last use of the network");
}

std::string exception_text(const nb::python_error& e) {
  std::string name = class_name(e.value());
  nb::object text = nb::steal(PyObject_Str(e.value().ptr()));
  if (!text.is_valid()) PyErr_Clear();  // an exception without a text
  std::string said = text.is_valid() ? nb::cast<std::string>(text) : "";
  return said.empty() ? name : name + ": " + said;
}

void raise_from_user(nb::python_error& e, const std::string& text) {
  if (!e.matches(PyExc_Exception)) throw;
  nb::raise_from(e, PyExc_RuntimeError, "%s", text.c_str());
}

std::string method_name(nb::handle object, const char* method) {
  return nb::cast<std::string>(object.type().attr("__name__")) + "." + method;
}

}  // namespace cantik::python
