// Program: the instructions of a graph whose static shapes are all numbers. Immutable; any number of threads
// run it at once, each on a frame of its own. Sizes depend on the number of rows only: a frame that saw the
// same number last time is ready.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/prepare.h"
#include "compile/schedule.h"
#include "plan/cache.h"
#include "tensor/steps.h"

namespace cantik::runtime {

struct OperandRef {
  ir::Place place;
  int32_t space = 0;   // whose rows, of Program::spaces; 0: it has none
  int64_t stride = 0;  // elements of a row
  int64_t pitch = 0;   // ... and from row to row: more, where it is columns of wider rows
  DType dtype = DType::unknown;
  Storage storage = Storage::dense;
  bool on_device = false;      // it lies in the memory of the device
  bool device_layout = false;  // and so do its offsets and row map, for a kernel that works there
  bool has_rows() const { return space > 0; }
  int64_t bytes_to_next() const { return pitch * static_cast<int64_t>(size_of(dtype)); }
  // The first row, in memory that begins here.
  void* in(void* memory) const {
    return static_cast<char*>(memory) + place.offset * static_cast<int64_t>(size_of(dtype));
  }
};

// The rows of one set of dynamic axes. How many there are, and how long the sequences, is known in a run: by
// the feeds, by the sequences of another space (a batch), or because an instruction makes them.
struct Space {
  Axes axes;
  std::vector<int32_t> feeds;     // input leaves that lie on it
  std::vector<int32_t> operands;  // of Program::operands, that lie on it
  int32_t batch = -1;             // of a sequence axis: the space of the batch, if anything lies there
  bool meets_batch = false;       // an instruction reads or writes both
  int32_t made_from = -1;         // an instruction states the lengths: the space of its first operand, ...
  int64_t most_rows_per_row = 0, most_rows_per_sequence = 0;  // ... and how many rows there may be at most
};

// A row map that follows from the layout of a space.
struct MapRef {
  RowMap kind;
  int32_t space;
  friend bool operator==(const MapRef&, const MapRef&) = default;
};

// How long a unit of an instruction takes, as runs have found; written by any of them.
class UnitTime {
 public:
  UnitTime() = default;
  UnitTime(const UnitTime& o) : nanoseconds_(o.known()) {}
  UnitTime& operator=(const UnitTime& o) { return learn(o.known()), *this; }
  float known() const { return nanoseconds_.load(std::memory_order_relaxed); }  // 0: not yet
  void learn(float nanoseconds) { nanoseconds_.store(nanoseconds, std::memory_order_relaxed); }

 private:
  std::atomic<float> nanoseconds_{0};
};

struct Instruction {
  Prepared kernel;
  mutable UnitTime unit_time;
  int32_t first_operand = 0;  // into Program::operands: inputs, then outputs
  int32_t inputs = 0, outputs = 0;
  int64_t row_work = 0;    // roughly, element operations for a row
  bool sums_rows = false;  // a row of its operands: its result has none
  ir::SourceId source;
  bool draws = false, effect = false;
  bool by_sequence = false;  // its units are sequences
  int32_t makes = -1;        // the space whose lengths it states
  int32_t delay = 0;         // of a delay: how many steps it looks back, or ahead
  bool stepped = false;      // a delay in a loop, where the runtime does it
  int32_t carries = -1;      // of Program::carriers: a later run may go on where it stops
  bool border = false;       // the gradient of a delay by its initial state
  bool on_device = false;    // its results lie in the memory of the device, where its kernel works
  bool copies = false;       // between the device's memory and the host's
  bool by_device = false;    // one of the two: the device's queue gets it
  // It leaves something in the run or reads what was left: in one piece, with the run's keeper.
  bool needs_keeper = false;
  bool keeps = false;  // for later calls of the user's function, whose own operator it is
  bool saves = false, reads_saved = false;
  bool in_steps = false;  // in a loop it takes all rows of a step at once
  const cantik_lock* lock = nullptr;
  // into Program::live_fields: where its fields' numbers stand, if any of them may change
  int32_t first_live = -1;
  ir::NodeId node;
};

// A field of an instruction's operator as a number: of the user's function `source` if it may change there.
struct LiveField {
  double value = 0;
  ir::SourceId source;
  int32_t field = -1;
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
// An operand that is read through a row map.
struct MappedOperand {
  int32_t operand;
  int32_t map;  // of Program::maps
};

struct StageProgram {
  int32_t whole_begin = 0, blocked_begin = 0, end = 0;  // into Program::instructions
  // whose rows the blocks, or the steps of the loop, are
  int32_t space = 0;
  int64_t block_rows = 0;
  // an instruction of the loop takes all rows of a step at once: one thread takes all sequences
  bool in_steps = false;
  // of a loop the instructions from blocked_begin on are its body
  ir::LoopId loop;
  struct BlockSlot {
    int32_t slot;
    int64_t row_bytes;
    bool on_device;
  };
  std::vector<BlockSlot> slots;  // a worker's memory for one block
  struct Moving {
    int32_t operand;
    int64_t row_bytes;
  };
  std::vector<Moving> moving;  // operands that a block reads or writes elsewhere
  std::vector<int32_t> rowed;  // operands that have rows
  // of a loop: operands of the batch, which a step reads by the order of the sequences
  std::vector<int32_t> spread;
  // of a loop: what its steps read and none of them writes, one operand for each place
  std::vector<Moving> given;
  struct Sum {
    int32_t operand;
    int64_t elements;
    DType dtype;
  };
  std::vector<Sum> sums;  // results to which each block adds its part
};

size_t bytes_held(const ir::Graph& g);

class Program {
 public:
  // `sources`: the user's functions that graph.sources stood for, for errors.
  Program(ir::Graph graph, const ir::Sources& sources);

  ir::Graph graph;
  ir::Schedule schedule;
  std::vector<Instruction> setup, instructions;
  std::vector<StageProgram> stages;
  std::vector<Space> spaces;
  std::vector<MapRef> maps;
  std::vector<MappedOperand> mapped;
  std::vector<OperandRef> operands;
  std::vector<NumberCell> numbers;    // Place::index of Where::number
  std::vector<int32_t> setup_leaves;  // whose versions decide when the setup runs again
  std::vector<OperandRef> outputs;
  // of run's operands
  std::vector<Patch> feeds, stored, lives, output_patches, setup_patches, sparse_patches;
  std::vector<LiveField> live_fields;
  std::vector<int32_t> changed;   // leaves that effects write to
  std::vector<int32_t> carriers;  // instructions: delays whose last rows are kept
  std::vector<int32_t> keeping;   // instructions that need the run's keeper
  std::vector<int32_t> whole;     // instructions of the user's that look at whole sequences
  int64_t scratch_bytes = 0, device_scratch_bytes = 0;
  bool draws = false, effects = false, locks = false;

  size_t bytes() const { return charge_.bytes(); }
  bool may_go() const { return true; }

 private:
  void read_through(MapRef map, int32_t operand);
  Instruction make(ir::NodeId n, const ir::Sources& sources);
  void find_changed(const ir::Node& n, const ir::Sources& sources);
  void find_live_fields(Instruction& i, const ir::Node& n, const ir::Sources& sources);
  void add_instruction(ir::NodeId n, const ir::Sources& sources);
  void add_stage(const ir::Stage& s, const ir::Sources& sources);
  void add_blocked(StageProgram& s);
  void add_given(StageProgram& s) const;
  void check_setup() const;
  void find_spaces();
  void find_patches();
  OperandRef refer(ir::ValueId v);
  size_t count_bytes() const;

  Charge charge_;
};

}  // namespace cantik::runtime
