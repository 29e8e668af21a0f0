// Reading ahead: the same minibatches, one reader at a time, errors and ends at their place.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <cantik/cantik.h>

namespace cantik {
namespace {

// Chunk c has the numbers 10 c to 10 c + 9, as samples.
class Tens final : public Deserializer {
 public:
  explicit Tens(int64_t chunks) : chunks_(chunks) {
    for (int32_t c = 0; c < chunks; ++c)
      for (int32_t i = 0; i < 10; ++i) index_.push_back({static_cast<uint64_t>(10 * c + i), 1, c, i});
  }
  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return chunks_; }
  const SequenceIndex* index() const override { return &index_; }
  bool changes() const override { return is_changing; }
  bool is_concurrent() const override { return false; }
  bool may_read_ahead() const override { return true; }
  void begin_sweep(int64_t sweep) override {
    EXPECT_EQ(readers.load(), 0) << "a sweep begins while a chunk is read";
    sweep_ = sweep;
  }
  std::vector<std::string> take_warnings() override {
    return std::vector<std::string>(static_cast<size_t>(std::exchange(warnings, 0)), "odd");
  }
  Chunk load(int64_t chunk) override {
    EXPECT_EQ(readers++, 0) << "two readers at a time";
    if (std::this_thread::get_id() != caller) ++elsewhere;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    Tensor x(DType::float32, {10, 1});
    for (int64_t i = 0; i < 10; ++i) x.data<float>()[i] = static_cast<float>(10 * chunk + i);
    if (is_changing)
      for (int64_t i = 0; i < 10; ++i) x.data<float>()[i] += static_cast<float>(1000 * sweep_);
    ++warnings;
    --readers;
    if (chunk == broken) throw runtime_error("chunk 3 is broken");
    return {Value::batch(x)};
  }

  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> readers{0}, elsewhere{0};
  std::atomic<int64_t> broken{-1};
  int warnings = 0;
  std::atomic<int> pause{0};
  bool is_changing = false;

 private:
  int64_t chunks_, sweep_ = -1;
  std::vector<Stream> streams_{{.name = "x", .shape = {1}}};
  SequenceIndex index_;
};

std::vector<int> rest(Source& source, int64_t samples) {
  std::vector<int> all;
  while (Minibatch m = source.next({.samples = samples}))
    for (int64_t i = 0; i < m.sequences(); ++i) all.push_back(static_cast<int>(m["x"].data.at(i)));
  return all;
}

template <class Condition>
void wait_until(Condition&& condition) {
  for (int i = 0; i < 10000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(ReadAhead, ChangesNothingButTheThread) {
  for (const bool changing : {false, true})
    for (const bool randomize : {false, true})
      for (const int64_t cache : {int64_t{0}, int64_t{1} << 30}) {
        std::vector<std::vector<int>> found;
        for (const bool ahead : {false, true}) {
          auto data = std::make_shared<Tens>(12);
          data->is_changing = changing;
          SourcePtr source = minibatch_source({data}, {.randomize = randomize,
                                                       .window_chunks = 3,
                                                       .max_sweeps = 3,
                                                       .cache_bytes = cache,
                                                       .multithreaded = ahead});
          found.push_back({static_cast<int>(source->next({.samples = 1})["x"].data.at(0))});
          if (ahead) wait_until([&] { return data->elsewhere > 0; });
          for (const int x : rest(*source, 7)) found.back().push_back(x);
          EXPECT_EQ(data->elsewhere > 0, ahead);
        }
        EXPECT_EQ(found[0], found[1]);
        EXPECT_EQ(found[0].size(), 360u);
      }
}

// Chunks of 40 bytes, which are counted while they are in memory.
class Counted final : public Deserializer {
 public:
  explicit Counted(int64_t chunks) : chunks_(chunks) {
    for (int32_t c = 0; c < chunks; ++c)
      for (int32_t i = 0; i < 10; ++i) index_.push_back({static_cast<uint64_t>(10 * c + i), 1, c, i});
  }
  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return chunks_; }
  const SequenceIndex* index() const override { return &index_; }
  Chunk load(int64_t) override {
    ++loads;
    most = std::max(most, ++live);
    std::shared_ptr<float> numbers(new float[10](), [this](const float* p) {
      delete[] p;
      --live;
    });
    return {Value::batch(Tensor::borrow(DType::float32, {10, 1}, numbers.get(), numbers, true))};
  }
  int live = 0, most = 0, loads = 0;

 private:
  int64_t chunks_;
  std::vector<Stream> streams_{{.name = "x", .shape = {1}}};
  SequenceIndex index_;
};

TEST(ReadAhead, OfDataThatDoNotFitTheWindowIsKept) {
  for (const bool randomize : {false, true})
    for (const int64_t cache : {int64_t{0}, int64_t{20 * 40}, int64_t{1} << 30}) {
      auto data = std::make_shared<Counted>(40);
      SourcePtr source = minibatch_source(
          {data}, {.randomize = randomize, .window_chunks = 4, .max_sweeps = 3, .cache_bytes = cache});
      EXPECT_EQ(rest(*source, 7).size(), 1200u);
      const bool fits = cache > 1 << 20;
      // the last window of a sweep may serve the next one
      if (fits) {
        EXPECT_EQ(data->loads, 40) << randomize;
      }
      if (!fits) {
        EXPECT_GE(data->loads, randomize ? 110 : 120) << cache;
        EXPECT_LE(data->most, randomize ? 6 : 2) << cache;
      }
      source.reset();
      EXPECT_EQ(data->live, 0);
    }
}

// What does not come again is not kept, however much memory there is for it.
TEST(ReadAhead, OfOneSweepKeepsTheWindowAlone) {
  for (const bool randomize : {false, true}) {
    auto data = std::make_shared<Counted>(40);
    SourcePtr source =
        minibatch_source({data}, {.randomize = randomize, .window_chunks = 4, .max_sweeps = 1});
    EXPECT_EQ(rest(*source, 7).size(), 400u);
    EXPECT_EQ(data->loads, 40);
    EXPECT_LE(data->most, randomize ? 6 : 2);
  }
}

TEST(ReadAhead, GoesOnFromACheckpoint) {
  auto make = [] {
    return minibatch_source({std::make_shared<Tens>(12)}, {.window_chunks = 3, .max_sweeps = 2});
  };
  SourcePtr source = make();
  for (int i = 0; i < 9; ++i) source->next({.samples = 7});
  const Dictionary state = source->state();
  const std::vector<int> expected = rest(*source, 7);
  SourcePtr again = make();
  again->next({.samples = 11});
  again->restore(state);
  EXPECT_EQ(rest(*again, 7), expected);
  again->restore(state);
  EXPECT_EQ(rest(*again, 7), expected);
}

TEST(ReadAhead, AnErrorComesWithItsChunkAndAgain) {
  auto data = std::make_shared<Tens>(6);
  data->broken = 3;
  SourcePtr source = minibatch_source({data}, {.randomize = false, .max_sweeps = 1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source->next({.samples = 10}).sequences(), 10);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(source->next({.samples = 10}), Error);
  data->broken = -1;
  EXPECT_EQ(rest(*source, 10).front(), 30);
}

TEST(ReadAhead, WarningsComeWithTheirChunks) {
  for (const bool ahead : {false, true}) {
    SourcePtr source = minibatch_source({std::make_shared<Tens>(4)},
                                        {.randomize = false, .max_sweeps = 1, .multithreaded = ahead});
    for (int i = 0; i < 4; ++i) {
      source->next({.samples = 10});
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(source->take_warnings().size(), 1u) << i;
    }
  }
}

TEST(ReadAhead, AWaitCanBeEnded) {
  auto data = std::make_shared<Tens>(3);
  SourcePtr source = minibatch_source({data}, {.randomize = false, .max_sweeps = 1});
  source->next({.samples = 10});
  data->pause = 300;
  source->next({.samples = 10});
  wait_until([&] { return data->readers == 1; });  // for chunk 2
  struct Ended {};
  auto ask = [] { throw Ended(); };
  {
    const Interruption scope(ask);
    EXPECT_THROW(source->next({.samples = 10}), Ended);
  }
  data->pause = 0;
  EXPECT_EQ(rest(*source, 10).front(), 20);
}

TEST(ReadAhead, AChildProcessReadsByItself) {
  for (const bool idle : {false, true}) {
    auto data = std::make_shared<Tens>(5);
    SourcePtr source = minibatch_source({data}, {.randomize = false, .max_sweeps = 1});
    source->next({.samples = 10});
    if (idle) {  // the thread waits for the next question when the process forks
      wait_until([&] { return data->elsewhere > 0 && data->readers == 0; });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      while (data->readers > 0) data->readers = 0;  // of the parent's thread
      const bool right = rest(*source, 10).size() == 40;
      source.reset();
      _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << (idle ? "idle" : "at once");
    EXPECT_EQ(rest(*source, 10).size(), 40u);
  }
}

TEST(ReadAhead, CountsTheMinibatchesOfASweep) {
  for (const bool randomize : {false, true})
    for (const int64_t samples : {1, 7, 60, 100}) {
      SourcePtr source = minibatch_source({std::make_shared<Tens>(6)}, {.randomize = randomize});
      for (int sweep = 0; sweep < 2; ++sweep) {
        const auto said = source->minibatches_of_sweep({.samples = samples});
        ASSERT_TRUE(said.has_value());
        int64_t found = 0;
        for (bool ended = false; !ended; ++found)
          ended = source->next({.samples = samples, .within_sweep = true}).sweep_end;
        EXPECT_EQ(*said, found);
      }
    }
}

}  // namespace
}  // namespace cantik
