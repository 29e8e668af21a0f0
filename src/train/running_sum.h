// Sums of losses and metrics over minibatches, added up in the element type of the loss as CNTK does: it
// shows in the last printed digits.
#pragma once

#include <cantik/dtype.h>

namespace cantik::training {

struct RunningSum {
  double sum = 0;
  void add(double x, DType type) {
    sum = type == DType::float32 ? static_cast<float>(sum) + static_cast<float>(x) : sum + x;
  }
};

}  // namespace cantik::training
