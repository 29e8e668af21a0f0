// Streams of random numbers belong to the user's nodes: every Function that shares a node goes on where the last run stopped.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/node.h"
#include "runtime/program.h"
#include "tensor/random.h"

namespace cantik::runtime {

// The node's stream, begun anew when its seed attribute has changed. Held under the node's mutex.
inline RandomStream& stream_of(Node& n) {
  int seed_field = n.op->field("seed"), offset_field = n.op->field("rng_offset");
  uint64_t seed = static_cast<uint64_t>(n.attributes[static_cast<size_t>(seed_field)].integer());
  if (!n.state || static_cast<RandomStream*>(n.state.get())->seed() != seed) {
    uint64_t offset = offset_field < 0 || n.state ? 0 : static_cast<uint64_t>(n.attributes[static_cast<size_t>(offset_field)].integer());
    n.state = std::make_shared<RandomStream>(seed, offset);
  }
  return *static_cast<RandomStream*>(n.state.get());
}

// Where the streams of a program's draws stood, for runs that may have to begin anew.
class DrawsKept {
 public:
  DrawsKept(const Program& p, const std::vector<std::shared_ptr<Node>>& sources, bool always = false) {
    bool makes = always || std::any_of(p.spaces.begin(), p.spaces.end(), [](const Space& s) { return s.made_from >= 0; });
    if (!p.draws || !makes) return;
    for (const Instruction& i : p.instructions) {
      if (!i.draws) continue;
      Node& n = *sources[static_cast<size_t>(i.source)];
      std::lock_guard lock(n.state_mutex);
      kept_.emplace_back(&n, stream_of(n));
    }
  }
  void restore() const {
    for (const auto& [n, stream] : kept_) {
      std::lock_guard lock(n->state_mutex);
      stream_of(*n) = stream;
    }
  }

 private:
  std::vector<std::pair<Node*, RandomStream>> kept_;
};

}  // namespace cantik::runtime
