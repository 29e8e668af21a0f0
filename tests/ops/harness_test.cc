// Every operator, from the samples that its file states: its gradient is the slope of its values, a row does
// not depend on its batch unless it is known to, element types and numbers of threads agree, and it can be
// saved, loaded and put among other operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <cantik/error.h>
#include <cantik/inspect.h>
#include <cantik/onnx.h>

#include "specimens.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

// Sample or sequence i alone.
Value part(const Value& v, int64_t i) {
  if (v.layout->is_batch()) return Value::batch(v.data.rows(i, i + 1));
  int64_t first = v.layout->offsets()[static_cast<size_t>(i)], n = v.layout->length(i);
  return {v.data.rows(first, first + n), Layout::of_lengths(std::span<const int64_t>(&n, 1))};
}

class Harness : public ::testing::TestWithParam<size_t> {
 protected:
  const Specimen& specimen() const { return specimens()[GetParam()]; }
  bool draws() const { return cantik::testing::draws(specimen()); }
};

TEST_P(Harness, its_gradient_is_its_slope) {
  const Specimen& s = specimen();
  if (draws() || s.op->has(CANTIK_NO_GRADIENT) || s.op->has(CANTIK_EFFECT))
    GTEST_SKIP() << "nothing to differentiate";
  const std::string other = s.op->named("test.gradient");
  if (!other.empty() && !other.starts_with("none")) GTEST_SKIP() << other;
  constexpr int64_t rows = 2;
  Built b = build(s, DType::float64, rows);
  Variable y = b.f.outputs()[0];
  Value whole = b.f.eval(feeds_of(b.operands), {y})[0];
  std::vector<double> weights = numbers(whole.data.elements(), 100, "0.2,1.8");
  auto weighted = [&] {
    std::vector<double> x = numbers_of(b);
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += weights[i] * x[i];
    return sum;
  };
  Feeds feeds = feeds_of(b.operands);
  std::vector<Variable> wrt;
  std::vector<size_t> place;
  for (size_t k = 0; k < b.operands.size(); ++k)
    if (b.operands[k].wanted) wrt.push_back(b.operands[k].variable), place.push_back(k);
  if (!other.empty()) {  // who asks is told, and does not get zeros
    EXPECT_THROW(b.f.grad(feeds, wrt), Error);
    return;
  }
  Tensor w = Tensor::of<double>(whole.data.shape(), std::span<const double>(weights));
  const std::shared_ptr<BackPropState> state = b.f.forward(feeds, {y}, {y}).state;
  std::vector<Value> gradients = b.f.backward(state, {{y, Value(w, whole.layout)}}, wrt);
  int checked = 0;
  for (size_t g = 0; g < place.size(); ++g) {
    Operand& o = b.operands[place[g]];
    std::vector<double> have = to_numbers(gradients[g]);
    Tensor x = (o.is_fed() ? o.value.data : o.variable.value()).clone();
    if (o.is_fed()) o.value = Value(x, o.value.layout);
    double largest = 1e-3;
    for (double d : have) largest = std::max(largest, std::fabs(d));
    for (int64_t i = 0; i < x.elements(); ++i) {
      double at = x.at(i), h = 1e-5;
      if (std::any_of(s.op->kinks.begin(), s.op->kinks.end(),
                      [&](double kink) { return std::fabs(at - kink) < 3 * h; }))
        continue;
      auto slope = [&](double step) {
        auto with = [&](double v) {
          x.data<double>()[i] = v;
          if (!o.is_fed()) o.variable.set_value(x);
          return weighted();
        };
        double above = with(at + step), below = with(at - step);
        with(at);
        return (above - below) / (2 * step);
      };
      // Richardson: the error of the third derivative is gone
      double numeric = (4 * slope(h / 2) - slope(h)) / 3;
      EXPECT_NEAR(numeric, have[static_cast<size_t>(i)], 1e-7 * largest + 1e-8)
          << s.name() << ", operand " << place[g] << ", element " << i << " at " << at;
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST_P(Harness, a_row_does_not_depend_on_its_batch) {
  const Specimen& s = specimen();
  if (draws()) GTEST_SKIP() << "rows take numbers from one stream";
  for (DType dtype : {DType::float32, DType::float64}) {
    constexpr int64_t rows = 7;
    Built b = build(s, dtype, rows);
    if (!b.f.outputs()[0].axes().has_batch()) GTEST_SKIP() << "its result has no rows";
    if (feeds_of(b.operands).empty()) GTEST_SKIP() << "it is fed nothing";
    if (!s.op->named("test.rows").empty()) GTEST_SKIP() << s.op->named("test.rows");
    Value all = value_of(b);
    std::vector<Value> whole;
    for (const Operand& o : b.operands) whole.push_back(o.value);
    for (int64_t r = 0; r < rows; ++r) {
      for (size_t k = 0; k < whole.size(); ++k)
        if (b.operands[k].is_fed()) b.operands[k].value = part(whole[k], r);
      EXPECT_TRUE(same_bits(numbers_of(b), to_numbers(part(all, r)))) << s.name() << ", row " << r;
    }
  }
}

// Who lays samples of several askers side by side goes by it.
TEST_P(Harness, mixes_samples_where_a_row_depends_on_its_batch) {
  const Specimen& s = specimen();
  Built b = build(s, DType::float32, 3);
  const bool reads_batch = std::any_of(b.operands.begin(), b.operands.end(),
                                       [](const Operand& o) { return o.variable.axes().has_batch(); });
  const bool makes_rows = b.f.outputs()[0].axes().has_batch();
  const bool depends = reads_batch && (!makes_rows || !s.op->named("test.rows").empty());
  const bool may_state_nothing = s.op->needs_keeper();  // then it is not row-wise, and counts as mixing
  EXPECT_TRUE(mixes_samples(b.f) == depends || (may_state_nothing && !depends)) << s.name();
}

TEST_P(Harness, element_types_agree) {
  const Specimen& s = specimen();
  if (draws()) GTEST_SKIP() << "the streams of the element types differ";
  EXPECT_LE(distance(numbers_of(build(s, DType::float64, 3)), numbers_of(build(s, DType::float32, 3))), 3e-6)
      << s.name();
}

TEST_P(Harness, any_number_of_threads_gives_the_same_bits) {
  const Specimen& s = specimen();
  if (draws()) GTEST_SKIP() << "a function that draws goes on with its stream";
  Built b = build(s, DType::float32, 67);
  std::vector<double> one = numbers_of(b, {.threads = 1});
  for (int threads : {2, 5})
    EXPECT_TRUE(same_bits(one, numbers_of(b, {.threads = threads})))
        << s.name() << ", " << threads << " threads";
}

TEST_P(Harness, stands_among_others) {
  const Specimen& s = specimen();
  if (draws()) GTEST_SKIP() << "two functions have two streams";
  Built alone = build(s, DType::float64, 5), among = build(s, DType::float64, 5, true);
  among.f = call("negate", {call("negate", {among.f.outputs()[0]})});
  EXPECT_LE(distance(numbers_of(alone), numbers_of(among)), 1e-14) << s.name();
}

TEST_P(Harness, is_saved_and_loaded) {
  const Specimen& s = specimen();
  Built b = build(s, DType::float32, 3);
  Function again = Function::from_bytes(b.f.to_bytes());
  EXPECT_EQ(again.outputs().size(), b.f.outputs().size());
  EXPECT_EQ(again.outputs()[0].shape().text(), b.f.outputs()[0].shape().text());
  EXPECT_EQ(again.root().signature(), b.f.root().signature());
  if (draws()) return;
  Built loaded{b.operands, again};
  std::vector<Variable> arguments = again.arguments();
  std::vector<Variable> before = b.f.arguments();
  ASSERT_EQ(arguments.size(), before.size());
  for (size_t k = 0; k < loaded.operands.size(); ++k)
    for (size_t i = 0; i < before.size(); ++i)
      if (b.operands[k].variable == before[i]) loaded.operands[k].variable = arguments[i];
  EXPECT_TRUE(same_bits(numbers_of(b), numbers_of(loaded))) << s.name();
}

TEST_P(Harness, is_written_to_onnx_after_it_was_loaded) {
  const Specimen& s = specimen();
  Built b = build(s, DType::float32, 3);
  std::string built;
  try {
    built = to_onnx(b.f);
  } catch (const Error& e) {
    ASSERT_EQ(e.kind(), ErrorKind::unsupported) << e.what();
    GTEST_SKIP() << "ONNX cannot say it";
  }
  const std::string loaded = to_onnx(Function::from_bytes(b.f.to_bytes()));
  if (draws()) return;
  // Of nothing where the file takes sequences of one length only, and these have several.
  auto read = [&](const std::string& bytes) {
    Built r{b.operands, from_onnx(bytes)};
    for (const Variable& v : r.f.arguments())
      for (Operand& o : r.operands)
        if (o.variable.uid() == v.name()) o.variable = v;
    try {
      return numbers_of(r);
    } catch (const Error&) {
      return std::vector<double>();
    }
  };
  EXPECT_TRUE(same_bits(read(built), read(loaded))) << s.name();
}

// Whole numbers of any size, one at a time, alone and in lists: an error, or a function that says what it is
// and, where its result is small, has a value.
TEST_P(Harness, takes_attributes_of_any_size) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const Specimen& s = specimen();
  std::vector<Attribute> given = s.sample().attributes;
  auto attempt = [&] {
    try {
      Built b = build(s, DType::float32, 2, false, &given);
      EXPECT_FALSE(b.f.text().empty());
      Function::from_bytes(b.f.to_bytes());
      const Shape& result = b.f.outputs()[0].shape();
      if (result.is_static() && result.elements() < 10000) value_of(b);
    } catch (const Error&) {
    }
  };
  for (size_t k = 0; k < given.size(); ++k) {
    const Attribute right = given[k];
    for (int64_t number : {most, most - 1, most / 2 + 1, std::numeric_limits<int64_t>::min(), -most / 2,
                           int64_t{1} << 40, int64_t{1} << 31, int64_t{-1}, int64_t{0}}) {
      if (right.get<int64_t>()) {
        given[k] = number;
        attempt();
      } else if (auto* list = right.get<std::vector<int64_t>>()) {
        for (size_t i = 0; i <= list->size(); ++i) {
          std::vector<int64_t> other = *list;
          if (i < other.size())
            other[i] = number;
          else
            other.push_back(number);
          given[k] = other;
          attempt();
        }
      }
    }
    given[k] = right;
  }
}

std::string name_of_specimen(const ::testing::TestParamInfo<size_t>& p) {
  return specimens()[p.param].name();
}
INSTANTIATE_TEST_SUITE_P(Operator, Harness, ::testing::Range<size_t>(0, specimens().size()),
                         name_of_specimen);

TEST(Operators, each_has_a_sample) {
  for (const Operator* op : Registry::global().all()) {
    if (op->has(CANTIK_HIDDEN) || op->inputs_max == 0) continue;
    if (!op->named("test.none").empty()) continue;  // why there can be none
    EXPECT_FALSE(op->samples.empty()) << op->name;
  }
}

}  // namespace
