// Where in the user's program something is built: the innermost frame outside the package.
#include <cstring>
#include <string>
#include <unordered_map>

#include "binding/common.h"

namespace cantik::python {
namespace {

// Files by the identity of their name object; names live as long as the process, as Origin wants.
struct File {
  const char* name;
  bool ours;
};

std::string& package_folder() {
  static std::string* folder = new std::string;
  return *folder;
}

const File& file_of(PyObject* name) {
  static auto* known = new std::unordered_map<PyObject*, File>;
  auto it = known->find(name);
  if (it != known->end()) return it->second;
  Py_INCREF(name);
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text) PyErr_Clear(), text = "?";
  const std::string& folder = package_folder();
  bool ours = (!folder.empty() && std::strncmp(text, folder.c_str(), folder.size()) == 0) ||
              std::strncmp(text, "<frozen", 7) == 0 || std::strstr(text, "/importlib/");
  return known->emplace(name, File{strdup(text), ours}).first->second;
}

#ifdef Py_LIMITED_API

// The stable interface has no names of files and no outer frames: they are attributes.
Origin here() {
  PyFrameObject* innermost = PyEval_GetFrame();
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(innermost));
  while (frame.is_valid() && !frame.is_none()) {
    const nb::object name = frame.attr("f_code").attr("co_filename");
    const File& file = file_of(name.ptr());
    if (!file.ours) return {file.name, PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject*>(frame.ptr()))};
    frame = frame.attr("f_back");
  }
  return {};
}

#else

Origin here() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  Origin origin;
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const File& file = file_of(code->co_filename);
    Py_DECREF(code);
    if (!file.ours) {
      origin = {file.name, PyFrame_GetLineNumber(frame)};
      Py_DECREF(frame);
      break;
    }
    PyFrameObject* outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  return origin;
}

#endif

}  // namespace

void set_package_folder(const std::string& folder) { package_folder() = folder; }
CallSite::CallSite() : scope_(here()) {}

}  // namespace cantik::python
