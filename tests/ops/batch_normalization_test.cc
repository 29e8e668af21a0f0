// Batch normalisation through training steps: results, gradients, running values after each, against
// CNTK 2.7.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cases.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

constexpr int64_t kSamples = 4;

Value data(DType dtype, const Shape& shape, uint64_t stream, const std::string& range) {
  std::vector<double> x = numbers(kSamples * shape.elements(), stream, range);
  return Value::batch(Tensor::of<double>(Shape{kSamples} + shape, std::span<const double>(x)).cast(dtype));
}

std::vector<double> all(const Tensor& t) { return to_numbers(Value(t, nullptr)); }

class Lines {
 public:
  explicit Lines(const std::string& path) : lines_(lines_of(path)) {}
  bool more() const { return at_ < lines_.size(); }
  std::istringstream head() { return std::istringstream(lines_[at_++]); }
  void expect(const std::string& what, const std::vector<double>& have, double tolerance) {
    std::istringstream in(lines_.at(at_++));
    std::string name, equals, word;
    in >> name >> equals;
    ASSERT_EQ(name, what);
    double most = 0;
    std::vector<double> want;
    while (in >> word)
      want.push_back(std::strtod(word.c_str(), nullptr)), most = std::max(most, std::fabs(want.back()));
    ASSERT_EQ(want.size(), have.size()) << what;
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(have[i], want[i], tolerance * std::max(most, 1e-3))
          << what << "[" << i << "], line " << at_;
  }

 private:
  std::vector<std::string> lines_;
  size_t at_ = 0;
};

TEST(BatchNormalization, follows_cntk_step_by_step) {
  Lines golden(CANTIK_TESTS "/golden/batch_normalization_golden.txt");
  while (golden.more()) {
    std::string word, type, kind, dims, time_constant;
    double epsilon;
    std::istringstream head = golden.head();
    head >> word >> type >> kind >> dims >> time_constant >> epsilon;
    SCOPED_TRACE(type + " " + kind + " " + time_constant);
    DType dtype = type == "float32" ? DType::float32 : DType::float64;
    double tolerance = dtype == DType::float32 ? 3e-6 : 1e-11;
    // dx is a difference of terms many times its size: in float32 CNTK itself is up to 1e-5 away from its
    // float64.
    double tolerance_of_dx = dtype == DType::float32 ? 3e-5 : 1e-11;
    bool spatial = kind == "spatial";
    Shape shape = spatial ? Shape{2, 3, 2} : Shape{3}, size = spatial ? Shape{2} : shape;
    Variable x = input(shape, {.dtype = dtype, .needs_gradient = true}), w = input(shape, {.dtype = dtype});
    Variable scale = parameter(size, 1.5, dtype), bias = parameter(size, 0.25, dtype);
    Variable mean = constant(size, 0.0, dtype), variance = constant(size, 0.0, dtype),
             count = constant(Shape(), 0.0, dtype);
    Function y = call("batch_normalization", {x, scale, bias, mean, variance, count},
                      {{"spatial", spatial},
                       {"normalization_time_constant", std::strtod(time_constant.c_str(), nullptr)},
                       {"epsilon", epsilon}});
    Function f = call("element_times", {y, w});
    Value last;
    for (uint64_t step = 0; step < 3; ++step) {
      last = data(dtype, shape, step, "0.5,3.5");
      const auto [values, d] =
          f.grad({{x, last}, {w, data(dtype, shape, 100 + step, "0.2,1.8")}}, {x, scale, bias}, {y.output()});
      golden.expect("y", to_numbers(values[0]), tolerance);
      golden.expect("dx", to_numbers(d[0]), tolerance_of_dx);
      golden.expect("dscale", to_numbers(d[1]), tolerance);
      golden.expect("dbias", to_numbers(d[2]), tolerance);
      golden.expect("mean", all(mean.value()), tolerance);
      golden.expect("variance", all(variance.value()), tolerance);
      golden.expect("count", all(count.value()), tolerance);
    }
    golden.expect("evaluated", to_numbers(y.eval({{x, last}})), tolerance);
    EXPECT_EQ(all(count.value())[0], 12) << "evaluation changes nothing";
  }
}

TEST(BatchNormalization, one_number_has_a_variance) {
  // Where CNTK divides 0 by 0 the running variance takes the batch's own, 0.
  Variable x = input({2}), mean = constant(Shape{2}, 0.0), variance = constant(Shape{2}, 1.0),
           count = constant(Shape(), 0.0);
  Variable scale = parameter({2}, 1.0), bias = parameter({2}, 0.0);
  Function y = call("batch_normalization", {x, scale, bias, mean, variance, count}, {{"spatial", false}});
  y.grad({{x, Value::batch(Tensor::of<float>({1, 2}, {3, 4}))}}, {scale});
  EXPECT_EQ(all(variance.value()), (std::vector<double>{0, 0}));
  EXPECT_EQ(all(mean.value()), (std::vector<double>{3, 4}));
}

TEST(BatchNormalization, numbers_far_from_zero_keep_their_variance) {
  Variable x = input({1}), mean = constant(Shape{1}, 0.0), variance = constant(Shape{1}, 0.0),
           count = constant(Shape(), 0.0);
  Variable scale = parameter({1}, 1.0), bias = parameter({1}, 0.0);
  Function y = call("batch_normalization", {x, scale, bias, mean, variance, count},
                    {{"spatial", false}, {"epsilon", 0.0}});
  const auto [values, gradients] =
      y.grad({{x, Value::batch(Tensor::of<float>({4, 1}, {30000.25f, 30000.5f, 30000.75f, 30001}))}}, {scale},
             {y.output()});
  EXPECT_NEAR(all(variance.value())[0], 0.3125 / 3, 1e-6);  // sum of squares 0.3125
  EXPECT_NEAR(to_numbers(values[0])[0], -1.3416408, 1e-2);
}

TEST(BatchNormalization, parameters_take_their_size_from_the_operand) {
  Variable x = input({5, 2, 2});
  Variable scale = parameter({kInferred}, 1.0), bias = parameter({kInferred, 1, 1}, 0.0);
  Function y = call("batch_normalization",
                    {x, scale, bias, constant(Shape{kInferred}, 0.0), constant(Shape{kInferred}, 0.0)},
                    {{"spatial", true}});
  EXPECT_EQ(scale.shape(), (Shape{5}));
  EXPECT_EQ(bias.shape(), (Shape{5, 1, 1}));
  EXPECT_EQ(y.output().shape(), x.shape());
  Variable wrong = parameter({4}, 1.0);
  try {
    call("batch_normalization", {x, wrong, bias, constant(Shape{5}, 0.0), constant(Shape{5}, 0.0)},
         {{"spatial", true}});
    FAIL() << "4 numbers served 5 channels";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("scale has the shape [4], but the operand has the shape [5, 2, 2]"),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("give it 5 numbers, one for each channel"), std::string::npos)
        << e.what();
  }
}

}  // namespace
