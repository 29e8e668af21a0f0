// Stateful: what a checkpoint keeps of learners, sources and their like.
#pragma once

#include <cantik/api.h>
#include <cantik/dictionary.h>

namespace cantik {

// An object whose state goes into checkpoints.
struct CANTIK_API Stateful {
  virtual ~Stateful() = default;
  // The state as a dictionary that files can hold, in memory of its own: what changes later does not show
  // in it.
  virtual Dictionary state() const = 0;
  // Takes over a state that state() gave. One of something else is an error, and changes nothing.
  virtual void restore(const Dictionary& state) = 0;
};

}  // namespace cantik
