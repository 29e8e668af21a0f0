// Connectionist temporal classification over sequences (Graves et al. 2006), with CNTK's operands: where each
// label begins says at which step it was spoken.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ops/loss/ctc_alignment.h"
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct ForwardBackward {
  int64_t blankTokenId = 0, delayConstraint = -1;
  static constexpr auto fields() {
    return list(
        field("blankTokenId", &ForwardBackward::blankTokenId, "which class is the blank").key("BlankTokenId"),
        field("delayConstraint", &ForwardBackward::delayConstraint,
              "how many steps behind the beginning of the next label a label may still be read; -1: any")
            .key("DelayConstraint")
            .role(CANTIK_SIGNED));
  }
};

// Operands from `first` on: the graph and the features.
template <class T>
struct Alignments : Kernel {
  ForwardBackward a;
  int64_t classes;
  int first;
  Alignments(const ForwardBackward& a, int64_t classes, int first) : a(a), classes(classes), first(first) {}
  int64_t units(int64_t) const override { return 1; }

  void read(const Run& r, int64_t s, CtcAlignment<T>& alignment) const {
    const int64_t begin = sequences::first(r.in(first), s), steps = sequences::length(r.in(first), s);
    std::vector<int64_t> begins;
    alignment.labels.clear();
    for (int64_t t = 0; t < steps; ++t) {
      const T* line = r.row<T>(first, begin + t);
      const T* most = std::max_element(line, line + classes);
      if (*most != T(2)) continue;
      alignment.add_label(static_cast<double>(most - line), s, /*may_be_blank=*/true);
      begins.push_back(t);
    }
    alignment.latest.clear();
    // CNTK measures the delay of the blank behind all labels from the beginning, unless the delay is 0.
    if (a.delayConstraint > 0) alignment.latest_end = a.delayConstraint - 1;
    // A label that is the blank has a step less, as its blanks have.
    if (a.delayConstraint >= 0)
      for (size_t i = 0; i < begins.size(); ++i)
        alignment.latest.push_back((i + 1 < begins.size() ? begins[i + 1] : steps) + a.delayConstraint -
                                   (alignment.labels[i] == a.blankTokenId));
    alignment.read(steps, [&](int64_t t) { return r.row<T>(first + 1, begin + t); });
  }
};

template <class T>
struct AlignmentLoss final : Alignments<T> {
  AlignmentLoss(const Prepare& p, const ForwardBackward& a) : Alignments<T>(a, p.in(0).shape.elements(), 0) {}
  void run(const Run& r) const override {
    CtcAlignment<T> alignment(this->classes, this->a.blankTokenId);
    double sum = 0;
    for (int64_t s = 0, n = sequences::count(r.in(0)); s < n; ++s) {
      this->read(r, s, alignment);
      sum -= alignment.log_probability();
    }
    *r.result<T>(0, 0) = static_cast<T>(sum);
  }
};

// Operands: dy, then those of the loss.
template <class T>
struct AlignmentSlopes final : Alignments<T> {
  AlignmentSlopes(const Prepare& p, const ForwardBackward& a)
      : Alignments<T>(a, p.in(1).shape.elements(), 1) {}
  void run(const Run& r) const override {
    CtcAlignment<T> alignment(this->classes, this->a.blankTokenId);
    for (int64_t s = 0, n = sequences::count(r.in(1)); s < n; ++s) {
      this->read(r, s, alignment);
      const int64_t begin = sequences::first(r.in(1), s);
      alignment.slopes(*r.row<T>(0, 0), [&](int64_t t) { return r.result<T>(0, begin + t); });
    }
  }
};

template <template <class> class K>
constexpr auto alignment_kernel = [](const Prepare& p, const ForwardBackward& a) -> std::unique_ptr<Kernel> {
  return of_type<K>(p.dtype(), p, a);
};

}  // namespace

CANTIK_OP(forward_backward) {
  op.attributes<ForwardBackward>(
        "forward_backward(graph, features, blankTokenId, delayConstraint=-1, name='')")
      .doc(
          "Connectionist temporal classification: minus the logarithm of the probability that features, "
          "numbers before the softmax of each step, read the labels of graph, "
          "summed over all sequences. graph is made by labels_to_graph. Infinite where the labels do not fit "
          "into the steps.")
      .type([](Infer& in, const ForwardBackward& a) {
        for (int i : {0, 1}) sequences::want_sequence(in.in(i));
        const Shape graph = in.shape(0), x = in.shape(1);
        if (x.is_known() && x.is_static()) {
          if (!(a.blankTokenId >= 0 && a.blankTokenId < x.elements()))
            throw value_failure("blankTokenId must be a class from 0 to " + std::to_string(x.elements() - 1) +
                                ", and is " + std::to_string(a.blankTokenId));
          if (graph.is_known() && graph.is_static() && graph.elements() != x.elements())
            throw shape_failure("the graph and the features must have the same number of classes, and have " +
                                std::to_string(graph.elements()) + " and " + std::to_string(x.elements()));
        }
        TypeView t = in.join(0, 1, Shape());
        t.axes = CANTIK_NO_AXES;
        t.sequence_axis = -1;
        in.set(t);
      })
      .gradient([](Gradient& g, const ForwardBackward& a) {
        if (g.wanted(1))
          g.dx(1, g.call("forward_backward_slopes", {g.dy(), g.x(0), g.x(1)},
                         {{"blankTokenId", a.blankTokenId}, {"delayConstraint", a.delayConstraint}}));
      })
      .kernel("alignments", alignment_kernel<AlignmentLoss>)
      .cntk("ForwardBackward", 66)
      .named("test.none", "random numbers are no graph of labels: tests/python/test_ctc_over_sequences.py");

  op.attributes<ForwardBackward>(
        "forward_backward_slopes(dy, graph, features, blankTokenId, delayConstraint=-1)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const ForwardBackward&) {
        in.set(sequences::with_axes_of(in.join(1, 2, in.shape(2)), in.in(2)));
      })
      .kernel("alignments", alignment_kernel<AlignmentSlopes>);
}
