#include <string>
#include <vector>

#include <cantik/device.h>
#include <cantik/error.h>

namespace cantik {

Device Device::gpu(uint32_t id) {
  throw value_error("Specified GPU device id (" + std::to_string(id) + ") is invalid.")
      .remedy("this build has no GPU backend; use the CPU");
}

std::vector<Device> Device::all() { return {cpu()}; }
Device Device::best() { return cpu(); }

}  // namespace cantik
