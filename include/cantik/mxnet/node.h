// The graph as NNVM's rules see it: nodes with their attributes, and entries, which are outputs of nodes.
#pragma once

#include <any>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/op/infer.h>

namespace nnvm {

class Op;
using any = std::any;

template <class T>
const T& get(const any& value) {
  if (const T* found = std::any_cast<T>(&value)) return *found;
  throw cantik::Failure(CANTIK_TYPE, "the parsed attributes are not of the type that is asked for",
                        "does the operator set the parser that makes it?");
}

struct NodeAttrs {
  const Op* op = nullptr;
  std::string name;
  std::unordered_map<std::string, std::string> dict;  // as given: texts by keyword
  any parsed;                                         // what the operator's parser made of them
};

struct Node;
using NodePtr = std::shared_ptr<Node>;
using ObjectPtr = NodePtr;

struct NodeEntry {
  NodePtr node;
  uint32_t index = 0;
  uint32_t version = 0;

  NodeEntry() = default;
  NodeEntry(NodePtr of, uint32_t place = 0, uint32_t change = 0)
      : node(std::move(of)), index(place), version(change) {}
};

struct Node {
  NodeAttrs attrs;
  std::vector<NodeEntry> inputs;
  std::vector<NodePtr> control_deps;
  int32_t value = -1;  // of a variable: which value of the graph that a gradient is part of

  static NodePtr Create() { return std::make_shared<Node>(); }
  const Op* op() const { return attrs.op; }
  bool is_variable() const { return attrs.op == nullptr; }
};

}  // namespace nnvm
