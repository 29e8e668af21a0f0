// Where values live and plans run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>

namespace cantik {

// What kind of processor a device is.
enum class DeviceKind : uint8_t { cpu = 0, gpu = 1 };

// A processor with its memory.
class CANTIK_API Device {
 public:
  Device() = default;
  // The processor of the host.
  static Device cpu() { return {}; }
  static Device gpu(uint32_t id);  // an error where there is no such device
  // Every device that Cantik can use here.
  static std::vector<Device> all();
  static Device best();  // what is used by default

  // What kind of processor it is.
  DeviceKind kind() const { return kind_; }
  // Its number among those of its kind, from 0.
  uint32_t id() const { return id_; }
  // Its name as CNTK prints it: CPU, or GPU[0].
  std::string text() const { return kind_ == DeviceKind::cpu ? "CPU" : "GPU[" + std::to_string(id_) + "]"; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  DeviceKind kind_ = DeviceKind::cpu;
  uint32_t id_ = 0;
};

}  // namespace cantik
