// Numbers moved about in a row.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

struct Part {
  int operand;
  int64_t from, to;
  std::vector<int64_t> size, from_step, to_step;
};

template <class T>
void copy(const Part& p, size_t axis, const T* x, T* y) {
  if (axis == p.size.size()) {
    *y = *x;
    return;
  }
  for (int64_t i = 0; i < p.size[axis]; ++i)
    copy(p, axis + 1, x + i * p.from_step[axis], y + i * p.to_step[axis]);
}

template <class T>
struct Copy final : Kernel {
  std::vector<Part> parts;
  std::optional<T> fill;
  int64_t elements;
  Copy(const CopyForm& f, int64_t elements) : elements(elements) {
    if (!f.fill.empty()) fill = static_cast<T>(f.fill[0]);
    std::ptrdiff_t at = 0;
    for (size_t i = 0; i < f.operand.size(); ++i) {
      const auto n = static_cast<std::ptrdiff_t>(f.rank[i]);
      auto of = [&](const std::vector<int64_t>& list) {
        return std::vector<int64_t>(list.begin() + at, list.begin() + at + n);
      };
      parts.push_back({static_cast<int>(f.operand[i]), f.from_offset[i], f.to_offset[i], of(f.size),
                       of(f.from), of(f.to)});
      at += n;
    }
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      if (fill) std::fill_n(y, elements, *fill);
      for (const Part& p : parts) copy(p, 0, r.row<T>(p.operand, row) + p.from, y + p.to);
    }
  }
};

template <class T>
struct Lookup final : Kernel {
  std::vector<int64_t> table;
  explicit Lookup(const TableForm& f) : table(f.table) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (size_t i = 0; i < table.size(); ++i) r.result<T>(0, row)[i] = r.row<T>(0, row)[table[i]];
  }
};

template <class T>
struct SpreadBack final : Kernel {
  std::vector<int64_t> table;
  int64_t elements;
  SpreadBack(const TableForm& f, int64_t elements) : table(f.table), elements(elements) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      std::fill_n(r.result<T>(0, row), elements, T(0));
      for (size_t i = 0; i < table.size(); ++i) r.result<T>(0, row)[table[i]] += r.row<T>(0, row)[i];
    }
  }
};

}  // namespace

void moving(BackendKernels& k) {
  k.add<CopyForm>("form:copy", [](const Prepare& p, const CopyForm& f) {
    return of_type<Copy>(p.dtype(), f, p.out().shape.elements());
  });
  k.add<TableForm>("form:lookup",
                   [](const Prepare& p, const TableForm& f) { return of_type<Lookup>(p.dtype(), f); });
  k.add<TableForm>("form:spread_back", [](const Prepare& p, const TableForm& f) {
    return of_type<SpreadBack>(p.dtype(), f, p.out().shape.elements());
  });
}

}  // namespace naive
