// Cycle: the nodes of a recurrence, which read one another and so live and die together.
//
// A handle (Variable, Function) owns its node. A node owns what it reads, so everything below a handle lives.
// Where nodes read one another that would keep them for ever: such nodes belong to a Cycle, and the edges
// between them own nothing. Each handle on one of them, made before the cycle was closed or after, and each
// edge from a node outside, owns the cycle as a whole.
#pragma once

#include <memory>
#include <vector>

#include "graph/node.h"

namespace cantik {

class Cycle {
 public:
  Cycle() = default;
  Cycle(const Cycle&) = delete;
  ~Cycle();

 private:
  friend class CycleMaker;
  std::vector<Node*> nodes_;
  std::shared_ptr<Cycle> joined_;  // it has become part of a larger one, which has its nodes
};

// Finds what reads itself below a root, through blocks too, and lets cycles own it. To be called after edges
// have been changed.
void own_cycles(const std::shared_ptr<Node>& root);

}  // namespace cantik
