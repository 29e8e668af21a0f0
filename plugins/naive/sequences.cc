// Steps of sequences: in another order, at each step, summed, of another step.
#include <algorithm>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

// The host says by a row map which row of the operand each row of the result is.
template <class T>
struct TakeRows final : Kernel {
  int64_t elements;
  explicit TakeRows(int64_t elements) : elements(elements) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      std::copy_n(r.row<T>(0, row), elements, r.result<T>(0, row));
  }
};

template <class T>
struct SumSteps final : Kernel {
  int64_t elements;
  explicit SumSteps(int64_t elements) : elements(elements) {}
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    for (int64_t s = 0; s < x.sequences; ++s) {
      T* y = r.result<T>(0, s);
      std::fill_n(y, elements, T(0));
      for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row)
        for (int64_t i = 0; i < elements; ++i) y[i] += r.row<T>(0, row)[i];
    }
  }
};

struct Delay {
  int64_t time_step = 1;
  static constexpr auto fields() { return list(field("time_step", &Delay::time_step, "how many steps")); }
};

// Outside of loops; what is in them the host brings from step to step.
template <class T>
struct Delayed final : Kernel {
  int64_t elements, steps, state_elements;
  Delayed(int64_t elements, int64_t steps, int64_t state_elements)
      : elements(elements), steps(steps), state_elements(state_elements) {}
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    for (int64_t s = 0; s < x.sequences; ++s)
      for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row) {
        const int64_t from = row - steps;
        T* y = r.result<T>(0, row);
        if (from >= x.offsets[s] && from < x.offsets[s + 1])
          std::copy_n(r.row<T>(0, from), elements, y);
        else if (state_elements == 1)
          std::fill_n(y, elements, *r.row<T>(1, s));
        else
          std::copy_n(r.row<T>(1, s), elements, y);
      }
  }
};

template <int kSign>
constexpr auto delay = [](const Prepare& p, const Delay& a) {
  const int64_t n = p.out().shape.elements(), of_state = p.in(1).shape.elements();
  if (p.in(1).has_sequence()) throw declined("an initial state that is a sequence");
  if (of_state != 1 && of_state != n) throw declined("an initial state that broadcasts");
  return of_type<Delayed>(p.dtype(), n, kSign * a.time_step, of_state);
};

constexpr auto take = [](const Prepare& p, const NoAttributes&) {
  if (!p.in(0).is_dense()) throw declined("sparse rows");
  return of_type<TakeRows>(p.dtype(), p.out().shape.elements());
};

}  // namespace

void sequences(BackendKernels& k) {
  k.add("take_rows", take);
  k.add("sum_steps", [](const Prepare& p, const NoAttributes&) {
    return of_type<SumSteps>(p.dtype(), p.out().shape.elements());
  });
  k.add<Delay>("past_value", delay<1>).add<Delay>("future_value", delay<-1>);
}

}  // namespace naive
