// Deserializers of a program's own in C++: with an index and without, joined, in parts, restored, wrong.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include <cantik/cantik.h>

namespace cantik {
namespace {

// Chunk c has `sequences` of them; number n = 10 c + i has n % 3 + 1 steps, each n in the stream x of
// doubles.
class Numbers final : public Deserializer {
 public:
  Numbers(int64_t chunks, int64_t sequences, bool has_index = false)
      : chunks_(chunks), sequences_(sequences) {
    if (!has_index) return;
    index_.emplace();
    for (int32_t c = 0; c < chunks; ++c)
      for (int32_t i = 0; i < sequences; ++i)
        index_->push_back({static_cast<uint64_t>(10 * c + i), steps(10 * c + i), c, i});
  }
  static int64_t steps(int64_t n) { return n % 3 + 1; }

  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return chunks_; }
  const SequenceIndex* index() const override { return index_ ? &*index_ : nullptr; }
  std::string name() const override { return "Numbers"; }
  Chunk load(int64_t chunk) override {
    std::vector<int64_t> lengths;
    std::vector<double> rows;
    for (int64_t n = 10 * chunk; n < 10 * chunk + sequences_; ++n) {
      lengths.push_back(steps(n));
      rows.insert(rows.end(), static_cast<size_t>(steps(n)), static_cast<double>(n));
    }
    Tensor x = Tensor::of<double>({static_cast<int64_t>(rows.size()), 1}, std::span<const double>(rows));
    Chunk c{Value(x, Layout::of_lengths(lengths))};
    if (change) change(c);
    return c;
  }

  std::function<void(Chunk&)> change;

 private:
  int64_t chunks_, sequences_;
  std::vector<Stream> streams_{{.name = "x", .dtype = DType::float64, .shape = {1}}};
  std::optional<SequenceIndex> index_;
};

// The numbers of the sequences, in their order; every step of a sequence has its number.
std::vector<int> numbers(Source& source, int64_t samples = 5) {
  std::vector<int> all;
  while (Minibatch m = source.next({.samples = samples})) {
    const Value& x = m["x"];
    for (int64_t s = 0; s < m.sequences(); ++s) {
      const int64_t first = x.layout->offsets()[static_cast<size_t>(s)];
      all.push_back(static_cast<int>(x.data.at(first)));
      EXPECT_EQ(x.layout->length(s), Numbers::steps(all.back()));
      for (int64_t i = 0; i < x.layout->length(s); ++i) EXPECT_EQ(x.data.at(first + i), all.back());
    }
  }
  return all;
}

std::vector<int> all_numbers(int chunks, int sequences) {
  std::vector<int> all;
  for (int c = 0; c < chunks; ++c)
    for (int i = 0; i < sequences; ++i) all.push_back(10 * c + i);
  return all;
}

TEST(Deserializer, brings_every_sequence_in_each_sweep) {
  for (bool has_index : {false, true})
    for (bool randomize : {false, true}) {
      auto data = std::make_shared<Numbers>(7, 4, has_index);
      SourcePtr s = minibatch_source({data}, {.randomize = randomize, .window_chunks = 3, .max_sweeps = 2});
      EXPECT_EQ(s->streams()[0].dtype, DType::float64);
      std::vector<int> found = numbers(*s);
      ASSERT_EQ(found.size(), 56u);
      for (size_t sweep : {0, 28}) {
        std::vector<int> part(found.begin() + static_cast<long>(sweep),
                              found.begin() + static_cast<long>(sweep) + 28);
        EXPECT_EQ(part == all_numbers(7, 4), !randomize);
        std::ranges::sort(part);
        EXPECT_EQ(part, all_numbers(7, 4)) << has_index << randomize;
      }
    }
}

// How many rows of each number the workers have had.
using Rows = std::map<int, int64_t>;

// So many minibatches of each of the workers, or all that are left.
void take(std::vector<SourcePtr>& workers, int64_t rounds, Rows& rows) {
  const auto n = static_cast<int64_t>(workers.size());
  for (bool more = true; more && rounds > 0; --rounds) {
    more = false;
    for (int64_t rank = 0; rank < n; ++rank) {
      Minibatch m =
          workers[static_cast<size_t>(rank)]->next({.samples = 3 * n, .partitions = n, .partition = rank});
      more |= static_cast<bool>(m);
      for (int64_t i = 0; m && i < m["x"].data.elements(); ++i) ++rows[static_cast<int>(m["x"].data.at(i))];
    }
  }
}

// Their number changes in the middle of a sweep, again and again.
TEST(Deserializer, another_number_of_workers_brings_what_is_left) {
  const std::vector<std::vector<int64_t>> changes = {{2, 3}, {3, 2}, {4, 1, 2}, {1, 2, 3, 2}, {3, 3}};
  for (bool has_index : {false, true})
    for (bool randomize : {false, true})
      for (bool balanced : {false, true})
        for (int64_t truncation : {0, 2})
          for (const std::vector<int64_t>& counts : changes)
            for (int64_t rounds : {1, 2, 5}) {
              auto make = [&] {
                return minibatch_source({std::make_shared<Numbers>(8, 5, has_index)},
                                        {.randomize = randomize,
                                         .window_chunks = 2,
                                         .max_sweeps = 2,
                                         .truncation_length = truncation,
                                         .balanced_shares = balanced});
              };
              Rows rows;
              std::vector<Dictionary> states;
              for (size_t time = 0; time < counts.size(); ++time) {
                std::vector<SourcePtr> workers;
                for (int64_t rank = 0; rank < counts[time]; ++rank) {
                  SourcePtr s = make();
                  if (time > 0) s->restore_from_workers(states, counts[time], rank);
                  workers.push_back(make());  // its state says all of it
                  workers.back()->restore(s->state());
                }
                take(workers, time + 1 < counts.size() ? rounds : 1000, rows);
                states.clear();
                for (const SourcePtr& s : workers)
                  states.push_back(Dictionary::from_bytes(s->state().to_bytes()));
              }
              Rows wanted;
              for (int n : all_numbers(8, 5)) wanted[n] = 2 * Numbers::steps(n);
              ASSERT_EQ(rows, wanted) << "index " << has_index << " random " << randomize << " balanced "
                                      << balanced << " truncation " << truncation << " workers " << counts[0]
                                      << ", " << counts[1] << " rounds " << rounds;
            }
}

TEST(Deserializer, balanced_shares_are_equal) {
  for (bool has_index : {false, true})
    for (bool balanced : {false, true}) {
      std::vector<size_t> counts;
      for (int64_t rank : {0, 1, 2}) {
        SourcePtr s = minibatch_source({std::make_shared<Numbers>(2, 9, has_index)},
                                       {.max_sweeps = 1, .balanced_shares = balanced});
        size_t count = 0;
        while (Minibatch m = s->next({.samples = 9, .partitions = 3, .partition = rank}))
          count += static_cast<size_t>(m.sequences());
        counts.push_back(count);
      }
      std::ranges::sort(counts);
      EXPECT_EQ(counts, (balanced ? std::vector<size_t>{6, 6, 6} : std::vector<size_t>{0, 9, 9}));
    }
}

TEST(Deserializer, states_of_workers_that_are_damaged_change_nothing) {
  for (bool has_index : {false, true}) {
    auto make = [&] { return minibatch_source({std::make_shared<Numbers>(4, 5, has_index)}, {}); };
    SourcePtr s = make();
    s->next({.samples = 7});
    const Dictionary before = s->state();
    Dictionary wrong = make()->state();
    wrong["minibatchSourcePosition"] = UINT64_MAX;
    EXPECT_ANY_THROW(s->restore_from_workers(std::vector<Dictionary>{before, wrong}, 3, 0));
    EXPECT_ANY_THROW(s->restore_from_workers({}, 3, 0));
    EXPECT_EQ(s->state(), before);
  }
}

TEST(Deserializer, goes_on_where_a_checkpoint_stood) {
  for (bool has_index : {false, true})
    for (bool randomize : {false, true})
      for (int64_t truncation : {0, 2}) {
        auto make = [&] {
          return minibatch_source(
              {std::make_shared<Numbers>(5, 4, has_index)},
              {.randomize = randomize, .window_chunks = 2, .max_sweeps = 2, .truncation_length = truncation});
        };
        SourcePtr s = make();
        std::vector<Dictionary> states;
        std::vector<std::vector<double>> rows;
        while (true) {
          states.push_back(s->state());
          Minibatch m = s->next({.samples = 4});
          if (!m) break;
          const Tensor& x = m["x"].data;
          rows.emplace_back(x.data<double>(), x.data<double>() + x.elements());
        }
        ASSERT_GT(rows.size(), 10u);
        for (size_t k = 0; k < states.size(); ++k) {
          SourcePtr other = make();
          other->restore(states[k]);
          EXPECT_EQ(other->state(), states[k]);
          for (size_t i = k; i < rows.size(); ++i) {
            Minibatch m = other->next({.samples = 4});
            ASSERT_TRUE(m);
            const Tensor& x = m["x"].data;
            ASSERT_EQ(std::vector<double>(x.data<double>(), x.data<double>() + x.elements()), rows[i]);
          }
          EXPECT_FALSE(other->next({.samples = 4}));
        }
      }
}

TEST(Deserializer, shares_of_workers_make_the_whole) {
  for (bool has_index : {false, true})
    for (bool randomize : {false, true}) {
      std::map<int, int> seen;
      for (int64_t worker = 0; worker < 3; ++worker) {
        SourcePtr s = minibatch_source({std::make_shared<Numbers>(7, 4, has_index)},
                                       {.randomize = randomize, .window_chunks = 2, .max_sweeps = 3});
        while (Minibatch m = s->next({.samples = 6, .partitions = 3, .partition = worker}))
          for (int64_t i = 0; i < m.sequences(); ++i)
            ++seen[static_cast<int>(m["x"].data.at(m["x"].layout->offsets()[static_cast<size_t>(i)]))];
      }
      ASSERT_EQ(seen.size(), 28u) << has_index << randomize;
      for (const auto& [n, times] : seen) EXPECT_EQ(times, 3) << n;
    }
}

// The second has an index, the first is read through for one; number k there is key k here.
TEST(Deserializer, joins_by_keys) {
  class Squares final : public Deserializer {
   public:
    const std::vector<Stream>& streams() const override { return streams_; }
    int64_t chunks() const override { return 2; }
    Chunk load(int64_t chunk) override {
      Tensor t(DType::float32, {6, 1});
      for (int64_t i = 0; i < 6; ++i)
        t.data<float>()[i] = static_cast<float>((6 * chunk + i) * (6 * chunk + i));
      return {Value::batch(t)};
    }

   private:
    std::vector<Stream> streams_{{.name = "square", .shape = {1}, .defines_size = true}};
  };
  SourcePtr s = minibatch_source({std::make_shared<Numbers>(2, 9, true), std::make_shared<Squares>()},
                                 {.randomize = false, .max_sweeps = 1});
  std::map<double, double> found;
  while (Minibatch m = s->next({.samples = 4})) {
    EXPECT_EQ(m["square"].layout->rows(), m.sequences());
    for (int64_t i = 0; i < m.sequences(); ++i)
      found[m["x"].data.at(m["x"].layout->offsets()[static_cast<size_t>(i)])] = m["square"].data.at(i);
  }
  EXPECT_EQ(found, (std::map<double, double>{{0, 0},
                                             {1, 1},
                                             {2, 4},
                                             {3, 9},
                                             {4, 16},
                                             {5, 25},
                                             {6, 36},
                                             {7, 49},
                                             {8, 64},
                                             {10, 100},
                                             {11, 121}}));
  EXPECT_EQ(s->take_warnings(),
            (std::vector<std::string>{"7 sequences of Numbers are left out: another file lacks them"}));
}

// Sparse rows of a dense stream, ones that are not written, several chunks in one minibatch.
TEST(Deserializer, sparse_rows_arrive_densely_where_the_stream_is_dense) {
  class Rows final : public Deserializer {
   public:
    const std::vector<Stream>& streams() const override { return streams_; }
    int64_t chunks() const override { return 2; }
    Chunk load(int64_t chunk) override {
      const int32_t places[] = {1, 5};
      const double values[] = {7, 8};
      const Value v =
          Value::batch(Tensor::csr_matrix(DType::float64, {2, 3}, 2, places, chunk ? values : nullptr));
      return {v, v};
    }

   private:
    std::vector<Stream> streams_{
        {.name = "dense", .dtype = DType::float64, .shape = {3}},
        {.name = "sparse", .storage = Storage::csr, .dtype = DType::float64, .shape = {3}}};
  };
  SourcePtr s = minibatch_source({std::make_shared<Rows>()}, {.randomize = false, .max_sweeps = 1});
  Minibatch m = s->next({.samples = 3});
  const std::vector<double> expected{0, 1, 0, 0, 0, 1, 0, 7, 0};
  ASSERT_FALSE(m["dense"].data.is_sparse());
  ASSERT_TRUE(m["sparse"].data.is_sparse());
  for (const char* stream : {"dense", "sparse"}) {
    Tensor t = m[stream].data.to_dense();
    EXPECT_EQ(std::vector<double>(t.data<double>(), t.data<double>() + t.elements()), expected) << stream;
  }
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(Deserializer, wrong_chunks_are_named) {
  const std::vector<std::pair<std::string, std::function<void(Chunk&)>>> cases = {
      {"it has 0 values for 1 streams", [](Chunk& c) { c.clear(); }},
      {"the stream x has no rows", [](Chunk& c) { c[0] = Value(); }},
      {"the stream x has elements of float32, and promised float64",
       [](Chunk& c) { c[0] = Value::batch(Tensor::zeros(DType::float32, {4, 1})); }},
      {"the stream x has samples of the shape [2], and promised [1]",
       [](Chunk& c) { c[0] = Value::batch(Tensor::zeros(DType::float64, {4, 2})); }},
  };
  for (const auto& [said, change] : cases) {
    auto data = std::make_shared<Numbers>(2, 4);
    data->change = change;
    SourcePtr s = minibatch_source({data}, {.randomize = false});
    const std::string text = refusal([&] { s->next({.samples = 4}); });
    EXPECT_NE(text.find("chunk 0 of Numbers: " + said), std::string::npos) << text;
  }
  EXPECT_NE(
      refusal([] { minibatch_source({std::make_shared<Numbers>(0, 4)}); }).find("Numbers have no chunks"),
      std::string::npos);
  // An index and its chunks that disagree.
  auto data = std::make_shared<Numbers>(2, 4, true);
  data->change = [](Chunk& c) { c[0] = Value::batch(Tensor::zeros(DType::float64, {2, 1})); };
  const std::string text =
      refusal([&] { minibatch_source({data}, {.randomize = false})->next({.samples = 9}); });
  EXPECT_NE(text.find("chunk 0 of Numbers: it has 2 sequences, its index has 4"), std::string::npos) << text;
}

}  // namespace
}  // namespace cantik
