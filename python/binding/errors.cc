// The library's one exception as Python's classes, with CNTK's bases.
#include <new>
#include <stdexcept>
#include <string_view>

#include "binding/common.h"

namespace cantik::python {
namespace {

PyObject* shape_error_class = nullptr;
PyObject* argument_error_class = nullptr;
PyObject* missing_class = nullptr;
PyObject* memory_class = nullptr;

PyObject* class_for(ErrorKind k) {
  switch (k) {
    case ErrorKind::value: return PyExc_ValueError;
    case ErrorKind::runtime: return PyExc_RuntimeError;
    case ErrorKind::shape: return shape_error_class;
    case ErrorKind::type: return argument_error_class;
    case ErrorKind::key: return missing_class;
    case ErrorKind::unsupported: return PyExc_NotImplementedError;
    case ErrorKind::memory: return memory_class;
  }
  return PyExc_RuntimeError;
}

}  // namespace

namespace {

// Texts may come from a library of the user's, in any encoding.
void set_error(PyObject* cls, std::string_view text) {
  const nb::object said =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (said.is_valid()) PyErr_SetObject(cls, said.ptr());
}

}  // namespace

void set_argument_error(const std::string& text) { set_error(argument_error_class, text); }

constexpr const char* kArgumentErrorDoc = R"(An argument of a wrong type; a TypeError and a ValueError.

Example:
    >>> import cantik as C
    >>> try:
    ...     C.layers.Dense('a')
    ... except C.ArgumentError as error:
    ...     print(isinstance(error, TypeError), isinstance(error, ValueError))
    True True)";

void bind_errors(nb::module_& m) {
  nb::object bases = nb::make_tuple(nb::handle(PyExc_ValueError), nb::handle(PyExc_RuntimeError));
  shape_error_class = PyErr_NewExceptionWithDoc(
      "cantik.ShapeError", "Shapes do not fit together; a ValueError and a RuntimeError.", bases.ptr(),
      nullptr);
  m.attr("ShapeError") = nb::borrow(shape_error_class);
  bases = nb::make_tuple(nb::handle(PyExc_MemoryError), nb::handle(PyExc_RuntimeError));
  memory_class = PyErr_NewExceptionWithDoc("cantik.OutOfMemoryError",
                                           "Memory is not there; a MemoryError and a RuntimeError.",
                                           bases.ptr(), nullptr);
  m.attr("OutOfMemoryError") = nb::borrow(memory_class);
  bases = nb::make_tuple(nb::handle(PyExc_TypeError), nb::handle(PyExc_ValueError));
  argument_error_class =
      PyErr_NewExceptionWithDoc("cantik.ArgumentError", kArgumentErrorDoc, bases.ptr(), nullptr);
  m.attr("ArgumentError") = nb::borrow(argument_error_class);
  // A KeyError shows its text in quotes, on one line: this one prints it as it is.
  nb::dict members;
  members["__str__"] =
      nb::cpp_function([](nb::handle self) { return nb::str(nb::handle(self.attr("args")[0])); },
                       nb::name("__str__"), nb::is_method());
  members["__module__"] = "cantik";
  members["__doc__"] = "Nothing has this name; a KeyError.";
  missing_class = PyErr_NewException("cantik.MissingError", PyExc_KeyError, members.ptr());
  m.attr("MissingError") = nb::borrow(missing_class);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      set_error(class_for(e.kind()), e.what());
    } catch (const std::bad_alloc&) {  // of something small: what is large is said
      PyErr_SetString(memory_class, "there is not enough memory");
    } catch (const std::bad_cast&) {  // what no check has met
      set_error(argument_error_class,
                "an argument of this call is of a type that it does not take, or a number "
                "that does not fit");
    } catch (const std::length_error&) {
      PyErr_SetString(memory_class, "there is not enough memory for what the numbers in this call ask for");
    }
  });
}

}  // namespace cantik::python
