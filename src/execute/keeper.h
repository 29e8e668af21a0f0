// RunKeeper: what operators leave in a run for others, or for later calls (cantik/op/keeper.h).
//
// What a call saves is an object, so it is no value. A number for each row of the call stands for it in the
// graph, and takes the way of values: through loops and row maps, from a forward run to a later backward run.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <cantik/axis.h>
#include <cantik/shape.h>
#include <cantik/user_operator.h>

namespace cantik {
struct Node;
}

namespace cantik::runtime {

class RunKeeper final : public UserRun {
 public:
  RunKeeper() : RunKeeper(true) {}
  // For a forward run whose backward run comes apart from it, perhaps more than once.
  static RunKeeper for_parts() { return RunKeeper(false); }
  // For one of several backward runs, perhaps at the same time, after one forward run.
  RunKeeper(const RunKeeper& forward);
  RunKeeper& operator=(const RunKeeper&) = delete;
  // As kernels see it.
  const cantik_keeper* c() const { return &c_; }

  // The next call is one of this function's; null: of none that keeps anything.
  void enter(const Node* function) {
    function_ = function;
    pending_.reset();
    reads_ = -1;
  }
  // Numbers the rows of the call that has just saved something, or nothing.
  void number(const cantik_operand& rows);
  // The next call reads what the call of this number saved.
  void read(double number) { reads_ = call_of(number); }
  // Whether these are the rows of one call, in their order.
  static bool are_of_one_call(const cantik_operand& numbers);
  // Rows by calls, the last one first, those of each in their order: where each call's begin, and the rows.
  static std::vector<std::vector<int64_t>> by_calls(const cantik_operand& numbers);

  // Memory of the run that calls may borrow.
  void lend(const void* begin, size_t bytes);
  // The run has no more use for this memory: whether anybody holds on to it; `kept` is theirs.
  std::shared_ptr<Lease> let_go_of_memory();
  // The run is over.
  void end();

  // Sizes that functions have told in this run; of one that is being asked: none yet.
  std::vector<std::pair<const Node*, std::vector<Shape>>> sizes;
  // The longest sequences on axes that this run makes, as far as somebody asked.
  std::vector<std::pair<Axes, int64_t>> longest;
  // Takes over what a run told that was made for the sake of this one.
  void take_kept(const RunKeeper& o) { kept_ = o.kept_; }

 private:
  using Object = std::shared_ptr<void>;
  explicit RunKeeper(bool once);
  static RunKeeper& of(void* self) { return static_cast<RunKeeper&>(*static_cast<UserRun*>(self)); }
  static int64_t call_of(double number);
  Object* kept();

  cantik_keeper c_{};
  bool once_;  // an object goes when its reader lets go of it
  const Node* function_ = nullptr;
  Object pending_;  // saved by the call that is on
  int64_t reads_ = -1;
  std::vector<Object> saved_;                         // by calls
  std::vector<std::pair<const Node*, Object>> kept_;  // by functions; also for a run that begins anew
};

}  // namespace cantik::runtime
