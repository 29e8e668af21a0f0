// Calls of Python that this folder describes.
#pragma once

#include "base/calls.h"

namespace cantik {

// Lines of help that all these learners have.
inline constexpr const char* kLocalLearnerDoc = "what updates the parameters of each worker";
inline constexpr const char* kCommunicatorDoc = "the workers that train together, a group; None: all";

void describe_data_parallel(CallDefinitions& calls);
void describe_block_learners(CallDefinitions& calls);

}  // namespace cantik
