// What a model's dictionary says, checked as far as it can be without building anything: which functions and
// variables there are, what refers to what, and that the whole is a graph that can be built in reasonable
// time.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/dictionary.h>

#include "graph/node.h"

namespace cantik {

// A variable of the file: a leaf, or an output of a function.
struct Ref {
  int leaf = -1;
  int function = -1;
  uint32_t output = 0;
};

struct LeafRecord {
  std::string uid, name;
  Node::Kind kind = Node::Kind::input;
  Type type;
  bool needs_gradient = false;
  Tensor value;
  int block = -1;  // the function whose argument this placeholder is, ...
  Ref outside;     // ... and what it stands for
};

struct FunctionRecord {
  enum class Kind : uint8_t { primitive, block, user };
  Kind kind = Kind::primitive;
  std::string uid, name;
  uint64_t number = 0;
  const Dictionary* record = nullptr;
  const Dictionary* attributes = nullptr;
  std::vector<Ref> inputs;  // of a block: its operands
  uint32_t outputs = 0;     // how many are referred to
  // Of a block:
  std::string op_name, inner_uid, inner_name;
  int inner_root = -1;
  std::vector<int> arguments;  // leaves inside, one for each operand
  std::vector<int> inside;     // functions of its composite, without those of blocks in it
};

struct ModelRecords {
  explicit ModelRecords(const Dictionary& model);

  const Dictionary& model;
  std::string uid, name;
  int root = -1;
  std::vector<LeafRecord> leaves;
  std::vector<FunctionRecord> functions;
  std::vector<int> inside;  // functions of the composite itself

  const LeafRecord* leaf(const std::string& uid) const;

 private:
  void read_leaf(const Dictionary& d);
  void read_function(const Dictionary& d);
  void connect(FunctionRecord& f, int index);
  Ref find(const std::string& uid, const std::string& reader) const;
  void check_containment() const;
  void check_values() const;
  Ref stands_for(const Ref& r) const;
  void list_inside();
  void check_arguments() const;

  std::unordered_map<std::string, int> leaf_of_, function_of_;
};

// A model that cannot be what it says it is.
[[noreturn]] void broken_model(const std::string& what);

}  // namespace cantik
