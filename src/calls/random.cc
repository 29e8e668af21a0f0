// Bodies of <cantik/ops/random.h>. Written by tools/generate.
#include <cantik/ops/random.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function bernoulli(const BernoulliOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("bernoulli", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"mean", options.mean},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function bernoulli_like(const Variable& x, double mean, uint64_t seed, const std::string& name,
                        SourceLocation where) {
  OriginScope scope(where);
  return call("bernoulli_like", {x}, {{"mean", mean}, {"seed", static_cast<int64_t>(seed)}}, name);
}

Function dropout(const Variable& x, double dropout_rate, uint64_t seed, const std::string& name,
                 SourceLocation where) {
  OriginScope scope(where);
  return call("dropout", {x}, {{"dropout_rate", dropout_rate}, {"seed", static_cast<int64_t>(seed)}}, name);
}

Function gumbel(const GumbelOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("gumbel", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"loc", options.loc},
               {"scale", options.scale},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function gumbel_like(const Variable& x, const GumbelLikeOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("gumbel_like", {x},
              {{"loc", options.loc}, {"scale", options.scale}, {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function normal(const NormalOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("normal", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"mean", options.mean},
               {"scale", options.scale},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function normal_like(const Variable& x, const NormalLikeOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call(
      "normal_like", {x},
      {{"mean", options.mean}, {"scale", options.scale}, {"seed", static_cast<int64_t>(options.seed)}},
      options.name);
}

Function random_sample(const Variable& weights, const RandomSampleOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("random_sample", {weights},
              {{"num_samples", options.num_samples},
               {"allow_duplicates", options.allow_duplicates},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function random_sample_inclusion_frequency(const Variable& weights,
                                           const RandomSampleInclusionFrequencyOptions& options,
                                           SourceLocation where) {
  OriginScope scope(where);
  return call("random_sample_inclusion_frequency", {weights},
              {{"num_samples", options.num_samples},
               {"allow_duplicates", options.allow_duplicates},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function uniform(const UniformOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("uniform", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"low", options.low},
               {"high", options.high},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

Function uniform_like(const Variable& x, const UniformLikeOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("uniform_like", {x},
              {{"low", options.low}, {"high", options.high}, {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

}  // namespace cantik
