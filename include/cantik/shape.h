// Static axes of a value: row-major dimensions, each a number, still to be inferred, or free (known per
// call).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace cantik {

inline constexpr int64_t kInferred = -1;  // solved while the graph is built
inline constexpr int64_t kFree = -3;      // a symbol: known in each call

// Dimensions in NumPy's order. A shape may be unknown altogether (of a placeholder), which is not the shape
// [] of a scalar.
class Shape {
 public:
  Shape() = default;
  // The dimensions in NumPy's order; kInferred and kFree may stand among them.
  Shape(std::initializer_list<int64_t> dims) { assign(dims.begin(), dims.size()); }
  Shape(const int64_t* dims, size_t rank) { assign(dims, rank); }
  explicit Shape(const std::vector<int64_t>& dims) { assign(dims.data(), dims.size()); }
  Shape(const Shape& other) { *this = other; }
  Shape(Shape&& other) noexcept { *this = std::move(other); }
  Shape& operator=(const Shape& other) {
    if (this == &other) return *this;
    if (other.rank_ < 0)
      clear(), rank_ = -1;
    else
      assign(other.begin(), static_cast<size_t>(other.rank_));
    return *this;
  }
  // Takes over the dimensions of another shape, which is [] afterwards.
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    clear();
    rank_ = other.rank_;
    heap_ = other.heap_;
    std::copy(other.few_, other.few_ + kFew, few_);
    other.heap_ = nullptr;
    other.rank_ = 0;
    return *this;
  }
  ~Shape() { clear(); }

  // The shape of which not even the rank is known.
  static Shape unknown() {
    Shape s;
    s.rank_ = -1;
    return s;
  }

  // Whether the rank is known.
  bool is_known() const { return rank_ >= 0; }
  // The number of axes; 0 of an unknown shape.
  int rank() const { return rank_ < 0 ? 0 : rank_; }
  size_t size() const { return static_cast<size_t>(rank()); }
  bool empty() const { return rank_ <= 0; }
  const int64_t* data() const { return heap_ ? heap_ : few_; }
  int64_t* data() { return heap_ ? heap_ : few_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + rank(); }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + rank(); }
  int64_t operator[](int i) const { return data()[checked(i)]; }
  int64_t& operator[](int i) { return data()[checked(i)]; }
  int64_t back() const { return data()[checked(rank() - 1)]; }

  void push_back(int64_t d) {
    std::vector<int64_t> v(begin(), end());
    v.push_back(d);
    assign(v.data(), v.size());
  }

  // Whether a dimension is still to be inferred.
  bool has_inferred() const { return std::find(begin(), end(), kInferred) != end(); }
  // Whether a dimension is known in each call only.
  bool has_free() const { return std::find(begin(), end(), kFree) != end(); }
  // Every dimension is a number.
  bool is_static() const {
    return is_known() && std::all_of(begin(), end(), [](int64_t d) { return d >= 0; });
  }

  // Product of the dimensions; meaningful when static. Beyond 64 bits it is the largest number.
  int64_t elements() const {
    int64_t n = 1;
    bool fits = true;
    for (int64_t d : *this) {
      if (d == 0) return 0;
      fits &= !__builtin_mul_overflow(n, d, &n);
    }
    return fits ? n : INT64_MAX;
  }

  // The axes from `from` to before `to`. Places beyond the rank are a std::out_of_range.
  Shape sub(int from, int to) const {
    if (from < 0 || to < from || to > rank())
      throw std::out_of_range("axes " + std::to_string(from) + " to " + std::to_string(to) +
                              " of the shape " + text());
    return Shape(data() + from, static_cast<size_t>(to - from));
  }
  // The dimensions from last to first: CNTK's order in files.
  Shape reversed() const {
    Shape s = *this;
    std::reverse(s.begin(), s.end());
    return s;
  }
  // The axes of a, then those of b.
  friend Shape operator+(const Shape& a, const Shape& b) {
    std::vector<int64_t> v(a.begin(), a.end());
    v.insert(v.end(), b.begin(), b.end());
    return Shape(v);
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

  // "[2, 3]"; ? stands for inferred, * for free, ??? for unknown altogether.
  std::string text(const char* separator = ", ") const {
    if (!is_known()) return "[???]";
    std::string s = "[";
    for (int i = 0; i < rank(); ++i) {
      if (i) s += separator;
      int64_t d = (*this)[i];
      s += d == kInferred ? std::string("?") : d == kFree ? std::string("*") : std::to_string(d);
    }
    return s + "]";
  }

 private:
  int checked(int i) const {
    if (i < 0 || i >= rank())
      throw std::out_of_range("axis " + std::to_string(i) + " of the shape " + text());
    return i;
  }
  static constexpr int kFew = 5;
  void clear() {
    delete[] heap_;
    heap_ = nullptr;
    rank_ = 0;
  }
  void assign(const int64_t* dims, size_t n) {
    int64_t* heap = n > kFew ? new int64_t[n] : nullptr;
    std::copy(dims, dims + n, heap ? heap : few_);
    delete[] heap_;
    heap_ = heap;
    rank_ = static_cast<int>(n);
  }
  int rank_ = 0;
  int64_t few_[kFew] = {};
  int64_t* heap_ = nullptr;
};

}  // namespace cantik
