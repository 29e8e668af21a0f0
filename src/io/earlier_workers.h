// What has been taken of a sweep by workers that were more or fewer than now. Each worker stands at a place
// of its own; when their number changes, what lies behind the place of its old owner is still to come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cantik/dictionary.h>

#include "io/timeline.h"

namespace cantik {

// The places of all workers, as their states have them, for each time that their number has changed; the
// first time first.
using EarlierWorkers = std::vector<std::vector<Dictionary>>;

// Of the state of one worker.
EarlierWorkers earlier_workers_of(const Dictionary& state);
// With those of the training that ends now, whose states these are.
EarlierWorkers with_last_workers(std::span<const Dictionary> states);
void describe(const EarlierWorkers& all, Dictionary& state);

}  // namespace cantik
