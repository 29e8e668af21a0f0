// Plan: a request and the structure of a graph, as one program, or as one for each combination of sizes that
// came. It serves every batch size, and every user's graph of the same structure.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/pipeline.h"
#include "plan/cache.h"
#include "plan/program.h"

namespace cantik::runtime {

// The sizes of a run's data, where types depend on them.
struct Sizes {
  std::string key;                                 // equal sizes, equal programs
  std::vector<std::pair<Variable, Shape>> shapes;  // of inputs with free dimensions
  ir::Known known;
  bool found = false;

  void add(const Shape& s);
};

class CANTIK_API Plan {
 public:
  // Of a graph as it was imported: found by its structure, or made.
  static std::shared_ptr<const Plan> of(ir::Graph graph, const ir::Request& r);
  // Of a graph after the passes.
  explicit Plan(ir::Graph graph);
  // Of a graph whose passes wait until its sizes are known.
  struct OpenTag {};
  Plan(const ir::Graph& open, OpenTag);

  // The program for these sizes; `make` gives the graph for them. None where that one needs to know more.
  std::shared_ptr<const Program> program(const std::string& sizes, const ir::Sources& sources,
                                         const std::function<ir::Graph()>& make = {}) const;
  bool is_open() const { return open_; }
  const ir::Needs& needs() const { return needs_; }
  // Inputs with free dimensions, as leaf indices.
  const std::vector<int32_t>& free_inputs() const { return free_; }
  bool reads(size_t leaf) const { return reads_[leaf]; }
  bool lends() const { return lends_; }  // operators hand on its memory
  bool needs_keeper() const { return needs_keeper_; }

  size_t bytes() const { return charge_.bytes(); }
  bool may_go() const { return true; }

 private:
  ir::Graph graph_;
  std::vector<int32_t> free_;
  ir::Needs needs_;
  bool open_ = false, lends_ = false, needs_keeper_ = false;
  std::vector<bool> reads_;  // of each leaf: whether anything needs it
  mutable ShelfOf<std::string, const Program> programs_;
  Charge charge_;
};

}  // namespace cantik::runtime
