// Streams of random numbers belong to the user's nodes: every Function that shares a node goes on where the last run stopped.
#pragma once

#include "graph/node.h"
#include "tensor/random.h"

namespace cantik::runtime {

// The node's stream, begun anew when its seed attribute has changed. Held under the node's mutex.
inline Stream& stream_of(Node& n) {
  int seed_field = n.op->field("seed"), offset_field = n.op->field("rng_offset");
  uint64_t seed = static_cast<uint64_t>(n.attributes[static_cast<size_t>(seed_field)].integer());
  if (!n.state || static_cast<Stream*>(n.state.get())->seed() != seed) {
    uint64_t offset = offset_field < 0 || n.state ? 0 : static_cast<uint64_t>(n.attributes[static_cast<size_t>(offset_field)].integer());
    n.state = std::make_shared<Stream>(seed, offset);
  }
  return *static_cast<Stream*>(n.state.get());
}

}  // namespace cantik::runtime
