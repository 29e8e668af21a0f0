#include "interpreter.h"

#include <memory>
#include <stdexcept>
#include <utility>

namespace embed {
namespace {

struct Release {
  void operator()(PyObject* o) const { Py_DECREF(o); }
};
using Object = std::unique_ptr<PyObject, Release>;

std::string text_of(PyObject* o) {
  Object s(o ? PyObject_Str(o) : nullptr);
  const char* text = s ? PyUnicode_AsUTF8(s.get()) : nullptr;
  return text ? text : "?";
}

// The exception that Python is about to raise, with the lines it passed.
[[noreturn]] void raise() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Object t(type), v(value), b(traceback);
  std::string text = text_of(value);
  const Object module(PyImport_ImportModule("traceback"));
  const Object lines(module ? PyObject_CallMethod(module.get(), "format_exception", "OOO", type,
                                                  value ? value : Py_None, traceback ? traceback : Py_None)
                            : nullptr);
  const Object empty(PyUnicode_FromString(""));
  if (lines && empty) text = text_of(Object(PyUnicode_Join(empty.get(), lines.get())).get());
  PyErr_Clear();
  throw std::runtime_error(text);
}

Object checked(PyObject* o) {
  if (!o) raise();
  return Object(o);
}

void check(PyStatus status) {
  if (PyStatus_Exception(status))
    throw std::runtime_error(std::string("Python does not start: ") +
                             (status.err_msg ? status.err_msg : "?"));
}

}  // namespace

Interpreter::Interpreter() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  config.install_signal_handlers = 0;
  // Of this interpreter are its packages, NumPy among them.
  const PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, CANTIK_PYTHON);
  if (!PyStatus_Exception(status)) check(Py_InitializeFromConfig(&config));
  PyConfig_Clear(&config);
  check(status);
  PyObject* path = PySys_GetObject("path");
  for (const char* folder : {CANTIK_PACKAGE, CANTIK_USER_CODE})
    if (PyList_Insert(path, 0, checked(PyUnicode_FromString(folder)).get()) != 0) raise();
  checked(PyImport_ImportModule("user_code"));
  main_ = PyEval_SaveThread();
}

void Interpreter::end() {
  if (!main_) return;
  PyEval_RestoreThread(std::exchange(main_, nullptr));
  if (Py_FinalizeEx() != 0) throw std::runtime_error("Python did not end well");
}

Interpreter::~Interpreter() {
  try {
    end();
  } catch (const std::exception&) {  // another error is on its way
  }
}

void python(const char* name, const std::string& argument) {
  const Held lock;
  const Object module = checked(PyImport_ImportModule("user_code")),
               f = checked(PyObject_GetAttrString(module.get(), name));
  checked(PyObject_CallFunction(f.get(), "s", argument.c_str()));
}

}  // namespace embed
