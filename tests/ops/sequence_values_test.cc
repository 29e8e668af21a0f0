// Operators on sequences against a naive evaluator, one sequence at a time, over random graphs and layouts,
// with empty sequences among them: values, and gradients against differences of the naive values.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "cases.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

using Step = std::vector<double>;
using Sequence = std::vector<Step>;
using Batch = std::vector<Sequence>;

constexpr size_t kWidth = 2;

// ---- the naive evaluator: one operator on one sequence x, with a mask of truth values for its steps and a
// value s of the batch

struct Context {
  std::vector<bool> mask;
  Step s;
};

Sequence past(const Sequence& x, size_t k, const Step& begin) {
  Sequence y;
  for (size_t t = 0; t < x.size(); ++t) y.push_back(t >= k ? x[t - k] : begin);
  return y;
}
Sequence future(const Sequence& x, size_t k, const Step& end) {
  Sequence y;
  for (size_t t = 0; t < x.size(); ++t) y.push_back(t + k < x.size() ? x[t + k] : end);
  return y;
}
Step folded(const Sequence& x, double begin, double (*f)(double, double)) {
  Step y(kWidth, begin);
  for (const Step& v : x)
    for (size_t e = 0; e < kWidth; ++e) y[e] = f(y[e], v[e]);
  return y;
}
Step sum_of(const Sequence& x) {
  return folded(x, 0, [](double a, double b) { return a + b; });
}
Step most_of(const Sequence& x) {
  return folded(x, -INFINITY, [](double a, double b) { return a > b ? a : b; });
}
Sequence each(const Sequence& x, const Step& s, double (*f)(double, double)) {
  Sequence y = x;
  for (Step& v : y)
    for (size_t e = 0; e < kWidth; ++e) v[e] = f(v[e], s[e]);
  return y;
}
Sequence chosen(const Sequence& x, const Context& c) {
  Sequence y;
  for (size_t t = 0; t < x.size(); ++t)
    if (c.mask[t]) y.push_back(x[t]);
  return y;
}

struct Operand {
  Variable x, mask, s;
};
Variable named(const char* op, std::vector<Variable> in, std::vector<NamedAttribute> attributes = {}) {
  return call(op, in, attributes).output();
}

struct Op {
  const char* name;
  Variable (*graph)(const Variable& x, const Operand& given);
  Sequence (*naive)(const Sequence& x, const Context& c);
  bool empties = true;  // has a meaning for a sequence without steps
};

constexpr double (*kMinus)(double, double) = [](double a, double b) { return a - b; };
constexpr double (*kTimes)(double, double) = [](double a, double b) { return a * b; };

const Op kOps[] = {
    {"past_value", [](const Variable& x, const Operand&) { return named("sequence_past_value", {x}); },
     [](const Sequence& x, const Context&) { return past(x, 1, Step(kWidth, 0)); }},
    {"past_value from s",
     [](const Variable& x, const Operand& g) {
       return named("sequence_past_value", {x, g.s}, {{"time_step", int64_t{3}}});
     },
     [](const Sequence& x, const Context& c) { return past(x, 3, c.s); }},
    {"future_value from s",
     [](const Variable& x, const Operand& g) {
       return named("sequence_future_value", {x, g.s}, {{"time_step", int64_t{2}}});
     },
     [](const Sequence& x, const Context& c) { return future(x, 2, c.s); }},
    {"times is_first",
     [](const Variable& x, const Operand&) {
       return named("element_times", {x, named("sequence_is_first", {x})});
     },
     [](const Sequence& x, const Context&) {
       Sequence y(x.size(), Step(kWidth, 0));
       if (!x.empty()) y[0] = x[0];
       return y;
     }},
    {"minus sum",
     [](const Variable& x, const Operand&) {
       return named("minus", {x, named("sequence_broadcast_as", {named("sequence_reduce_sum", {x}), x})});
     },
     [](const Sequence& x, const Context&) { return each(x, sum_of(x), kMinus); }},
    {"minus max",
     [](const Variable& x, const Operand&) { return named("minus", {x, named("sequence_reduce_max", {x})}); },
     [](const Sequence& x, const Context&) { return each(x, most_of(x), kMinus); }},
    {"times s", [](const Variable& x, const Operand& g) { return named("element_times", {x, g.s}); },
     [](const Sequence& x, const Context& c) { return each(x, c.s, kTimes); }},
    {"softmax", [](const Variable& x, const Operand&) { return named("sequence_softmax", {x}); },
     [](const Sequence& x, const Context&) {
       Sequence e = x;
       for (Step& v : e)
         for (double& d : v) d = std::exp(d);
       return each(e, sum_of(e), [](double a, double b) { return a / b; });
     }},
    {"gather and scatter",
     [](const Variable& x, const Operand& g) {
       return named("sequence_scatter", {named("sequence_gather", {x, g.mask}), g.mask});
     },
     [](const Sequence& x, const Context& c) {
       Sequence y = x;
       for (size_t t = 0; t < y.size(); ++t)
         if (!c.mask[t]) y[t] = Step(kWidth, 0);
       return y;
     }},
    {"minus the first",
     [](const Variable& x, const Operand&) { return named("minus", {x, named("sequence_first", {x})}); },
     [](const Sequence& x, const Context&) { return each(x, x[0], kMinus); }, false},
    {"times the last",
     [](const Variable& x, const Operand&) {
       return named("element_times", {x, named("sequence_last", {x})});
     },
     [](const Sequence& x, const Context&) { return each(x, x.back(), kTimes); }, false},
    {"minus the sum of what is chosen",
     [](const Variable& x, const Operand& g) {
       return named("minus", {x, named("sequence_reduce_sum", {named("sequence_gather", {x, g.mask})})});
     },
     [](const Sequence& x, const Context& c) { return each(x, sum_of(chosen(x, c)), kMinus); }},
    {"unpacked and back",
     [](const Variable& x, const Operand&) {
       return named("to_sequence_like", {call("unpack_values", {x}, {{"padding_value", 7.0}}).output(), x});
     },
     [](const Sequence& x, const Context&) { return x; }},
};

// What ends a graph: other axes, or none.
const Op kEnds[] = {
    {"itself", [](const Variable& x, const Operand&) { return x; },
     [](const Sequence& x, const Context&) { return x; }},
    {"slice 1 0",
     [](const Variable& x, const Operand&) {
       return named("sequence_slice", {x}, {{"begin_index", int64_t{1}}, {"end_index", int64_t{0}}});
     },
     [](const Sequence& x, const Context&) { return x.empty() ? x : Sequence(x.begin() + 1, x.end()); }},
    {"slice -2 0",
     [](const Variable& x, const Operand&) {
       return named("sequence_slice", {x}, {{"begin_index", int64_t{-2}}, {"end_index", int64_t{0}}});
     },
     [](const Sequence& x, const Context&) { return x.size() < 2 ? x : Sequence(x.end() - 2, x.end()); }},
    {"slice 1 -1",
     [](const Variable& x, const Operand&) {
       return named("sequence_slice", {x}, {{"begin_index", int64_t{1}}, {"end_index", int64_t{-1}}});
     },
     [](const Sequence& x, const Context&) {
       return x.size() < 2 ? Sequence() : Sequence(x.begin() + 1, x.end() - 1);
     }},
    {"gather", [](const Variable& x, const Operand& g) { return named("sequence_gather", {x, g.mask}); },
     [](const Sequence& x, const Context& c) { return chosen(x, c); }},
    {"sum", [](const Variable& x, const Operand&) { return named("sequence_reduce_sum", {x}); },
     [](const Sequence& x, const Context&) { return Sequence{sum_of(x)}; }},
    {"last", [](const Variable& x, const Operand&) { return named("sequence_last", {x}); },
     [](const Sequence& x, const Context&) { return Sequence{x.back()}; }, false},
};

// ---- one random graph

struct Trial {
  std::mt19937_64 random;
  Batch x;
  std::vector<Context> contexts;
  std::vector<const Op*> chain;
  const Op* end = nullptr;

  explicit Trial(uint64_t seed) : random(seed) {
    std::uniform_real_distribution<double> real(-1.2, 1.2);
    std::vector<int64_t> lengths(1 + random() % 5);
    bool empties = random() % 2;
    for (int64_t& n : lengths) n = static_cast<int64_t>(random() % 6) + !empties;
    for (int64_t n : lengths) {
      Sequence q(static_cast<size_t>(n), Step(kWidth));
      for (Step& v : q)
        for (double& d : v) d = real(random);
      Context c{std::vector<bool>(q.size()), Step(kWidth)};
      for (size_t t = 0; t < q.size(); ++t) c.mask[t] = random() % 2;
      for (double& d : c.s) d = real(random);
      x.push_back(q);
      contexts.push_back(c);
    }
    auto pick = [&](std::span<const Op> ops) {
      for (;;)
        if (const Op& op = ops[random() % ops.size()]; op.empties || !empties) return &op;
    };
    for (size_t k = 1 + random() % 3; k > 0; --k) chain.push_back(pick(kOps));
    // A largest number has a slope where it is one: not among the zeros that other operators make.
    std::erase_if(chain, [&](const Op* const& op) {
      return std::string(op->name) == "minus max" && &op != chain.data();
    });
    end = pick(kEnds);
  }

  std::string text() const {
    std::string s;
    for (const Op* op : chain) s += std::string(op->name) + ", ";
    s += end->name;
    for (const Sequence& q : x) s += " " + std::to_string(q.size());
    return s;
  }
  Batch naive() const {
    Batch y;
    for (size_t i = 0; i < x.size(); ++i) {
      Sequence q = x[i];
      for (const Op* op : chain) q = op->naive(q, contexts[i]);
      y.push_back(end->naive(q, contexts[i]));
    }
    return y;
  }
  // The sum of the squares, weighted by the place in a step.
  double loss() const {
    double sum = 0;
    for (const Sequence& q : naive())
      for (const Step& v : q)
        for (size_t e = 0; e < kWidth; ++e) sum += (1.0 + 0.5 * static_cast<double>(e)) * v[e] * v[e];
    return sum;
  }
};

std::vector<int64_t> lengths_of(const Batch& b) {
  std::vector<int64_t> n;
  for (const Sequence& q : b) n.push_back(static_cast<int64_t>(q.size()));
  return n;
}
std::vector<double> flat(const Batch& b) {
  std::vector<double> list;
  for (const Sequence& q : b)
    for (const Step& v : q) list.insert(list.end(), v.begin(), v.end());
  return list;
}
Value rows(const std::vector<double>& numbers, std::shared_ptr<const Layout> layout, const Shape& step) {
  return {Tensor::of<double>(Shape{layout->rows()} + step, std::span<const double>(numbers)), layout};
}

TEST(Sequences, agree_with_a_naive_evaluator) {
  constexpr int kGraphs = 1000;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    Trial trial(seed);
    SCOPED_TRACE("graph " + std::to_string(seed) + ": " + trial.text());
    const Shape step{static_cast<int64_t>(kWidth)};
    Operand given{input(step, {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence()}),
                  input({}, {.dtype = DType::float64, .axes = Axes::sequence()}),
                  input(step, {.dtype = DType::float64, .needs_gradient = true})};
    Variable y = given.x;
    for (const Op* op : trial.chain) y = op->graph(y, given);
    y = trial.end->graph(y, given);
    std::vector<double> weights{1.0, 1.5}, mask, s;
    for (const Context& c : trial.contexts) {
      for (bool m : c.mask) mask.push_back(m);
      s.insert(s.end(), c.s.begin(), c.s.end());
    }
    auto layout = Layout::of_lengths(lengths_of(trial.x));
    Function f = combine({y});
    Function loss =
        call("element_times",
             {named("square", {y}), constant(Tensor::of<double>(step, std::span<const double>(weights)))});
    auto fed = [&](const Function& g) {
      Feeds feeds{{given.x, rows(flat(trial.x), layout, step)},
                  {given.mask, rows(mask, layout, {})},
                  {given.s, rows(s, Layout::batch(layout->sequences()), step)}};
      std::vector<Variable> reads = g.inputs();
      std::erase_if(feeds, [&](const auto& feed) {
        return std::find(reads.begin(), reads.end(), feed.first) == reads.end();
      });
      return feeds;
    };
    Value have = f.eval(fed(f), {y}, {})[0];
    Batch want = trial.naive();
    std::vector<double> a = to_numbers(have), b = flat(want);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12) << i;
    ASSERT_EQ(have.layout->sequences(), static_cast<int64_t>(want.size()));
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(have.layout->length(static_cast<int64_t>(i)), static_cast<int64_t>(want[i].size()));
    std::vector<double> d = to_numbers(loss.grad(fed(loss), {given.x})[0]);
    ASSERT_EQ(d.size(), flat(trial.x).size());
    size_t at = 0;
    for (Sequence& q : trial.x)
      for (Step& v : q)
        for (double& e : v) {
          double was = e, h = 1e-5;
          auto loss_at = [&](double to) {
            e = to;
            return trial.loss();
          };
          double slope = (loss_at(was + h) - loss_at(was - h)) / (2 * h);
          e = was;
          ASSERT_NEAR(d[at], slope, 1e-6 * std::max(1.0, std::fabs(slope))) << "element " << at;
          ++at;
        }
  }
}

// ---- what goes wrong in a run says in which sequence

std::string failure_of(const Function& f, const Feeds& feeds, ErrorKind kind) {
  try {
    f.eval(feeds);
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "it ran";
  return {};
}

struct SequenceErrors : ::testing::Test {
  Variable x = input({}, {.dtype = DType::float64, .axes = Axes::sequence(), .name = "x"}),
           u = input({}, {.dtype = DType::float64, .axes = Axes({Axis::batch(), Axis("u")}), .name = "u"});
  static Value of(const std::vector<int64_t>& lengths) {
    auto layout = Layout::of_lengths(lengths);
    std::vector<double> numbers;
    for (int64_t i = 0; i < layout->rows(); ++i) numbers.push_back(static_cast<double>(i % 2));
    return rows(numbers, layout, {});
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(SequenceErrors, an_empty_sequence_has_no_first_step) {
  expect_part(failure_of(call("sequence_first", {x}), {{x, of({2, 0, 1})}}, ErrorKind::runtime),
              "sequence 1 has no first step: it has 0 steps");
  expect_part(failure_of(call("sequence_last", {x}), {{x, of({2, 3, 0})}}, ErrorKind::runtime),
              "sequence 2 has no last step");
  expect_part(
      failure_of(call("sequence_slice", {x}, {{"begin_index", int64_t{2}}, {"end_index", int64_t{3}}}),
                 {{x, of({3, 2})}}, ErrorKind::runtime),
      "sequence 1 has no step 2: it has 2 steps");
}

TEST_F(SequenceErrors, an_initial_state_has_one_step_or_enough) {
  Function f = call("sequence_past_value", {x, u}, {{"time_step", int64_t{3}}});
  expect_part(failure_of(f, {{x, of({4, 4})}, {u, of({3, 2})}}, ErrorKind::value),
              "sequence 1 of the initial state has 2 steps, but time_step is 3");
}

TEST_F(SequenceErrors, lengths_have_to_agree) {
  expect_part(
      failure_of(call("sequence_broadcast_as", {x, u}), {{x, of({2, 3})}, {u, of({2, 4})}}, ErrorKind::value),
      "sequence 1 of the operand has 3 steps");
  expect_part(
      failure_of(call("sequence_scatter", {x, u}), {{x, of({1, 3})}, {u, of({2, 4})}}, ErrorKind::value),
      "sequence 1 of the operand has 3 steps, but the condition holds 2 times");
  expect_part(
      failure_of(call("sequence_gather", {x, u}), {{x, of({2, 2})}, {u, of({2, 4})}}, ErrorKind::runtime),
      "step 3 of sequence 1 was asked for, which has 2 steps");
}

// Rows that come from data: no condition is without end, whatever is known of the lengths, and no place lies
// outside.
TEST_F(SequenceErrors, conditions_and_places_are_bounded) {
  auto layout = Layout::of_lengths(std::vector<int64_t>{3, 2});
  auto value = [&](std::vector<double> numbers) { return rows(numbers, layout, {}); };
  auto known = [&](const char* op, int64_t scale, int64_t add) {
    return call(op, {x, u}, {{"new_sequence_axis_typeinfo", std::vector<int64_t>{scale, add}}});
  };
  std::vector<Function> all{call("sequence_where", {u}), call("sequence_gather", {x, u}),
                            call("sequence_scatter", {x, u})};
  for (const char* op : {"sequence_gather", "sequence_scatter"})
    for (auto [scale, add] : {std::pair<int64_t, int64_t>{0, 1}, {0, 3}, {1, 0}, {2, -1}})
      all.push_back(known(op, scale, add));
  const Value some = value({1, 2, 3, 4, 5});
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kNaN = std::numeric_limits<double>::quiet_NaN();
  for (double far : {kInfinity, 1e18, 3e8, 1e300, -kInfinity, kNaN})
    for (const Function& f : all)
      for (size_t at : {size_t{0}, size_t{4}}) {
        std::vector<double> numbers{1, 0, 0, 1, 0};
        numbers[at] = far;
        Feeds feeds{{u, value(numbers)}};
        if (f.arguments().size() > 1) feeds.emplace_back(x, some);
        try {
          EXPECT_LE(f.eval(feeds).data.elements(), 8);
          EXPECT_FALSE(far > 0) << f.text();
        } catch (const Error&) {  // each in its words, some below
        }
      }
  expect_part(failure_of(all[0], {{u, value({1, kInfinity, 0, 0, 0})}}, ErrorKind::value),
              "the condition chooses more than 268435456 steps");
  expect_part(failure_of(known("sequence_gather", 0, 1), {{x, some}, {u, value({0, 1e18, 0, 0, 1})}},
                         ErrorKind::value),
              "the condition chooses more than 268435456 steps");
  expect_part(
      failure_of(known("sequence_gather", 0, 1), {{x, some}, {u, value({0, 2, 0, 0, 1})}}, ErrorKind::value),
      "must choose one step of each sequence, and chooses several of sequence 0");

  Function packed = call("gather_packed", {x, call("packed_index", {x, u})});
  EXPECT_EQ(to_numbers(packed.eval({{x, some}, {u, value({2, 0, 1, 1, -0.5})}})),
            (std::vector<double>{3, 1, 2, 5, 4}));
  Function put = call("scatter_packed", {x, u, x});
  for (double place : {-1.0, 3.0, 1e18, -1e18, kInfinity, kNaN}) {
    const Value places = value({0, 1, place, 0, 1});
    expect_part(failure_of(packed, {{x, some}, {u, places}}, ErrorKind::runtime),
                " of sequence 0 was asked for, which has 3 steps");
    expect_part(failure_of(put, {{x, some}, {u, places}}, ErrorKind::runtime),
                " of sequence 0 was to be set, which has 3 steps");
  }
  expect_part(failure_of(put, {{x, some}, {u, value({1, 0, 2, 0, 1})}}, ErrorKind::runtime),
              "the indices of sequence 0 must rise: step 0 comes after a later one");
}

// Gradients look where the values looked, also where nobody asked for the values.
TEST(Indices, gradients_refuse_what_values_refuse) {
  Variable table = parameter({4, 3}, 1.0, DType::float64),
           own = input({4, 3}, {.dtype = DType::float64, .needs_gradient = true, .name = "own"}),
           i = input({2}, {.dtype = DType::float64, .name = "i"});
  auto places = [](double a, double b) { return Value::batch(Tensor::of<double>({1, 2}, {a, b})); };
  const Value tables = Value::batch(Tensor::full(DType::float64, {1, 4, 3}, 1));
  auto error_of = [](const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  Function shared = call("reduce_sum", {call("gather", {table, i})}),
           each = call("reduce_sum", {call("gather", {own, i})});
  EXPECT_EQ(shared.grad({{i, places(3, 3)}}, {table})[0].data.to_dense().at(9), 2);
  for (double place : {4.0, -1.0, 1e18, static_cast<double>(NAN), static_cast<double>(INFINITY), -1e300}) {
    const std::string outside = " in row 0 is outside the table, which has 4 rows";
    EXPECT_NE(error_of([&] { shared.grad({{i, places(1, place)}}, {table}); }).find(outside),
              std::string::npos);
    EXPECT_NE(error_of([&] { each.grad({{i, places(1, place)}, {own, tables}}, {own}); }).find(outside),
              std::string::npos);
    EXPECT_NE(error_of([&] { shared.eval({{i, places(1, place)}}); }).find(outside), std::string::npos);
  }
  Variable x = input(
               {}, {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence(), .name = "x"}),
           u = input({}, {.dtype = DType::float64, .axes = Axes({Axis::batch(), Axis("u")}), .name = "u"});
  Function packed = call("reduce_sum", {call("gather_packed", {x, u})});
  auto layout = Layout::of_lengths(std::vector<int64_t>{2});
  auto value = [&](double a, double b) { return rows({a, b}, layout, {}); };
  for (double place : {2.0, -1.0, 1e18, static_cast<double>(NAN)})
    EXPECT_NE(error_of([&] {
                packed.grad({{x, value(1, 2)}, {u, value(0, place)}}, {x});
              }).find("of sequence 0 was asked for, which has 2 steps"),
              std::string::npos);
}

TEST_F(SequenceErrors, two_slices_on_one_axis_have_to_be_of_one_length) {
  auto slice = [&](int64_t begin, int64_t end) {
    return call("sequence_slice", {x}, {{"begin_index", begin}, {"end_index", end}}).output();
  };
  Function f = call("plus", {slice(0, 2), slice(1, 3)});
  EXPECT_EQ(f.eval({{x, of({3, 4})}}).layout->rows(), 4);
  expect_part(failure_of(f, {{x, of({3, 2})}}, ErrorKind::value), "of sequence 1 on an axis");
}

TEST_F(SequenceErrors, lengths_of_new_sequences) {
  Variable f = input({3}, {.dtype = DType::float64, .name = "f"}),
           n = input({}, {.dtype = DType::float64, .name = "n"});
  Function g = call("to_sequence", {f, n});
  auto batch = [](std::vector<double> numbers, const Shape& shape) {
    return Value::batch(Tensor::of<double>(shape, std::span<const double>(numbers)));
  };
  Value data = batch({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(to_numbers(g.eval({{f, data}, {n, batch({2, 0}, {2})}})), (std::vector<double>{1, 2}));
  expect_part(failure_of(g, {{f, data}, {n, batch({2, 4}, {2})}}, ErrorKind::value),
              "the length of sequence 1 must be a whole number from 0 to 3, and is 4");
  expect_part(failure_of(g, {{f, data}, {n, batch({2.5, 1}, {2})}}, ErrorKind::value),
              "the length of sequence 0 must be a whole number from 0 to 3, and is 2.5");
  expect_part(failure_of(call("to_sequence_like", {f, x}), {{f, data}, {x, of({1, 4})}}, ErrorKind::value),
              "sequence 1 has 4 steps, but the axis of steps has the size 3");
}

TEST_F(SequenceErrors, steps_that_a_run_makes_become_an_axis) {
  Function gathered = call("sequence_gather", {x, x});
  Function f = call("unpack_values", {gathered}, {{"padding_value", -1.0}});
  Value y = f.eval({{x, of({4, 1, 3})}});  // 0 1 0 1 | 0 | 1 0 1
  EXPECT_EQ(y.data.shape(), (Shape{3, 2}));
  EXPECT_EQ(to_numbers(y), (std::vector<double>{1, 1, -1, -1, 1, 1}));
}

}  // namespace
