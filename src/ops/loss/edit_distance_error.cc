// How many tokens have to be changed, removed and added to make the first sequence the second: for each 100
// of the second, times steps.
//
// A token is the place of the largest number of a step. Of all ways to edit, one of least penalty is taken,
// and its edits counted (Wagner, Fischer 1974).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct EditDistance {
  double subPen = 1, delPen = 1, insPen = 1;
  bool squashInputs = false;
  std::vector<int64_t> tokensToIgnore;
  static constexpr auto fields() {
    return list(
        field("subPen", &EditDistance::subPen, "penalty of a changed token")
            .key("SubstitutionPenalty")
            .role(CANTIK_SINGLE),
        field("delPen", &EditDistance::delPen, "penalty of a removed token")
            .key("DeletionPenalty")
            .role(CANTIK_SINGLE),
        field("insPen", &EditDistance::insPen, "penalty of an added token")
            .key("InsertionPenalty")
            .role(CANTIK_SINGLE),
        field("squashInputs", &EditDistance::squashInputs, "whether equal tokens side by side count as one")
            .key("SquashInputs"),
        field("tokensToIgnore", &EditDistance::tokensToIgnore, "tokens that do not count")
            .key("TokensToIgnore"));
  }
};

struct Edits {
  double penalty;
  int64_t count;
};

template <class T>
struct Distance final : Kernel {
  EditDistance a;
  int64_t classes;
  Distance(EditDistance a, int64_t classes) : a(std::move(a)), classes(classes) {}
  int64_t units(int64_t) const override { return 1; }

  std::vector<int64_t> tokens(const Run& r, int i, int64_t s) const {
    const cantik_operand& x = r.in(i);
    std::vector<int64_t> list;
    int64_t before = -1;
    for (int64_t row = sequences::first(x, s); row < sequences::last(x, s); ++row) {
      const T* v = r.row<T>(i, row);
      int64_t token = std::max_element(v, v + classes) - v;
      bool same = a.squashInputs && token == before;
      before = token;
      if (!same &&
          std::find(a.tokensToIgnore.begin(), a.tokensToIgnore.end(), token) == a.tokensToIgnore.end())
        list.push_back(token);
    }
    return list;
  }

  // line[j]: the edits that make the first i tokens of x the first j of y.
  int64_t edits(const std::vector<int64_t>& x, const std::vector<int64_t>& y) const {
    std::vector<Edits> line(y.size() + 1);
    for (size_t j = 0; j < line.size(); ++j)
      line[j] = {static_cast<double>(j) * a.insPen, static_cast<int64_t>(j)};
    for (size_t i = 1; i <= x.size(); ++i) {
      Edits diagonal = line[0];
      line[0] = {static_cast<double>(i) * a.delPen, static_cast<int64_t>(i)};
      for (size_t j = 1; j <= y.size(); ++j) {
        Edits above = line[j], best = diagonal;
        if (x[i - 1] != y[j - 1]) {
          best = {diagonal.penalty + a.subPen, diagonal.count + 1};
          if (above.penalty + a.delPen < best.penalty) best = {above.penalty + a.delPen, above.count + 1};
          if (line[j - 1].penalty + a.insPen < best.penalty)
            best = {line[j - 1].penalty + a.insPen, line[j - 1].count + 1};
        }
        diagonal = above;
        line[j] = best;
      }
    }
    return line.back().count;
  }

  void run(const Run& r) const override {
    int64_t wrong = 0, wanted = 0, steps = 0;
    for (int64_t s = 0, n = sequences::count(r.in(0)); s < n; ++s) {
      std::vector<int64_t> x = tokens(r, 0, s), y = tokens(r, 1, s);
      steps += sequences::length(r.in(0), s);
      wanted += static_cast<int64_t>(y.size());
      wrong += edits(x, y);
    }
    *r.result<T>(0, 0) = wrong == 0 ? T(0)
                                    : static_cast<T>(static_cast<double>(wrong) * static_cast<double>(steps) /
                                                     static_cast<double>(wanted));
  }
};

}  // namespace

CANTIK_OP(edit_distance_error) {
  op.attributes<EditDistance>(
        "edit_distance_error(input_a, input_b, subPen=1, delPen=1, insPen=1, squashInputs=False, "
        "tokensToIgnore=[], name='')")
      .doc(
          "How far the sequences of input_a are from those of input_b: edits for each token of input_b, "
          "times the number of steps, so that its mean over the steps is the "
          "error rate. The token of a step is the place of its largest number.")
      .named("test.gradient", "none: it is for evaluation only")
      .type([](Infer& in, const EditDistance& a) {
        for (int64_t token : a.tokensToIgnore)
          if (token < 0)
            throw value_failure("tokens must not be negative, and tokensToIgnore has " +
                                std::to_string(token));
        // The two have lengths of their own, and may have axes of their own.
        const TypeView x = in.in(0), y = in.in(1);
        const bool own_axes = x.has_sequence() && y.has_sequence() && x.sequence_axis != y.sequence_axis;
        if (own_axes && x.dtype != y.dtype && x.dtype != DType::unknown && y.dtype != DType::unknown)
          throw value_failure("the operands have different element types, " + std::string(name_of(x.dtype)) +
                                  " and " + std::string(name_of(y.dtype)),
                              "cast one of them");
        TypeView t = own_axes ? in.like(0, Shape()) : in.join(0, 1, Shape());
        if (in.shape(0).is_static() && in.shape(1).is_static() &&
            in.shape(0).elements() != in.shape(1).elements())
          throw shape_failure("the operands must have the same number of classes, and have " +
                              std::to_string(in.shape(0).elements()) + " and " +
                              std::to_string(in.shape(1).elements()));
        t.axes = CANTIK_NO_AXES;
        t.sequence_axis = -1;
        in.set(t);
      })
      .kernel("pairs",
              [](const Prepare& p, const EditDistance& a) -> std::unique_ptr<Kernel> {
                int64_t classes = p.in(0).shape.elements();
                return of_type<Distance>(p.dtype(), a, classes);
              })
      .cntk("EditDistanceError", 61)
      .named("test.lengths", "3,1,5")
      .named("test.operands", "qq")
      .named("test.rows", "the sum over all sequences")
      .sample({{4}, {4}});
}
