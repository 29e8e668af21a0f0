// Undo: a graph as it was before placeholders were replaced, for where what takes their place does not fit.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/node.h"

namespace cantik {

class Undo {
 public:
  // Of the graph below the root, blocks included: what leaves know, and blocks whose inside is still open.
  explicit Undo(const std::shared_ptr<Node>& root);
  // The function's operands are about to change.
  void keep_operands(Node& n);
  void take_back();

 private:
  struct Operands {
    Node* node;
    std::vector<Edge> inputs;
    std::vector<std::pair<Edge, Edge>> arguments;  // of a block
  };
  void keep_open(const std::shared_ptr<Node>& root);

  std::vector<Operands> operands_;
  std::vector<std::pair<Variable, Type>> leaves_;
  std::vector<std::pair<Node*, Block>> open_blocks_;
};

}  // namespace cantik
