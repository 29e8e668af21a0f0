// Functions of one number that no vector code exists for: a call for each number.
#pragma once

#include <memory>

#include <cantik/op.h>

namespace cantik {

// F: from a float to a float, from a double to a double.
template <class F>
struct EachNumber {
  template <class T>
  struct OfType final : Kernel {
    int64_t elements;
    explicit OfType(int64_t n) : elements(n) {}
    void run(const Run& r) const override {
      for (int64_t row = r.begin(); row < r.end(); ++row) {
        const T* x = r.row<T>(0, row);
        T* y = r.result<T>(0, row);
        for (int64_t i = 0; i < elements; ++i) y[i] = static_cast<T>(F{}(x[i]));
      }
    }
  };
};

template <class F>
constexpr auto each_number = [](const Prepare& p, const NoAttributes&) {
  return of_type<EachNumber<F>::template OfType>(p.dtype(), p.out().shape.elements());
};

}  // namespace cantik
