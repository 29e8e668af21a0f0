// How the fuzzers change dictionaries: half of the changes are made to the bytes, half to what the dictionary
// says, where values are exchanged, dropped, repeated and altered. Included once by each fuzzer.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include <cantik/dictionary.h>
#include <cantik/error.h>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace cantik {

// Rebuilds the dictionary with one of its values changed, the `target`-th in order.
class Change {
 public:
  explicit Change(unsigned seed) : random_(seed) {}

  Dictionary operator()(const Dictionary& d) {
    DictionaryValue whole = d;
    count(whole);
    target_ = 1 + random_() % values_.size();
    return again(whole).as<Dictionary>();
  }

 private:
  void count(const DictionaryValue& v) {
    values_.push_back(&v);
    if (auto* list = v.get<DictionaryVector>())
      for (const DictionaryValue& x : *list) count(x);
    if (auto* d = v.get<Dictionary>())
      for (const auto& [key, x] : *d) count(x);
  }

  DictionaryValue again(const DictionaryValue& v) {
    if (next_++ == target_) return changed(v);  // never the whole, which is value 0
    if (auto* list = v.get<DictionaryVector>()) {
      DictionaryVector out;
      for (const DictionaryValue& x : *list) out.push_back(again(x));
      return out;
    }
    if (auto* d = v.get<Dictionary>()) {
      Dictionary out;
      for (const auto& [key, x] : *d) out[key] = again(x);
      return out;
    }
    return v;
  }

  DictionaryValue changed(const DictionaryValue& v) {
    if (random_() % 3 == 0)  // another value of the same kind
      for (int i = 0; i < 100; ++i)
        if (const DictionaryValue& other = *values_[random_() % values_.size()];
            &other != &v && other.storage().index() == v.storage().index())
          return other;
    static const int64_t kNumbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       57,
                                       44,
                                       31,
                                       14,
                                       39,
                                       16,
                                       12,
                                       -1,
                                       -2,
                                       -3,
                                       100,
                                       int64_t{1} << 31,
                                       int64_t{1} << 40,
                                       INT64_MAX,
                                       INT64_MIN};
    int64_t n = kNumbers[random_() % std::size(kNumbers)];
    if (v.get<uint64_t>()) return static_cast<uint64_t>(n);
    if (v.get<int32_t>()) return static_cast<int32_t>(n);
    if (auto* b = v.get<bool>()) return !*b;
    if (v.get<double>()) return static_cast<double>(n);
    if (v.get<Axis>()) return Axis(n);
    if (auto* list = v.get<DictionaryVector>()) {
      DictionaryVector out = *list;
      if (!out.empty() && random_() % 2)
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(random_() % out.size()));
      else if (!out.empty())
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(random_() % out.size()),
                   out[random_() % out.size()]);
      return out;
    }
    if (auto* d = v.get<Dictionary>()) {
      Dictionary out;
      size_t gone = d->size() ? random_() % d->size() : 0, i = 0;
      for (const auto& [key, x] : *d)
        if (i++ != gone) out[key] = x;
      return out;
    }
    if (auto* s = v.get<Shape>()) {
      Shape out = s->is_known() ? *s : Shape();
      if (out.empty() || random_() % 3 == 0)
        out.push_back(n < -3 ? 1 : n == -2 ? 2 : n);
      else
        out[static_cast<int>(random_() % out.size())] = n < -3 ? 1 : n == -2 ? 2 : n;
      return out;
    }
    return v;
  }

  std::mt19937 random_;
  std::vector<const DictionaryValue*> values_;
  size_t target_ = 0, next_ = 0;
};

}  // namespace cantik

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  using namespace cantik;
  if (seed % 2) {
    try {
      Dictionary d = Dictionary::from_bytes({reinterpret_cast<const char*>(data), size});
      Dictionary base = d;
      for (unsigned i = 0; i <= seed / 2 % 3; ++i) base = Change(seed + i)(base);
      std::string bytes = base.to_bytes();
      if (bytes.size() <= max_size) {
        std::memcpy(data, bytes.data(), bytes.size());
        return bytes.size();
      }
    } catch (const Error&) {
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
