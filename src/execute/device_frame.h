// What a frame has on the device where its program runs: memory for values, scratch of kernels, and copies of
// layouts and row maps, which are made on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/device_queue.h"
#include "plan/program.h"

namespace cantik::runtime {

class DeviceFrame {
 public:
  explicit DeviceFrame(const Program& p);

  // Memory of at least so many bytes for the values of a run, and for one step of a loop.
  char* values(size_t bytes) { return grown(values_, bytes); }
  char* step(size_t bytes) { return grown(step_, bytes); }
  void* scratch() const { return scratch_.get(); }
  // Copies of a space's offsets, of one of the program's row maps, of the order of a loop's sequences.
  const int64_t* put_offsets(size_t space, std::span<const int64_t> offsets) {
    return put(offsets_[space], offsets);
  }
  const int32_t* put_map(size_t map, std::span<const int32_t> rows) { return put(maps_[map], rows); }
  const int32_t* put_order(size_t space, std::span<const int32_t> order) {
    return put(orders_[space], order);
  }
  const int32_t* order(size_t space) const { return static_cast<const int32_t*>(orders_[space].get()); }
  // Memory of one of the program's sparse values.
  char* sparse(size_t i, size_t bytes) { return grown(sparse_[i], bytes); }

  size_t bytes() const;

 private:
  char* grown(DeviceMemory& m, size_t bytes);
  template <class T>
  const T* put(DeviceMemory& m, std::span<const T> from) {
    char* to = grown(m, from.size_bytes());
    queue.to_device(to, from.data(), from.size_bytes());
    return reinterpret_cast<const T*>(to);
  }

  DeviceMemory values_, step_, scratch_;
  std::vector<DeviceMemory> offsets_, maps_, orders_, sparse_;

 public:
  DeviceQueue queue;  // closed before the memory goes
};

}  // namespace cantik::runtime
