// Calls of Python that this folder describes: a function for each file that has some, listed in calls.cc.
#pragma once

#include "base/calls.h"

namespace cantik {

void describe_configs(CallDefinitions& calls);
void describe_loops(CallDefinitions& calls);
void describe_rate_finder(CallDefinitions& calls);
void describe_early_stopping(CallDefinitions& calls);
void describe_reduce_on_plateau(CallDefinitions& calls);
void describe_measures(CallDefinitions& calls);
void describe_printer(CallDefinitions& calls);
void describe_progress_bar(CallDefinitions& calls);
void describe_tensorboard(CallDefinitions& calls);

}  // namespace cantik
