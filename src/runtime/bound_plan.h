// BoundPlan: a plan with the parameters and functions of one user's graph, and with what its runs use again.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <cantik/function.h>

#include "plan/plan.h"
#include "execute/carried.h"
#include "execute/frame.h"
#include "runtime/packs.h"

namespace cantik::runtime {

class Draws;
class Inquiry;

class CANTIK_API BoundPlan {
 public:
  // `draws`: the streams of the composite that is run. The request is what an open plan makes its programs
  // from.
  BoundPlan(std::shared_ptr<const Plan> plan, std::vector<Variable> leaves, Sources sources,
            std::shared_ptr<Draws> draws, ir::Request request = {});
  ~BoundPlan();

  const Plan& plan() const { return *plan_; }
  const ir::Request& request() const { return request_; }
  const std::vector<Variable>& leaves() const { return leaves_; }
  // The inputs of what was asked for, and their places among the leaves. Runs may read fewer: a gradient
  // needs less than the function does.
  const std::vector<Variable>& inputs() const { return inputs_; }
  const std::vector<size_t>& input_leaves() const { return input_leaves_; }
  bool all_inputs_are_read() const { return all_are_read_; }
  const Sources& sources() const { return sources_; }
  Draws& draws() const { return *draws_; }
  // Of recurrences, for runs that are given none of their own.
  CarriedStates& states() { return states_; }

  // The program for these feeds. `sizes` that are known are not asked for again; those found are left there.
  std::shared_ptr<const Program> program(const std::vector<const Value*>& feeds, RunKeeper* keeper,
                                         Sizes* sizes);
  std::shared_ptr<Frame> take_frame(const std::shared_ptr<const Program>& program);
  void give_back(std::shared_ptr<Frame> f);
  std::shared_ptr<const Packs> packs(const std::shared_ptr<const Program>& program,
                                     const RunOptions& options) {
    return packs_.of(program, leaves_, sources_, options);
  }

  // Whether runs look for NaNs was decided when it was made; until the first one it may be made anew.
  bool fits(bool checked) const {
    return has_run_.load(std::memory_order_relaxed) || request_.checked == checked;
  }
  void begin_run() {
    if (!has_run_.load(std::memory_order_relaxed)) has_run_.store(true, std::memory_order_relaxed);
  }

  size_t bytes() const { return charge_.bytes(); }
  // Whoever goes on with sequences needs what it carries.
  bool may_go() const { return states_.last() == nullptr; }

 private:
  Sizes sizes_of(const std::vector<const Value*>& feeds, RunKeeper* keeper);

  std::shared_ptr<const Plan> plan_;
  ir::Request request_;
  std::vector<Variable> leaves_, inputs_;
  std::vector<size_t> input_leaves_;
  bool all_are_read_ = true;
  Sources sources_;
  std::shared_ptr<Draws> draws_;
  std::unique_ptr<Inquiry> inquiry_;      // of an open plan
  std::shared_ptr<const Program> fixed_;  // the only program, where the plan is not open
  CarriedStates states_;
  std::atomic<bool> has_run_{false};
  Charge charge_;
  ShelfOf<const Program*, Frame> frames_;
  PackShelf packs_;
  std::mutex mutex_;
  ir::Needs needs_;      // the plan's, and what turned up when programs were made
  CountedMemory spare_;  // of the frames, where there is more than one program
};

}  // namespace cantik::runtime
