// Sums over all paths of a lattice, for sequence training (Povey, Discriminative training for large
// vocabulary speech recognition, 2003; Vesely et al., Sequence-discriminative training of deep neural
// networks, 2013).
//
// A unit takes its frames along the best way through its states (Viterbi). Its score is that way's:
// logarithms of likelihoods and of transitions. For an arc q, with k = 1 / acoustic scale and A(q) frames in
// the states that were spoken:
//
//   s(q) = k (language scale * language score + word penalty + scores of its units) - boost A(q)
//   Z = sum over paths of exp(sum of s(q)),  P(path) = exp(sum of s(q)) / Z
//   gamma(q): the probability of the paths through q;  c(q): the mean of A(path) over them;  c over all paths
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/loss/lattice.h"
#include "ops/loss/lattice_units.h"

namespace cantik {

class LatticePaths {
 public:
  struct Scales {
    double acoustic = 1, language = 1, word_penalty = 0, boost = 0;
  };

  LatticePaths(const LatticeUnits& units, const Scales& scales) : units_(units), scales_(scales) {}

  // spoken: [frames], the state of each. x(t) points at the logarithms of the likelihoods of frame t in all
  // states. The lattice lives as long as it is asked about; its symbols are those of the units.
  template <class Steps>
  void read(const Lattice& lattice, std::span<const int64_t> spoken, Steps&& x) {
    lattice_ = &lattice;
    segments_.clear();
    states_.clear();
    numbers_.clear();
    of_arcs_.clear();
    arcs_.clear();
    for (const Lattice::Arc& arc : lattice.arcs) {
      Arc a{std::ssize(of_arcs_), 0, 0, 0};
      int64_t begin = lattice.times[arc.from];
      double score = 0;
      auto take = [&](int64_t symbol, int64_t frames) {
        const size_t k = segment(units_.model_of(symbol), begin, frames, spoken, x);
        of_arcs_.push_back(k);
        score += segments_[k].score;
        a.correct += segments_[k].correct;
        begin += frames;
      };
      for (int64_t k = arc.first; k < arc.first + arc.count; ++k)
        take(lattice.units[k].symbol, lattice.units[k].frames);
      if (arc.ends_in_pause) take(lattice.pause_symbol, arc.pause);
      a.last = std::ssize(of_arcs_);
      a.score = (scales_.language * arc.language + scales_.word_penalty + score) / scales_.acoustic -
                scales_.boost * static_cast<double>(a.correct);
      arcs_.push_back(a);
    }
    forward();
  }

  // log Z; minus infinity where no path is possible.
  double log_sum() const { return forward_.back(); }

  // c, the mean number of frames in the states that were spoken; 0 where no path is possible.
  double correct() {
    correct_forward();
    return correct_before_.back();
  }

  // put(t, state, weight), weights of one frame and state to be added up: the probability of the paths that
  // are in the state. Nothing where no path is possible.
  template <class Put>
  void occupancies(Put&& put) {
    backward();
    spread([](const Lattice::Arc&, const Arc&) { return 1.0; }, put);
  }

  // The same with the slopes of c by the logarithms of the likelihoods: k gamma(q) (c(q) - c).
  template <class Put>
  void slopes_of_correct(Put&& put) {
    const double mean = correct();
    backward();
    correct_backward();
    spread(
        [&](const Lattice::Arc& arc, const Arc& a) {
          const double of_arc =
              correct_before_[arc.from] + static_cast<double>(a.correct) + correct_behind_[arc.to];
          return (of_arc - mean) / scales_.acoustic;
        },
        put);
  }

 private:
  static constexpr double kNever = LatticeUnits::kNever;

  // A unit that takes frames from `begin` on. Arcs share it.
  struct Segment {
    int64_t begin, frames;
    size_t states;  // where its states begin in states_; there are none where its score is kNever
    double score;
    int64_t correct;  // frames in the states that were spoken
    double weight;    // scratch of spread()
  };
  struct Arc {
    int64_t first, last;  // its segments in of_arcs_
    double score;
    int64_t correct;
  };

  static double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == kNever ? a : a + std::log1p(std::exp(b - a));
  }

  template <class Steps>
  size_t segment(size_t model, int64_t begin, int64_t frames, std::span<const int64_t> spoken, Steps&& x) {
    const uint64_t key = static_cast<uint64_t>(model) << 32 | static_cast<uint64_t>(begin) << 16 |
                         static_cast<uint64_t>(frames);
    const auto [at, is_new] = numbers_.try_emplace(key, segments_.size());
    if (is_new) {
      Segment s{begin, frames, states_.size(), 0, 0, 0};
      s.score = align(units_.model(model), begin, frames, x);
      for (size_t k = s.states; k < states_.size(); ++k)
        s.correct += states_[k] == spoken[static_cast<size_t>(begin) + (k - s.states)];
      segments_.push_back(s);
    }
    return at->second;
  }

  // The score of the best way through the unit's states, which are added to states_.
  template <class Steps>
  double align(const LatticeUnits::Model& m, int64_t begin, int64_t frames, Steps&& x) {
    const LatticeUnits::Transitions& go = units_.transitions(m);
    const auto n = static_cast<size_t>(go.states);
    if (frames == 0) return go(-1, go.states);
    best_.assign(n, kNever);
    came_from_.assign(static_cast<size_t>(frames) * n, 0);
    for (int64_t t = 0; t < frames; ++t) {
      const auto* likelihoods = x(begin + t);
      next_.assign(n, kNever);
      for (size_t to = 0; to < n; ++to) {
        size_t& from = came_from_[static_cast<size_t>(t) * n + to];
        if (t == 0)
          next_[to] = go(-1, static_cast<int64_t>(to));
        else
          next_[to] = best_way(go, static_cast<int64_t>(to), from);
        next_[to] += static_cast<double>(likelihoods[m.states[to]]);
      }
      std::swap(best_, next_);
    }
    size_t state = 0;
    const double score = best_way(go, go.states, state);
    if (!(score > kNever)) return kNever;
    const size_t first = states_.size();
    states_.resize(first + static_cast<size_t>(frames));
    for (size_t t = static_cast<size_t>(frames); t-- > 0;) {
      states_[first + t] = m.states[state];
      state = came_from_[t * n + state];
    }
    return score;
  }
  // The score of the best way on to `to`, and from which state it comes.
  double best_way(const LatticeUnits::Transitions& go, int64_t to, size_t& from) const {
    double best = kNever;
    for (size_t i = 0; i < best_.size(); ++i)
      if (const double score = best_[i] + go(static_cast<int64_t>(i), to); score > best) {
        best = score;
        from = i;
      }
    return best;
  }

  // f(arc, the same here, its two nodes), from the front.
  template <class F>
  void each_arc(F&& f) {
    for (size_t i = 0; i < arcs_.size(); ++i) {
      const Lattice::Arc& arc = lattice_->arcs[i];
      f(arcs_[i], static_cast<size_t>(arc.from), static_cast<size_t>(arc.to));
    }
  }
  template <class F>
  void each_arc_from_behind(F&& f) {
    for (size_t i = arcs_.size(); i-- > 0;) {
      const Lattice::Arc& arc = lattice_->arcs[i];
      f(arcs_[i], static_cast<size_t>(arc.from), static_cast<size_t>(arc.to));
    }
  }

  // Of each node: the logarithm of the sum over the paths that lead there.
  void forward() {
    forward_.assign(lattice_->times.size(), kNever);
    forward_.front() = 0;
    each_arc([&](const Arc& a, size_t from, size_t to) {
      forward_[to] = log_add(forward_[to], forward_[from] + a.score);
    });
  }
  void backward() {
    backward_.assign(lattice_->times.size(), kNever);
    backward_.back() = 0;
    each_arc_from_behind([&](const Arc& a, size_t from, size_t to) {
      backward_[from] = log_add(backward_[from], backward_[to] + a.score);
    });
  }

  // Of each node: the mean number of frames in spoken states over the paths that lead there.
  void correct_forward() {
    correct_before_.assign(lattice_->times.size(), 0);
    each_arc([&](const Arc& a, size_t from, size_t to) {
      const double through = forward_[from] + a.score;
      if (through == kNever) return;
      correct_before_[to] +=
          std::exp(through - forward_[to]) * (correct_before_[from] + static_cast<double>(a.correct));
    });
  }
  void correct_backward() {
    correct_behind_.assign(lattice_->times.size(), 0);
    each_arc_from_behind([&](const Arc& a, size_t from, size_t to) {
      const double through = backward_[to] + a.score;
      if (through == kNever) return;
      correct_behind_[from] +=
          std::exp(through - backward_[from]) * (correct_behind_[to] + static_cast<double>(a.correct));
    });
  }

  // The probability of each arc, times what it is worth, to the states of its frames.
  template <class Worth, class Put>
  void spread(Worth&& worth, Put&& put) {
    if (!std::isfinite(log_sum())) return;
    for (Segment& s : segments_) s.weight = 0;
    for (size_t i = 0; i < arcs_.size(); ++i) {
      const Lattice::Arc& arc = lattice_->arcs[i];
      const Arc& a = arcs_[i];
      const double through = forward_[arc.from] + a.score + backward_[arc.to];
      if (through == kNever) continue;
      const double weight = std::exp(through - log_sum()) * worth(arc, a);
      for (int64_t k = a.first; k < a.last; ++k) segments_[of_arcs_[k]].weight += weight;
    }
    for (const Segment& s : segments_) {
      if (s.weight == 0) continue;
      for (int64_t t = 0; t < s.frames; ++t)
        put(s.begin + t, states_[s.states + static_cast<size_t>(t)], s.weight);
    }
  }

  const LatticeUnits& units_;
  const Scales scales_;
  const Lattice* lattice_ = nullptr;
  std::vector<Segment> segments_;
  std::unordered_map<uint64_t, size_t> numbers_;  // of segments, by model, begin and frames
  std::vector<int64_t> states_;                   // of all segments, one for each frame
  std::vector<size_t> of_arcs_;                   // segments of all arcs, in their order
  std::vector<Arc> arcs_;
  std::vector<double> forward_, backward_, correct_before_, correct_behind_;  // [nodes]
  std::vector<double> best_, next_;                                           // [states of a unit]
  std::vector<size_t> came_from_;                                             // [frames, states of a unit]
};

}  // namespace cantik
