// The naive backend: a device with memory of its own, and plain loops that work in it. It shows what a
// backend has to bring, and is what tests compare the processor's kernels with.
#include <cantik/op/backend.h>

#include "kernels.h"
#include "memory.h"
#include "queue.h"

using namespace cantik;

CANTIK_BACKEND {
  static const BackendKernels* kernels = [] {
    auto* all = new BackendKernels;
    naive::maps(*all);
    naive::moving(*all);
    naive::lines(*all);
    naive::products(*all);
    naive::convolution(*all);
    naive::pooling(*all);
    naive::losses(*all);
    naive::sequences(*all);
    return all;
  }();
  cantik_backend b{};
  b.size = sizeof b;
  b.name = "naive";
  b.kind = CANTIK_DEVICE_OTHER;
  b.devices = 1;
  naive::give_memory(b);
  naive::give_queues(b);
  kernels->hand_over(b);
  return host->define(host->self, &b);
}
