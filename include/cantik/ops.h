// All operators as typed calls, by family.
//
//   auto h = relu(times(x, w) + b);
//   auto y = convolution(w, x, {.strides = {2, 2}, .name = "c"});
#pragma once

#include <cantik/ops/arithmetic.h>
#include <cantik/ops/control.h>
#include <cantik/ops/linalg.h>
#include <cantik/ops/loss.h>
#include <cantik/ops/math.h>
#include <cantik/ops/nn.h>
#include <cantik/ops/quantize.h>
#include <cantik/ops/random.h>
#include <cantik/ops/reduce.h>
#include <cantik/ops/sequence.h>
#include <cantik/ops/shape.h>
