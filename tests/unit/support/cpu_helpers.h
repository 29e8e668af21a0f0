// What tests of the CPU's kernels share: numbers that are never round, and every instruction set the
// processor has.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "backends/cpu/table.h"

namespace cantik::support {

template <class T>
std::vector<T> noise(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = static_cast<T>(uniform(random));
  return v;
}

template <class T>
const cpu::Kernels<T>& of(const cpu::Table& t);
template <>
inline const cpu::Kernels<float>& of<float>(const cpu::Table& t) {
  return t.f32;
}
template <>
inline const cpu::Kernels<double>& of<double>(const cpu::Table& t) {
  return t.f64;
}

// Calls f(table) for each instruction set.
template <class F>
void on_all_levels(F&& f) {
  int count = 0;
  const cpu::Table* const* tables = cpu::tables(&count);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(tables[i]->name);
    f(*tables[i]);
  }
}

inline bool has_fma(const cpu::Table& t) { return std::strcmp(t.name, "baseline") != 0; }

// One step of a sum of products, as the level does it: one rounding or two.
template <class T>
T multiply_add(bool fma, T a, T b, T sum) {
  if (fma) return std::fma(a, b, sum);
  volatile T product = a * b;
  return product + sum;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace cantik::support
