// Lines are copied, and nothing beside them.
#include <gtest/gtest.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

template <class T>
void check_lines(const cpu::Table& t) {
  for (int64_t n = 1; n <= 40; ++n)
    for (int64_t lines : {1, 3}) {
      const int64_t from_stride = n + 5, to_stride = n + 2;
      std::vector<T> x = noise<T>(from_stride * lines, 3), y(static_cast<size_t>(to_stride * lines), T(9));
      of<T>(t).copy_lines(y.data(), to_stride, x.data(), from_stride, lines, n);
      for (int64_t i = 0; i < lines; ++i)
        for (int64_t j = 0; j < to_stride; ++j)
          ASSERT_EQ(j < n ? x[static_cast<size_t>(i * from_stride + j)] : T(9),
                    y[static_cast<size_t>(i * to_stride + j)])
              << n << ", " << i << ", " << j;
    }
}

TEST(Rows, lines_are_copied_and_nothing_beside_them) {
  on_all_levels([](const cpu::Table& t) {
    check_lines<float>(t);
    check_lines<double>(t);
  });
}

}  // namespace
