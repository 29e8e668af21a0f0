// What TensorBoard shows.
#include <cantik/tensorboard.h>

#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/options.h"
#include "binding/training.h"

namespace cantik::python {

template <>
struct OptionIn<Function> {  // None: none
  static Function of(nb::handle h, const std::string& name) {
    if (h.is_none()) return {};
    if (std::optional<Function> f = function_in(h)) return *f;
    throw not_of_kind(name, "a Function", h);
  }
};

namespace {

// Of a worker that writes nothing there is no file; what it is told is dropped.
template <class F>
void with_file(TensorBoardWriter& w, F&& f) {
  if (EventFile* file = w.file()) f(*file);
}

Tensor numbers_in(nb::handle h) {
  if (const Tensor* t = tensor_in(h)) return *t;
  if (const ValueBox* v = value_in(h)) return v->get().data;
  return tensor_of_array(is_array(h) ? nb::borrow(h) : array_of(h), DType::unknown);
}

void write_images(TensorBoardWriter& w, const std::string& name, nb::handle data, int64_t step) {
  auto put = [&](const Tensor& t) { with_file(w, [&](EventFile& f) { f.image(name, t, step); }); };
  if (!PyDict_Check(data.ptr())) return put(numbers_in(data));
  for (auto [key, value] : nb::borrow<nb::dict>(data)) {
    as_variable(key, "a key of the data");
    put(numbers_in(value));
  }
}

}  // namespace

void bind_tensorboard(nb::module_& m) {
  nb::class_<TensorBoardWriter, ProgressWriter>(m, "TensorBoardWriter", "Writes for TensorBoard.")
      .def(
          "__init__",
          [](TensorBoardWriter* self, nb::handle folder, nb::dict options) {
            new (self) TensorBoardWriter(path_in(folder, "log_dir"), options_in<TensorBoardOptions>(options));
          },
          nb::arg("log_dir").none(), nb::arg("options"))
      .def(
          "write_value",
          [](TensorBoardWriter& w, const std::string& name, double value, int64_t step) {
            with_file(w, [&](EventFile& f) { f.scalar(name, value, step); });
          },
          nb::arg("name"), nb::arg("value"), nb::arg("step"),
          "A number at a step.\n\nArgs:\n    name: of the curve; names with a / are shown in groups\n    "
          "value: the "
          "number\n    step: where it is on the curve")
      .def("write_image", &write_images, nb::arg("name"), nb::arg("data"), nb::arg("step"),
           "Pictures at a step.\n\nArgs:\n    name: of them; each has the tag name/image/number\n    data: "
           "an array "
           "[n, channels, height, width], blue first, with numbers from 0 to 255, or a dictionary from "
           "variables to "
           "such\n    step: when they were made")
      .def(
          "write_histogram",
          [](TensorBoardWriter& w, const std::string& name, nb::handle values, int64_t step) {
            with_file(w, [&](EventFile& f) { f.histogram(name, numbers_in(values), step); });
          },
          nb::arg("name"), nb::arg("values"), nb::arg("step"),
          "The distribution of an array's numbers at a step. Not in CNTK.\n\nArgs:\n    name: of the "
          "picture\n    "
          "values: the numbers, an array of any shape\n    step: when they were so")
      .def(
          "write_text",
          [](TensorBoardWriter& w, const std::string& name, const std::string& text, int64_t step) {
            with_file(w, [&](EventFile& f) { f.text(name, text, step); });
          },
          nb::arg("name"), nb::arg("text"), nb::arg("step") = 0,
          "A text, in Markdown. Not in CNTK.\n\nArgs:\n    name: of it\n    text: the text\n    step: when "
          "it was "
          "written")
      .def(
          "flush", [](TensorBoardWriter& w) { with_file(w, [](EventFile& f) { f.flush(); }); },
          "Brings onto the disk what has been written.")
      .def(
          "close", [](TensorBoardWriter& w) { with_file(w, [](EventFile& f) { f.close(); }); },
          "Ends the file. Writing behind that is a RuntimeError.")
      .def_prop_ro(
          "path",
          [](TensorBoardWriter& w) -> nb::object {
            return w.file() ? nb::object(nb::str(w.file()->path().c_str())) : nb::none();
          },
          "The file, or None in a worker that does not write.");
}

}  // namespace cantik::python
