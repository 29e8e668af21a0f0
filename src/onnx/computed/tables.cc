// Numbers that a rule makes: windows of signals, scales of tones, counts of words.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

int64_t count_in(const Array& a, const char* what) {
  const double n = a.numbers.empty() ? 0 : a.numbers[0];
  if (!(n >= 0 && n < 1 << 24)) throw value_error(cat(what, " is ", n, ", which is no such number"));
  return static_cast<int64_t>(n);
}

// ---- windows: a sum of cosines

template <int N>
Computed cosines(const ComputedNode& n, const double (&part)[N]) {
  const bool periodic = n.integer("periodic", 1) != 0;
  std::vector<double> parts(part, part + N);
  return {{{{-1}, static_cast<int32_t>(n.integer("output_datatype", kFloat))}},
          [=](const std::vector<Array>& in) {
            const int64_t size = count_in(in[0], "the size of a window"), turn = periodic ? size : size - 1;
            Array y{{size}, std::vector<double>(static_cast<size_t>(size))};
            for (int64_t i = 0; i < size; ++i) {
              double sum = turn > 0 ? 0 : 1;
              for (size_t k = 0; k < parts.size() && turn > 0; ++k)
                sum += parts[k] * std::cos(2 * std::numbers::pi * static_cast<double>(k) *
                                           static_cast<double>(i) / static_cast<double>(turn));
              y.numbers[i] = sum;
            }
            return std::vector<Array>{y};
          }};
}
Computed hann(const ComputedNode& n) { return cosines(n, {0.5, -0.5}); }
Computed hamming(const ComputedNode& n) { return cosines(n, {25.0 / 46, -21.0 / 46}); }
Computed blackman(const ComputedNode& n) { return cosines(n, {0.42, -0.5, 0.08}); }

// Triangles over the bins of a spectrum, at equal distances on the scale of tones: mel = 2595 log10(1 + f /
// 700).
Computed mel_weights(const ComputedNode& n) {
  return {{{{-1, -1}, static_cast<int32_t>(n.integer("output_datatype", kFloat))}},
          [](const std::vector<Array>& in) {
            const int64_t bands = count_in(in[0], "the number of bands"),
                          length = count_in(in[1], "the length of a transform");
            const double rate = in[2].numbers.at(0), low = in[3].numbers.at(0), high = in[4].numbers.at(0);
            const int64_t bins = length / 2 + 1;
            auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
            auto hertz = [](double m) { return 700 * (std::pow(10, m / 2595) - 1); };
            std::vector<int64_t> edge;
            const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bands + 2);
            for (int64_t i = 0; i < bands + 2; ++i) {
              const double at =
                  hertz(first + static_cast<double>(i) * step) * static_cast<double>(length + 1) / rate;
              if (!(at >= 0 && at < 1 << 24)) throw value_error("an edge of a band is no frequency");
              edge.push_back(static_cast<int64_t>(at));
            }
            Array y = sized({bins, bands});
            for (int64_t b = 0; b < bands; ++b) {
              const int64_t from = edge[b], top = edge[static_cast<size_t>(b) + 1],
                            to = edge[static_cast<size_t>(b) + 2];
              auto at = [&](int64_t bin) -> double& {
                if (bin >= bins) throw value_error("a band ends behind the spectrum");
                return y.numbers[bin * bands + b];
              };
              if (top == from)
                at(top) = 1;
              else
                for (int64_t i = from; i <= top; ++i)
                  at(i) = static_cast<double>(i - from) / static_cast<double>(top - from);
              for (int64_t i = top; i < to; ++i)
                at(i) = static_cast<double>(to - i) / static_cast<double>(to - top);
            }
            return std::vector<Array>{y};
          }};
}

// ---- words

// How often each n-gram of a list is there, with up to so many words left out between its own. x: [words] or
// [texts, words]
Computed count_grams(const ComputedNode& n) {
  const std::vector<int64_t> pool = n.integers("pool_int64s"), starts = n.integers("ngram_counts"),
                             places = n.integers("ngram_indexes");
  const std::vector<double> weights = n.reals("weights");
  const int64_t shortest = n.integer("min_gram_length", 1), longest = n.integer("max_gram_length", 1),
                skips = n.integer("max_skip_count", 0);
  const std::string mode = n.text("mode", "TF");
  if (pool.empty()) throw unsupported("n-grams of texts are counted");
  if (places.empty() || starts.empty()) throw value_error("the list of n-grams is empty");
  int64_t width = 0;
  for (int64_t p : places) {
    if (p < 0 || p > 1 << 24) throw value_error("an n-gram has no place in the result");
    width = std::max(width, p + 1);
  }
  std::vector<int64_t> dims = n.dims.at(0);
  if (dims.empty() || dims.size() > 2) throw value_error("texts have one or two axes");
  dims.back() = width;
  for (int64_t& d : dims) d = std::max<int64_t>(d, -1);
  return {{{dims, kFloat}}, [=](const std::vector<Array>& in) {
            const Array& x = in[0];
            const int64_t words = x.dims.back(), texts = x.product(0, x.dims.size() - 1);
            Array y;
            y.dims = x.dims;
            y.dims.back() = width;
            y = sized(y.dims);
            const int64_t last = std::min(longest, static_cast<int64_t>(starts.size()));
            for (int64_t length = std::max<int64_t>(1, shortest); length <= last; ++length) {
              const auto g = static_cast<size_t>(length - 1);
              const auto begin = static_cast<size_t>(std::max<int64_t>(0, starts[g]));
              const size_t end = g + 1 < starts.size()
                                     ? static_cast<size_t>(std::max<int64_t>(0, starts[g + 1]))
                                     : pool.size();
              size_t number = 0;  // of the first n-gram of this length
              for (size_t s = 0; s < g; ++s)
                number += (static_cast<size_t>(starts[s + 1]) - static_cast<size_t>(starts[s])) / (s + 1);
              const int64_t most_skips = length == 1 ? 0 : std::min(skips, words);
              for (int64_t t = 0; t < texts; ++t)
                for (int64_t skip = 0; skip <= most_skips; ++skip)
                  for (int64_t at = 0; at + (length - 1) * (skip + 1) < words; ++at)
                    for (size_t p = begin; p + static_cast<size_t>(length) <= std::min(end, pool.size());
                         p += static_cast<size_t>(length)) {
                      bool same = true;
                      for (int64_t k = 0; k < length && same; ++k)
                        same = x.numbers[t * words + at + k * (skip + 1)] ==
                               static_cast<double>(pool[p + static_cast<size_t>(k)]);
                      if (!same) continue;
                      const size_t which = number + (p - begin) / static_cast<size_t>(length);
                      y.numbers[t * width + places.at(which)] += 1;
                      break;
                    }
            }
            if (mode != "TF")
              for (size_t i = 0; i < y.numbers.size(); ++i) {
                double weight = 1;
                for (size_t k = 0; k < places.size() && k < weights.size(); ++k)
                  if (static_cast<int64_t>(i) % width == places[k]) weight = weights[k];
                y.numbers[i] = (mode == "IDF" ? (y.numbers[i] > 0 ? 1 : 0) : y.numbers[i]) * weight;
              }
            return std::vector<Array>{y};
          }};
}

constexpr ComputedRule kTableRules[] = {
    {"HannWindow", "*", hann, 0, 0, 17},
    {"HammingWindow", "*", hamming, 0, 0, 17},
    {"BlackmanWindow", "*", blackman, 0, 0, 17},
    {"MelWeightMatrix", "*****", mel_weights, 0, 0, 17},
    {"TfIdfVectorizer", "*", count_grams, 0, 0, 9},
};

}  // namespace

std::span<const ComputedRule> computed_tables() { return kTableRules; }

}  // namespace cantik::onnx
