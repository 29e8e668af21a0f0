// Files of dictionaries, which survive what happens to them.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <cantik/dictionary.h>
#include <cantik/error.h>

#include "child_process.h"
#include "dictionaries.h"
#include "temporary_folder.h"

using namespace cantik;
namespace fs = std::filesystem;

namespace {

TEST(DictionaryFile, saves_and_loads) {
  TemporaryFolder folder;
  Dictionary d = everything();
  d.save(folder / "d");
  EXPECT_EQ(Dictionary::load(folder / "d"), d);
  d["more"] = 1;
  d.save(folder / "d");
  EXPECT_EQ(Dictionary::load(folder / "d"), d);
  DictionaryValue v = Tensor::scalar(3);
  v.save(folder / "v");
  EXPECT_EQ(DictionaryValue::load(folder / "v"), v);
  EXPECT_EQ(folder.files(), 2u);
}

TEST(DictionaryFile, keeps_permissions_and_links) {
  TemporaryFolder folder;
  Dictionary{{"a", 1}}.save(folder / "d");
  struct stat s;
  ASSERT_EQ(stat((folder / "d").c_str(), &s), 0);
  mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(s.st_mode & 0777, 0666 & ~mask);
  ASSERT_EQ(chmod((folder / "d").c_str(), 0640), 0);
  fs::create_symlink("d", folder / "link");
  Dictionary{{"a", 2}}.save(folder / "link");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  ASSERT_EQ(stat((folder / "d").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
  EXPECT_EQ(Dictionary::load(folder / "d").at("a"), DictionaryValue(2));
}

TEST(DictionaryFile, clear_errors) {
  TemporaryFolder folder;
  auto message = [](auto&& f) {
    try {
      f();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::runtime);
      return std::string(e.what());
    }
    return std::string();
  };
  std::string missing = folder / "missing", inside = folder / "damaged/d", self = folder / "";
  std::ofstream(folder / "damaged") << "x";
  EXPECT_EQ(message([&] { Dictionary::load(missing); }),
            "the file " + missing + " cannot be read: No such file or directory");
  EXPECT_EQ(message([&] { Dictionary().save(inside); }),
            "the file " + inside +
                " cannot be created: Not a directory\n  remedy   choose a place that can be written, and "
                "save again; the earlier file of this name has not changed");
  EXPECT_EQ(message([&] { Dictionary::load(self); }),
            "the file " + self + " cannot be read: it is not a regular file");
  EXPECT_EQ(message([&] { Dictionary().save(self); }),
            "the file " + self + " cannot be written: it is not a regular file");
  EXPECT_NE(message([&] { Dictionary::load(folder / "damaged"); }).find("\n  file     " + folder / "damaged"),
            std::string::npos);
}

// The disk is full, or the process may write no more: the old file is there, and no other.
TEST(DictionaryFile, full_disk_leaves_the_old_file) {
  TemporaryFolder folder;
  std::string path = folder / "d";
  Dictionary old = everything();
  old.save(path);
  int result = support::in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Dictionary{{"big", Tensor::zeros(DType::float32, {1 << 20})}}.save(path);
    } catch (const Error& e) {
      return std::string(e.what()).find("cannot be written: File too large") == std::string::npos;
    }
    return true;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(Dictionary::load(path), old);
  EXPECT_EQ(folder.files(), 1u);
}

// Killed at any moment: the old contents or the new ones.
TEST(DictionaryFile, killed_process_leaves_a_whole_file) {
  TemporaryFolder folder;
  std::string path = folder / "d";
  Dictionary versions[2];
  for (int i = 0; i < 2; ++i)
    versions[i] = {{"version", i}, {"numbers", Tensor::full(DType::float64, {1 << 16}, i)}};
  versions[0].save(path);
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    if (child == 0) {
      for (int i = 1;; i ^= 1) versions[i].save(path);
    }
    usleep(static_cast<useconds_t>(1000 + 1700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    Dictionary now = Dictionary::load(path);
    EXPECT_EQ(now, versions[now.at("version").as<int32_t>()]);
  }
}

}  // namespace
