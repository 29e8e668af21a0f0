#include "binding/arguments.h"

#include <cmath>
#include <cstdint>

#include <cantik/initializer.h>

#include "binding/numpy.h"

namespace cantik::python {

std::string quoted(nb::handle h) {
  std::string text = nb::repr(h).c_str();
  constexpr size_t kMost = 80;
  if (text.find(" object at 0x") != std::string::npos) return "an object of the class " + class_name(h);
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

Error not_of_kind(const std::string& what, const std::string& kind, nb::handle given) {
  return type_error(what + " must be " + kind + ", not " + quoted(given));
}

bool is_scalar(nb::handle h) {
  return !PyUnicode_Check(h.ptr()) && !PyBytes_Check(h.ptr()) && !is_complex(h) &&
         (!is_array(h) || rank_of_array(h) == 0);
}

bool is_complex(nb::handle h) { return PyComplex_Check(h.ptr()) || class_name(h).starts_with("complex"); }

double number_in(nb::handle h, const std::string& what) {
  if (is_scalar(h)) {
    const double d = PyFloat_AsDouble(h.ptr());
    if (d != -1 || !PyErr_Occurred()) return d;
    PyErr_Clear();
  }
  throw not_of_kind(what, "a number", h);
}

int64_t whole_in(nb::handle h, const std::string& what) {
  if (nb::object i = nb::steal(PyNumber_Index(h.ptr())); i.is_valid()) {
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(i.ptr(), &overflow);
    if (!overflow) return n;
    throw not_of_kind(what, "a whole number between -2^63 and 2^63 - 1", h);
  }
  PyErr_Clear();
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (is_scalar(h)) {
    const double d = PyFloat_AsDouble(h.ptr());
    if (d == std::floor(d) && d >= -kLimit && d < kLimit && !PyErr_Occurred()) return static_cast<int64_t>(d);
    PyErr_Clear();
  }
  throw not_of_kind(what, "a whole number", h);
}

int64_t endless_in(nb::handle h, const std::string& what) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (PyFloat_Check(h.ptr())) {
    const double d = PyFloat_AsDouble(h.ptr());
    if (std::isfinite(d) && d >= kLimit) return INT64_MAX;
  } else if (nb::object i = nb::steal(PyNumber_Index(h.ptr())); i.is_valid()) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(i.ptr(), &overflow);
    if (overflow > 0) return INT64_MAX;
  } else {
    PyErr_Clear();
  }
  return whole_in(h, what);
}

int64_t count_in(nb::handle h, const std::string& what) {
  const int64_t n = whole_in(h, what);
  if (n < 0) throw value_error(what + " must not be negative, and is " + std::to_string(n));
  return n;
}

bool flag_in(nb::handle h, const std::string& what) {
  if (PyBool_Check(h.ptr())) return h.ptr() == Py_True;
  if (is_scalar(h) && !h.is_none()) {
    const double d = PyFloat_AsDouble(h.ptr());
    if (!PyErr_Occurred() && (d == 0 || d == 1)) return d == 1;
    PyErr_Clear();
  }
  throw not_of_kind(what, "True or False", h);
}

std::string text_in(nb::handle h, const std::string& what) {
  if (!PyUnicode_Check(h.ptr())) throw not_of_kind(what, "a text", h);
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(h.ptr(), &size);
  if (text) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  throw not_of_kind(what, "a text of valid Unicode characters", h);
}

std::string path_in(nb::handle h, const std::string& what) {
  nb::object path = nb::steal(PyOS_FSPath(h.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    throw not_of_kind(what, "the path of a file", h);
  }
  if (PyUnicode_Check(path.ptr())) path = nb::steal(PyUnicode_EncodeFSDefault(path.ptr()));
  if (!path.is_valid()) PyErr_Clear();
  std::string found = path.is_valid() ? std::string(PyBytes_AsString(path.ptr()),
                                                    static_cast<size_t>(PyBytes_Size(path.ptr())))
                                      : std::string(1, '\0');
  if (found.find('\0') != std::string::npos) throw not_of_kind(what, "the path of a file", h);
  return found;
}

uint64_t seed_in(nb::handle h) {
  if (h.is_none()) return kAutoSeed;
  nb::object i = nb::steal(PyNumber_Index(h.ptr()));
  if (!i.is_valid()) {
    PyErr_Clear();
    throw not_of_kind("a seed", "a whole number", h);
  }
  const unsigned long long seed = PyLong_AsUnsignedLongLong(i.ptr());
  if (!PyErr_Occurred()) return seed;
  PyErr_Clear();
  throw not_of_kind("a seed", "a whole number from 0 to 2^64 - 1", h);
}

}  // namespace cantik::python
