// A device as runs use it: its memory, and a queue of copies and kernels.
#pragma once

#include <cstdint>
#include <utility>

#include <cantik/device.h>
#include <cantik/error.h>
#include <cantik/plugin.h>

namespace cantik {

class Prepared;

// What a device says has failed: the launch of this number, or the call itself (-1).
class DeviceError : public Error {
 public:
  DeviceError(Error e, int64_t launch) : Error(std::move(e)), launch_(launch) {}
  int64_t launch() const { return launch_; }

 private:
  int64_t launch_;
};

// Memory of a device. The host never touches it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const Device& device, size_t bytes);
  DeviceMemory(DeviceMemory&& o) noexcept { *this = std::move(o); }
  DeviceMemory& operator=(DeviceMemory&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(memory_, o.memory_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  ~DeviceMemory();

  void* get() const { return memory_; }
  size_t bytes() const { return bytes_; }

 private:
  Device device_;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

// What one run does on a device, one after the other. Used by one thread at a time. Failures are
// DeviceErrors.
class DeviceQueue {
 public:
  explicit DeviceQueue(const Device& device);
  DeviceQueue(const DeviceQueue&) = delete;
  ~DeviceQueue();

  const Device& device() const { return device_; }
  void to_device(void* to, const void* from, size_t bytes);
  void to_host(void* to, const void* from, size_t bytes);  // done when it returns
  void within(void* to, const void* from, size_t bytes);
  void launch(const Prepared& kernel, const cantik_run& call, int32_t inputs, int32_t outputs,
              int64_t number);
  void wait();

 private:
  template <class F>
  void call(F&& f);
  Device device_;
  void* queue_ = nullptr;
};

}  // namespace cantik
