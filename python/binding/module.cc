// The extension module: every topic in a file of its own.
#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/training.h"
#include "binding/user_code.h"

namespace cantik::python {
void set_package_folder(const std::string& folder);
}

NB_MODULE(_cantik, m) {
  using namespace cantik::python;
  m.doc() = "Cantik's C++ library.";
  import_numpy();
  watch_the_end();
  watch_signals();
  nb::set_leak_warnings(false);  // models may live in globals until the process ends
  bind_errors(m);
  bind_types(m);
  bind_axis(m);
  bind_device(m);
  bind_tensor(m);
  bind_value(m);
  bind_initializer(m);
  bind_variable(m);
  bind_function(m);
  bind_evaluate(m);
  bind_streams(m);
  bind_operators(m);
  bind_native(m);
  bind_layers(m);
  bind_losses(m);
  bind_profile(m);
  bind_decode(m);
  bind_inspect(m);
  bind_files(m);
  bind_user_function(m);
  bind_schedule(m);
  bind_progress(m);
  bind_tensorboard(m);
  bind_learner(m);
  bind_user_learner(m);
  bind_distributed(m);
  bind_trainer(m);
  bind_source(m);
  bind_binary_files(m);
  bind_speech_files(m);
  bind_user_deserializer(m);
  bind_images(m);
  bind_callbacks(m);
  bind_tables(m);
  bind_session(m);
  // copy.copy gives another name of the same, as in CNTK: a graph has each function once, a trainer its
  // learner, and numbers stay where they are.
  for (const char* name : {"DeviceDescriptor", "Evaluator", "Function", "Initializer", "Learner",
                           "NDArrayView", "ProgressWriter", "TrainingParameterSchedule", "Value", "Variable"})
    m.attr(name).attr("__copy__") =
        nb::cpp_function([](nb::object self) { return self; }, nb::name("__copy__"), nb::is_method());
  // Until the package names its own.
  for (const char* name : {"Variable", "Function", "NDArrayView", "Value"}) set_class(name, m.attr(name));
  set_class("LentValue", m.attr("Value"));
  for (const char* name : {"Parameter", "Constant"}) set_class(name, m.attr("Variable"));
  m.def(
      "set_class", [](const std::string& name, nb::handle type) { set_class(name, type); }, nb::arg("name"),
      nb::arg("type"));
  m.def("set_package_folder", &set_package_folder, nb::arg("folder"));
  explain_refusals(m);
}
