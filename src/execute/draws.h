// Streams of random numbers. A function that draws has a stream of its own in every composite that runs it,
// as in CNTK, which compiles a network of each: a training draws the same numbers whatever is evaluated in
// between.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/node.h"
#include "plan/program.h"
#include "tensor/random.h"

namespace cantik::runtime {

// The streams of one composite.
class Draws {
 public:
  // Held while something is drawn.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // The function's stream, under the lock. It begins where the function's attributes say, and anew when they
  // are restored; with another seed from the start of that.
  RandomStream& of(Node& n) {
    std::lock_guard lock(n.state_mutex);
    int offset_field = n.op->field("rng_offset");
    uint64_t seed = static_cast<uint64_t>(n.attributes[n.op->field("seed")].integer());
    uint64_t offset = offset_field < 0 ? 0 : static_cast<uint64_t>(n.attributes[offset_field].integer());
    auto at = streams_.find(&n);
    if (at == streams_.end() || at->second.restorations != n.restorations) {
      at = streams_.insert_or_assign(&n, Entry{RandomStream(seed, offset), n.restorations}).first;
    } else if (at->second.stream.seed() != seed) {
      at->second.stream = RandomStream(seed, 0);
    }
    return at->second.stream;
  }

  // Where it stands; empty if nothing was drawn here since the attributes say.
  std::optional<RandomStream> now(const Node& n) const {
    std::lock_guard lock(mutex_);
    auto at = streams_.find(&n);
    if (at == streams_.end() || at->second.restorations != n.restorations) return {};
    return at->second.stream;
  }

 private:
  struct Entry {
    RandomStream stream;
    uint64_t restorations;  // of the node, when it began
  };
  mutable std::mutex mutex_;
  std::unordered_map<const Node*, Entry> streams_;
};

// Where the streams of a program's draws stood, for runs that may have to begin anew.
class DrawsKept {
 public:
  DrawsKept(const Program& p, const ir::Sources& sources, Draws& draws, bool always = false) : draws_(draws) {
    bool makes = always || std::any_of(p.spaces.begin(), p.spaces.end(),
                                       [](const Space& s) { return s.made_from >= 0; });
    if (!p.draws || !makes) return;
    auto lock = draws_.lock();
    for (const Instruction& i : p.instructions) {
      if (!i.draws) continue;
      Node& n = *sources[i.source];
      kept_.emplace_back(&n, draws_.of(n));
    }
  }
  void restore() const {
    auto lock = draws_.lock();
    for (const auto& [n, stream] : kept_) draws_.of(*n) = stream;
  }

 private:
  Draws& draws_;
  std::vector<std::pair<Node*, RandomStream>> kept_;
};

}  // namespace cantik::runtime
