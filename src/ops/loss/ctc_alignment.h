// Alignments of labels with the steps of a sequence (Graves et al. 2006): step by step a label is read or
// nothing, the blank; repetitions and blanks are dropped. Sums over all alignments that read the given
// labels, by the logarithms of their probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <cantik/op.h>

namespace cantik {

class CtcAlignment {
 public:
  // Classes, with a blank among them. Labels have a blank before, between and behind them: place s of 2 n + 1
  // is a blank where s is even, else label s / 2.
  CtcAlignment(int64_t classes, int64_t blank) : classes_(classes), blank_(blank) {}

  std::vector<int64_t> labels;
  std::vector<int64_t> latest;  // of each label, the last step at which it may be read; empty: any
  // The last step at which the blank behind all labels may be read, besides the last one of all.
  int64_t latest_end = std::numeric_limits<int64_t>::max();

  // The numbers before the softmax: x(t) points at those of step t.
  template <class Steps>
  void read(int64_t steps, Steps&& x) {
    steps_ = steps;
    places_ = 2 * static_cast<int64_t>(labels.size()) + 1;
    log_p_.resize(static_cast<size_t>(steps * classes_));
    forward_.resize(static_cast<size_t>((steps + 2) * places_));
    for (int64_t t = 0; t < steps; ++t) normalize(x(t), &log_p_[t * classes_]);
  }

  // One more label of the row: a class, and not the blank, unless labels may be silence.
  void add_label(double given, int64_t row, bool may_be_blank = false) {
    if (!(given >= 0 && given < static_cast<double>(classes_)) ||
        (!may_be_blank && static_cast<int64_t>(given) == blank_)) {
      char shown[32];
      std::snprintf(shown, sizeof shown, "%g", given);
      throw Failure(CANTIK_VALUE,
                    std::string("label ") + shown + " in row " + std::to_string(row) + " is the blank (" +
                        std::to_string(blank_) + ") or not one of the " + std::to_string(classes_) +
                        " classes",
                    "give labels from 0 to " + std::to_string(classes_ - 1) + " other than the blank");
    }
    labels.push_back(static_cast<int64_t>(given));
  }

  // The logarithm of the labels' probability. Behind it forward(t)[s] is that of having come to place s at
  // step t.
  double probability() {
    for (int64_t t = 0; t < steps_; ++t)
      for (int64_t s = 0; s < places_; ++s)
        forward(t)[s] = may_read(t, s) ? reached(t, s) + log_p(t, s) : kNever;
    if (steps_ == 0) return places_ == 1 ? 0 : kNever;
    const double* last = forward(steps_ - 1);
    return places_ == 1 ? last[0] : log_add(last[places_ - 1], last[places_ - 2]);
  }

  // The derivatives of minus that logarithm, times dy: of each step's numbers, written to dx(t).
  template <class T, class Steps>
  void slopes(T dy, Steps&& dx) {
    const double total = probability();
    // logarithms of finishing from place s at step t
    double *now = forward(steps_), *next = forward(steps_ + 1);
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      T* line = dx(t);
      if (!std::isfinite(total)) {  // no alignment: the loss is infinite everywhere around
        std::fill_n(line, classes_, T(0));
        continue;
      }
      std::swap(now, next);
      for (int64_t s = 0; s < places_; ++s) now[s] = finished(t, s, next);
      for (int64_t k = 0; k < classes_; ++k)
        line[k] = static_cast<T>(std::exp(log_p_[t * classes_ + k])) * dy;
      // CNTK's gradient leaves out the last step's blank where only being the last step allows it.
      const int64_t counted = places_ - (t > latest_end);
      double sum = kNever;
      for (int64_t s = 0; s < counted; ++s) sum = log_add(sum, forward(t)[s] + now[s]);
      if (sum == kNever) continue;
      for (int64_t s = 0; s < counted; ++s)
        line[label(s)] -= static_cast<T>(std::exp(forward(t)[s] + now[s] - sum)) * dy;
    }
  }

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  static double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == kNever ? a : a + std::log1p(std::exp(b - a));
  }
  template <class T>
  void normalize(const T* x, double* log_p) const {
    double most = static_cast<double>(*std::max_element(x, x + classes_)), sum = 0;
    for (int64_t k = 0; k < classes_; ++k) sum += std::exp(static_cast<double>(x[k]) - most);
    for (int64_t k = 0; k < classes_; ++k) log_p[k] = static_cast<double>(x[k]) - most - std::log(sum);
  }

  // Of all ways to place s at step t, but for what is read there.
  double reached(int64_t t, int64_t s) {
    if (t == 0) return s < 2 ? 0 : kNever;
    const double* before = forward(t - 1);
    double a = before[s];
    if (s > 0) a = log_add(a, before[s - 1]);
    if (skips(s)) a = log_add(a, before[s - 2]);
    return a;
  }
  // Of all ways from place s at step t to the end.
  double finished(int64_t t, int64_t s, const double* next) const {
    if (t == steps_ - 1) return s >= places_ - 2 ? 0 : kNever;
    double b = kNever;
    for (int64_t to = s; to <= s + 2 && to < places_; ++to)
      if (may_read(t + 1, to) && (to < s + 2 || skips(to))) b = log_add(b, next[to] + log_p(t + 1, to));
    return b;
  }

  int64_t label(int64_t s) const { return s % 2 ? labels[s / 2] : blank_; }
  bool may_read(int64_t t, int64_t s) const {
    if (s == places_ - 1) return t <= latest_end || t == steps_ - 1;
    return latest.empty() || s % 2 == 0 || t <= latest[s / 2];
  }
  double log_p(int64_t t, int64_t s) const { return log_p_[t * classes_ + label(s)]; }
  double* forward(int64_t t) { return &forward_[t * places_]; }
  // Whether place s follows place s - 2: the blank between two different labels may be left out. As in
  // CNTK none follows a label that is the blank like that.
  bool skips(int64_t s) const { return s % 2 && s > 1 && label(s) != label(s - 2) && label(s - 2) != blank_; }

  int64_t classes_, blank_, steps_ = 0, places_ = 1;
  std::vector<double> log_p_, forward_;
};

}  // namespace cantik
