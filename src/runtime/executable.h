// Executable: a plan bound to the parameters and functions of one user's graph, with the frames its runs use.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <cantik/function.h>
#include <cantik/value.h>

#include "base/memory.h"
#include "compile/pipeline.h"
#include "base/thread_pool.h"
#include "runtime/carried.h"
#include "runtime/program.h"

namespace cantik {
class ObjectStates;
}

namespace cantik::runtime {

// The structure of what is to be run, after the passes. Serves every batch size, and every user's graph of
// the same structure.
class CANTIK_API Plan {
 public:
  explicit Plan(ir::Graph graph);
  // Of a graph whose passes wait until its free dimensions are known.
  struct OpenTag {};
  Plan(const ir::Graph& open, OpenTag);
  static bool is_open(const ir::Graph& g);
  const ir::Graph& graph() const { return graph_; }
  // The program for these static shapes of the inputs (only those with free dimensions matter), and what else
  // is needed; `make` gives the graph for them. None where that one needs more.
  std::shared_ptr<const Program> program(const std::vector<Shape>& free_shapes,
                                         std::span<const std::shared_ptr<Node>> sources,
                                         const std::function<ir::Graph()>& make = {}) const;
  bool is_open() const { return open_; }
  const ir::Needs& needs() const { return needs_; }
  // Inputs with free dimensions, as leaf indices.
  const std::vector<int32_t>& free_inputs() const { return free_; }
  bool reads(size_t leaf) const { return reads_[leaf]; }
  bool lends() const { return lends_; }  // objects of the user's program get to see its memory
  bool calls_objects() const { return calls_objects_; }

 private:
  ir::Graph graph_;
  std::vector<int32_t> free_;
  ir::Needs needs_;
  bool open_ = false, lends_ = false, calls_objects_ = false;
  std::vector<bool> reads_;  // of each leaf: whether anything needs it
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::vector<Shape>, std::shared_ptr<const Program>>> programs_;
};

// What a run gives back: one block of memory, and a value for each output when it is asked for.
class CANTIK_API Outputs {
 public:
  Value value(size_t i) const;
  size_t size() const { return program_ ? program_->outputs.size() : 0; }
  // Of a dense output.
  const void* data(size_t i) const { return static_cast<const char*>(block_.get()) + offsets_[i]; }
  void* data(size_t i) { return static_cast<char*>(block_.get()) + offsets_[i]; }
  bool is_dense(size_t i) const { return program_->outputs[i].storage == Storage::dense; }
  // Of a gradient with few rows: which rows of the parameter, in rising order, and their numbers, [count,
  // ...].
  struct FewRows {
    int64_t count = 0;
    const int32_t* rows = nullptr;
    const void* values = nullptr;
  };
  FewRows few_rows(size_t i) const;
  bool is_sparse(size_t i) const { return program_->outputs[i].storage != Storage::dense; }
  // samples of Request::counted, where the types say them; else -1
  int64_t counted() const { return program_->graph.counted; }

 private:
  friend class Executable;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<void> block_;
  std::vector<size_t> offsets_;
  std::vector<std::shared_ptr<void>> sparse_;           // of each output that is sparse
  std::vector<cantik_operand> operands_;                // the same as they were written
  std::vector<std::shared_ptr<const Layout>> layouts_;  // of each space
  std::vector<int64_t> most_;                           // rows of each space that there is memory for
  size_t bytes_ = 0;
};

// The sizes of a run's data, where types depend on them: by what an open plan knows its programs, ...
struct Sizes {
  std::vector<Shape> key;
  std::vector<std::pair<Variable, Shape>> shapes;  // of inputs with free dimensions
  ir::Known known;
  bool found = false;
};

struct Frame;
struct RowSpace;
class Draws;
class Inquiry;

class CANTIK_API Executable {
 public:
  // `draws`: the streams of the composite that is run. The request is what an open plan makes its programs
  // from.
  Executable(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves,
             std::vector<std::shared_ptr<Node>> sources, std::shared_ptr<Draws> draws,
             ir::Request request = {});
  ~Executable();

  // One value for each leaf that is an input, by leaf index (others are ignored), then those for the further
  // leaves of the graph's program. `out` is used again if nobody else holds it. States of recurrences are
  // carried by `states`, where none are given by the executable itself. What objects of the user's program
  // leave for backward is in `objects`, or gone when the run is over. `sizes` that were found for another
  // part of the same graph are not asked for again.
  void run(const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& given = {},
           CarriedStates* states = nullptr, ObjectStates* objects = nullptr, Sizes* sizes = nullptr);
  // A run whose random numbers are drawn again, for what the types of another one need to know.
  Outputs rehearse(const Feeds& feeds, ObjectStates& objects);
  const std::vector<Variable>& leaves() const { return leaves_; }
  bool wants(size_t leaf) const { return leaves_[leaf].is_input() && plan_->reads(leaf); }
  const Plan& plan() const { return *plan_; }
  bool has_run() const { return has_run_.load(std::memory_order_relaxed); }
  bool checked() const { return request_.checked; }

 private:
  struct Packs;
  struct PackingEnds;
  std::shared_ptr<const Program> choose(const std::vector<const Value*>& feeds, ObjectStates* objects,
                                        Sizes* sizes = nullptr);
  Sizes sizes_of(const std::vector<const Value*>& feeds, ObjectStates* objects);
  void check_further(const Program& p, const std::vector<const Value*>& feeds) const;
  std::unique_ptr<Frame> take_frame(const std::shared_ptr<const Program>& program);
  void give_back(std::unique_ptr<Frame> f);
  std::shared_ptr<const Packs> packs(const Program& p, const RunOptions& options);
  void make_packs(const Program& p, const RunOptions& options, Packs& made) const;
  // The layouts that the feeds have; of the others, how many rows there may be (bind.cc).
  struct KeepShown;
  void bind(const Program& p, const std::vector<const Value*>& feeds, const std::vector<int64_t>& grown,
            std::vector<RowSpace>& spaces) const;
  void run_bound(const std::shared_ptr<const Program>& program, Frame& f,
                 const std::vector<const Value*>& feeds, Outputs& out, const RunOptions& options);
  void place_sparse(const Program& p, Frame& f, const std::vector<const Value*>& feeds, Outputs& out);
  void prepare_outputs(const std::shared_ptr<const Program>& p, const std::vector<RowSpace>& spaces,
                       Outputs& out);
  void execute(const Program& p, Frame& f, const RunOptions& options);
  void run_whole(const Program& p, Frame& f, size_t instruction, Team& team, const RunOptions& options);
  void run_blocks(const Program& p, Frame& f, const StageProgram& s, Team& team, const RunOptions& options);
  void run_loop(const Program& p, Frame& f, const StageProgram& s, Team& team, const RunOptions& options);
  void make_layout(Frame& f, const Instruction& ins, cantik_run& r) const;
  // States that are carried from run to run (carried.cc).
  void begin_carrying(const Program& p, Frame& f, const Carried* before, Carried& after) const;
  void refuse_parts(const Program& p, const Frame& f) const;  // by operators that look at whole sequences
  void carry_over_loop(const Program& p, Frame& f, const StageProgram& s) const;
  void carry_over_rows(const Program& p, Frame& f, const Instruction& delay) const;
  // initial states have no gradient where sequences go on
  void clear_borders(const Program& p, Frame& f, const Instruction& border) const;
  void call(const Instruction& ins, cantik_run& r) const;
  void call_in_parts(const Instruction& ins, cantik_run& r, int64_t rows, const Team& team) const;
  void check_numbers(const Program& p, const Instruction& ins, const cantik_run& r) const;

  std::shared_ptr<const Plan> plan_;
  ir::Request request_;
  std::vector<Variable> leaves_;
  std::vector<std::shared_ptr<Node>> sources_;
  std::shared_ptr<Draws> draws_;
  std::unique_ptr<Inquiry> inquiry_;
  ir::Needs needs_;                       // the plan's, and what turned up when programs were made
  std::shared_ptr<const Program> fixed_;  // the only program, where no dimension is free
  CarriedStates states_;
  std::atomic<bool> has_run_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> frames_;
  MemoryBlock spare_;  // of the frames, where there is more than one program
  std::shared_ptr<const Packs> packs_;
  bool packing_ = false;  // a thread makes them
  std::condition_variable packed_;
};

}  // namespace cantik::runtime
