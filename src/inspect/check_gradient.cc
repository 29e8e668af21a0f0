// Gradients against central differences.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cantik/check.h>
#include <cantik/error.h>
#include <cantik/evaluation.h>

#include "base/text.h"

namespace cantik {
namespace {

void set_number(const Tensor& t, int64_t i, double x) {
  Tensor::borrow(t.dtype(), {}, static_cast<char*>(t.raw()) + static_cast<size_t>(i) * size_of(t.dtype()),
                 nullptr)
      .fill(x);
}

// The numbers of a variable, moved one at a time: of an input its feed, of a parameter its value, which comes
// back.
class Nudged {
 public:
  Nudged(const Variable& v, Feeds& feeds) : variable_(v) {
    if (v.is_parameter()) {
      start_ = v.value().clone();
    } else {
      const auto at = std::find_if(feeds.begin(), feeds.end(), [&](const auto& f) { return f.first == v; });
      if (at == feeds.end())
        throw value_error("no data came for " + v.text()).remedy("feed it, or leave it out of wrt");
      if (at->second.data.is_sparse())
        throw value_error("differences cannot be taken of sparse data, here of " + v.text())
            .remedy("make the data dense, or leave the input out of wrt");
      feed_ = &at->second.data;
      start_ = feed_->to_dense();
    }
    now_ = start_.clone();
    if (feed_) *feed_ = now_;
  }
  ~Nudged() {
    if (feed_)
      *feed_ = start_;
    else
      variable_.set_value(start_);
  }
  Nudged(const Nudged&) = delete;

  int64_t elements() const { return start_.elements(); }
  // Moves one number; its value afterwards, rounded as the type has it.
  double move(int64_t i, double by) {
    set_number(now_, i, start_.at(i) + by);
    show();
    return now_.at(i);
  }
  void put_back(int64_t i) {
    set_number(now_, i, start_.at(i));
    show();
  }

 private:
  void show() const {
    if (!feed_) variable_.set_value(now_);
  }
  Variable variable_;
  Tensor* feed_ = nullptr;
  Tensor start_, now_;
};

// The sum of the output, and by how much the rounding of its numbers may change it.
struct RoundedSum {
  double value = 0, rounding = 0;
};

RoundedSum sum_of(const Evaluation& ask, const Feeds& feeds, const RunOptions& options) {
  const Tensor y = ask.run(feeds, options).outputs[0].data.to_dense();
  RoundedSum sum;
  for (int64_t i = 0; i < y.elements(); ++i) {
    sum.value += y.at(i);
    sum.rounding += std::abs(y.at(i));
  }
  sum.rounding *= y.dtype() == DType::float64 ? std::numeric_limits<double>::epsilon()
                                              : std::numeric_limits<float>::epsilon();
  return sum;
}

// So many different numbers below `count`, or all of them.
std::vector<int64_t> chosen(int64_t count, int64_t samples, std::mt19937_64& random) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  const size_t wanted = static_cast<size_t>(std::min(count, samples));
  for (size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(wanted);
  return all;
}

std::vector<Variable> differentiable(const Function& f) {
  std::vector<Variable> list = f.parameters();
  for (const Variable& v : f.arguments())
    if (v.needs_gradient()) list.push_back(v);
  if (list.empty())
    throw value_error("the function has no parameters and no inputs that need a gradient").node(f.text());
  return list;
}

void check_wrt(const Function& f, const std::vector<Variable>& wrt) {
  const std::vector<Variable> inputs = f.inputs();
  for (const Variable& v : wrt)
    if (!(v.is_parameter() || v.is_input()) || std::find(inputs.begin(), inputs.end(), v) == inputs.end())
      throw value_error(v.text() + " is no parameter or input of the function")
          .node(f.text())
          .remedy("differences are taken of parameters and inputs");
}

}  // namespace

GradientReport check_gradient(const Function& function, const Feeds& given, const GradientCheck& check) {
  const Function f = function.as_composite();
  const bool is_double = f.output().dtype() == DType::float64;
  const double step = check.step.value_or(is_double ? 1e-6 : 1e-2);
  if (!(step > 0 && std::isfinite(step))) throw value_error(cat("the step must be above 0, and is ", step));
  if (check.samples < 1) throw value_error(cat("samples must be at least 1, and is ", check.samples));
  const std::vector<Variable> wrt = check.wrt.empty() ? differentiable(f) : check.wrt;
  check_wrt(f, wrt);
  GradientReport report{{}, check.tolerance.value_or(is_double ? 1e-6 : 2e-2)};
  const std::vector<Value> gradients = Evaluation(f, {.wrt = wrt}).run(given, check.run).gradients;
  const Evaluation ask(f);
  Feeds feeds = given;
  std::mt19937_64 random(check.seed);
  for (size_t k = 0; k < wrt.size(); ++k) {
    const Tensor gradient = gradients[k].data.to_dense();
    double scale = 1e-8;
    for (int64_t i = 0; i < gradient.elements(); ++i) scale = std::max(scale, std::abs(gradient.at(i)));
    GradientError& found = report.errors.emplace_back();
    found.variable = wrt[k];
    Nudged numbers(wrt[k], feeds);
    for (const int64_t i : chosen(numbers.elements(), check.samples, random)) {
      const double above = numbers.move(i, step);
      const RoundedSum y_above = sum_of(ask, feeds, check.run);
      const double below = numbers.move(i, -step);
      const RoundedSum y_below = sum_of(ask, feeds, check.run);
      numbers.put_back(i);
      const double difference = (y_above.value - y_below.value) / (above - below);
      const double rounding = (y_above.rounding + y_below.rounding) / (above - below);
      const double off = std::abs(difference - gradient.at(i));
      const bool is_rounding = std::isfinite(off) && off <= rounding;
      const double error = (is_rounding ? 0 : off - rounding) / std::max(scale, std::abs(difference));
      // a NaN is the largest error
      if (found.element >= 0 && !(error > found.error) && !std::isnan(error)) continue;
      found.error = error;
      found.element = i;
      found.gradient = gradient.at(i);
      found.difference = difference;
      if (std::isnan(error)) break;
    }
  }
  return report;
}

GradientReport::operator bool() const {
  return std::all_of(errors.begin(), errors.end(),
                     [&](const GradientError& e) { return e.error <= tolerance; });
}

std::string GradientReport::text() const {
  return join(errors, "\n", [&](const GradientError& e) {
    char line[160];
    std::snprintf(line, sizeof line, ": %.2e", e.error);
    std::string s = e.variable.text() + line;
    if (e.error <= tolerance) return s;
    std::snprintf(line, sizeof line, "  above %.0e: element %lld has the gradient %.6g, the difference %.6g",
                  tolerance, static_cast<long long>(e.element), e.gradient, e.difference);
    return s + line;
  });
}

}  // namespace cantik
