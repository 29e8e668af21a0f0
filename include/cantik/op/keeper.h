// Keeper: what a run keeps for the operators that it calls.
#pragma once

#include <memory>

#include <cantik/op/infer.h>
#include <cantik/plugin.h>

namespace cantik {

// Objects that a kernel leaves in a run, for other kernels or later calls. They go with the run.
class Keeper {
 public:
  // Over what the host gives.
  explicit Keeper(const cantik_keeper* c) : c_(c) {}
  // Whether the operator states a fact that a run keeps anything for.
  explicit operator bool() const { return c_ != nullptr; }

  // Leaves an object for the operators that read what this one saves.
  template <class T>
  void save(std::unique_ptr<T> object) const {
    c().save(c().self, object.release(), &destroy<T>);
  }
  // What was saved by the call that this one reads of; nullptr where nothing was.
  template <class T>
  T* saved() const {
    return static_cast<T*>(c().saved(c().self));
  }
  // Nobody will ask again for what was saved.
  void let_go() const { c().let_go(c().self); }
  // Leaves an object for later calls of the same function in this run.
  template <class T>
  void keep(std::unique_ptr<T> object) const {
    c().keep(c().self, object.release(), &destroy<T>);
  }
  // What was kept for this function in this run; nullptr where nothing was.
  template <class T>
  T* kept() const {
    return static_cast<T*>(c().kept(c().self));
  }
  // A hold on memory of an operand or result, which stays as it is until the hold is gone; null where this
  // memory does not stay.
  std::shared_ptr<void> borrow(const void* data) const {
    void* hold = c().borrow(c().self, data);
    return hold ? std::shared_ptr<void>(hold, c().give_back) : nullptr;
  }

 private:
  template <class T>
  static void destroy(void* object) {
    delete static_cast<T*>(object);
  }
  const cantik_keeper& c() const {
    if (!c_)
      throw Failure(CANTIK_RUNTIME, "nothing is kept for this operator", "state .saves() or .sizes(f)");
    return *c_;
  }
  const cantik_keeper* c_;
};

}  // namespace cantik
