#include "execute/device_frame.h"

namespace cantik::runtime {

DeviceFrame::DeviceFrame(const Program& p)
    : scratch_(p.graph.device, static_cast<size_t>(p.device_scratch_bytes)),
      offsets_(p.spaces.size()),
      maps_(p.maps.size()),
      orders_(p.spaces.size()),
      sparse_(p.schedule.sparse.size()),
      queue(p.graph.device) {}

char* DeviceFrame::grown(DeviceMemory& m, size_t bytes) {
  if (m.bytes() < bytes) {
    queue.wait();  // for who works in what goes
    m = DeviceMemory();
    m = DeviceMemory(queue.device(), bytes);
  }
  return static_cast<char*>(m.get());
}

size_t DeviceFrame::bytes() const {
  size_t bytes = values_.bytes() + step_.bytes() + scratch_.bytes();
  for (const auto* list : {&offsets_, &maps_, &orders_, &sparse_})
    for (const DeviceMemory& m : *list) bytes += m.bytes();
  return bytes;
}

}  // namespace cantik::runtime
