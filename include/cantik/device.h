// Where plans run. Values of the user's program live in the memory of the host; a run on a device with memory
// of its own copies what it reads and what it gives back.
//
//   Device device = load_backend("naive.so")[0];
//   Value y = model.eval({{x, value}}, {.device = device});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>

namespace cantik {

class Backend;

// What kind of processor a device is: the host's, a GPU, or what another backend brings.
enum class DeviceKind : uint8_t { cpu = 0, gpu = 1, other = 2 };

// A kind of memory that a device's kernels work in.
struct MemoryKind {
  std::string name;  // "host", or the backend's
  bool of_host;      // whether the program can read and write it
  friend bool operator==(const MemoryKind&, const MemoryKind&) = default;
};

// A processor with its memory.
class CANTIK_API Device {
 public:
  // The processor of the host.
  Device() = default;
  // The same.
  static Device cpu() { return {}; }
  static Device gpu(uint32_t id);  // an error where there is no such device
  // A device of a backend, by the backend's name. A key error where no such backend is loaded, a value error
  // where it has no such device.
  static Device of(const std::string& backend, uint32_t id = 0);
  // Every device that Cantik can use here.
  static std::vector<Device> all();
  // Where runs take place that name no device; the processor of the host until use() says something else.
  static Device used();
  // From now on runs that name no device take place here.
  static void use(const Device& device);

  // What kind of processor it is.
  DeviceKind kind() const;
  // Its number among those of its kind, from 0; of another backend's, among the backend's.
  uint32_t id() const { return id_; }
  // Its name as CNTK prints it: CPU, or GPU[0]; of another backend's, naive[0].
  std::string text() const;
  // The kinds of memory that its kernels work in.
  std::vector<MemoryKind> memories() const;
  // By the library: whose it is; null: the host's.
  const Backend* backend() const { return backend_; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  Device(const Backend* backend, uint32_t id) : backend_(backend), id_(id) {}
  const Backend* backend_ = nullptr;
  uint32_t id_ = 0;
};

// Loads a library with a backend, once, and returns its devices. It stays loaded. An error says why a file is
// no such library, or what is wrong with its description; then nothing has changed.
CANTIK_API std::vector<Device> load_backend(const std::string& path);

}  // namespace cantik
