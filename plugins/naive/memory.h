// Memory of the device. The addresses that the host gets name places and lead nowhere: whoever reads or
// writes there is stopped by the processor. The backend's own code finds the numbers elsewhere, always at the
// same distance.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cantik/backend.h>

namespace naive {

void give_memory(cantik_backend& b);

// Where the backend finds what the host knows by this address; other addresses stay as they are.
template <class T>
T* found(T* address);
bool is_of_device(const void* address);
std::ptrdiff_t distance();

template <class T>
T* found(T* address) {
  if (!is_of_device(address)) return address;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) +
                              static_cast<std::uintptr_t>(distance()));
}

}  // namespace naive
