// How long the longest sequence on an axis is in a run, where that decides the shape of something.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <cantik/function.h>

#include "compile/pipeline.h"

namespace cantik::runtime {

class Draws;
class Executable;

// For the runs of one request. What was fed says it; where the run itself makes an axis, its lengths are
// found by running what makes it.
class LongestSequences {
 public:
  LongestSequences(const ir::Request& request, std::shared_ptr<Draws> draws)
      : request_(request), draws_(std::move(draws)) {}
  std::vector<std::pair<Axes, int64_t>> of(const std::vector<Axes>& axes, const Feeds& feeds);

 private:
  std::shared_ptr<Executable> maker_of(const Axes& axes);

  const ir::Request& request_;
  std::shared_ptr<Draws> draws_;
  std::mutex mutex_;
  std::vector<std::pair<Axes, std::shared_ptr<Executable>>> makers_;
};

}  // namespace cantik::runtime
