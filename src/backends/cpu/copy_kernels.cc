#include "backends/cpu/forms.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/tensor.h>

#include "backends/cpu/list_bytes.h"

namespace cantik::cpu {

using forms::CopyPart;

namespace {

struct CopyLoop {
  int64_t size, from, to;
};

// A part with as few loops as will do, the fastest in the result innermost.
class StridedCopy {
 public:
  explicit StridedCopy(const CopyPart& p)
      : operand(p.operand), from_offset(p.from_offset), to_offset(p.to_offset) {
    std::vector<CopyLoop> all;
    for (size_t i = 0; i < p.size.size(); ++i) {
      if (p.size[i] == 0) empty_ = true;
      if (p.size[i] != 1) all.push_back({p.size[i], p.from[i], p.to[i]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const CopyLoop& a, const CopyLoop& b) { return a.to > b.to; });
    for (const CopyLoop& l : all) {
      if (!loops_.empty() && loops_.back().from == l.from * l.size && loops_.back().to == l.to * l.size)
        loops_.back() = {loops_.back().size * l.size, l.from, l.to};
      else
        loops_.push_back(l);
    }
    // A transpose: the innermost loop reads far apart. The loop that reads side by side goes second, to be
    // done in squares.
    if (loops_.size() >= 2 && loops_.back().from != 1 && loops_.back().to == 1)
      for (size_t i = 0; i + 1 < loops_.size(); ++i)
        if (loops_[i].from == 1) {
          CopyLoop side = loops_[i];
          loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(i));
          loops_.insert(loops_.end() - 1, side);
          squares_ = true;
          break;
        }
  }

  template <class T>
  void run(const T* x, T* y) const {
    if (empty_) return;
    x += from_offset;
    y += to_offset;
    size_t inner = squares_ ? 2 : loops_.empty() ? 0 : 1, outer = loops_.size() - inner;
    int64_t at[16] = {};
    for (;;) {
      if (squares_)
        square(loops_[outer], loops_[outer + 1], x, y);
      else if (inner == 0)
        *y = *x;
      else
        line(loops_[outer], x, y);
      size_t i = outer;
      for (; i-- > 0;) {
        x += loops_[i].from;
        y += loops_[i].to;
        if (++at[i] < loops_[i].size) break;
        x -= loops_[i].from * loops_[i].size;
        y -= loops_[i].to * loops_[i].size;
        at[i] = 0;
      }
      if (i == static_cast<size_t>(-1)) return;
    }
  }
  size_t depth() const { return loops_.size(); }

  int operand;
  int64_t from_offset, to_offset;

 private:
  template <class T>
  static void line(const CopyLoop& l, const T* x, T* y) {
    if (l.from == 1 && l.to == 1)
      std::memcpy(y, x, static_cast<size_t>(l.size) * sizeof(T));
    else if (l.from == 0 && l.to == 1)
      std::fill_n(y, l.size, *x);
    else
      for (int64_t i = 0; i < l.size; ++i) y[i * l.to] = x[i * l.from];
  }
  // side: reads side by side; line: writes side by side.
  template <class T>
  static void square(const CopyLoop& side, const CopyLoop& line, const T* x, T* y) {
    constexpr int64_t kSide = 16;
    for (int64_t i0 = 0; i0 < side.size; i0 += kSide)
      for (int64_t j0 = 0; j0 < line.size; j0 += kSide) {
        int64_t i1 = std::min(side.size, i0 + kSide), j1 = std::min(line.size, j0 + kSide);
        for (int64_t i = i0; i < i1; ++i)
          for (int64_t j = j0; j < j1; ++j) y[i * side.to + j] = x[i + j * line.from];
      }
  }

  std::vector<CopyLoop> loops_;
  bool squares_ = false, empty_ = false;
};

// Rows as blocks of bytes of the element's size: copies need not know what the numbers are.
template <class T>
class CopyKernel final : public Kernel {
 public:
  CopyKernel(const std::vector<CopyPart>& parts, std::optional<T> fill, int64_t elements)
      : fill_(fill), elements_(elements) {
    for (const CopyPart& p : parts) parts_.emplace_back(p);
    for (const StridedCopy& s : parts_)
      if (s.depth() > 16) throw declined("more than 16 axes that cannot be joined");
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      if (fill_) std::fill_n(y, elements_, *fill_);
      for (const StridedCopy& p : parts_) p.run(r.row<T>(p.operand, row), y);
    }
  }

 private:
  std::vector<StridedCopy> parts_;
  std::optional<T> fill_;
  int64_t elements_;
};

template <class T>
std::unique_ptr<Kernel> sized(const Prepare& p, const std::vector<CopyPart>& parts,
                              std::optional<double> fill) {
  std::optional<T> bits;
  if (fill) {
    T b{};
    copy_numbers(DType::float64, &*fill, p.dtype(), &b, 1);
    bits = b;
  }
  return std::make_unique<CopyKernel<T>>(parts, bits, p.out().shape.elements());
}

template <class T>
struct LookupKernel final : Kernel {
  std::vector<int32_t> table;
  explicit LookupKernel(std::vector<int32_t> t) : table(std::move(t)) { state_bytes = bytes_of_list(table); }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (size_t i = 0; i < table.size(); ++i) y[i] = x[table[i]];
    }
  }
};

template <class T>
struct SpreadBackKernel final : Kernel {
  std::vector<int32_t> table;
  int64_t elements;
  SpreadBackKernel(std::vector<int32_t> t, int64_t n) : table(std::move(t)), elements(n) {
    state_bytes = bytes_of_list(table);
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      std::fill_n(y, elements, T(0));
      for (size_t i = 0; i < table.size(); ++i) y[table[i]] += x[i];
    }
  }
};

}  // namespace

std::unique_ptr<Kernel> make_copy(const Prepare& p, const std::vector<CopyPart>& parts,
                                  std::optional<double> fill) {
  switch (size_of(p.dtype())) {
    case 1: return sized<uint8_t>(p, parts, fill);
    case 2: return sized<uint16_t>(p, parts, fill);
    case 4: return sized<uint32_t>(p, parts, fill);
    case 8: return sized<uint64_t>(p, parts, fill);
    default: throw declined("copies of " + std::string(name_of(p.dtype())));
  }
}

std::unique_ptr<Kernel> make_lookup(const Prepare& p, std::vector<int32_t> table) {
  switch (size_of(p.dtype())) {
    case 1: return std::make_unique<LookupKernel<uint8_t>>(std::move(table));
    case 2: return std::make_unique<LookupKernel<uint16_t>>(std::move(table));
    case 4: return std::make_unique<LookupKernel<uint32_t>>(std::move(table));
    case 8: return std::make_unique<LookupKernel<uint64_t>>(std::move(table));
    default: throw declined("copies of " + std::string(name_of(p.dtype())));
  }
}

std::unique_ptr<Kernel> make_spread_back(const Prepare& p, std::vector<int32_t> table) {
  if (p.dtype() == DType::float32)
    return std::make_unique<SpreadBackKernel<float>>(std::move(table), p.out().shape.elements());
  if (p.dtype() == DType::float64)
    return std::make_unique<SpreadBackKernel<double>>(std::move(table), p.out().shape.elements());
  throw declined("sums of " + std::string(name_of(p.dtype())));
}

}  // namespace cantik::cpu
