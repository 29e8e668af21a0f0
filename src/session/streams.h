// Streams: sequences that a model follows as they come. What delays carry is kept here for each of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cantik/function.h>

#include "execute/carried.h"
#include "runtime/bound_plan.h"
#include "execute/outputs.h"

namespace cantik::runtime {

class CANTIK_API Streams {
 public:
  Streams(const Function& model, int64_t count, std::vector<Variable> outputs);
  Streams(const Streams& other);  // what is carried is shared until one of them goes on

  int64_t count() const { return static_cast<int64_t>(begun_.size()); }
  const Function& model() const { return model_; }
  const std::vector<Variable>& outputs() const { return outputs_; }
  // The inputs that a run reads.
  const std::vector<Variable>& inputs() const { return plan_->inputs(); }
  // A value for each of inputs(); the layouts of sequences become those of the streams `of` (empty: of all).
  std::vector<Value> run(std::span<Value> feeds, std::span<const int64_t> of, const RunOptions& options);
  void reset();
  void reset(int64_t stream);
  void select(std::span<const int64_t> from);
  // One step of each of so many streams; `feeds` of run may have it.
  const std::shared_ptr<const Layout>& one_step(int64_t count);

 private:
  void check_stream(int64_t stream, const char* what) const;
  void check_of(std::span<const int64_t> of);
  std::shared_ptr<const Layout> parts(const Layout& given, std::span<const int64_t> of, const Variable& v);
  void spread(std::span<const int64_t> of);
  void begin(std::span<const int64_t> of);

  Function model_;
  std::vector<Variable> outputs_;
  std::shared_ptr<BoundPlan> plan_;
  Outputs out_;              // its memory is used again where nobody holds it
  CarriedStates states_;     // of all streams
  std::vector<char> begun_;  // of each stream
  int64_t waiting_ = 0;      // streams that have not begun
  std::vector<char> seen_;   // while a list of streams is checked
  std::vector<const Value*> list_;
  std::shared_ptr<const Layout> one_step_, going_on_;  // one step of each stream; the same where all go on
};

// Refuses, by name, what cannot run on parts of sequences as on the whole.
void check_steps(const ir::Graph& g);

}  // namespace cantik::runtime
