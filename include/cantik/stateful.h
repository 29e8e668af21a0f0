// Stateful: what a checkpoint keeps of learners, sources and their like.
#pragma once

#include <cantik/api.h>
#include <cantik/dictionary.h>

namespace cantik {

struct CANTIK_API Stateful {
  virtual ~Stateful() = default;
  virtual Dictionary state() const = 0;
  virtual void restore(const Dictionary& state) = 0;
};

}  // namespace cantik
