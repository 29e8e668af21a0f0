// Files of events: records with their checksums, points of a training.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <cantik/cantik.h>

#include "train/event_record.h"
#include "temporary_path.h"

namespace cantik {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TensorBoard, checksums) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  std::string file;
  append_record(file, "abc");
  EXPECT_EQ(file.size(), 8u + 4 + 3 + 4);
  EXPECT_EQ(file.substr(12, 3), "abc");
}

TEST(TensorBoard, points_of_a_training) {
  const std::string folder = temporary_path("events");
  std::filesystem::remove_all(folder);
  Variable x = input({2}, {.name = "x"}), y = input({1}, {.name = "y"});
  Function z = layers::dense(1)(x), loss = squared_error(z, y);
  auto writer = std::make_shared<TensorBoardWriter>(folder, TensorBoardOptions{.frequency = 1, .model = z});
  Trainer trainer(z, loss, loss, {sgd(z.parameters(), 0.1)}, {writer});
  trainer.train_minibatch({{x, Value::batch(Tensor::full(DType::float32, {3, 2}, 1))},
                           {y, Value::batch(Tensor::full(DType::float32, {3, 1}, 1))}});
  trainer.summarize_training_progress();
  writer->file()->close();
  const std::string all = contents(writer->file()->path());
  for (const char* text :
       {"brain.Event:2", "minibatch/avg_loss", "minibatch/avg_metric", "summary/avg_loss", "Times"})
    EXPECT_NE(all.find(text), std::string::npos) << text;
  EXPECT_THROW(writer->file()->scalar("a", 1, 1), Error);
  EXPECT_THROW(TensorBoardWriter(folder, {.frequency = -1}), Error);
  EXPECT_EQ(TensorBoardWriter(folder, {.rank = 1}).file(), nullptr);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cantik
