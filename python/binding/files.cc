// Functions from and to files and bytes; custom attributes.
#include <nanobind/stl/map.h>

#include <cantik/legacy_model.h>
#include <cantik/onnx.h>
#include <cantik/safetensors.h>

#include "binding/arguments.h"
#include "binding/device.h"
#include "binding/dictionary.h"
#include "binding/numpy.h"

namespace cantik::python {
namespace {

// The call of CNTK's programs gives CNTK's axes.
constexpr OnnxReading kAsCntk{.static_axes = true};

Function load(nb::handle model, bool onnx) {
  const Interruptible loading;
  if (onnx && PyBytes_Check(model.ptr()))
    return from_onnx({PyBytes_AsString(model.ptr()), static_cast<size_t>(PyBytes_Size(model.ptr()))},
                     kAsCntk);
  if (PyBytes_Check(model.ptr()))
    return Function::from_bytes(
        {PyBytes_AsString(model.ptr()), static_cast<size_t>(PyBytes_Size(model.ptr()))});
  if (!PyUnicode_Check(model.ptr())) throw not_of_kind("a model", "the path of a file, or bytes", model);
  std::string path = path_in(model, "model");
  Unlocked unlock;
  return onnx ? load_onnx(path, kAsCntk) : Function::load(path);
}

}  // namespace

void bind_files(nb::module_& m) {
  auto function = nb::borrow<nb::class_<FunctionBox>>(m.attr("Function"));
  function
      .def("_save",
           [](const FunctionBox& f, nb::handle to) {
             const std::string path = path_in(to, "filename");
             // may make the node of a user function, which is Python's
             const Function whole = f.function().as_composite();
             Unlocked unlock;
             whole.save(path);
           })
      .def("_save_legacy",
           [](const FunctionBox& f, nb::handle to) {
             const std::string path = path_in(to, "filename");
             const Function whole = f.function().as_composite();
             Unlocked unlock;
             save_legacy_model(whole, path);
           })
      .def("_save_onnx",
           [](const FunctionBox& f, nb::handle to, bool external) {
             const std::string path = path_in(to, "filename");
             const Function whole = f.function().as_composite();
             Unlocked unlock;
             save_onnx(whole, path, {.external_data = external});
           })
      .def(
          "_to_onnx",
          [](const FunctionBox& f, int version) {
            const Interruptible writing;
            const std::string bytes = to_onnx(f.function().as_composite(), {.version = version});
            return nb::bytes(bytes.data(), bytes.size());
          },
          nb::arg("version") = 0)
      .def("_to_bytes",
           [](const FunctionBox& f) {
             const Interruptible writing;
             std::string bytes = f.function().as_composite().to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("_restore",
           [](const FunctionBox& f, nb::handle from) {
             const Interruptible reading;
             f.function().restore(path_in(from, "filename"));
           })
      .def("_custom_attributes",
           [](const FunctionBox& f) { return to_python(f.function().custom_attributes()); })
      .def("_set_custom_attributes", [](const FunctionBox& f, nb::handle d) {
        f.function().set_custom_attributes(dictionary_from(d));
      });
  m.def(
      "save_value",
      [](nb::handle value, nb::handle path) {
        const Interruptible writing;
        value_from(value).save(path_in(path, "path"));
      },
      nb::arg("value").none(), nb::arg("path").none(), "Writes a value of a dictionary to a file.");
  m.def(
      "load_dictionary",
      [](nb::handle path) {
        const Interruptible reading;
        return to_python(Dictionary::load(path_in(path, "path")));
      },
      nb::arg("path").none(), "A dictionary from a file: of a model or a checkpoint.");
  m.def(
      "load_value",
      [](nb::handle path) {
        const Interruptible reading;
        return to_python(DictionaryValue::load(path_in(path, "path")));
      },
      nb::arg("path").none(), "A value of a dictionary from a file.");
  m.def(
      "save_safetensors",
      [](nb::handle path, nb::handle tensors, const std::map<std::string, std::string>& metadata) {
        NamedTensors list;
        for (nb::handle pair : nb::borrow(tensors)) {
          nb::tuple item = nb::cast<nb::tuple>(nb::borrow(pair));
          list.emplace_back(nb::cast<std::string>(item[0]),
                            tensor_of_array(nb::object(item[1]), DType::unknown));
        }
        const std::string to = path_in(path, "filename");
        Unlocked unlock;
        save_safetensors(to, list, metadata);
      },
      nb::arg("filename"), nb::arg("tensors"), nb::arg("metadata"));
  m.def(
      "load_safetensors",
      [](nb::handle path) {
        const std::string from = path_in(path, "filename");
        Safetensors content;
        {
          Unlocked unlock;
          content = load_safetensors(from);
        }
        nb::list list;
        for (const auto& [name, tensor] : content.tensors) list.append(nb::make_tuple(name, wrap(tensor)));
        nb::list others;
        for (const OtherTensor& t : content.others)
          others.append(nb::make_tuple(t.name, t.dtype, wrap(t.shape), wrap(t.bytes)));
        return nb::make_tuple(list, others);
      },
      nb::arg("filename"));
  m.def(
      "load_function",
      [](nb::handle model, const std::optional<Device>& device, bool onnx) {
        check_place(device);
        return wrap(load(model, onnx));
      },
      nb::arg("model"), nb::arg("device") = nb::none(), nb::arg("onnx") = false);
}

}  // namespace cantik::python
