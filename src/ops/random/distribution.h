// What the random operators of cntk.random share: a distribution by name, with its two numbers.
#pragma once

#include <cantik/initializer.h>
#include <cantik/op.h>

#include "tensor/random.h"

namespace cantik::randoms {

// The shape is given; without operands.
struct Given {
  std::string type = "uniform";
  std::vector<double> args{0, 1};
  int64_t seed = static_cast<int64_t>(kAutoSeed), rng_offset = 0;
  Shape shape;
  DType dtype = DType::float32;
  static constexpr auto fields() {
    return list(
        field("type", &Given::type, "uniform, normal, gumbel or bernoulli").key("randomDistributionType"),
        field("args", &Given::args, "its numbers").key("randomDistributionArgs"),
        field("seed", &Given::seed, "where the stream begins").key("rngSeed").role(CANTIK_SEED).live(),
        field("rng_offset", &Given::rng_offset, "how many numbers were drawn before").key("rngOffset"),
        field("shape", &Given::shape, "shape of the result").key("newShape").role(CANTIK_SHAPE_OF),
        field("dtype", &Given::dtype, "its element type").key("newDataType").role(CANTIK_DTYPE));
  }
};

// The shape is that of an operand.
struct Like {
  std::string type = "uniform";
  std::vector<double> args{0, 1};
  int64_t seed = static_cast<int64_t>(kAutoSeed), rng_offset = 0;
  static constexpr auto fields() {
    return list(
        field("type", &Like::type, "uniform, normal, gumbel or bernoulli").key("randomDistributionType"),
        field("args", &Like::args, "its numbers").key("randomDistributionArgs"),
        field("seed", &Like::seed, "where the stream begins").key("rngSeed").role(CANTIK_SEED).live(),
        field("rng_offset", &Like::rng_offset, "how many numbers were drawn before").key("rngOffset"));
  }
};

// Users' functions: the two numbers under their own names.
struct Range {
  Shape shape;
  DType dtype = DType::float32;
  double low = 0, high = 1;
  int64_t seed = static_cast<int64_t>(kAutoSeed);
  static constexpr auto fields() {
    return list(field("shape", &Range::shape, "shape of the result").role(CANTIK_SHAPE_OF),
                field("dtype", &Range::dtype, "its element type").role(CANTIK_DTYPE),
                field("low", &Range::low, "smallest number"),
                field("high", &Range::high, "where the numbers end"),
                field("seed", &Range::seed, "where the stream begins").role(CANTIK_SEED));
  }
};
struct MeanScale {
  Shape shape;
  DType dtype = DType::float32;
  double mean = 0, scale = 1;
  int64_t seed = static_cast<int64_t>(kAutoSeed);
  static constexpr auto fields() {
    return list(field("shape", &MeanScale::shape, "shape of the result").role(CANTIK_SHAPE_OF),
                field("dtype", &MeanScale::dtype, "its element type").role(CANTIK_DTYPE),
                field("mean", &MeanScale::mean, "mean"),
                field("scale", &MeanScale::scale, "standard deviation"),
                field("seed", &MeanScale::seed, "where the stream begins").role(CANTIK_SEED));
  }
};
struct LocScale {
  Shape shape;
  DType dtype = DType::float32;
  double loc = 0, scale = 1;
  int64_t seed = static_cast<int64_t>(kAutoSeed);
  static constexpr auto fields() {
    return list(field("shape", &LocScale::shape, "shape of the result").role(CANTIK_SHAPE_OF),
                field("dtype", &LocScale::dtype, "its element type").role(CANTIK_DTYPE),
                field("loc", &LocScale::loc, "where the density is highest"),
                field("scale", &LocScale::scale, "how wide it is"),
                field("seed", &LocScale::seed, "where the stream begins").role(CANTIK_SEED));
  }
};
struct Mean {
  Shape shape;
  DType dtype = DType::float32;
  double mean = 0.5;
  int64_t seed = static_cast<int64_t>(kAutoSeed);
  static constexpr auto fields() {
    return list(field("shape", &Mean::shape, "shape of the result").role(CANTIK_SHAPE_OF),
                field("dtype", &Mean::dtype, "its element type").role(CANTIK_DTYPE),
                field("mean", &Mean::mean, "the probability of a 1"),
                field("seed", &Mean::seed, "where the stream begins").role(CANTIK_SEED));
  }
};

// The body of a user's function: with an operand its shape, without one the shape given.
template <class A>
void draw(Builder& b, const A& a, const char* type, const std::vector<double>& args) {
  if (b.inputs() == 0)
    b.result(
        b.call("random_distribution", {},
               {{"type", type}, {"args", args}, {"seed", a.seed}, {"shape", a.shape}, {"dtype", a.dtype}}));
  else
    b.result(b.call("random_distribution_like", {b.x()}, {{"type", type}, {"args", args}, {"seed", a.seed}}));
}

}  // namespace cantik::randoms
