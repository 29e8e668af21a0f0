// Layers: functions of one placeholder with parameters of their own, which a call applies to an input.
//
//   Function model = layers::sequential({
//       layers::convolution2d({5, 5}, 32, {.activation = "relu", .pad = true}),
//       layers::max_pooling({3, 3}, {.strides = {2, 2}}),
//       layers::dense(10),
//   });
//   Function z = model(x);
//
// A layer applied twice shares its parameters. Shapes of parameters are inferred when a layer meets its
// input.
#pragma once

#include <cantik/layers/argument.h>
#include <cantik/layers/feed_forward.h>
#include <cantik/layers/images.h>
#include <cantik/layers/normalization.h>
