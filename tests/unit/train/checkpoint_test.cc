// Checkpoints: training goes on bit for bit, and whatever happens while one is written or to the file,
// nothing that was whole is lost.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/trainer.h>

#include "child_process.h"
#include "tour_data.h"

namespace cantik {
namespace {

namespace fs = std::filesystem;

struct CheckpointFolder {
  CheckpointFolder() {
    std::string pattern = (fs::temp_directory_path() / "cantik_checkpoint_XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~CheckpointFolder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

const TourData& checkpoint_data() {
  static const TourData d = [] {
    NumpyRandom random(0);
    return tour_data(random, 256);
  }();
  return d;
}

struct Training {
  TourModel m;
  Trainer trainer{m.z, m.loss, m.metric, {adam({m.w, m.b}, 0.05, {.momentum = 0.9})}};

  // From the beginning, whatever the parameters were drawn as.
  Training() {
    m.w.set_value(Tensor::full(DType::float32, {2, 2}, 0.25));
    m.b.set_value(Tensor::zeros(DType::float32, {2}));
  }
  void step() {
    int64_t at = trainer.total_number_of_samples_seen() % 256;
    trainer.train_minibatch(m.feeds(checkpoint_data(), at, at + 16));
  }
  std::vector<float> weights() const {
    const float* p = m.w.value().data<float>();
    return {p, p + 4};
  }
};

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Checkpoint, goes_on_bit_for_bit) {
  CheckpointFolder folder;
  Training a;
  for (int i = 0; i < 5; ++i) a.step();
  a.trainer.save_checkpoint(folder / "c", {{"place", 5}});
  EXPECT_EQ(folder.files(), 2u);  // and the small one that names it
  Training b;
  EXPECT_EQ(b.trainer.restore_from_checkpoint(folder / "c").at("place"), DictionaryValue(5));
  EXPECT_EQ(b.trainer.total_number_of_samples_seen(), 80);
  for (int i = 0; i < 5; ++i) a.step(), b.step();
  EXPECT_EQ(a.weights(), b.weights());
  EXPECT_EQ(a.trainer.previous_minibatch_loss_average(), b.trainer.previous_minibatch_loss_average());
  EXPECT_EQ(Function::load(folder / "c").parameters().size(), 2u);  // and it is a model
}

// Prefixes and flips all over the file: found, and the training is as before.
TEST(Checkpoint, damaged_ones_change_nothing) {
  CheckpointFolder folder;
  Training a, b;
  for (int i = 0; i < 3; ++i) a.step();
  a.trainer.save_checkpoint(folder / "c");
  std::string bytes;
  {
    std::ifstream f(folder / "c", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(f), {});
  }
  b.step();
  std::vector<float> weights = b.weights();
  std::string damaged = folder / "damaged";
  auto attempt = [&](const std::string& contents) {
    std::ofstream(damaged, std::ios::binary) << contents;
    EXPECT_NE(message([&] { b.trainer.restore_from_checkpoint(damaged); }).find("\n  file     " + damaged),
              std::string::npos);
  };
  for (size_t i = 0; i < bytes.size(); i += 17) {
    attempt(bytes.substr(0, i));
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    attempt(flipped);
  }
  EXPECT_EQ(b.weights(), weights);
  EXPECT_EQ(b.trainer.total_number_of_samples_seen(), 16);
  b.step();
  Training c;
  c.step(), c.step();
  EXPECT_EQ(b.weights(), c.weights());  // moments of the learner, too
}

TEST(Checkpoint, of_another_graph_changes_nothing) {
  CheckpointFolder folder;
  Training a;
  a.step();
  std::vector<float> weights = a.weights();
  Variable x = input({3}), w = parameter({3, 3}, 0.5);
  Function loss = call("reduce_sum", {call("times", {x, w})});
  Trainer other(Function(), loss, {adam({w}, 0.05, {.momentum = 0.9})});
  other.save_checkpoint(folder / "other");
  EXPECT_NE(message([&] { a.trainer.restore_from_checkpoint(folder / "other"); }), "");
  EXPECT_EQ(a.weights(), weights);
  EXPECT_EQ(a.trainer.total_number_of_samples_seen(), 16);
  a.trainer.model().save(folder / "model");
  EXPECT_NE(message([&] {
              a.trainer.restore_from_checkpoint(folder / "model");
            }).find("not the state of a training"),
            std::string::npos);
}

// The first learner's state fits, the second's does not: the first keeps its own.
TEST(Checkpoint, of_other_learners_changes_nothing) {
  CheckpointFolder folder;
  auto trainer = [](TourModel& m, double rate, LearnerPtr second) {
    return Trainer(m.z, m.loss, m.metric, {adam({m.w}, rate, {.momentum = 0.9}), second});
  };
  TourModel a, b;
  Trainer with_sgd = trainer(a, 0.1, sgd({a.b}, 0.1)),
          with_adam = trainer(b, 0.1, adam({b.b}, 0.1, {.momentum = 0.9}));
  for (int i = 0; i < 3; ++i) with_sgd.train_minibatch(a.feeds(checkpoint_data(), 0, 16));
  with_sgd.save_checkpoint(folder / "c");
  with_adam.train_minibatch(b.feeds(checkpoint_data(), 0, 16));
  Dictionary before = with_adam.state();
  EXPECT_NE(message([&] { with_adam.restore_from_checkpoint(folder / "c"); }), "");
  EXPECT_EQ(with_adam.state(), before);
}

TEST(Checkpoint, where_nothing_can_be_written) {
  CheckpointFolder folder;
  Training t;
  t.trainer.save_checkpoint(folder / "c");
  std::string inside = folder / "c/c";  // below a file
  EXPECT_TRUE(message([&] {
                t.trainer.save_checkpoint(inside);
              }).starts_with("the file " + inside + " cannot be created: Not a directory\n"));
  ASSERT_EQ(chmod(folder.path.c_str(), 0555), 0);
  int result = support::in_child([&] {  // root may write everywhere
    if (geteuid() == 0 && setuid(65534) != 0) return 1;
    const std::string text = message([&] { t.trainer.save_checkpoint(folder / "c"); });
    return text.starts_with("the file " + (folder / "c") + " cannot be created: Permission denied\n") ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
  ASSERT_EQ(chmod(folder.path.c_str(), 0755), 0);
  Training other;
  other.trainer.restore_from_checkpoint(folder / "c");
  EXPECT_EQ(folder.files(), 2u);  // and the small one that names it
}

TEST(Checkpoint, on_a_full_disk) {
  CheckpointFolder folder;
  Training t;
  t.step();
  t.trainer.save_checkpoint(folder / "c");
  int result = support::in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    t.step();
    return message([&] {
             t.trainer.save_checkpoint(folder / "c");
           }).find("cannot be written: File too large") == std::string::npos;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(folder.files(), 2u);  // and the small one that names it
  Training other;
  other.trainer.restore_from_checkpoint(folder / "c");
  EXPECT_EQ(other.weights(), t.weights());
}

// A training that writes after every step is killed at any moment: what is there is the training after some
// number of steps.
TEST(Checkpoint, of_a_killed_process) {
  CheckpointFolder folder;
  std::string path = folder / "c";
  Training().trainer.save_checkpoint(path);
  int64_t seen = 0;
  for (int round = 0; round < 12; ++round) {
    int written[2];
    ASSERT_EQ(pipe(written), 0);
    pid_t child = fork();
    if (child == 0) {
      Training t;
      for (;;) {
        t.step();
        t.trainer.save_checkpoint(path);
        if (write(written[1], "", 1) != 1) _exit(1);
      }
    }
    close(written[1]);
    char first;
    ASSERT_EQ(read(written[0], &first, 1), 1);  // however slow the machine, one is there
    usleep(static_cast<useconds_t>(2300 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(written[0]);
    Training kept, again;
    kept.trainer.restore_from_checkpoint(path);
    while (again.trainer.total_number_of_samples_seen() < kept.trainer.total_number_of_samples_seen())
      again.step();
    EXPECT_EQ(kept.weights(), again.weights());
    seen += kept.trainer.total_number_of_samples_seen();
    kept.step(), again.step();
    EXPECT_EQ(kept.weights(), again.weights());
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace cantik
