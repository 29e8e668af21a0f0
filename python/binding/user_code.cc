#include "binding/user_code.h"

namespace cantik::python {

void raise_from_user(nb::python_error& e, const std::string& what) {
  if (!e.matches(PyExc_Exception)) throw;
  std::string text = what + " raised " + nb::cast<std::string>(e.type().attr("__name__")), said;
  try {
    said = nb::str(e.value()).c_str();
  } catch (nb::python_error&) {  // an exception without a text
  }
  nb::raise_from(e, PyExc_RuntimeError, "%s", (text + (said.empty() ? "" : ": " + said)).c_str());
}

std::string method_name(nb::handle object, const char* method) { return nb::cast<std::string>(object.type().attr("__name__")) + "." + method; }

}  // namespace cantik::python
