// Outputs: what a run gives back.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <cantik/value.h>

#include "plan/program.h"

namespace cantik::runtime {

struct Frame;
struct RowSpace;

// One block of memory, and a value for each output when it is asked for.
class CANTIK_API Outputs {
 public:
  Value value(size_t i) const;
  std::vector<Value> values() const {
    std::vector<Value> all;
    all.reserve(size());
    for (size_t i = 0; i < size(); ++i) all.push_back(value(i));
    return all;
  }
  size_t size() const { return program_ ? program_->outputs.size() : 0; }
  // Of a dense output.
  const void* data(size_t i) const { return static_cast<const char*>(block_.get()) + offsets_[i]; }
  void* data(size_t i) { return static_cast<char*>(block_.get()) + offsets_[i]; }
  bool is_dense(size_t i) const { return program_->outputs[i].storage == Storage::dense; }
  // Of a gradient with few rows: which rows of the parameter, in rising order, and their numbers, [count,
  // ...].
  struct RowSparse {
    int64_t count = 0;
    const int32_t* rows = nullptr;
    const void* values = nullptr;
  };
  RowSparse row_sparse(size_t i) const;
  bool is_sparse(size_t i) const { return program_->outputs[i].storage != Storage::dense; }
  // samples of Request::counted, where the types say them; else -1
  int64_t counted() const { return program_->graph.counted; }

  // By the run. Memory for the rows of each space, used again if nobody else holds it; ...
  void prepare(const std::shared_ptr<const Program>& program, const std::vector<RowSpace>& spaces);
  // ... for sparse values, those that stay in the frame too; at last the layouts.
  void place_sparse(Frame& frame, const std::vector<const Value*>& feeds);
  void set_layouts(const Frame& frame);
  std::pair<const std::shared_ptr<void>&, size_t> memory() const { return {block_, bytes_}; }

 private:
  std::shared_ptr<const Program> program_;
  std::shared_ptr<void> block_;
  std::vector<size_t> offsets_;
  std::vector<std::shared_ptr<void>> sparse_;           // of each output that is sparse
  std::vector<cantik_operand> operands_;                // the same as they were written
  std::vector<std::shared_ptr<const Layout>> layouts_;  // of each space
  std::vector<int64_t> most_;                           // rows of each space that there is memory for
  size_t bytes_ = 0;
};

}  // namespace cantik::runtime
