// Reading files in CNTK's text format: text a second.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "io/deserializer.h"

namespace cantik::bench {
namespace {

enum Kind { kWords, kDense, kSparse };

// About 8 MB of a kind of text: sequences of words with comments, as in ATIS; 64 dense numbers a line; 20
// sparse ones.
std::string text_of(Kind kind) {
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; text.size() < (8u << 20); ++i) {
    if (kind == kWords) {
      for (unsigned t = 0, n = 5 + static_cast<unsigned>(random() % 20); t < n; ++t)
        text += std::to_string(i) + "\t|S0 " + std::to_string(random() % 943) + ":1 |# word" +
                (t ? "\t" : "\t|S1 14:1 |# flight") + "\t|S2 " + std::to_string(random() % 129) + ":1 |# O\n";
    } else {
      text += "|x";
      for (int k = 0; k < (kind == kDense ? 64 : 20); ++k) {
        char number[32];
        std::snprintf(number, sizeof number, " %.5f", static_cast<double>(random() % 2000001) / 1e6 - 1);
        if (kind == kSparse)
          text += " " + std::to_string(random() % 100000) + ":" + (number + 1);
        else
          text += number;
      }
      text += " |y " + std::to_string(random() % 10) + ":1\n";
    }
  }
  return text;
}

void read_text(benchmark::State& state, Kind kind) {
  std::string text = text_of(kind), path = std::filesystem::temp_directory_path() /
                                           ("cantik_bench_" + std::to_string(getpid()) + ".ctf");
  std::ofstream(path, std::ios::binary) << text;
  std::vector<CtfStream> streams = {
      {"words", "S0", 943, true}, {"intent", "S1", 26, true}, {"slots", "S2", 129, true}};
  if (kind != kWords)
    streams = {{"x", "x", kind == kDense ? 64 : 100000, kind == kSparse}, {"y", "y", 10, true}};
  for (auto _ : state) {
    DeserializerPtr d = ctf(path, streams);
    for (int64_t c = 0; c < d->chunks(); ++c) benchmark::DoNotOptimize(d->load(c));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
  std::filesystem::remove(path);
}

BENCHMARK_CAPTURE(read_text, words, kWords)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_text, dense, kDense)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_text, sparse, kSparse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cantik::bench
