// Random numbers and dropout. Written by tools/generate from src/ops/random/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// Options of bernoulli().
struct BernoulliOptions {
  // shape of the result
  Shape shape = {};
  // its element type
  DType dtype = DType::float32;
  // the probability of a 1
  double mean = 0.5;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers that are 1 with the probability mean, else 0, new ones in each run.
CANTIK_API Function bernoulli(const BernoulliOptions& options = {},
                              SourceLocation where = SourceLocation::current());

// Random numbers that are 1 with the probability mean, else 0, in the shape of x, new ones in each run.
// mean: the probability of a 1
// seed: where the stream begins
CANTIK_API Function bernoulli_like(const Variable& x, double mean = 0.5, uint64_t seed = kAutoSeed,
                                   const std::string& name = {},
                                   SourceLocation where = SourceLocation::current());

// While training each number becomes 0 with the probability dropout_rate, else x / (1 - dropout_rate); in
// evaluation all stay as they are (Srivastava et al. 2014).
//
// y = x / (1 - rate) for a random part of the numbers, 0 for the others, while training; y = x in evaluation.
// dropout_rate: the part that becomes 0
// seed: where the stream of random numbers begins
CANTIK_API Function dropout(const Variable& x, double dropout_rate = 0, uint64_t seed = kAutoSeed,
                            const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Options of gumbel().
struct GumbelOptions {
  // shape of the result
  Shape shape = {};
  // its element type
  DType dtype = DType::float32;
  // where the density is highest
  double loc = 0;
  // how wide it is
  double scale = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers of a Gumbel distribution, loc - scale log(-log u), new ones in each run.
CANTIK_API Function gumbel(const GumbelOptions& options = {},
                           SourceLocation where = SourceLocation::current());

// Options of gumbel_like().
struct GumbelLikeOptions {
  // where the density is highest
  double loc = 0;
  // how wide it is
  double scale = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers of a Gumbel distribution, loc - scale log(-log u), in the shape of x, new ones in each run.
CANTIK_API Function gumbel_like(const Variable& x, const GumbelLikeOptions& options = {},
                                SourceLocation where = SourceLocation::current());

// Options of normal().
struct NormalOptions {
  // shape of the result
  Shape shape = {};
  // its element type
  DType dtype = DType::float32;
  // mean
  double mean = 0;
  // standard deviation
  double scale = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers of a normal distribution, new ones in each run.
CANTIK_API Function normal(const NormalOptions& options = {},
                           SourceLocation where = SourceLocation::current());

// Options of normal_like().
struct NormalLikeOptions {
  // mean
  double mean = 0;
  // standard deviation
  double scale = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers of a normal distribution, in the shape of x, new ones in each run.
CANTIK_API Function normal_like(const Variable& x, const NormalLikeOptions& options = {},
                                SourceLocation where = SourceLocation::current());

// Options of random_sample().
struct RandomSampleOptions {
  // how many are drawn
  int64_t num_samples = 1;
  // whether a class may come twice
  bool allow_duplicates = true;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// [num_samples, classes], sparse: in each row a 1 at a class drawn in proportion to the weights, new ones in
// each run. weights: [classes], or [1, classes].
CANTIK_API Function random_sample(const Variable& weights, const RandomSampleOptions& options = {},
                                  SourceLocation where = SourceLocation::current());

// Options of random_sample_inclusion_frequency().
struct RandomSampleInclusionFrequencyOptions {
  // how many are drawn
  int64_t num_samples = 1;
  // whether a class may come twice
  bool allow_duplicates = true;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// How often each class is to be expected among num_samples drawn by random_sample, in the shape of the
// weights. weights: [classes], or [1, classes].
CANTIK_API Function random_sample_inclusion_frequency(
    const Variable& weights, const RandomSampleInclusionFrequencyOptions& options = {},
    SourceLocation where = SourceLocation::current());

// Options of uniform().
struct UniformOptions {
  // shape of the result
  Shape shape = {};
  // its element type
  DType dtype = DType::float32;
  // smallest number
  double low = 0;
  // where the numbers end
  double high = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers between low and high, new ones in each run.
CANTIK_API Function uniform(const UniformOptions& options = {},
                            SourceLocation where = SourceLocation::current());

// Options of uniform_like().
struct UniformLikeOptions {
  // smallest number
  double low = 0;
  // where the numbers end
  double high = 1;
  // where the stream begins
  uint64_t seed = kAutoSeed;
  // of the function
  std::string name = {};
};

// Random numbers between low and high, in the shape of x, new ones in each run.
CANTIK_API Function uniform_like(const Variable& x, const UniformLikeOptions& options = {},
                                 SourceLocation where = SourceLocation::current());

}  // namespace cantik
