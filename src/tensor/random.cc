// The distributions of RandomStream. Words of the engine are turned into elements a refill at a time.
#include "tensor/random_vector.h"

#include "tensor/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tensor/random_ziggurat.h"

namespace cantik {
namespace {

// the last word with fraction(word) < 1
constexpr uint64_t kLastBelowOne = std::numeric_limits<uint64_t>::max() - 1024;

// The last word for which a predicate holds that holds for 0 and, once it fails, for no larger word.
template <class Holds>
uint64_t last_word(Holds&& holds) {
  uint64_t last = 0;
  for (int bit = 63; bit >= 0; --bit)
    if (holds(last | uint64_t{1} << bit)) last |= uint64_t{1} << bit;
  return last;
}

// fraction(word) by means every machine has for vectors: the halves get exponents in front, and only the last
// sum rounds.
inline double fraction_of_halves(uint64_t word) {
  double upper = std::bit_cast<double>(0x4530000000000000 | word >> 32),
         lower = std::bit_cast<double>(0x4330000000000000 | (word & 0xffffffff));
  return (upper - 0x1.00000001p84 + lower) * 0x1p-64;
}

// out, words: [count]. Both tell whether there was a word beyond `last`; those are drawn again.
#define CANTIK_BLOCKS(T)                                                                              \
  CANTIK_CLONES bool uniform_block(const uint64_t* __restrict words, T* __restrict out, size_t count, \
                                   double low, double range, uint64_t last) {                         \
    uint64_t beyond = 0;                                                                              \
    for (size_t i = 0; i < count; ++i) {                                                              \
      out[i] = element_of<T>(fraction_of_halves(words[i]) * range + low);                             \
      beyond |= words[i] > last;                                                                      \
    }                                                                                                 \
    return beyond != 0;                                                                               \
  }                                                                                                   \
  CANTIK_CLONES bool mask_block(const uint64_t* __restrict words, T* __restrict out, size_t count,    \
                                uint64_t last_dropped, T kept) {                                      \
    uint64_t beyond = 0;                                                                              \
    for (size_t i = 0; i < count; ++i) {                                                              \
      out[i] = words[i] > last_dropped ? kept : T{};                                                  \
      beyond |= words[i] > kLastBelowOne;                                                             \
    }                                                                                                 \
    return beyond != 0;                                                                               \
  }
CANTIK_BLOCKS(float)
CANTIK_BLOCKS(double)
CANTIK_BLOCKS(Half)
#undef CANTIK_BLOCKS

// Fills out by block(words, their part of out); the elements of words beyond `last` are closed up.
template <class T, class Block>
void fill_blocks(Mt19937_64& engine, std::span<T> out, uint64_t last, Block&& block) {
  while (!out.empty()) {
    std::span<const uint64_t> words = engine.peek();
    words = words.first(std::min(words.size(), out.size()));
    size_t made = words.size();
    if (block(words, out.data())) {
      made = 0;
      for (size_t i = 0; i < words.size(); ++i)
        if (words[i] <= last) out[made++] = out[i];
    }
    engine.advance(words.size());
    out = out.subspan(made);
  }
}

}  // namespace

template <class T>
void RandomStream::uniform(std::span<T> out, double low, double high) {
  low = round_to<T>(low);
  high = round_to<T>(high);
  check_uniform(low, high);
  double range = high - low;
  if constexpr (std::is_same_v<T, double>) {
    if (std::isinf(range)) {
      uniform(out, low / 2, high / 2);
      for (double& x : out) x *= 2;
      return;
    }
  }
  uint64_t last = last_word([&](uint64_t word) { return fraction(word) * range + low < high; });
  fill_blocks(engine_, out, last, [&](auto words, T* part) {
    return uniform_block(words.data(), part, words.size(), low, range, last);
  });
  count(out.size());
}

template <class T>
void RandomStream::normal(std::span<T> out, double mean, double deviation) {
  check_normal(deviation);
  mean = round_to<T>(mean);
  deviation = round_to<T>(deviation);
  const Ziggurat& z = normal_ziggurat();
  std::span<T> rest = out;
  while (!rest.empty()) {
    std::span<const uint64_t> words = engine_.peek();
    size_t count = std::min(words.size(), rest.size()), i = 0;
    bool decided = true;
    for (; i < count; ++i) {
      double x = normal_candidate(z, words[i], decided);
      if (!decided) break;
      rest[i] = element_of<T>(x * deviation + mean);
    }
    if (!decided) {
      uint64_t word = words[i];
      engine_.advance(i + 1);
      rest[i++] = element_of<T>(normal_slowly(word, engine_) * deviation + mean);
    } else {
      engine_.advance(i);
    }
    rest = rest.subspan(i);
  }
  // CNTK's generators on other devices make normal numbers in pairs; on the CPU it keeps in step with them.
  if (out.size() % 2) draw_normal(engine_);
  count(out.size() + out.size() % 2);
}

template <class T>
void RandomStream::truncated_normal(std::span<T> out, double mean, double deviation) {
  check_normal(deviation);
  mean = round_to<T>(mean);
  deviation = round_to<T>(deviation);
  double low = round_to<T>(mean - 2 * deviation), high = round_to<T>(mean + 2 * deviation), x;
  for (T& element : out) {
    do x = round_to<T>(draw_normal(engine_) * deviation + mean);
    while (x < low || x > high);
    element = element_of<T>(x);
  }
  count(out.size());
}

template <class T>
void RandomStream::gumbel(std::span<T> out, double loc, double scale) {
  check_gumbel(scale);
  loc = round_to<T>(loc);
  scale = round_to<T>(scale);
  for (T& element : out)
    element = element_of<T>(loc - scale * std::log(-std::log1p(-draw_fraction(engine_))));
  count(out.size());
}

// `kept` where u, rounded to an element, exceeds the threshold. The comparison is made with the words
// themselves.
template <class T>
void RandomStream::mask(std::span<T> out, double threshold, T kept) {
  uint64_t last_dropped = last_word([&](uint64_t word) { return round_to<T>(fraction(word)) <= threshold; });
  fill_blocks(engine_, out, kLastBelowOne, [&](auto words, T* part) {
    return mask_block(words.data(), part, words.size(), last_dropped, kept);
  });
  count(out.size());
}

template <class T>
void RandomStream::bernoulli(std::span<T> out, double mean) {
  check_bernoulli(mean);
  mask(out, round_to<T>(1 - round_to<T>(mean)), element_of<T>(1));
}

template <class T>
void RandomStream::dropout_mask(std::span<T> out, double rate) {
  check_dropout(rate);
  if (rate == 0) {
    std::fill(out.begin(), out.end(), element_of<T>(1));
    return;
  }
  mask(out, round_to<T>(rate), element_of<T>(1 / (1 - rate)));
}

#define CANTIK_STREAM(T)                                                         \
  template void RandomStream::uniform<T>(std::span<T>, double, double);          \
  template void RandomStream::normal<T>(std::span<T>, double, double);           \
  template void RandomStream::truncated_normal<T>(std::span<T>, double, double); \
  template void RandomStream::gumbel<T>(std::span<T>, double, double);           \
  template void RandomStream::bernoulli<T>(std::span<T>, double);                \
  template void RandomStream::dropout_mask<T>(std::span<T>, double);
CANTIK_STREAM(float)
CANTIK_STREAM(double)
CANTIK_STREAM(Half)
#undef CANTIK_STREAM

}  // namespace cantik
