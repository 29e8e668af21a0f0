// Elementwise chains whose operands serve several columns: rows' own numbers, planes' numbers, one for all.
// What depends on those alone is computed once.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include <cantik/function.h>

using namespace cantik;

namespace {

std::vector<float> swings(int64_t n, double step) {
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i)
    x.push_back(static_cast<float>(std::sin(static_cast<double>(i) * step) + 1.5));
  return x;
}

// An operand of (x - m) * (1 / (1 + s)) + b, and its number for an element of a row.
struct Part {
  Shape shape;
  bool rows;
  Variable variable;
  std::vector<float> numbers;

  Part(const Shape& of, bool with_rows, int64_t count, double step) : shape(of), rows(with_rows) {
    numbers = swings((rows ? count : 1) * shape.elements(), step);
    const std::span<const float> all(numbers);
    variable = rows ? input(shape) : Variable(constant(Tensor::of<float>(shape, all)));
  }
  void feed(Feeds& feeds, int64_t count) const {
    if (rows)
      feeds.push_back(
          {variable, Value::batch(Tensor::of<float>(Shape{count} + shape, std::span<const float>(numbers)))});
  }
  float at(const Shape& whole, int64_t row, int64_t column) const {
    int64_t place = 0, step = 1;
    for (int axis = whole.rank(), own = shape.rank(); axis-- > 0; column /= whole[axis])
      if (--own >= 0) place += shape[own] == 1 ? 0 : column % whole[axis] * step, step *= shape[own];
    return numbers[static_cast<size_t>((rows ? row * shape.elements() : 0) + place)];
  }
};

void expect_numbers(const Shape& whole, const Shape& m, const Shape& s, const Shape& b, int rows_of) {
  SCOPED_TRACE(whole.text() + " " + m.text() + " " + s.text() + " " + b.text() + " " +
               std::to_string(rows_of));
  for (int64_t count : {1, 3, 40}) {
    const Part x(whole, true, count, 0.37), center(m, rows_of & 1, count, 0.61),
        spread(s, rows_of & 2, count, 0.23), bias(b, rows_of & 4, count, 0.71);
    Variable one = constant(Tensor::of<float>({}, std::span<const float>(std::vector<float>{1.0f})));
    Function scale = call("element_divide", {one, call("plus", {one, spread.variable})});
    Function f = call("plus", {call("element_times", {call("minus", {x.variable, center.variable}), scale}),
                               bias.variable});
    Feeds feeds;
    for (const Part* p : {&x, &center, &spread, &bias}) p->feed(feeds, count);
    const Value y = f.eval(feeds, RunOptions{.threads = 2});
    const float* z = y.data.data<float>();
    for (int64_t row = 0; row < count; ++row)
      for (int64_t i = 0; i < whole.elements(); ++i) {
        const float wanted =
            (x.at(whole, row, i) - center.at(whole, row, i)) / (1 + spread.at(whole, row, i)) +
            bias.at(whole, row, i);
        ASSERT_NEAR(wanted, z[row * whole.elements() + i], 1e-6) << row << ", " << i;
      }
  }
}

TEST(Map, meets_numbers_that_serve_many_columns) {
  for (int rows_of = 0; rows_of < 8; ++rows_of) {
    for (int64_t columns : {7, 128, 129, 200, 256, 300, 1000})
      expect_numbers({columns}, {1}, {1}, {columns}, rows_of);
    for (const Shape& plane : {Shape{4, 60}, Shape{3, 200}, Shape{2, 513}, Shape{5, 129}}) {
      const Shape by_plane{plane[0], 1}, by_place{1, plane[1]};
      expect_numbers(plane, by_plane, by_plane, by_plane, rows_of);
      expect_numbers(plane, {1}, by_plane, by_place, rows_of);
      expect_numbers(plane, by_place, {1}, by_plane, rows_of);
    }
    expect_numbers({2, 3, 140}, {2, 1, 1}, {2, 3, 1}, {1, 3, 1}, rows_of);
    expect_numbers({4, 40, 6}, {4, 1, 1}, {1, 40, 1}, {4, 40, 1}, rows_of);
  }
}

}  // namespace
