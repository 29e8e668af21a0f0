// GraphRun: one call of a bound plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/bound_plan.h"
#include "execute/draws.h"
#include "execute/finals.h"
#include "execute/keeper.h"
#include "execute/outputs.h"

namespace cantik::runtime {

class CANTIK_API GraphRun {
 public:
  // One value for each leaf that is an input, by leaf index (others are ignored), then those for the further
  // leaves of the plan's graph. `out` is used again if nobody else holds it.
  GraphRun(BoundPlan& plan, const std::vector<const Value*>& feeds, Outputs& out)
      : plan_(plan), feeds_(feeds), out_(out) {}
  ~GraphRun();

  RunOptions options;
  CarriedStates* states = nullptr;     // of recurrences; null: those of the plan
  RunKeeper* keeper = nullptr;         // of what operators leave for backward; null: it goes with the run
  Sizes* sizes = nullptr;              // known of another part of the same graph, or wanted for one
  ResultListener* listener = nullptr;  // takes results while the run goes on
  bool rehearses = false;              // its random numbers are drawn again by the run that it is for

  void go();

 private:
  void begin();
  void check_further() const;
  void enter();
  void execute();
  void point_operands();
  void read_live();
  void begin_anew(const MoreRows& more);
  void finish();
  bool hand_over();

  BoundPlan& plan_;
  const std::vector<const Value*>& feeds_;
  Outputs& out_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<Frame> frame_;
  std::shared_ptr<const Packs> packs_;
  std::optional<DrawsKept> draws_;         // where they stood
  std::optional<RunKeeper> own_;           // where the caller has none
  RunKeeper* kept_ = nullptr;              // where the program needs it
  std::shared_ptr<const Carried> before_;  // by the run before
  std::shared_ptr<Carried> after_;         // by this one
};

}  // namespace cantik::runtime
