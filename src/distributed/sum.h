// Sums over workers with the same bits in every run and with every engine: the numbers of worker 0 plus those
// of worker 1, plus those of worker 2, and so on, each rounded.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/dtype.h>

#include "distributed/engine.h"

namespace cantik::distributed {

// Sums what lies in a bucket, at the same place for all workers. The numbers are cut into a stripe for each
// worker, which gets that stripe of all others, adds them and gives the sum to all: the bytes on the wire are
// those of a ring. Few numbers go to everybody, who adds them alone.
class OrderedSum {
 public:
  explicit OrderedSum(Engine& engine) : engine_(engine) {}
  int run(char* bucket, int64_t count, DType type, const Waiting& waiting);

 private:
  Engine& engine_;
  std::vector<char> scratch_;
};

}  // namespace cantik::distributed
