#include "distributed/one_bit.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
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
  size_t bytes() const { return 2 * sizeof(T) + static_cast<size_t>((length + 7) / 8); }
};

// Appends the column's two means and its bits, and keeps what they leave out.
template <class T>
void encode(const Column<T>& c, std::string& to) {
  T sums[2] = {0, 0}, means[2];
  int64_t counts[2] = {0, 0};
  for (int64_t i = 0; i < c.length; ++i) {
    const T u = c.numbers[i] + c.residue[i];
    c.residue[i] = u;
    sums[u >= 0] += u;
    ++counts[u >= 0];
  }
  for (int side : {0, 1}) means[side] = counts[side] ? sums[side] / static_cast<T>(counts[side]) : 0;
  const size_t at = to.size();
  to.resize(at + c.bytes());
  std::memcpy(to.data() + at, means, sizeof means);
  auto* bits = reinterpret_cast<uint8_t*>(to.data() + at + sizeof means);
  for (int64_t i = 0; i < c.length; ++i) {
    const bool side = c.residue[i] >= 0;
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | side << (i % 8));
    c.residue[i] -= means[side];
  }
}

// Calls f(i, number) for what the bytes stand for, and returns the bytes behind them.
template <class T, class F>
const char* decode(const char* from, int64_t length, F&& f) {
  T means[2];
  std::memcpy(means, from, sizeof means);
  const auto* bits = reinterpret_cast<const uint8_t*>(from + sizeof means);
  for (int64_t i = 0; i < length; ++i) f(i, means[bits[i / 8] >> (i % 8) & 1]);
  return from + sizeof means + (length + 7) / 8;
}

}  // namespace

OneBit::OneBit(Communicator& communicator) : communicator_(communicator) {}
OneBit::~OneBit() = default;

void OneBit::sum(std::span<const Tensor> gradients) {
  if (residues_.empty())
    for (const Tensor& g : gradients) residues_.push_back(Tensor::zeros(g.dtype(), g.shape()));
  sum<float>(gradients, residues_, stripe_residue_[0]);
  sum<double>(gradients, residues_, stripe_residue_[1]);
}

template <class T>
void OneBit::sum(std::span<const Tensor> gradients, std::vector<Tensor>& residues, Tensor& of_stripe) {
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
    for (size_t i = begins[w]; i < begins[w + 1]; ++i) encode(columns[i], parts[w]);
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
      at = decode<T>(at, columns[i].length, [&](int64_t k, T x) { columns[i].numbers[k] += x; });
  }
  if (!of_stripe.defined() || of_stripe.elements() != own) of_stripe = Tensor::zeros(dtype_of<T>, {own});
  T* residue = of_stripe.data<T>();
  std::string bits;
  for (size_t i = begins[rank]; i < begins[rank + 1]; ++i) {
    encode(Column<T>{columns[i].numbers, residue, columns[i].length}, bits);
    residue += columns[i].length;
  }
  const std::vector<std::string> sums = communicator_.gather(bits, "bits of sums");
  for (size_t w = 0; w < workers; ++w) {
    const char* at = sums[w].data();
    for (size_t i = begins[w]; i < begins[w + 1]; ++i)
      at = decode<T>(at, columns[i].length, [&](int64_t k, T x) { columns[i].numbers[k] = x; });
  }
}

Dictionary OneBit::state() const {
  DictionaryVector residues, stripes;
  for (const Tensor& t : residues_) residues.push_back(t.clone());
  for (const Tensor& t : stripe_residue_)
    stripes.push_back(t.defined() ? t.clone() : Tensor::zeros(DType::float32, {0}));
  return {{"residues", residues}, {"stripes", stripes}};
}

void OneBit::restore(const Dictionary& d) {
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
