// All calls of Python around a training, from the files that describe them.
#include "train/calls.h"

#include <vector>

#include "distributed/calls.h"
#include "learners/calls.h"

namespace cantik {

const std::vector<CallDescription>& described_calls() {
  static const std::vector<CallDescription> all = [] {
    std::vector<CallDescription> found;
    CallDefinitions calls(found);
    describe_schedules(calls);
    describe_loops(calls);
    describe_configs(calls);
    describe_early_stopping(calls);
    describe_reduce_on_plateau(calls);
    describe_measures(calls);
    describe_rate_finder(calls);
    describe_printer(calls);
    describe_progress_bar(calls);
    describe_tensorboard(calls);
    describe_data_parallel(calls);
    describe_block_learners(calls);
    return found;
  }();
  return all;
}

}  // namespace cantik
