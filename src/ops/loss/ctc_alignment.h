// Alignments of labels with the steps of a sequence (Graves et al. 2006): step by step a label is read or
// nothing, the blank; repetitions and blanks are dropped. Sums over all alignments that read the given
// labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <cantik/op.h>

#include "backends/host/loops.h"
#include "ops/loss/any_size.h"

namespace cantik {

template <class T>
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
    p_.resize(static_cast<size_t>(steps * classes_));
    likely_.resize(static_cast<size_t>(steps) * (labels.size() + 1));
    forward_.resize(static_cast<size_t>((steps + 3) * places_));
    skips_.resize(static_cast<size_t>(places_));
    for (int64_t s = 0; s < places_; ++s) skips_[static_cast<size_t>(s)] = skips(s);
    for (int64_t t = 0; t < steps; ++t) read_step(t, x(t));
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

  // The logarithm of the labels' probability. Behind it forward(t)[s] is the probability of having come to
  // place s at step t.
  double log_probability() { return log(probability()); }

  // The derivatives of minus that logarithm, times dy: of each step's numbers, written to dx(t).
  template <class Steps>
  void slopes(T dy, Steps&& dx) {
    const AnySize total = probability();
    // now: of finishing from place s at step t; ahead: of that and of what is read at the step
    AnySize *now = forward(steps_), *ahead = forward(steps_ + 1);
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      T* line = dx(t);
      if (total.is_zero()) {  // no alignment: the loss is infinite everywhere around
        std::fill_n(line, classes_, T(0));
        continue;
      }
      finish(t, now, ahead);
      for (int64_t k = 0; k < classes_; ++k) line[k] = p_[static_cast<size_t>(t * classes_ + k)] * dy;
      // CNTK's gradient leaves out the last step's blank where only being the last step allows it.
      const int64_t first = first_place(t), end = std::min(end_of_places(t), places_ - (t > latest_end));
      AnySize sum;
      for (int64_t s = first; s < end; ++s) sum = sum + forward(t)[s] * now[s];
      if (sum.is_zero()) continue;
      for (int64_t s = first; s < end; ++s)
        line[label(s)] -= static_cast<T>(ratio(forward(t)[s] * now[s], sum)) * dy;
    }
  }

 private:
  // The step's softmax. Where a probability is too small for T, the logarithm has it.
  void read_step(int64_t t, const T* x) {
    constexpr T kSmall = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    T* p = &p_[static_cast<size_t>(t * classes_)];
    host::loops<T>().softmax(p, x, nullptr, 1, classes_);
    const int64_t most = std::max_element(x, x + classes_) - x;
    const auto likelihood = [&](int64_t k) {
      if (p[k] > kSmall) return AnySize(static_cast<double>(p[k]));
      return AnySize::exp(static_cast<double>(x[k]) - static_cast<double>(x[most]) +
                          std::log(static_cast<double>(p[most])));
    };
    AnySize* to = &likely_[static_cast<size_t>(t) * (labels.size() + 1)];
    *to++ = likelihood(blank_);
    for (int64_t label : labels) *to++ = likelihood(label);
  }

  AnySize probability() {
    for (int64_t t = 0; t < steps_; ++t) {
      AnySize* now = forward(t);
      const AnySize* before = t ? forward(t - 1) : nullptr;
      std::fill_n(now, places_, AnySize());
      for (int64_t s = first_place(t); s < end_of_places(t); ++s) {
        AnySize ways = before ? before[s] : AnySize(s < 2);
        if (before && s > 0) ways = ways + before[s - 1];
        if (before && skips_[static_cast<size_t>(s)]) ways = ways + before[s - 2];
        if (may_read(t, s)) now[s] = ways * likely(t, s);
      }
    }
    if (steps_ == 0) return AnySize(places_ == 1);
    const AnySize* last = forward(steps_ - 1);
    return places_ == 1 ? last[0] : last[places_ - 1] + last[places_ - 2];
  }

  // now: of all ways from each place at step t to the end, from those of step t + 1.
  void finish(int64_t t, AnySize* now, AnySize* ahead) {
    if (t == steps_ - 1) {
      for (int64_t s = 0; s < places_; ++s) now[s] = AnySize(s >= places_ - 2);
      return;
    }
    std::fill_n(ahead, places_, AnySize());
    for (int64_t s = first_place(t + 1); s < end_of_places(t + 1); ++s)
      if (may_read(t + 1, s)) ahead[s] = now[s] * likely(t + 1, s);
    for (int64_t s = first_place(t); s < end_of_places(t); ++s) {
      now[s] = ahead[s];
      if (s + 1 < places_) now[s] = now[s] + ahead[s + 1];
      if (s + 2 < places_ && skips_[static_cast<size_t>(s + 2)]) now[s] = now[s] + ahead[s + 2];
    }
  }

  // Of the places that are reached by step t and from which the end is: all others are left out.
  int64_t first_place(int64_t t) const { return std::max<int64_t>(0, places_ - 2 * (steps_ - t)); }
  int64_t end_of_places(int64_t t) const { return std::min(places_, 2 * t + 2); }

  int64_t label(int64_t s) const { return s % 2 ? labels[static_cast<size_t>(s / 2)] : blank_; }
  bool may_read(int64_t t, int64_t s) const {
    if (s == places_ - 1) return t <= latest_end || t == steps_ - 1;
    return latest.empty() || s % 2 == 0 || t <= latest[static_cast<size_t>(s / 2)];
  }
  const AnySize& likely(int64_t t, int64_t s) const {
    return likely_[static_cast<size_t>(t) * (labels.size() + 1) + static_cast<size_t>(s % 2 ? s / 2 + 1 : 0)];
  }
  AnySize* forward(int64_t t) { return &forward_[static_cast<size_t>(t * places_)]; }
  // Whether place s follows place s - 2: the blank between two different labels may be left out. As in
  // CNTK none follows a label that is the blank like that.
  bool skips(int64_t s) const { return s % 2 && s > 1 && label(s) != label(s - 2) && label(s - 2) != blank_; }

  int64_t classes_, blank_, steps_ = 0, places_ = 1;
  std::vector<T> p_;              // of each step and class
  std::vector<AnySize> likely_;   // of each step: of the blank and the labels
  std::vector<AnySize> forward_;  // of each step and place, then three lines for slopes
  std::vector<char> skips_;       // of each place
};

}  // namespace cantik
