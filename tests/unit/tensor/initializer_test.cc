// Initializers against values CNTK made, and their errors.
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/seed.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "random_helpers.h"

namespace cantik {
namespace {

using Kind = Initializer::Kind;

const Golden kGoldens[] = {
#include "golden/random_initializers.inc"
};
const std::map<std::string, Kind> kKinds{
    {"uniform", Kind::uniform},
    {"normal", Kind::normal},
    {"truncated_normal", Kind::truncated_normal},
    {"xavier", Kind::xavier},
    {"glorot_uniform", Kind::glorot_uniform},
    {"glorot_normal", Kind::glorot_normal},
    {"he_uniform", Kind::he_uniform},
    {"he_normal", Kind::he_normal},
};

class Seeds : public testing::Test {  // leaves the process as new
 protected:
  ~Seeds() override { reset_random_seed(0); }
};

TEST(Initializer, MakesWhatCntkMade) {
  for (const Golden& g : kGoldens) {
    if (g.what == std::string("automatic")) continue;
    auto p = [&](size_t i) { return static_cast<int>(g.parameters[i]); };
    bool is_bilinear = g.what == std::string("bilinear");
    Shape shape;
    for (size_t i = is_bilinear ? 2 : 4; i < g.parameters.size(); ++i) shape.push_back(p(i));
    Initializer init = is_bilinear ? bilinear(p(0), p(1))
                                   : Initializer(kKinds.at(g.what), g.parameters[1],
                                                 {p(2), p(3), static_cast<uint64_t>(p(0))});
    Tensor t = init.make(g.dtype, shape);
    EXPECT_EQ(t.elements(), g.count);
    EXPECT_EQ(t.at(t.elements() - 1), g.last) << g.what << shape.text();
    EXPECT_EQ(hash_of(t), g.hash) << g.what << shape.text() << ' ' << name_of(g.dtype);
  }
}

TEST_F(Seeds, FollowOneAnother) {
  reset_random_seed(0);
  uint64_t hash = hash_of({});
  for (const Initializer& i :
       {glorot_uniform(), Initializer(1), he_normal(), uniform(2), normal(1, {.seed = 99}), glorot_uniform()})
    hash = hash_of(i.make(DType::float32, {4, 5}), hash);
  EXPECT_EQ(hash, std::find_if(std::begin(kGoldens), std::end(kGoldens), [](const Golden& g) {
                    return g.what == std::string("automatic");
                  })->hash);
  EXPECT_EQ(random_seed(), 4u);
}

TEST(Initializer, TakesConstantsAndValues) {
  EXPECT_EQ(Initializer(0.1).make(DType::float32, {2}).at(1), static_cast<double>(0.1f));
  EXPECT_EQ(Initializer(3).make(DType::int32, {2}).at(1), 3);
  Tensor values = Tensor::of<double>({2}, {1.5, 2.5});
  Tensor copy = Initializer(values).make(DType::float64, {2});
  EXPECT_NE(copy.raw(), values.raw());
  EXPECT_EQ(copy.at(1), 2.5);
  EXPECT_EQ(Initializer(values).make(DType::float32, Shape::unknown()).at(0), 1.5);
  EXPECT_EQ(glorot_uniform().make(DType::float32, {0, 3}).elements(), 0);
}

TEST(Initializer, TakesRanksOnce) {
  Tensor with_two = glorot_uniform(1, {.output_rank = 2, .seed = 5}).make(DType::float32, {2, 3, 4});
  EXPECT_EQ(glorot_uniform(1, {.seed = 5}).with_ranks(2).make(DType::float32, {2, 3, 4}).at(0),
            with_two.at(0));
  EXPECT_EQ(glorot_uniform(1, {.output_rank = 2}).with_ranks(2).output_rank, 2);
  EXPECT_EQ(glorot_uniform(1, {.output_rank = 2}).with_ranks(kInferRank, 1).filter_rank, 1);
  EXPECT_EQ(uniform(1).with_ranks(2, 9).output_rank, kInferRank);  // has no use for them
  EXPECT_EQ(truncated_normal(1).with_ranks(2).output_rank, kInferRank);
}

TEST(Initializer, RefusesWrongUse) {
  auto fails = [](ErrorKind kind, std::string_view text, const Initializer& init, const Shape& shape) {
    expect_error(kind, text, [&] { init.make(DType::float32, shape); });
  };
  constexpr ErrorKind value = ErrorKind::value, runtime = ErrorKind::runtime, wrong_shape = ErrorKind::shape;
  fails(value,
        "Cannot create an NDArrayView using a view shape '[? x 3]' that has unknown dimensions for any of "
        "its axes.",
        glorot_uniform(), {kInferred, 3});
  fails(value,
        "Cannot create an NDArrayView using a view shape '[???]' that has unknown dimensions for any of its "
        "axes.",
        Initializer(1), Shape::unknown());
  expect_error(value,
               "CreateInitializer: scale value for initializer 'uniform1' cannot be 0.\n  remedy   give a "
               "number above 0",
               [] { uniform(0); });
  expect_error(value,
               "CreateInitializer: scale value for initializer 'heNormal' cannot be 0.\n  remedy   give a "
               "number above 0",
               [] { he_normal(-1); });
  fails(value,
        "Sum of filter rank (2) and output rank (1) of the parameter initializer cannot exceed the Parameter "
        "shape '[2 x 3]' rank (2)",
        xavier(1, {.filter_rank = 2}), {2, 3});
  fails(value,
        "Sum of filter rank (0) and output rank (-1) of the parameter initializer cannot exceed the "
        "Parameter shape '[2 x 3]' rank (2)",
        normal(1, {.output_rank = -1}), {2, 3});
  fails(value, "InitRandom: initFilterRank=2 and initOutputRank=-1 exceeds sampleLayout rank 2",
        he_uniform(1, {.output_rank = -1, .filter_rank = 2}), {2, 3});
  fails(value, "InitRandom: initFilterRank=0 and initOutputRank=1 exceeds sampleLayout rank 0", uniform(1),
        {});
  fails(value, "the filter rank of the parameter initializer must not be negative, and is -1",
        he_uniform(1, {.output_rank = 2, .filter_rank = -1}), {2, 3});
  fails(runtime, "Filter for bilinear interpolation must be square.", bilinear(3, 5), {2, 2, 3, 5});
  fails(runtime, "Number of input and output channels of filter for bilinear interpolation must be equal.",
        bilinear(3, 3), {2, 1, 3, 3});
  fails(wrong_shape,
        "a bilinear filter has the axes output channel, input channel, height and width; the shape is [3, 3]",
        bilinear(3, 3), {3, 3});
  fails(wrong_shape, "a bilinear kernel of 4 x 4 does not fit into a filter of shape [2, 2, 3, 3]",
        bilinear(4, 4), {2, 2, 3, 3});
  fails(wrong_shape, "the initial values have the shape [3], but the parameter has the shape [2]",
        Initializer(Tensor::zeros(DType::float32, {3})), {2});
  fails(value, "the initializer has no tensor to take values from", Initializer(Tensor()), {2});
  expect_error(ErrorKind::type,
               "a parameter of int32 cannot be initialized with random numbers, which have fractions",
               [] { uniform(1).make(DType::int32, {2}); });
  expect_error(value,
               "Output rank of a non-uniform random initializer cannot be overridden if it has been already "
               "specified!",
               [] { xavier(1, {.output_rank = 2}).with_ranks(1); });
  expect_error(value,
               "Filter rank of a non-uniform random initializer cannot be overridden if it has been already "
               "specified!",
               [] { xavier(1, {.filter_rank = 2}).with_ranks(-1, 1); });
}

TEST(Initializer, values_are_those_of_the_moment) {
  Tensor buffer(DType::float32, {2});
  std::vector<Variable> made;
  for (int i = 1; i <= 2; ++i) {
    buffer.fill(i);
    made.push_back(parameter({2}, buffer));
    made.push_back(constant(buffer));
  }
  buffer.fill(9);
  for (size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i].value().at(0), static_cast<double>(i / 2 + 1));
  const void* memory = buffer.raw();
  EXPECT_EQ(Initializer(std::move(buffer)).tensor.raw(), memory);  // it is handed over
}

}  // namespace
}  // namespace cantik
