// How much memory Cantik holds for tensors, results and the values of runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cantik/api.h>

namespace cantik {

// Bytes that are in use now, and the most since the last reset. What belongs to the caller (arrays that
// tensors only view) and small things (graphs, plans) do not count; blocks that are kept for reuse do not
// either, at most 256 MiB of them are.
//
//   reset_memory_peak();
//   size_t before = memory_in_use();
//   trainer.train_minibatch(feeds);
//   size_t step = memory_peak() - before;  // what the step took
CANTIK_API size_t memory_in_use();
// The most bytes in use since reset_memory_peak() was called.
CANTIK_API size_t memory_peak();
// From now on memory_peak() begins at memory_in_use().
CANTIK_API void reset_memory_peak();

// What is kept from run to run so that the next one is quicker: compiled programs, the memory of runs, packed
// weights. Beyond the budget (256 MiB unless it is set) what was used longest ago is dropped, and made again
// when it is asked for. What runs or was used just now stays, however much it is.
struct CacheUse {
  std::size_t bytes = 0, budget = 0;  // that are kept, and that may be
  std::int64_t dropped = 0;           // things, in this process so far
};
// How much is kept now.
CANTIK_API CacheUse cache_use();
// How much may be kept, in bytes, from now on.
CANTIK_API void set_cache_budget(std::size_t bytes);

}  // namespace cantik
