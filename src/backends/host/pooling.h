// Kernels of pooling over channels-last images; see ops/nn/pool.cc for the operators.
#pragma once

#include <memory>

#include <cantik/op/kernel.h>
#include <cantik/op/window.h>

namespace cantik::host {

enum class Pooling : uint8_t {
  max,           // x -> y, and where the largest stood if there is a second result
  average,       // x -> y
  max_back,      // dy, places -> dx
  average_back,  // dy -> dx
  unpool,        // x, places -> y
  pick           // dy, places -> dx: of unpooling
};

// include_padding: what lies outside the image counts as zeros.
std::unique_ptr<Kernel> make_pooling(const Prepare& p, const Window& w, Pooling kind, bool include_padding);

// [rows, columns, together] -> [columns, rows, together]
std::unique_ptr<Kernel> make_turn(const Prepare& p, int64_t rows, int64_t columns, int64_t together);

}  // namespace cantik::host
