// Streams whose samples have others of their sequence beside them: whole, cut into parts, frame by frame,
// joined, written to a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cantik/cantik.h>

#include "temporary_path.h"

namespace cantik {
namespace {

constexpr int64_t kLeft = 2, kRight = 1, kWidth = kLeft + 1 + kRight;

// Sequences of 1, 2, ... steps in chunks of three; a step is (10 * sequence + step, 0.5).
class Steps final : public Deserializer {
 public:
  explicit Steps(std::string name, int64_t left = kLeft, int64_t right = kRight)
      : streams_{{.name = std::move(name), .shape = {2 * (left + 1 + right)}, .left = left, .right = right}} {
    for (int32_t s = 0; s < 7; ++s) index_.push_back({static_cast<uint64_t>(s), s + 1, s / 3, s % 3});
  }
  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return 3; }
  const SequenceIndex* index() const override { return &index_; }
  bool has_frames() const override { return true; }
  Chunk load(int64_t chunk) override {
    std::vector<int64_t> lengths;
    std::vector<float> numbers;
    for (const SequenceInfo& s : index_) {
      if (s.chunk != chunk) continue;
      lengths.push_back(s.samples);
      for (int64_t t = 0; t < s.samples; ++t)
        numbers.insert(numbers.end(), {static_cast<float>(10 * s.key) + static_cast<float>(t), 0.5f});
    }
    Tensor x(DType::float32, {static_cast<int64_t>(numbers.size()) / 2, 2});
    std::ranges::copy(numbers, x.data<float>());
    return {Value(x, Layout::of_lengths(lengths))};
  }

 private:
  std::vector<Stream> streams_;
  SequenceIndex index_;
};

// Every row of the stream is the step in its middle with its neighbours. How many rows there are.
int64_t check_rows(Source& source, const char* stream, int64_t samples) {
  int64_t rows = 0;
  while (Minibatch m = source.next({.samples = samples})) {
    const Tensor& data = m[stream].data;
    EXPECT_EQ(data.shape()[1], 2 * kWidth);
    for (int64_t r = 0; r < data.shape()[0]; ++r, ++rows) {
      const float* row = data.data<float>() + r * 2 * kWidth;
      const int64_t middle = static_cast<int64_t>(row[2 * kLeft]), sequence = middle / 10, step = middle % 10;
      for (int64_t k = 0; k < kWidth; ++k) {
        const int64_t beside = std::clamp<int64_t>(step + k - kLeft, 0, sequence);
        EXPECT_EQ(row[2 * k], static_cast<float>(10 * sequence + beside)) << middle << " at " << k;
        EXPECT_EQ(row[2 * k + 1], 0.5f);
      }
    }
  }
  return rows;
}

constexpr int64_t kSteps = 1 + 2 + 3 + 4 + 5 + 6 + 7;

TEST(Neighbours, StandBesideEachSample) {
  for (const bool is_joined : {false, true})
    for (const bool randomize : {false, true})
      for (const bool frames : {false, true})
        for (const int64_t part : {int64_t{0}, int64_t{3}}) {
          if (frames && part > 0) continue;
          std::vector<DeserializerPtr> data{std::make_shared<Steps>("x")};
          if (is_joined) data.push_back(std::make_shared<Steps>("y"));
          for (const char* stream : {"x", "y"}) {
            if (!is_joined && *stream == 'y') continue;
            SourcePtr source = minibatch_source(
                data,
                {.randomize = randomize, .max_sweeps = 2, .truncation_length = part, .frame_mode = frames});
            EXPECT_EQ(check_rows(*source, stream, 9), 2 * kSteps)
                << is_joined << randomize << frames << part << stream;
          }
        }
}

TEST(Neighbours, AreWritten) {
  const std::string path = temporary_path("neighbours.cbf");
  write_cbf(path, {std::make_shared<Steps>("x")});
  SourcePtr source = minibatch_source({cbf(path)}, {.randomize = false, .max_sweeps = 1});
  EXPECT_EQ(check_rows(*source, "x", 9), kSteps);
  std::filesystem::remove(path);
}

// Brings a stream as it is described.
class Described final : public Deserializer {
 public:
  explicit Described(Stream stream) : streams_{std::move(stream)} {}
  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return 1; }
  Chunk load(int64_t) override { return {Value::batch(Tensor::zeros(DType::float32, {3, 4}))}; }

 private:
  std::vector<Stream> streams_;
};

TEST(Neighbours, AreRefusedWhereSamplesHaveNoRoomForThem) {
  const auto refused = [](Stream stream) {
    stream.name = "x";
    try {
      minibatch_source({std::make_shared<Described>(stream)})->next({.samples = 3});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const std::string expected = "the stream x of the shape";
  EXPECT_NE(refused({.shape = {4}, .left = 1, .right = 1}).find(expected), std::string::npos);
  EXPECT_NE(refused({.shape = {6}, .left = -1}).find(expected), std::string::npos);
  EXPECT_NE(refused({.shape = {2, 2}, .left = 1}).find(expected), std::string::npos);
  EXPECT_NE(refused({.storage = Storage::csr, .shape = {8}, .left = 1}).find(expected), std::string::npos);
  EXPECT_NE(refused({.shape = {12}, .left = 1}).find("promised [6]"), std::string::npos);
  EXPECT_EQ(refused({.shape = {8}, .left = 1}), "nothing");
}

}  // namespace
}  // namespace cantik
