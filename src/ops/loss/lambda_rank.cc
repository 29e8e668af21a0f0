// Learning to rank: the lists of documents of a batch, judged by the discounted gains of where the scores put
// them.
//
// Samples of equal group, one behind the other, are a list; its gains fall. Groups are cut off behind the
// point. With ranks r by score and discounts D(r) = 1 / log2(1 + r): NDCG = sum g_i D(r_i) / ideal, ideal =
// sum g_i D(i); the loss is 100 (1 - NDCG), averaged over the lists, times the number of samples; as in CNTK,
// that of a list without any gain is 100. The gradient is Burges' lambda: for i before j, g_i > 0, |g_i -
// g_j| |D(r_i) - D(r_j)| / ideal / (1 + e^(s_i - s_j)), taken from i and given to j.
#include <algorithm>
#include <cmath>
#include <vector>

#include <cantik/op.h>

using namespace cantik;

namespace {

double discount(int64_t rank) { return 1 / std::log2(1.0 + static_cast<double>(rank)); }

template <class T>
T number(const Run& r, int operand, int64_t row) {
  return *r.row<T>(operand, row);
}

// Calls f(first, last) for each list; how many there are.
template <class T, class F>
int64_t each_list(const Run& r, int64_t rows, F&& f) {
  auto group = [&](int64_t row) { return std::trunc(number<T>(r, 2, row)); };
  int64_t lists = 0;
  for (int64_t first = 0, last = 0; first < rows; first = last, ++lists) {
    last = first + 1;  // a group that is not a number equals nothing: a list of its own
    while (last < rows && group(last) == group(first)) ++last;
    f(first, last);
  }
  return lists;
}

// The mean over the lists in percent, for each sample.
inline double percent(double total, int64_t lists, int64_t rows) {
  return lists ? 100 * total / static_cast<double>(lists) * static_cast<double>(rows) : 0;
}

// The discount of each document of a list, by the rank of its score, from 1; of equal scores the first one
// goes first. A score that is no number goes before all others, which do not see it.
template <class T>
std::vector<double> discounts(const Run& r, int64_t first, int64_t last) {
  std::vector<int64_t> order;
  for (int64_t i = first; i < last; ++i)
    if (!std::isnan(number<T>(r, 0, i))) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return number<T>(r, 0, i) > number<T>(r, 0, j); });
  std::vector<double> list(static_cast<size_t>(last - first), discount(1));
  for (size_t rank = 0; rank < order.size(); ++rank)
    list[order[rank] - first] = discount(static_cast<int64_t>(rank) + 1);
  return list;
}

template <class T>
double ideal_of(const Run& r, int64_t first, int64_t last) {
  double ideal = 0;
  for (int64_t i = first; i < last; ++i)
    ideal += static_cast<double>(number<T>(r, 1, i)) * discount(i - first + 1);
  return ideal;
}

template <class T>
struct RankLoss final : Kernel {
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    double total = 0;
    int64_t lists = each_list<T>(r, r.in(0).rows, [&](int64_t first, int64_t last) {
      double ideal = ideal_of<T>(r, first, last), gained = 0;
      const std::vector<double> by_score = discounts<T>(r, first, last);
      for (int64_t i = first; i < last; ++i)
        gained += static_cast<double>(number<T>(r, 1, i)) * by_score[i - first];
      total += ideal == 0 ? 1 : 1 - gained / ideal;
    });
    *r.result<T>(0, 0) = static_cast<T>(percent(total, lists, r.in(0).rows));
  }
};

template <class T>
struct Lambdas final : Kernel {
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    for (int64_t i = 0; i < r.rows(); ++i) *r.result<T>(0, i) = 0;
    T dy = number<T>(r, 3, 0);
    each_list<T>(r, r.rows(), [&](int64_t first, int64_t last) {
      double ideal = ideal_of<T>(r, first, last);
      if (ideal == 0) return;
      const std::vector<double> by_score = discounts<T>(r, first, last);
      for (int64_t i = first; i < last; ++i) {
        const double own = static_cast<double>(number<T>(r, 1, i));
        if (!(own > 0)) continue;
        for (int64_t j = i + 1; j < last; ++j) {
          const double gain = std::fabs(own - static_cast<double>(number<T>(r, 1, j)));
          double apart = std::fabs(by_score[i - first] - by_score[j - first]);
          double lambda = gain * apart / ideal /
                          (1 + std::exp(static_cast<double>(number<T>(r, 0, i)) -
                                        static_cast<double>(number<T>(r, 0, j))));
          *r.result<T>(0, i) -= static_cast<T>(lambda) * dy;
          *r.result<T>(0, j) += static_cast<T>(lambda) * dy;
        }
      }
    });
  }
};

// 100 g(best score) / g(first), averaged over the lists, times the number of samples.
template <class T>
struct First final : Kernel {
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    double total = 0;
    int64_t lists = each_list<T>(r, r.in(0).rows, [&](int64_t first, int64_t last) {
      int64_t top = first;
      for (int64_t i = first; i < last; ++i)
        if (number<T>(r, 0, i) >= number<T>(r, 0, top)) top = i;
      double best = static_cast<double>(number<T>(r, 1, first));
      if (best != 0) total += static_cast<double>(number<T>(r, 1, top)) / best;
    });
    *r.result<T>(0, 0) = static_cast<T>(percent(total, lists, r.in(0).rows));
  }
};

constexpr auto infer = [](Infer& in) {
  for (int i = 0; i < 3; ++i)
    if (in.shape(i).is_static() && in.shape(i).elements() != 1)
      throw value_failure("score, gain and group must be one number for each sample, and operand " +
                          std::to_string(i) + " has the shape " + in.shape(i).text());
  TypeView t = in.join(0, 1, Shape());
  t.axes = CANTIK_NO_AXES;
  in.set(t);
};

}  // namespace

CANTIK_OP(lambda_rank) {
  op.signature("lambda_rank(output, gain, group, name='')")
      .named("arrays", "widest")
      .doc(
          "100 * (1 - NDCG), averaged over the lists, times the number of samples. Samples of equal group "
          "one behind the other are a list, whose gains fall (Burges 2010).")
      .traits(CANTIK_SUMS_ROWS)
      .named("test.gradient", "none with respect to its gain: tests/python/test_ranking_and_negatives.py")
      .type(infer)
      .gradient([](Gradient& g) {
        if (g.wanted(1))
          throw value_failure("lambda_rank has no gradient with respect to its gain",
                              "put stop_gradient around the gain");
        if (g.wanted(0)) g.dx(0, g.call("lambdas", {g.x(0), g.x(1), g.x(2), g.dy()}));
      })
      .kernel("lists", [](const Prepare& p, const NoAttributes&) { return of_type<RankLoss>(p.dtype()); })
      .cntk("LambdaRank", 59)
      .sample({{1}, {1}, {1}});

  op.signature("lambdas(output, gain, group, dy)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("lists", [](const Prepare& p, const NoAttributes&) { return of_type<Lambdas>(p.dtype()); });

  op.signature("ndcg_at_1(output, gain, group, name='')")
      .named("arrays", "widest")
      .doc(
          "The gain of the document with the highest score over that of the list's first one, in percent, "
          "averaged over the lists, times the number of samples.")
      .traits(CANTIK_SUMS_ROWS)
      .named("test.gradient", "none: it is for evaluation only")
      .type(infer)
      .kernel("lists", [](const Prepare& p, const NoAttributes&) { return of_type<First>(p.dtype()); })
      .cntk("NDCG", 60)
      .sample({{1}, {1}, {1}});
}
