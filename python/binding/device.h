// Devices among the arguments of values.
#pragma once

#include <optional>

#include <cantik/device.h>
#include <cantik/error.h>

namespace cantik::python {

// Values live in the host's memory; a run on another device copies what it needs.
inline void check_place(const std::optional<Device>& device) {
  if (device && device->backend())
    throw unsupported("values cannot be placed on " + device->text() + ", see docs/status.md")
        .remedy("leave the device out, and name it where the model runs");
}

}  // namespace cantik::python
