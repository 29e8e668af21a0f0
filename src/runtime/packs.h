// What depends on parameters only, packed weights first of all: made once for each version of them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <cantik/function.h>

#include "base/memory.h"
#include "execute/carrying.h"
#include "execute/device_frame.h"

namespace cantik::runtime {

// Of one program.
struct Packs {
  std::shared_ptr<const Program> program;
  std::vector<uint64_t> versions;
  // of each setup value, in the one or the other
  std::vector<MemoryBlock> memory;
  std::vector<DeviceMemory> on_device;
  std::unique_ptr<DeviceFrame> device;  // what they are made with, where the program runs on one
  Charge charge;

  void* of(int32_t value) const { return memory[value] ? memory[value].get() : on_device[value].get(); }
  size_t bytes() const { return charge.bytes(); }
  bool may_go() const { return true; }
};

// Of the programs of one bound plan.
class PackShelf {
 public:
  // As the parameters are now. One thread makes them; others that need them wait for it.
  std::shared_ptr<const Packs> of(const std::shared_ptr<const Program>& program,
                                  const std::vector<Variable>& leaves, const Sources& sources,
                                  const RunOptions& options);

 private:
  struct PackingEnds;

  ShelfOf<const Program*, Packs> kept_;
  std::mutex mutex_;
  bool packing_ = false;  // a thread makes some
  std::condition_variable packed_;
};

}  // namespace cantik::runtime
