// Where values live and plans run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>

namespace cantik {

enum class DeviceKind : uint8_t { cpu = 0, gpu = 1 };

class CANTIK_API Device {
 public:
  Device() = default;
  static Device cpu() { return {}; }
  static Device gpu(uint32_t id);  // an error where there is no such device
  static std::vector<Device> all();
  static Device best();  // what is used by default

  DeviceKind kind() const { return kind_; }
  uint32_t id() const { return id_; }
  std::string text() const { return kind_ == DeviceKind::cpu ? "CPU" : "GPU[" + std::to_string(id_) + "]"; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  DeviceKind kind_ = DeviceKind::cpu;
  uint32_t id_ = 0;
};

}  // namespace cantik
