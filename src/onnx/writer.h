// Functions, operands first, as nodes of a file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cantik/function.h>

#include "graph/node.h"
#include "onnx/node_writer.h"

namespace cantik::onnx {

bool is_delay(const Node& n);
// What a block is given.
std::vector<Variable> arguments_of(const Node& n);

class OnnxWriter : public NodeWriter {
 public:
  using NodeWriter::NodeWriter;
  void model(const Function& f);

 private:
  using Key = std::pair<const Node*, uint32_t>;
  // Values that are computed from themselves, through delays.
  struct Loop {
    std::vector<std::shared_ptr<Node>> nodes;
    std::vector<Variable> read_outside;  // what functions that are not in it read of it
  };

  // ---- values
  // The name of what a variable computes; made with all that it needs. A recurrence is made as a whole.
  int value(const Variable& wanted);
  // The name of a value that has been made.
  int lookup(const Variable& wanted, DType dtype);
  // A constant is of the element type of what reads it.
  int leaf(const Variable& v, DType dtype);
  // Through placeholders that are bound, and into blocks unless they are written as one: what makes the
  // result of a block is called as the block is.
  Variable seen(const Variable& v);
  // What a function needs before it can be written.
  std::vector<Variable> read_by(const Node& n);
  std::vector<Variable> read_by(const Loop& loop);

  // ---- functions
  void function(const Node& n);
  void write(const Node& n);
  void write_body(const Node& n, const Function& body);
  // As the file of its operator says.
  void write_form(const Node& n, const cantik_onnx_form& form);
  // As the node that it was read from; false: it was read from none that is written.
  bool write_computed(const Node& n);
  void keep(const Node& n, const std::vector<int>& made);

  // ---- recurrences
  void find_loops(const std::vector<Variable>& outputs);
  int loop_of(const Node& n) const;  // -1: it stands in none
  // A Scan of ONNX's: states are what the delays hold, sequences from outside are its scanned inputs.
  void recurrence(const Loop& loop);
  // The functions of a loop: each behind those that it reads in the same step.
  void in_order(const Loop& loop);
  bool is_inside(const Variable& v) const;
  // In a recurrence a step of a sequence is a batch.
  Type as_seen(Type t) const;

  std::map<Key, int> values_;
  std::map<std::pair<const Node*, DType>, int> constants_;
  std::unordered_set<const Node*> done_, open_;
  std::vector<Loop> loops_;
  std::unordered_map<const Node*, int> loop_of_;
  std::map<Key, int>* inside_ = nullptr;  // values of the recurrence that is being written
  std::vector<Function> bodies_;  // that nodes were made of: they live as long as their addresses are keys
  std::unordered_map<const Node*, std::string> labels_;  // of functions that make the results of blocks
  std::string around_;                                   // the name of the function whose body is written
};

}  // namespace cantik::onnx
