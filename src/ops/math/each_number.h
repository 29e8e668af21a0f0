// Functions of one number that no vector code exists for: a call for each number.
#pragma once

#include <memory>

#include <cantik/op.h>

namespace cantik {

template <class T, class F>
struct EachNumber final : Kernel {
  int64_t elements;
  explicit EachNumber(int64_t n) : elements(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) y[i] = static_cast<T>(F{}(x[i]));
    }
  }
};

// F: from a float to a float, from a double to a double.
template <class F>
constexpr auto each_number = [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
  int64_t n = p.out().shape.elements();
  if (p.dtype() == DType::float32) return std::make_unique<EachNumber<float, F>>(n);
  if (p.dtype() == DType::float64) return std::make_unique<EachNumber<double, F>>(n);
  throw declined("numbers of " + std::string(name_of(p.dtype())));
};

}  // namespace cantik
