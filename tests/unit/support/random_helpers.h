// For the tests of random numbers: chosen engine states, golden numbers, errors.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include <cantik/error.h>
#include <cantik/tensor.h>

#include "tensor/random_engine.h"

namespace cantik {

inline constexpr uint64_t kSeeds[] = {0, 1, 5, 12345, (uint64_t{1} << 40) + 7, ~uint64_t{0}};

// The state word that tempers to `word`: each step of the tempering is undone by repeating it until all bits
// are right.
inline uint64_t untempered(uint64_t word) {
  auto undo = [](uint64_t z, auto step) {
    uint64_t y = z;
    for (int i = 0; i < 64; ++i) y = z ^ step(y);
    return y;
  };
  word = undo(word, [](uint64_t y) { return y >> 43; });
  word = undo(word, [](uint64_t y) { return (y << 37) & 0xfff7eee000000000; });
  word = undo(word, [](uint64_t y) { return (y << 17) & 0x71d67fffeda60000; });
  return undo(word, [](uint64_t y) { return (y >> 29) & 0x5555555555555555; });
}

// The same state for both engines, with the given words coming next.
inline std::vector<uint64_t> state_of(std::vector<uint64_t> words) {
  std::mt19937_64 more(3);
  while (words.size() < Mt19937_64::kWords) words.push_back(more());
  for (uint64_t& w : words) w = untempered(w);
  return words;
}
inline Mt19937_64 engine_of(const std::vector<uint64_t>& state) {
  return Mt19937_64(std::span<const uint64_t, Mt19937_64::kWords>(state.data(), Mt19937_64::kWords));
}
inline std::mt19937_64 standard_of(const std::vector<uint64_t>& state) {
  std::stringstream text;
  for (uint64_t w : state) text << w << ' ';
  text << 0;
  std::mt19937_64 engine;
  text >> engine;
  return engine;
}

// A row of the files made by tests/golden/random_cntk.py.
struct Golden {
  const char* what;
  DType dtype;
  std::vector<double> parameters;
  size_t count;
  uint64_t hash;
  double last;
};

// FNV-1a, to be continued with further tensors.
inline uint64_t hash_of(const Tensor& t, uint64_t hash = 0xcbf29ce484222325) {
  for (size_t i = 0; i < t.bytes(); ++i)
    hash = (hash ^ static_cast<const uint8_t*>(t.raw())[i]) * 0x100000001b3;
  return hash;
}

template <class F>
void expect_error(ErrorKind kind, std::string_view text, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_EQ(std::string_view(e.what()), text);
  }
}

}  // namespace cantik
