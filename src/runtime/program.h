// Program: the instructions of a graph whose static shapes are all numbers. Immutable; any number of threads run it at once,
// each on a frame of its own. Sizes depend on the number of rows only: a frame that saw the same number last time is ready.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/op/kernel.h>

#include "compile/schedule.h"

namespace cantik::runtime {

// A kernel made for its types: a function and its state.
class Prepared {
 public:
  Prepared() = default;
  Prepared(Prepared&& o) noexcept { *this = std::move(o); }
  Prepared& operator=(Prepared&& o) noexcept;
  ~Prepared();

  void* state = nullptr;
  void (*release)(void*) = nullptr;
  cantik_status (*run)(const void* state, const cantik_run*, char*, size_t) = nullptr;
  int64_t (*units)(const void* state, int64_t rows) = nullptr;
  int64_t scratch_bytes = 0;
  std::string name;
};

// The first kernel of the node's operator that does not decline, or the interpreter of an elementwise chain.
Prepared prepare(const ir::Graph& g, const ir::Node& n);

struct OperandRef {
  ir::Place place;
  bool has_rows = false;
  int64_t stride = 0;  // elements of a row
  DType dtype = DType::unknown;
  Storage storage = Storage::dense;
};

struct Instruction {
  Prepared kernel;
  int32_t first_operand = 0;  // into Program::operands: inputs, then outputs
  int32_t inputs = 0, outputs = 0;
  int64_t row_work = 0;       // roughly, element operations for a row
  int32_t source = -1;        // into Graph::sources
  bool draws = false, effect = false;
  int32_t first_live = -1;    // into Program::live_fields: where its fields' numbers stand, if any of them may change
  ir::NodeId node = -1;
};

// A field of an instruction's operator as a number: of the user's function `source` if it may change there.
struct LiveField {
  double value = 0;
  int32_t source = -1, field = -1;
};

// A scalar that is part of the graph, in the memory of the program.
struct NumberCell {
  alignas(8) unsigned char bytes[8];
};

// An operand whose memory is known only in a run.
struct Patch {
  int32_t operand;
  int32_t index;  // of the leaf, output, setup value, live attribute
};

// A stage of the schedule: instructions on all rows, then those that go block by block.
struct StageProgram {
  int32_t whole_begin = 0, blocked_begin = 0, end = 0;  // into Program::instructions
  int64_t block_rows = 0;
  struct BlockSlot { int32_t slot; int64_t row_bytes; };
  std::vector<BlockSlot> slots;    // a worker's memory for one block
  struct Moving { int32_t operand; int64_t row_bytes; };
  std::vector<Moving> moving;      // operands that a block reads or writes elsewhere
  std::vector<int32_t> rowed;      // operands that have rows
  struct Sum { int32_t operand; int64_t elements; DType dtype; };
  std::vector<Sum> sums;           // results to which each block adds its part
};

class Program {
 public:
  // `sources`: the user's functions that graph.sources stood for, for errors.
  Program(ir::Graph graph, std::span<const std::shared_ptr<Node>> sources);

  ir::Graph graph;
  ir::Schedule schedule;
  std::vector<Instruction> setup, instructions;
  std::vector<StageProgram> stages;
  std::vector<OperandRef> operands;
  std::vector<NumberCell> numbers;      // Place::index of Where::number
  std::vector<int32_t> setup_leaves;    // whose versions decide when the setup runs again
  std::vector<OperandRef> outputs;
  std::vector<Patch> feeds, stored, lives, output_patches, setup_patches, sparse_patches;  // of run's operands
  std::vector<LiveField> live_fields;
  std::vector<int32_t> changed;         // leaves that effects write to
  int64_t scratch_bytes = 0;
  bool draws = false, effects = false;

 private:
  Instruction make(ir::NodeId n, std::span<const std::shared_ptr<Node>> sources);
  void find_changed(const ir::Node& n, std::span<const std::shared_ptr<Node>> sources);
  void find_live_fields(Instruction& i, const ir::Node& n, std::span<const std::shared_ptr<Node>> sources);
  void add_stage(const ir::Stage& s, std::span<const std::shared_ptr<Node>> sources);
  void find_patches();
  OperandRef refer(ir::ValueId v);
};

}  // namespace cantik::runtime
