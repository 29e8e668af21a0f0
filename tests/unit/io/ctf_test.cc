// Files in CNTK's text format: numbers, rows, layouts, memory, orders, sources in loops. What CNTK makes of
// the same files is in tests/python/test_text_format.py.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <cantik/cantik.h>

#include "io/chunk_cache.h"
#include "io/ctf_number.h"
#include "io/order.h"

using namespace cantik;

namespace {

// A file that is gone with the test.
struct File {
  explicit File(const std::string& text)
      : path(std::filesystem::temp_directory_path() /
             ("cantik_" + std::to_string(getpid()) + "_" + std::to_string(number()++) + ".ctf")) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path); }
  static int& number() {
    static int n = 0;
    return n;
  }
  std::string path;
};

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(TextFormat, numbers_are_rounded_once) {
  const std::string behind(1 + kDigitsAtOnce, ' ');
  std::mt19937_64 random(1);
  auto check = [&](const std::string& text) {
    std::string line = text + behind;
    const char* p = line.data();
    float x = -1;
    ASSERT_TRUE(read_number(p, x)) << text;
    EXPECT_EQ(p, line.data() + text.size()) << text;
    EXPECT_EQ(x, static_cast<float>(std::strtod(text.c_str(), nullptr))) << text;
  };
  for (int i = 0; i < 20000; ++i) {
    char text[80];
    double x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 120) - 110) *
               (random() % 2 ? 1 : -1);
    std::snprintf(text, sizeof text, random() % 2 ? "%.*e" : "%.*f", static_cast<int>(random() % 25), x);
    check(text);
  }
  for (const char* text :
       {"0", "-0", "+7", "00012", "12345678", "123456789", "1234567.12345678", "0.12345678", "5.", "1e22",
        "9007199254740993", "9007199254740992", "18446744073709551615", "18446744073709551616", "1e23",
        "1e-400", "4e-46", "0.000000000000000000000000000000000000001", "123456789012345678901234567890"})
    check(text);
  for (const char* text : {"", "-", ".5", "nan", "inf", "e5", "+ 1", "1e", "1e+", "--1"}) {
    std::string line = text + behind;
    const char* p = line.data();
    float x;
    EXPECT_FALSE(read_number(p, x)) << text;
  }
  // Beyond the largest double lies infinity, below the smallest 0, however they are written.
  const std::string nines(400, '9'), zeros(400, '0');
  for (const std::string& large :
       {std::string("1e400"), nines, nines + ".5", nines + "e-10", zeros + nines, "0." + zeros + "1e800"}) {
    const std::string line = large + behind;
    const char* p = line.data();
    float x = 0;
    EXPECT_TRUE(read_number(p, x) && std::isinf(x)) << large;
  }
  for (const std::string& small :
       {std::string("1e-400"), "0." + zeros + "1", nines + "e-800", zeros + "1e-400"}) {
    const std::string line = small + behind;
    const char* p = line.data();
    float x = 1;
    EXPECT_TRUE(read_number(p, x) && x == 0) << small;
  }
}

const std::string kText =
    "0 |w 3:1 |d 1 2 |l 1\n0 |w 1:1 |d 3 4\n0 |w |d 5 6\n"
    "1 |w 2:1 0:1 |d 7 8 |l 2\n"
    "2 |w 4:1 |d 9 10 |l 3\n2 |w 4:1 |d 11 12\n";
const std::vector<CtfStream> kStreams = {{"words", "w", 5, true}, {"dense", "d", 2}, {"label", "l", 1}};

std::vector<double> numbers(const Tensor& t) {
  Tensor d = t.to_dense();
  std::vector<double> all;
  for (int64_t i = 0; i < d.elements(); ++i) all.push_back(d.at(i));
  return all;
}

TEST(TextFormat, rows_and_layouts) {
  File f(kText);
  SourcePtr s = minibatch_source({ctf(f.path, kStreams)}, {.randomize = false, .max_sweeps = 1});
  ASSERT_EQ(s->streams().size(), 3u);
  EXPECT_EQ(s->streams()[0].storage, Storage::csr);
  Minibatch m = s->next({.samples = 4});
  EXPECT_EQ(m.sequences(), 2);
  EXPECT_FALSE(m.sweep_end);
  EXPECT_EQ(m["words"].layout, m["dense"].layout);  // the same lengths, one layout
  EXPECT_EQ(std::vector<int64_t>(m["words"].layout->offsets().begin(), m["words"].layout->offsets().end()),
            (std::vector<int64_t>{0, 3, 4}));
  EXPECT_EQ(std::vector<int64_t>(m["label"].layout->offsets().begin(), m["label"].layout->offsets().end()),
            (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(numbers(m["words"].data),
            (std::vector<double>{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(m["words"].data.raw(), nullptr);  // nothing but ones
  EXPECT_EQ(numbers(m["dense"].data), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  Minibatch n = s->next({.samples = 4});
  EXPECT_TRUE(n && n.sweep_end && !s->next({.samples = 4}));
  EXPECT_EQ(n["dense"].data.data<float>(), m["dense"].data.data<float>() + 8);  // where they were read
  EXPECT_EQ(error_of([&] { m["x"]; }), "the minibatch has no stream x\n  streams  words, dense, label");
}

// What is not needed is not there: values that are 1, and where rows of one value each begin.
TEST(TextFormat, sparse_rows_have_no_more_numbers_than_they_need) {
  auto row = [](const std::string& text) {
    File f(text);
    Minibatch m = minibatch_source({ctf(f.path, {{.name = "w", .dim = 4, .sparse = true}})},
                                   {.randomize = false, .max_sweeps = 1})
                      ->next({.samples = 100});
    const Tensor& t = m["w"].data;
    return std::pair(t.raw() != nullptr, numbers(t));
  };
  using Numbers = std::vector<double>;
  const auto [a_has_values, a] = row("|w 3:1\n|w 0:1\n|w 1:1\n");
  const auto [b_has_values, b] = row("|w 1:1\n|w 2:1\n");
  EXPECT_FALSE(a_has_values || b_has_values);
  EXPECT_EQ(a, (Numbers{0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(b, (Numbers{0, 1, 0, 0, 0, 0, 1, 0}));
  // a value that is not 1, and rows of more or fewer values, behind some that are like the others
  EXPECT_EQ(row("|w 3:1\n|w 0:1\n|w 1:2\n|w 2:1\n").second,
            (Numbers{0, 0, 0, 1, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(row("|w 3:1\n|w\n|w 1:1 2:1\n").second, (Numbers{0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(row("|w\n|w 1:1\n").second, (Numbers{0, 0, 0, 0, 0, 1, 0, 0}));
  // columns out of order, some twice
  EXPECT_EQ(row("|w 1:1\n|w 2:1 0:1\n").second, (Numbers{0, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_FALSE(row("|w 1:1\n|w 2:1 0:1\n").first);
  EXPECT_EQ(row("|w 1:1\n|w 2:1 0:1 2:1\n|w 0:1\n").second, (Numbers{0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0}));
}

// A damaged row takes what it has left behind with it.
TEST(TextFormat, damaged_sparse_rows_leave_nothing) {
  File f("0 |w 3:1\n0 |w 1:2 7:1\n0 |w 1:1 0:x\n0 |w 2:1\n0 |w 1:3\n0 |w 0:4 9:1\n0 |w 0:1\n");
  SourcePtr s = minibatch_source({ctf(f.path, {{.name = "w", .dim = 4, .sparse = true}}, {.max_errors = 9})},
                                 {.randomize = false, .max_sweeps = 1});
  EXPECT_EQ(numbers(s->next({.samples = 100})["w"].data),
            (std::vector<double>{0, 0, 0, 1, 0, 0, 1, 0, 0, 3, 0, 0, 1, 0, 0, 0}));
}

TEST(TextFormat, minibatches_are_counted_in_samples_or_sequences) {
  File f(kText);
  SourcePtr s = minibatch_source({ctf(f.path, kStreams)}, {.randomize = false});
  EXPECT_TRUE(s->is_infinite());
  EXPECT_EQ(s->next({.samples = 1}).sequences(), 1);  // at least one
  EXPECT_EQ(s->next({.sequences = 2}).sequences(), 2);
  EXPECT_EQ(s->next({.samples = 12}).sequences(), 6);  // two sweeps
  EXPECT_EQ(s->next({.samples = 100, .sequences = 4}).sequences(), 4);
  EXPECT_EQ(error_of([&] { s->next({.samples = 0}); }),
            "GetNextMinibatch: Requested minibatch size must be > 0.");
}

// Everything that a source brings, sequence by sequence.
std::vector<std::vector<double>> everything(const SourcePtr& s, int64_t samples) {
  std::vector<std::vector<double>> all;
  while (Minibatch m = s->next({.samples = samples}))
    for (const Value& v : m.values)
      for (int64_t i = 0; i < m.sequences(); ++i)
        all.push_back(numbers(v.data.rows(v.layout->offsets()[static_cast<size_t>(i)],
                                          v.layout->offsets()[static_cast<size_t>(i) + 1])));
  std::sort(all.begin(), all.end());
  return all;
}

std::string random_text(int sequences, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < sequences; ++i)
    for (unsigned t = 0, n = 1 + random() % 5; t < n; ++t) {
      text += std::to_string(i) + " |w";
      for (unsigned k = 0, c = random() % 3; k < c; ++k)
        text += " " + std::to_string(random() % 5) + ":" + (random() % 9 ? "1" : "0.5");
      text += " |d " + std::to_string(i) + (random() % 20 ? " " + std::to_string(random() % 100) : "");
      text += t ? "\n" : " |l 1\n";
    }
  return text;
}

TEST(TextFormat, chunks_and_memory_change_nothing) {
  File f(random_text(200, 1));
  auto expected =
      everything(minibatch_source({ctf(f.path, kStreams)}, {.randomize = false, .max_sweeps = 1}), 7);
  EXPECT_EQ(expected.size(), 600u);
  for (int64_t chunk : {1, 100, 1000})
    for (bool random : {false, true})
      for (int64_t cache : {int64_t{0}, int64_t{1} << 30})
        EXPECT_EQ(
            everything(minibatch_source(
                           {ctf(f.path, kStreams, {.chunk_bytes = chunk})},
                           {.randomize = random, .window_chunks = 3, .max_sweeps = 1, .cache_bytes = cache}),
                       7),
            expected)
            << chunk << random << cache;
}

// A short sample takes no more than it is long, whatever the shape.
TEST(TextFormat, memory_is_bounded_by_the_text) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "|d 1\n|d\n";
  File f(text);
  DeserializerPtr d = ctf(f.path, {{"dense", "d", 1000000}});
  EXPECT_LT(bytes_of(d->load(0)), text.size() * 8);
  SourcePtr source = minibatch_source({d}, {.randomize = false});
  Minibatch m = source->next({.samples = 2});
  EXPECT_EQ(m["dense"].data.shape(), (Shape{2, 1000000}));
  EXPECT_EQ(m["dense"].data.at(0) + m["dense"].data.at(1), 1);
  const std::vector<std::string> told = source->take_warnings();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find(
                "line 1, column 3, stream dense: the sample has 1 number, but the stream's shape is 1000000"),
            std::string::npos)
      << told[0];
}

// Counts the chunks that are read.
class Counted final : public Deserializer {
 public:
  explicit Counted(DeserializerPtr data) : data_(std::move(data)) {}
  const std::vector<Stream>& streams() const override { return data_->streams(); }
  int64_t chunks() const override { return data_->chunks(); }
  Chunk load(int64_t chunk) override {
    ++loads;
    return data_->load(chunk);
  }
  const SequenceIndex* index() const override { return data_->index(); }

  int64_t loads = 0;

 private:
  DeserializerPtr data_;
};

TEST(TextFormat, random_orders_stay_in_their_windows) {
  File f(random_text(300, 2));
  DeserializerPtr d = ctf(f.path, kStreams, {.chunk_bytes = 300});
  ASSERT_GT(d->chunks(), 20);
  for (int64_t window : {1, 2, 5, 1000}) {
    const auto order = random_order(*d, 3, window, 0);
    std::set<size_t> seen;
    Counted counted(d);
    ChunkCache cache(counted, 0);
    for (int64_t p = 0; p < order->places(); ++p) {
      const size_t sequence = order->sequence_at(p);
      seen.insert(sequence);
      const int32_t chunk = d->index()->chunk_of(sequence);
      EXPECT_TRUE(order->keeps(chunk, p));
      cache.get(chunk, [&](int64_t c) { return order->keeps(c, p); });
    }
    EXPECT_EQ(seen.size(), d->index()->size());
    // each chunk once: the window moves on, and nothing leaves it too early
    EXPECT_EQ(counted.loads, d->chunks()) << window;
  }
}

// Parts, put together along `continues`, are the sequences.
TEST(TextFormat, truncated_parts_go_on_where_the_last_minibatch_says) {
  File f(random_text(60, 4));
  const std::vector<CtfStream> streams = {{"words", "w", 5, true}, {"dense", "d", 2}};
  std::vector<std::vector<double>> expected =
      everything(minibatch_source({ctf(f.path, streams)}, {.randomize = false, .max_sweeps = 1}), 50);
  for (int64_t length : {1, 2, 3, 100}) {
    SourcePtr s = minibatch_source({ctf(f.path, streams)}, {.max_sweeps = 1, .truncation_length = length});
    std::vector<std::vector<double>> finished, open, last;
    for (int i = 0;; ++i) {
      if (i == 3) {  // a restored source goes on in the same sequences
        SourcePtr other =
            minibatch_source({ctf(f.path, streams)}, {.max_sweeps = 1, .truncation_length = length});
        other->restore(s->state());
        s = other;
      }
      Minibatch m = s->next({.samples = (i % 2 ? 3 : 5) * length});  // fewer slots and more
      std::vector<std::vector<double>> now;
      std::set<int32_t> went_on;
      for (int64_t k = 0; k < m.sequences() * 2; ++k) {
        const Value& v = m.values[static_cast<size_t>(k % 2)];
        size_t part = static_cast<size_t>(k / 2);
        EXPECT_LE(v.layout->offsets()[part + 1] - v.layout->offsets()[part], length);
        int32_t before = v.layout->continues()[part];
        ASSERT_LT(before * 2, static_cast<int32_t>(last.size()));
        std::vector<double> rows = numbers(
                                v.data.rows(v.layout->offsets()[part], v.layout->offsets()[part + 1])),
                            all;
        if (before >= 0)
          all = last[static_cast<size_t>(before) * 2 + static_cast<size_t>(k % 2)], went_on.insert(before);
        all.insert(all.end(), rows.begin(), rows.end());
        now.push_back(all);
      }
      for (size_t k = 0; k < last.size(); ++k)
        if (!went_on.contains(static_cast<int32_t>(k / 2))) finished.push_back(last[k]);
      last = now;
      if (!m) break;
    }
    std::sort(finished.begin(), finished.end());
    EXPECT_EQ(finished, expected) << length;
  }
  File uneven(kText);
  SourcePtr s = minibatch_source({ctf(uneven.path, kStreams)}, {.randomize = false, .truncation_length = 2});
  EXPECT_NE(error_of([&] { s->next({.samples = 4}); }).find("words has 3 samples, label has 1\n  sequence 0"),
            std::string::npos);
}

TEST(TextFormat, a_layout_of_parts_knows_all_of_them) {
  std::vector<int64_t> lengths = {2, 3};
  std::vector<int32_t> continues = {1, -1};
  auto layout = Layout::of_parts(lengths, continues);
  EXPECT_EQ(layout->rows(), 5);
  EXPECT_EQ(std::vector<int32_t>(layout->continues().begin(), layout->continues().end()), continues);
  EXPECT_TRUE(Layout::of_lengths(lengths)->continues().empty());
  continues.pop_back();
  EXPECT_EQ(error_of([&] { Layout::of_parts(lengths, continues); }),
            "Layout::of_parts needs one entry of `continues` for each of the 2 lengths, and was given 1");
}

TEST(TextFormat, files_are_joined_by_numbers) {
  File a("0 |a 1\n0 |a 2\n1 |a 3\n2 |a 4\n9 |a 5\n"), b("2 |b 4:1\n1 |b 3:1\n1 |b\n1 |b 3:2\n0 |b 1:1\n");
  for (int64_t chunk : {1, 1000}) {
    SourcePtr s = minibatch_source({ctf(a.path, {{"a", "a", 1}}, {.chunk_bytes = chunk}),
                                    ctf(b.path, {{"b", "b", 5, true}}, {.chunk_bytes = chunk})},
                                   {.randomize = false, .max_sweeps = 1});
    Minibatch m = s->next({});
    EXPECT_EQ(numbers(m["a"].data), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(numbers(m["b"].data), (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                                         0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(s->take_warnings(), (std::vector<std::string>{"1 sequences of " + a.path +
                                                            " are left out: another file lacks them"}));
    EXPECT_EQ(s->state().at("minibatchSourcePosition").as<uint64_t>(), 6u);  // 2, 3 and 1: the longest
  }
}

TEST(TextFormat, feeds_fit_the_inputs) {
  File f(kText);
  Minibatch m = minibatch_source({ctf(f.path, kStreams)}, {.randomize = false})->next({.samples = 4});
  Variable label = input({1}), words = input({5}), sparse_label = input({1}, {.sparse = true});
  Feeds feeds = m.feeds({{label, "label"}});
  EXPECT_TRUE(feeds[0].second.layout->is_batch());
  EXPECT_EQ(feeds[0].second.rows(), 2);
  EXPECT_NE(error_of([&] {
              m.feeds({{words, "words"}});
            }).find("sequence 0 of the minibatch has 3 steps, but the input has no sequence axis"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              m.feeds({{label, "words"}});
            }).find("the stream's samples have the shape [5], but the input has the shape [1]"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              m.feeds({{sparse_label, "label"}});
            }).find("Dense input data supplied for sparse input"),
            std::string::npos);
}

// The loss of each minibatch.
class Losses final : public Callback {
 public:
  explicit Losses(std::vector<double>& list) : list_(list) {}
  void on_minibatch_end(TrainingSession& session) override {
    list_.push_back(session.trainer()->previous_minibatch_loss_average());
  }

 private:
  std::vector<double>& list_;
};

TEST(TextFormat, training_from_a_file_is_training_from_arrays) {
  std::mt19937 random(1);
  std::string text;
  std::vector<float> x, y;
  for (int i = 0; i < 60; ++i) {
    float a = static_cast<float>(random() % 9) / 4, b = static_cast<float>(random() % 9) / 4;
    x.insert(x.end(), {a, b});
    y.push_back(a - 2 * b);
    text += "|x " + std::to_string(a) + " " + std::to_string(b) + " |y " + std::to_string(y.back()) + "\n";
  }
  File f(text);
  std::vector<double> losses[2];
  for (int way : {0, 1}) {
    Variable in = input({2}), out = input({1}), w = parameter({2, 1}, 0.5);
    Function z = call("times", {in, w});
    Variable loss = call("squared_error", {z, out});
    auto trainer = std::make_shared<Trainer>(z, loss, std::vector<LearnerPtr>{sgd({w}, 0.05)});
    std::shared_ptr<FeedSource> source;
    if (way)
      source =
          feed_source(minibatch_source({ctf(f.path, {{"x", "", 2}, {"y", "", 1}})}, {.randomize = false}),
                      {{in, "x"}, {out, "y"}});
    else
      source =
          std::make_shared<ArraySource>(Arrays{{in, Tensor::of<float>({60, 2}, std::span<const float>(x))},
                                               {out, Tensor::of<float>({60, 1}, std::span<const float>(y))}});
    TrainingSession session(
        trainer, source,
        {.minibatch_size = 20, .max_samples = 300, .callbacks = {std::make_shared<Losses>(losses[way])}});
    session.train();
    EXPECT_EQ(trainer->total_number_of_samples_seen(), 300);
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_LT(losses[0].back(), losses[0].front() / 10);
}

TEST(Ctf, all_of_a_source_without_end) {
  File f("|x 1\n|x 2\n");
  const CtfStream x{"x", "", 1};
  EXPECT_NE(error_of([&] { minibatch_source({ctf(f.path, {x})})->next({}); }).find("without an end"),
            std::string::npos);
  EXPECT_EQ(minibatch_source({ctf(f.path, {x})})->next({.within_sweep = true}).sequences(), 2);
  EXPECT_EQ(minibatch_source({ctf(f.path, {x})}, {.max_sweeps = 1})->next({}).sequences(), 2);
}

}  // namespace
