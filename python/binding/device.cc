// Devices as objects, and which one is used by default.
#include <mutex>

#include "binding/common.h"

#include <cantik/device.h>

namespace cantik::python {
namespace {

struct Defaults {
  std::mutex mutex;
  std::vector<Device> excluded;
  bool settable = true;
};
Defaults& defaults() {
  static Defaults* d = new Defaults;
  return *d;
}

}  // namespace

void bind_device(nb::module_& m) {
  nb::class_<Device>(m, "DeviceDescriptor", nb::dynamic_attr(), "Where values live and plans run.")
      .def("id", &Device::id, "Its number among the devices of its kind.")
      .def(
          "type", [](const Device& d) { return static_cast<int>(d.kind()); },
          "0 for the processor, 1 for a GPU, 2 for a device of another backend; compares with DeviceKind.")
      .def(
          "is_locked", [](const Device&) { return false; },
          "Whether a process holds it for itself; the processor never is.")
      .def("as_string", &Device::text)
      .def(
          "__call__", [](nb::handle self) { return nb::borrow(self); },
          "Itself: what a user function gets without copies has device() in CNTK, where other values have "
          "device.")
      .def("__repr__", &Device::text)
      .def(
          "__eq__",
          [](const Device& a, nb::handle b) { return nb::isinstance<Device>(b) && a == nb::cast<Device>(b); },
          nb::arg().none())
      .def(
          "__ne__",
          [](const Device& a, nb::handle b) {
            return !(nb::isinstance<Device>(b) && a == nb::cast<Device>(b));
          },
          nb::arg().none())
      .def("__hash__", [](const Device& d) { return reinterpret_cast<size_t>(d.backend()) + d.id(); })
      .def_static("cpu_device", &Device::cpu)
      .def_static("gpu_device", &Device::gpu, nb::arg("device_id"))
      .def_static("backend_device", &Device::of, nb::arg("backend"), nb::arg("device_id") = 0)
      .def_static(
          "load_backend", [](const std::string& path) { return load_backend(path); }, nb::arg("path"))
      .def_static("all_devices", [] { return nb::tuple(nb::cast(Device::all())); })
      .def_static("use_default_device", &Device::used)
      .def_static(
          "try_set_default_device",
          [](const Device& d, bool acquire_device_lock) {
            // The processor cannot be taken by one process alone.
            if (acquire_device_lock && d.kind() == DeviceKind::cpu) return false;
            std::lock_guard lock(defaults().mutex);
            for (const Device& x : defaults().excluded)
              if (x == d) return false;
            Device::use(d);
            return true;
          },
          nb::arg("new_default_device"), nb::arg("acquire_device_lock") = false)
      .def_static(
          "set_excluded_devices",
          [](const std::vector<Device>& list) {
            std::lock_guard lock(defaults().mutex);
            defaults().excluded = list;
          },
          nb::arg("excluded_devices"))
      .def_static(
          "get_gpu_properties",
          [](const Device& d) {
            if (d.kind() == DeviceKind::cpu)
              throw value_error("GPU properties cannot be obtained for a CPU device.");
            throw unsupported("GPU properties cannot be obtained of " + d.text() + ", see docs/status.md");
          },
          nb::arg("device"));
}

}  // namespace cantik::python
