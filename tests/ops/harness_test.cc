// Every operator, from the samples that its file states: its gradient is the slope of its values, a row does
// not depend on its batch, element types and numbers of threads agree, and it can be saved, loaded and put
// among other operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <cantik/error.h>

#include "cases.h"
#include "graph/node.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

struct Specimen {
  const Operator* op;
  size_t number;
  const Sample& sample() const { return op->samples[number]; }
  std::string name() const { return op->name + (number ? "_" + std::to_string(number + 1) : ""); }
};

const std::vector<Specimen>& specimens() {
  static const auto* list = [] {
    auto* all = new std::vector<Specimen>;
    for (const Operator* op : Registry::global().all())
      for (size_t i = 0; !op->has(CANTIK_HIDDEN) && i < op->samples.size(); ++i) all->push_back({op, i});
    return all;
  }();
  return *list;
}

// What the file of an operator says of its tests, with named(): "test.operands", a letter for each operand, b
// a batch input (as all are otherwise), p a parameter, c a constant, q a sequence, m a sequence of truth
// values; "test.lengths", of the sequences, in turn (then all operands are sequences otherwise);
// "test.gradient", "test.rows", why its gradient is not the slope of its values, why a row or a sequence
// depends on the others.

std::vector<int64_t> lengths_of(const Operator& op, int64_t sequences) {
  std::vector<int64_t> stated, list;
  std::istringstream in(op.named("test.lengths"));
  for (std::string n; std::getline(in, n, ',');) stated.push_back(std::stoll(n));
  for (int64_t i = 0; i < sequences && !stated.empty(); ++i)
    list.push_back(stated[static_cast<size_t>(i) % stated.size()]);
  return list;
}

// The operator on its operands. With `among`, other operators stand before and behind. `given`: attributes
// other than the sample's.
struct Built {
  std::vector<Operand> operands;
  Function f;
};

Built build(const Specimen& s, DType dtype, int64_t samples, bool among = false,
            const std::vector<Attribute>* given = nullptr) {
  std::ostringstream range;
  range << s.sample().low << ',' << s.sample().high;
  std::string kinds = s.op->named("test.operands");
  std::vector<int64_t> lengths = lengths_of(*s.op, samples);
  kinds.resize(s.sample().inputs.size(), lengths.empty() ? 'b' : 'q');
  Built b;
  std::vector<Variable> in;
  for (size_t i = 0; i < s.sample().inputs.size(); ++i) {
    std::string dims;
    for (int64_t d : s.sample().inputs[i]) dims += (dims.empty() ? "" : ",") + std::to_string(d);
    std::string text =
        kinds[i] == 'm' ? "h:" + dims + "@int2" : std::string(1, kinds[i]) + ":" + dims + "@" + range.str();
    b.operands.push_back(make_operand(text, i, dtype, samples, lengths));
    Variable v = b.operands.back().variable;
    in.push_back(among && v.is_input() ? call("negate", {call("negate", {v})}).output() : v);
  }
  std::vector<NamedAttribute> attributes;
  for (size_t i = 0; i < s.op->fields.size(); ++i)
    attributes.push_back({s.op->fields[i].name.c_str(), (given ? *given : s.sample().attributes)[i]});
  b.f = call(s.op->name, in, attributes);
  return b;
}

Value value_of(const Built& b, const RunOptions& options = {}) {
  Feeds feeds = feeds_of(b.operands);
  std::vector<Variable> read = b.f.inputs();
  std::erase_if(feeds,
                [&](const auto& f) { return std::find(read.begin(), read.end(), f.first) == read.end(); });
  return b.f.eval(feeds, {b.f.outputs()[0]}, options)[0];
}
std::vector<double> numbers_of(const Built& b, const RunOptions& options = {}) {
  return to_numbers(value_of(b, options));
}

// Sample or sequence i alone.
Value part(const Value& v, int64_t i) {
  if (v.layout->is_batch()) return Value::batch(v.data.rows(i, i + 1));
  int64_t first = v.layout->offsets()[static_cast<size_t>(i)], n = v.layout->length(i);
  return {v.data.rows(first, first + n), Layout::of_lengths(std::span<const int64_t>(&n, 1))};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, far = a.size() == b.size() ? 0 : INFINITY;
  for (double x : a)
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) far = std::max(far, std::fabs(a[i] - b[i]));
  return most ? far / most : far;
}

class Harness : public ::testing::TestWithParam<size_t> {
 protected:
  const Specimen& specimen() const { return specimens()[GetParam()]; }
  bool draws() const {
    Function f = build(specimen(), DType::float32, 1).f;
    bool found = false;
    std::function<void(const std::shared_ptr<Node>&)> look = [&](const std::shared_ptr<Node>& root) {
      preorder(root, [&](const std::shared_ptr<Node>& n) {
        found |= n->op && n->op->has(CANTIK_DRAWS);
        if (n->block) look(n->block->root.handle());
        return found;
      });
    };
    look(f.node());
    return found;
  }
};

TEST_P(Harness, its_gradient_is_its_slope) {
  const Specimen& s = specimen();
  if (draws() || s.op->has(CANTIK_NO_GRADIENT) || s.op->has(CANTIK_EFFECT))
    GTEST_SKIP() << "nothing to differentiate";
  if (!s.op->named("test.gradient").empty()) GTEST_SKIP() << s.op->named("test.gradient");
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
