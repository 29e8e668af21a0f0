#include "backends/device_queue.h"

#include <string>

#include "backends/backend.h"
#include "backends/prepared.h"
#include "base/text.h"
#include "graph/types.h"

namespace cantik {
namespace {

// f(failure) calls one of a backend's functions.
template <class F>
void checked(const Device& device, F&& f) {
  char text[512] = "";
  cantik_device_failure failed{sizeof(cantik_device_failure), text, sizeof text, -1};
  const cantik_status status = f(&failed);
  if (!status) return;
  throw DeviceError(failure(status, *text ? text : "it says no reason", "").line("device", device.text()),
                    failed.launch);
}

const cantik_backend& table(const Device& device) { return device.backend()->c(); }

}  // namespace

DeviceMemory::DeviceMemory(const Device& device, size_t bytes) : device_(device), bytes_(bytes) {
  if (!bytes) return;
  const cantik_backend& b = table(device);
  checked(device, [&](cantik_device_failure* f) {
    return b.allocate(b.user, static_cast<int32_t>(device.id()), bytes, &memory_, f);
  });
}

DeviceMemory::~DeviceMemory() {
  if (!memory_) return;
  const cantik_backend& b = table(device_);
  b.release(b.user, static_cast<int32_t>(device_.id()), memory_);
}

DeviceQueue::DeviceQueue(const Device& device) : device_(device) {
  const cantik_backend& b = table(device);
  checked(device, [&](cantik_device_failure* f) {
    return b.open(b.user, static_cast<int32_t>(device.id()), &queue_, f);
  });
}

DeviceQueue::~DeviceQueue() { table(device_).close(table(device_).user, queue_); }

template <class F>
void DeviceQueue::call(F&& f) {
  const cantik_backend& b = table(device_);
  checked(device_, [&](cantik_device_failure* failed) { return f(b, failed); });
}

void DeviceQueue::to_device(void* to, const void* from, size_t bytes) {
  if (!bytes) return;
  call([&](const cantik_backend& b, cantik_device_failure* f) {
    return b.to_device(b.user, queue_, to, from, bytes, f);
  });
}

void DeviceQueue::to_host(void* to, const void* from, size_t bytes) {
  if (!bytes) return;
  call([&](const cantik_backend& b, cantik_device_failure* f) {
    return b.to_host(b.user, queue_, to, from, bytes, f);
  });
}

void DeviceQueue::within(void* to, const void* from, size_t bytes) {
  if (!bytes) return;
  call([&](const cantik_backend& b, cantik_device_failure* f) {
    return b.within(b.user, queue_, to, from, bytes, f);
  });
}

void DeviceQueue::launch(const Prepared& kernel, const cantik_run& run, int32_t inputs, int32_t outputs,
                         int64_t number) {
  const cantik_launch l{sizeof(cantik_launch), number, kernel.run, kernel.state, &run, inputs, outputs};
  call([&](const cantik_backend& b, cantik_device_failure* f) { return b.launch(b.user, queue_, &l, f); });
}

void DeviceQueue::wait() {
  call([&](const cantik_backend& b, cantik_device_failure* f) { return b.wait(b.user, queue_, f); });
}

}  // namespace cantik
