// Instructions on a device: kernels that work in its memory, and copies between that and the host's.
#pragma once

#include <vector>

#include "execute/calls.h"
#include "execute/frame.h"

namespace cantik::runtime {

// Hands the instruction to the device, on all rows that `r` says. `number`: what failures are told by, which
// may come later.
void call_on_device(DeviceFrame& d, const Instruction& i, int64_t number, cantik_run& r, const Calls& calls);

// Refuses a NaN in a result, where the run looks for them; what lies on the device is read for it.
void check_results(const Frame& f, const Instruction& i, const cantik_run& r, const Calls& calls);

// Throws the error of a device with the node of the instruction that failed.
[[noreturn]] void fail_on_device(const DeviceError& e, const Instruction& i, const Sources& sources);

// f() works on a device; what fails there, sooner or later, is told of the instruction with the number.
template <class F>
void telling_of(const std::vector<Instruction>& instructions, const Sources& sources, F&& f) {
  try {
    f();
  } catch (const DeviceError& e) {
    if (e.launch() < 0 || static_cast<size_t>(e.launch()) >= instructions.size()) throw;
    fail_on_device(e, instructions[e.launch()], sources);
  }
}

}  // namespace cantik::runtime
