// Recurrences: steps, and what carries them along sequences.
//
//   Function ahead = layers::recurrence(layers::lstm(300));
//   Function back = layers::recurrence(layers::lstm(300), {.go_backwards = true});
//   Function tagger = layers::sequential({
//       layers::embedding(150),
//       layers::side_by_side({ahead, back}),
//       layers::dense(127),
//   });
//
// A step is a function of states and an input that gives the new states, made of a cell or of code:
//
//   layers::recurrence([](Variable h, Variable x) { return 0.9 * h + x; });
#pragma once

#include <cantik/layers.h>
#include <cantik/layers/cells.h>
#include <cantik/layers/sequences.h>
#include <cantik/layers/step.h>
