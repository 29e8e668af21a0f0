// Products of the CPU, bit for bit: each element is a chain of multiply-adds in the order of k, whatever rows
// it stands among.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

template <class T>
struct Case {
  int64_t rows, k, n;
  std::vector<T> a, b, panels;

  Case(const cpu::Table& t, int64_t rows, int64_t k, int64_t n, unsigned seed)
      : rows(rows), k(k), n(n), a(noise<T>(rows * k, seed)), b(noise<T>(k * n, seed + 1)) {
    const auto& q = of<T>(t);
    panels.assign(static_cast<size_t>(q.panel_elements(k, n)) + 1, T(7));
    q.pack_panels(b.data(), {n, 1, nullptr}, k, n, q.paired_panels(n, k), panels.data());
    EXPECT_EQ(T(7), panels.back());
  }
  std::vector<T> run(const cpu::Table& t, std::vector<T> c, bool accumulate,
                     const cpu::Finish<T>* finish = nullptr, bool scratch = true) const {
    std::vector<T> memory(static_cast<size_t>(of<T>(t).product_scratch(k, n)));
    cpu::Product<T> p;
    p.a.base = a.data();
    p.a.stride = k;
    p.panels = panels.data();
    p.c = c.data();
    p.c_stride = n;
    p.rows = rows, p.k = k, p.n = n;
    p.accumulate = accumulate;
    p.finish = finish;
    p.scratch = scratch && !memory.empty() ? memory.data() : nullptr;
    of<T>(t).product(p);
    return c;
  }
  // Columns that fit in one vector go in pairs of k: two chains, for even and odd k. Beyond 768 of k, blocks
  // of up to 512 begin new ones there.
  std::vector<T> expected(const cpu::Table& t, std::vector<T> c, bool accumulate) const {
    bool fma = has_fma(t), paired = of<T>(t).paired_panels(n, k);
    int64_t blocks = k > 768 ? (k + 511) / 512 : 1;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T& y = c[static_cast<size_t>(i * n + j)];
        if (!accumulate) y = 0;
        auto add = [&](int64_t begin, int64_t end, int64_t step, T sum) {
          for (int64_t x = begin; x < end; x += step)
            sum =
                multiply_add(fma, a[static_cast<size_t>(i * k + x)], b[static_cast<size_t>(x * n + j)], sum);
          return sum;
        };
        if (!paired) {
          y = add(0, k, 1, y);
          continue;
        }
        for (int64_t block = 0; block < blocks; ++block) {
          int64_t begin = k * block / blocks / 2 * 2,
                  end = block + 1 == blocks ? k : k * (block + 1) / blocks / 2 * 2;
          T even = add(begin, end, 2, 0), odd = add(begin + 1, end, 2, 0), sum = even + odd;
          y = accumulate || block > 0 ? y + sum : sum;
        }
      }
    return c;
  }
};

template <class T>
void check_products(const cpu::Table& t) {
  unsigned seed = 1;
  for (int64_t rows : {1, 2, 3, 4, 5, 7, 12, 13, 15, 16, 24, 31, 200})
    for (auto [k, n] : {std::pair{1, 1},
                        {2, 2},
                        {3, 5},
                        {8, 8},
                        {7, 16},
                        {6, 15},
                        {25, 32},
                        {9, 17},
                        {64, 33},
                        {31, 48},
                        {16, 49},
                        {5, 129},
                        {10, 260}}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << k << " x " << n);
      Case<T> c(t, rows, k, n, seed += 2);
      std::vector<T> before = noise<T>(rows * n, 99);
      ASSERT_TRUE(same_bits(c.run(t, before, false), c.expected(t, before, false)));
      ASSERT_TRUE(same_bits(c.run(t, before, true), c.expected(t, before, true)));
    }
}

TEST(Product, is_a_chain_of_multiply_adds_in_order) {
  on_all_levels([](const cpu::Table& t) {
    check_products<float>(t);
    check_products<double>(t);
  });
}

TEST(Product, does_not_depend_on_blocks_or_packed_rows) {
  on_all_levels([](const cpu::Table& t) {
    for (auto [rows, k, n] : {std::array{230, 900, 300}, {25, 1030, 10}, {14, 769, 288}}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << k << " x " << n);
      Case<float> c(t, rows, k, n, 5);
      std::vector<float> before = noise<float>(rows * n, 3);
      EXPECT_TRUE(same_bits(c.run(t, before, false), c.expected(t, before, false)));
      EXPECT_TRUE(same_bits(c.run(t, before, true), c.expected(t, before, true)));
      EXPECT_TRUE(same_bits(c.run(t, before, true), c.run(t, before, true, nullptr, false)));
    }
  });
}

TEST(Product, of_a_row_is_the_same_alone_and_among_others) {
  on_all_levels([](const cpu::Table& t) {
    for (int64_t n : {10, 64, 200}) {
      Case<float> all(t, 100, 96, n, 11);
      std::vector<float> y = all.run(t, std::vector<float>(static_cast<size_t>(100 * n)), false);
      for (int64_t rows : {1, 2, 3, 6, 12, 50})
        for (int64_t first : {0, 17, 49}) {
          Case<float> some = all;
          some.rows = rows;
          some.a.erase(some.a.begin(), some.a.begin() + first * 96);
          std::vector<float> part = some.run(t, std::vector<float>(static_cast<size_t>(rows * n)), false);
          EXPECT_EQ(0, std::memcmp(part.data(), y.data() + first * n, part.size() * sizeof(float)))
              << rows << " rows from " << first << ", " << n << " columns";
        }
    }
  });
}

TEST(Product, reads_rows_by_pointer) {
  on_all_levels([](const cpu::Table& t) {
    Case<float> c(t, 40, 20, 40, 2);
    std::vector<float> y = c.run(t, std::vector<float>(40 * 40), false), z(40 * 40);
    std::vector<const float*> rows;
    for (int64_t i = 0; i < 40; ++i) rows.push_back(c.a.data() + (39 - i) * 20);
    cpu::Product<float> p;
    p.a.rows = rows.data();
    p.panels = c.panels.data();
    p.c = z.data();
    p.c_stride = 40;
    p.rows = 40, p.k = 20, p.n = 40;
    of<float>(t).product(p);
    for (int64_t i = 0; i < 40; ++i)
      EXPECT_EQ(0, std::memcmp(z.data() + i * 40, y.data() + (39 - i) * 40, 40 * sizeof(float)));
  });
}

// Every choice among scale, shift, another term, zero for what is below it, and a gate.
void check_finish(const cpu::Table& t, int64_t n, unsigned choice) {
  constexpr int64_t kRows = 30, kDepth = 18;
  Case<float> c(t, kRows, kDepth, n, 4);
  std::vector<float> y = c.run(t, std::vector<float>(static_cast<size_t>(kRows * n)), false), z(y.size());
  std::vector<float> scale = noise<float>(n, 1), shift = noise<float>(n, 2),
                     more = noise<float>(kRows * n, 3), gate = noise<float>(kRows * n, 5);
  auto chosen = [&](unsigned bit) { return (choice >> bit & 1) != 0; };
  auto given = [&](unsigned bit, const std::vector<float>& x) { return chosen(bit) ? x.data() : nullptr; };
  cpu::Finish<float> f{.scale = given(0, scale),
                       .shift = given(1, shift),
                       .add = given(2, more),
                       .gate = given(4, gate),
                       .c = z.data(),
                       .clip = chosen(3)};
  cpu::Product<float> p;
  p.a.base = c.a.data(), p.a.stride = kDepth;
  p.panels = c.panels.data();
  p.c = z.data(), p.c_stride = n;
  p.rows = kRows, p.k = kDepth, p.n = n;
  p.finish = &f;
  of<float>(t).product(p);
  for (size_t i = 0; i < y.size(); ++i) {
    volatile float x = y[i];
    if (f.scale) x = x * scale[i % static_cast<size_t>(n)];
    if (f.shift) x = x + shift[i % static_cast<size_t>(n)];
    if (f.add) x = x + more[i];
    if (f.clip && !(x > 0)) x = 0;
    if (f.gate && !(gate[i] > 0)) x = 0;
    y[i] = x;
  }
  EXPECT_TRUE(same_bits(y, z));
}

TEST(Product, finishes_its_tiles) {
  on_all_levels([](const cpu::Table& t) {
    for (int64_t n : {10, 16, 70})
      for (unsigned choice = 1; choice < 32; ++choice) {
        SCOPED_TRACE(testing::Message() << n << " columns, choice " << choice);
        check_finish(t, n, choice);
      }
  });
}

// Chunks of 256 rows, each added up by itself.
template <class T>
std::vector<T> row_product_expected(bool fma, const std::vector<T>& a, const std::vector<T>& b, int64_t rows,
                                    int64_t k, int64_t n, std::vector<T> c, bool accumulate) {
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T& y = c[static_cast<size_t>(i * n + j)];
      if (!accumulate) y = 0;
      for (int64_t r = 0; r < rows; r += 256) {
        T sum = 0;
        for (int64_t x = r; x < std::min(rows, r + 256); ++x)
          sum = multiply_add(fma, a[static_cast<size_t>(x * k + i)], b[static_cast<size_t>(x * n + j)], sum);
        y = accumulate || r > 0 ? y + sum : sum;
      }
    }
  return c;
}

template <class T>
void check_row_products(const cpu::Table& t) {
  for (int64_t rows : {0, 1, 2, 31, 256, 300, 600})
    for (auto [k, n] : {std::pair{1, 1},
                        {2, 2},
                        {5, 33},
                        {12, 16},
                        {13, 48},
                        {25, 10},
                        {62, 90},
                        {66, 90},
                        {72, 64},
                        {80, 70},
                        {100, 200},
                        {8, 300}}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << k << " x " << n);
      std::vector<T> a = noise<T>(rows * k + 1, 1), b = noise<T>(rows * n + 1, 2), c = noise<T>(k * n, 3);
      std::vector<T> scratch(static_cast<size_t>(of<T>(t).row_product_scratch(k)));
      for (bool accumulate : {false, true}) {
        std::vector<T> y = c;
        cpu::RowProduct<T> p;
        p.a = a.data(), p.b = b.data(), p.c = y.data(), p.scratch = scratch.data();
        p.a_stride = k, p.b_stride = n, p.c_stride = n;
        p.rows = rows, p.k = k, p.n = n, p.accumulate = accumulate;
        of<T>(t).row_product(p);
        ASSERT_TRUE(same_bits(y, row_product_expected(has_fma(t), a, b, rows, k, n, c, accumulate)));
      }
    }
}

TEST(RowProduct, adds_chunks_of_rows_in_order) {
  on_all_levels([](const cpu::Table& t) {
    check_row_products<float>(t);
    check_row_products<double>(t);
  });
}

// Through the engine: the number of threads and the rows beside a row change no bit, with epilogues of every
// kind.
TEST(Product, has_the_same_bits_at_any_thread_count) {
  for (auto [k, n] : {std::pair{40, 600}, {300, 24}, {64, 64}}) {
    Variable x = input({k}, {.needs_gradient = true}),
             w = parameter({k, n}, glorot_uniform(), DType::float32), b = parameter({n}, 0.1);
    Function y = call("tanh", {call("plus", {call("times", {x, w}), b})}),
             z = call("relu", {call("plus", {call("times", {x, w}), b})});
    std::vector<float> data = noise<float>(70 * k, 8);
    for (const Function& f : {y, z})
      for (int64_t rows : {1, 5, 70}) {
        auto feed = [&](int64_t first, int64_t count) {
          return Value::batch(Tensor::of<float>(
              {count, k}, std::span<const float>(data.data() + first * k, static_cast<size_t>(count * k))));
        };
        Value one = f.eval({{x, feed(0, rows)}}, RunOptions{.threads = 1}),
              two = f.eval({{x, feed(0, rows)}}, RunOptions{.threads = 2}),
              three = f.eval({{x, feed(0, rows)}}, RunOptions{.threads = 3});
        EXPECT_EQ(0, std::memcmp(one.data.raw(), two.data.raw(), one.data.bytes()));
        EXPECT_EQ(0, std::memcmp(one.data.raw(), three.data.raw(), one.data.bytes()));
        for (int64_t r = 0; r < rows; r += 13) {
          Value alone = f.eval({{x, feed(r, 1)}});
          EXPECT_EQ(0, std::memcmp(alone.data.raw(), one.data.data<float>() + r * n, alone.data.bytes()));
        }
        std::vector<Value> g1 = f.grad({{x, feed(0, rows)}}, {w, b, x}, RunOptions{.threads = 1}),
                           g2 = f.grad({{x, feed(0, rows)}}, {w, b, x}, RunOptions{.threads = 2});
        for (size_t i = 0; i < 3; ++i)
          EXPECT_EQ(0, std::memcmp(g1[i].data.raw(), g2[i].data.raw(), g1[i].data.bytes()));
      }
  }
}

}  // namespace
