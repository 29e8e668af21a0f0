// y: the numbers that occur in x, in ascending order, each once.
//
// An operator whose sizes come late: how many numbers there are, only the data of a run tell. Cantik asks for
// the sizes once the operand is there, and takes the program for them. What has been found by then is kept
// for the kernel. In training the kernel saves where each number stands first, for the gradient.
#include <algorithm>
#include <numeric>
#include <vector>

#include <cantik/op.h>
using namespace cantik;

namespace {

// Of all elements of x, row after row: the numbers, and the first element that is each of them.
struct Found {
  std::vector<double> numbers;
  std::vector<int64_t> first;
};

template <class T>
Found found_in(const LateSizes& s) {
  const int64_t width = s.in(0).shape.elements();
  std::vector<double> all;
  for (int64_t r = 0; r < s.rows(0).rows; ++r) all.insert(all.end(), s.row<T>(0, r), s.row<T>(0, r) + width);
  std::vector<int64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  auto number = [&](int64_t i) { return all[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return number(i) < number(j); });
  Found found;
  for (int64_t i : order) {
    if (!found.numbers.empty() && found.numbers.back() == number(i)) continue;
    found.numbers.push_back(number(i));
    found.first.push_back(i);
  }
  return found;
}

}  // namespace

CANTIK_OP(distinct) {
  op.signature("distinct(x, name='')")
      .doc("The numbers that occur in all of x, in ascending order, each once: [numbers].")
      .type([](Infer& in) {
        TypeView t = in.like(0, Shape{kFree});
        t.axes = CANTIK_NO_AXES;
        in.set_late(0, t);
      })
      .sizes([](LateSizes& s) {
        const bool single = s.in(0).dtype == DType::float32;
        auto found = std::make_unique<Found>(single ? found_in<float>(s) : found_in<double>(s));
        s.set(0, Shape{static_cast<int64_t>(found->numbers.size())});
        s.keeper().keep(std::move(found));
      })
      .saves()
      .kernel("sorted",
              [](auto zero, const Run& r, const NoAttributes&) {
                using T = decltype(zero);
                const Found& found = *r.keeper().kept<Found>();
                std::transform(found.numbers.begin(), found.numbers.end(), r.result<T>(0, 0),
                               [](double number) { return static_cast<T>(number); });
                if (r.training()) r.keeper().save(std::make_unique<Found>(found));
              })
      .gradient(
          [](Gradient& g) { g.dx(0, g.call_like("distinct_gradient", {g.saved(), g.dy()}, {g.x()})[0]); })
      .sample({{2, 4}});

  op.signature("distinct_gradient(saved, dy)")
      .traits(CANTIK_HIDDEN | CANTIK_READS_SAVED)
      .kernel("first", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const Found& found = *r.keeper().saved<Found>();
        const int64_t width = r.out().stride;
        for (int64_t row = 0; row < r.rows(); ++row) std::fill_n(r.result<T>(0, row), width, T(0));
        for (size_t i = 0; i < found.first.size(); ++i)
          r.result<T>(0, found.first[i] / width)[found.first[i] % width] =
              r.row<T>(1, 0)[static_cast<int64_t>(i)];
      });
}
