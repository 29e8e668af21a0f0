#include "distributed/few_bits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::distributed {
namespace {

// A column of a gradient, with what is left of it from before.
template <class T>
struct Column {
  T* numbers;
  T* residue;
  int64_t length;
};

// PackedLevels of numbers, side by side in as many bits each.
class PackedLevels {
 public:
  explicit PackedLevels(int bits) : bits_(bits) {}
  int64_t bytes(int64_t length) const { return (length * bits_ + 7) / 8; }
  uint32_t most() const { return (1u << bits_) - 1; }
  void put(uint8_t* to, int64_t i, uint32_t level) const {
    const int64_t at = i * bits_;
    to[at / 8] = static_cast<uint8_t>(to[at / 8] | level << (at % 8));
    if (bits_ == 16) to[at / 8 + 1] = static_cast<uint8_t>(level >> 8);
  }
  uint32_t get(const uint8_t* from, int64_t i) const {
    const int64_t at = i * bits_;
    if (bits_ == 16) return static_cast<uint32_t>(from[at / 8] | from[at / 8 + 1] << 8);
    return static_cast<uint32_t>(from[at / 8] >> (at % 8)) & most();
  }

 private:
  int bits_;
};

// The two numbers that the levels of a column are counted from.
template <class T>
struct ColumnScale {
  T low = 0, high = 0;
};

constexpr int kLanes = 8;  // numbers side by side: bits of a byte, sums that go on at once

// With one bit: the means of the numbers below 0 and of the others.
template <class T>
ColumnScale<T> means(const T* u, int64_t length) {
  T below[kLanes] = {}, above[kLanes] = {};
  int32_t counts[kLanes] = {};
  auto add = [&](int k, T x) {
    below[k] += x < 0 ? x : T(0);
    above[k] += x < 0 ? T(0) : x;
    counts[k] += x < 0;
  };
  const int64_t whole = length / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes)
    for (int k = 0; k < kLanes; ++k) add(k, u[i + k]);
  for (int64_t i = whole; i < length; ++i) add(static_cast<int>(i - whole), u[i]);
  T low = 0, high = 0;
  int64_t count = 0;
  for (int k = 0; k < kLanes; ++k) {
    low += below[k];
    high += above[k];
    count += counts[k];
  }
  return {count > 0 ? low / static_cast<T>(count) : 0,
          count < length ? high / static_cast<T>(length - count) : 0};
}

// The bits of a column with its means; what they leave out stays in u.
template <class T>
void put_bits(T* u, int64_t length, const ColumnScale<T>& s, uint8_t* to) {
  const int64_t whole = length / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    uint32_t byte = 0;
    for (int k = 0; k < kLanes; ++k) byte |= static_cast<uint32_t>(!(u[i + k] < 0)) << k;
    to[i / kLanes] = static_cast<uint8_t>(byte);
    for (int k = 0; k < kLanes; ++k) u[i + k] -= u[i + k] < 0 ? s.low : s.high;
  }
  for (int64_t i = whole; i < length; ++i) {
    const bool side = !(u[i] < 0);
    to[i / kLanes] = static_cast<uint8_t>(to[i / kLanes] | side << (i - whole));
    u[i] -= side ? s.high : s.low;
  }
}

template <class T>
T value(const ColumnScale<T>& s, uint32_t level, uint32_t most) {
  if (level == 0) return s.low;
  if (level == most) return s.high;
  return s.low + (s.high - s.low) * (static_cast<T>(level) / static_cast<T>(most));
}

template <class T>
uint32_t nearest(const ColumnScale<T>& s, T u, uint32_t most) {
  if (!(s.high > s.low)) return 0;
  return static_cast<uint32_t>((u - s.low) / (s.high - s.low) * static_cast<T>(most) + T(0.5));
}

// Appends the column's scale and its levels, and keeps what they leave out.
template <class T>
void encode(const Column<T>& c, int bits, std::string& to) {
  const PackedLevels levels(bits);
  for (int64_t i = 0; i < c.length; ++i) c.residue[i] += c.numbers[i];
  ColumnScale<T> scale;
  if (bits == 1) {
    scale = means(c.residue, c.length);
  } else if (c.length > 0) {
    const auto [least, greatest] = std::minmax_element(c.residue, c.residue + c.length);
    scale = {*least, *greatest};
    // A gradient that diverged has no levels: the whole column shows it.
    if (!std::all_of(c.residue, c.residue + c.length, [](T u) { return std::isfinite(u); }))
      scale = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
  }
  const size_t at = to.size();
  to.resize(at + sizeof scale + static_cast<size_t>(levels.bytes(c.length)));
  std::memcpy(to.data() + at, &scale, sizeof scale);
  auto* packed = reinterpret_cast<uint8_t*>(to.data() + at + sizeof scale);
  if (bits == 1) return put_bits(c.residue, c.length, scale, packed);
  for (int64_t i = 0; i < c.length; ++i) {
    const T u = c.residue[i];
    const uint32_t level = std::min(nearest(scale, u, levels.most()), levels.most());
    levels.put(packed, i, level);
    c.residue[i] = u - value(scale, level, levels.most());
  }
}

// Calls f(i, number) for what the bytes stand for, and returns the bytes behind them.
template <class T, class F>
const char* decode(const char* from, int64_t length, int bits, F&& f) {
  const PackedLevels levels(bits);
  ColumnScale<T> scale;
  std::memcpy(&scale, from, sizeof scale);
  const auto* packed = reinterpret_cast<const uint8_t*>(from + sizeof scale);
  if (bits == 1) {
    const int64_t whole = length / kLanes * kLanes;
    for (int64_t i = 0; i < whole; i += kLanes)
      for (int k = 0; k < kLanes; ++k) f(i + k, packed[i / kLanes] >> k & 1 ? scale.high : scale.low);
    for (int64_t i = whole; i < length; ++i)
      f(i, packed[i / kLanes] >> (i - whole) & 1 ? scale.high : scale.low);
    return from + sizeof scale + levels.bytes(length);
  }
  for (int64_t i = 0; i < length; ++i) f(i, value(scale, levels.get(packed, i), levels.most()));
  return from + sizeof scale + levels.bytes(length);
}

}  // namespace

FewBits::FewBits(Communicator& communicator, int bits) : communicator_(communicator), bits_(bits) {}
FewBits::~FewBits() = default;

void FewBits::sum(std::span<const Tensor> gradients) {
  if (residues_.empty())
    for (const Tensor& g : gradients) residues_.push_back(Tensor::zeros(g.dtype(), g.shape()));
  sum<float>(gradients, residues_, stripe_residue_[0]);
  sum<double>(gradients, residues_, stripe_residue_[1]);
}

template <class T>
void FewBits::sum(std::span<const Tensor> gradients, std::vector<Tensor>& residues, Tensor& of_stripe) {
  std::vector<Column<T>> columns;
  int64_t all = 0;
  for (size_t g = 0; g < gradients.size(); ++g) {
    const Tensor& t = gradients[g];
    if (t.dtype() != dtype_of<T> || t.elements() == 0) continue;
    const int rank = t.shape().rank();
    const int64_t length = rank ? t.shape()[rank - 1] : 1;
    for (int64_t at = 0; at < t.elements(); at += length)
      columns.push_back({t.data<T>() + at, residues[g].data<T>() + at, length});
    all += t.elements();
  }
  if (columns.empty()) return;
  // Columns in stripes of about as many numbers each.
  const auto workers = static_cast<size_t>(communicator_.size()),
             rank = static_cast<size_t>(communicator_.rank());
  std::vector<size_t> begins(workers + 1, columns.size());
  int64_t seen = 0;
  for (size_t i = 0, w = 0; i < columns.size(); ++i) {
    while (w < workers && seen >= all * static_cast<int64_t>(w) / static_cast<int64_t>(workers))
      begins[w++] = i;
    seen += columns[i].length;
  }
  begins[0] = 0;
  std::vector<std::string> parts(workers);
  for (size_t w = 0; w < workers; ++w)
    for (size_t i = begins[w]; i < begins[w + 1]; ++i) encode(columns[i], bits_, parts[w]);
  parts = communicator_.all_to_all(parts, "bits of gradients");
  // The own stripe: the sum of what all workers' bits stand for, and its bits in turn.
  int64_t own = 0;
  for (size_t i = begins[rank]; i < begins[rank + 1]; ++i) {
    std::fill_n(columns[i].numbers, columns[i].length, T(0));
    own += columns[i].length;
  }
  for (const std::string& part : parts) {
    const char* at = part.data();
    for (size_t i = begins[rank]; i < begins[rank + 1]; ++i)
      at = decode<T>(at, columns[i].length, bits_, [&](int64_t k, T x) { columns[i].numbers[k] += x; });
  }
  if (!of_stripe.defined() || of_stripe.elements() != own) of_stripe = Tensor::zeros(dtype_of<T>, {own});
  T* residue = of_stripe.data<T>();
  std::string bits;
  for (size_t i = begins[rank]; i < begins[rank + 1]; ++i) {
    encode(Column<T>{columns[i].numbers, residue, columns[i].length}, bits_, bits);
    residue += columns[i].length;
  }
  const std::vector<std::string> sums = communicator_.gather(bits, "bits of sums");
  for (size_t w = 0; w < workers; ++w) {
    const char* at = sums[w].data();
    for (size_t i = begins[w]; i < begins[w + 1]; ++i)
      at = decode<T>(at, columns[i].length, bits_, [&](int64_t k, T x) { columns[i].numbers[k] = x; });
  }
}

Dictionary FewBits::state() const {
  DictionaryVector residues, stripes;
  for (const Tensor& t : residues_) residues.push_back(t.clone());
  for (const Tensor& t : stripe_residue_)
    stripes.push_back(t.defined() ? t.clone() : Tensor::zeros(DType::float32, {0}));
  return {{"residues", residues}, {"stripes", stripes}};
}

void FewBits::restore(const Dictionary& d) {
  residues_.clear();
  for (Tensor& t : stripe_residue_) t = {};
  if (d.size() == 0) return;
  for (const DictionaryValue& v : d.at("residues").as<DictionaryVector>())
    residues_.push_back(v.as<Tensor>().clone());
  const auto& stripes = d.at("stripes").as<DictionaryVector>();
  for (size_t i = 0; i < 2 && i < stripes.size(); ++i)
    if (const Tensor& t = stripes[i].as<Tensor>(); t.elements() > 0) stripe_residue_[i] = t.clone();
}

}  // namespace cantik::distributed
