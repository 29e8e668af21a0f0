// The stream of random numbers behind one operator or initializer, and how CNTK 2.7 turns it into each
// distribution.
//
// All draws happen in double and are rounded to the element type, as are the parameters before. Elements are
// filled in the order of memory. The distributions are Boost.Random's: uniform u * (high - low) + low below
// high, normal by the ziggurat method.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tensor/random_engine.h"

namespace cantik {

// The offset counts elements: one for each, and one more where a call of normal() makes an odd number of
// them. It is what a saved model keeps. A stream that starts at an offset skips as many words of the engine:
// the same as going on after distributions that use one word an element, another sequence after normal(),
// which at times uses more (CNTK's restored models behave so as well).
//
// T: float, double or Half.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed, uint64_t offset = 0) : seed_(seed), offset_(offset), engine_(seed) {
    engine_.discard(offset);
  }
  // Goes on from an engine in any state.
  explicit RandomStream(const Mt19937_64& engine) : engine_(engine) {}

  uint64_t seed() const { return seed_; }
  uint64_t offset() const { return offset_; }
  void count(uint64_t elements) { offset_ += elements; }  // for those who draw from the engine themselves
  Mt19937_64& engine() { return engine_; }

  // How many draws a sample of different classes takes on average, as it was found by drawing. CNTK keeps it
  // as long as the weights of the classes stay the same.
  struct Estimate {
    uint64_t weights = 0;  // their checksum
    double draws = 0;
  };
  std::optional<Estimate> estimate;

  template <class T>
  void uniform(std::span<T> out, double low, double high);
  template <class T>
  void normal(std::span<T> out, double mean, double deviation);
  // Normal numbers within two deviations of the mean; others are drawn again.
  template <class T>
  void truncated_normal(std::span<T> out, double mean, double deviation);
  // loc - scale * log(-log(1 - u))
  template <class T>
  void gumbel(std::span<T> out, double loc, double scale);
  // 1 where u > 1 - mean, else 0.
  template <class T>
  void bernoulli(std::span<T> out, double mean);
  // What dropout multiplies with: 1 / (1 - rate) where u > rate, else 0. A rate of 0 draws nothing.
  template <class T>
  void dropout_mask(std::span<T> out, double rate);

 private:
  template <class T>
  void mask(std::span<T> out, double threshold, T kept);
  uint64_t seed_ = 0, offset_ = 0;
  Mt19937_64 engine_;
};

// Throw what CNTK throws for parameters that make no distribution, when the graph is built as well as when
// numbers are drawn.
void check_uniform(double low, double high);
void check_normal(double deviation);
void check_gumbel(double scale);
void check_bernoulli(double mean);
void check_dropout(double rate);

}  // namespace cantik
