// Files written in one piece: what a killed writer leaves is removed by the next one, and nothing else is.
#include "base/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fstream>

#include "child_process.h"

namespace fs = std::filesystem;
using namespace cantik;

namespace {

struct Folder {
  fs::path path = fs::path(testing::TempDir()) / ("cantik_file_test_" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path), fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string of(const std::string& name) const { return (path / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
};

void save(const std::string& path, const std::string& text) {
  FileWriter file(path);
  file.write(text.data(), text.size());
  file.commit();
}

int killed_while_writing(const std::string& path) {
  return test::in_child([&] {
    FileWriter file(path);
    std::string part(1 << 17, 'x');
    file.write(part.data(), part.size());
    ::raise(SIGKILL);
    return 0;
  });
}

std::string contents(const std::string& path) {
  Bytes bytes = read_file(path);
  return std::string(bytes.view());
}

}  // namespace

TEST(File, the_next_writer_removes_what_a_killed_one_left) {
  Folder folder;
  for (const std::string& name : {std::string("model.dnn"), std::string(NAME_MAX - 1, 'n')}) {
    save(folder.of(name), "old");
    ASSERT_EQ(killed_while_writing(folder.of(name)), 1000 + SIGKILL);
    ASSERT_EQ(killed_while_writing(folder.of(name)), 1000 + SIGKILL);
    ASSERT_EQ(folder.names().size(), 3u);
    EXPECT_EQ(contents(folder.of(name)), "old");
    save(folder.of(name), "new");
    EXPECT_EQ(folder.names(), std::vector<std::string>{name});
    EXPECT_EQ(contents(folder.of(name)), "new");
    fs::remove(folder.of(name));
  }
}

TEST(File, a_writer_at_work_keeps_its_file) {
  Folder folder;
  FileWriter first(folder.of("model"));
  save(folder.of("model"), "second");
  EXPECT_EQ(folder.names().size(), 2u);
  first.write("first", 5);
  first.commit();
  EXPECT_EQ(contents(folder.of("model")), "first");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"model"});
}

TEST(File, nothing_else_is_removed) {
  Folder folder;
  std::vector<std::string> others{".model.1.tmp", ".model.1.2", ".model.1.2.tmp.txt", ".model.a.2.tmp", ".model.1..tmp", ".model2.1.2.tmp", ".mode.1.2.tmp", "model.1.2.tmp", ".model", "...tmp", ".tmp"};
  for (const std::string& name : others) std::ofstream(folder.of(name)) << "mine";
  fs::create_directory(folder.of(".model.3.4.tmp"));
  fs::create_symlink(folder.of(".model"), folder.of(".model.5.6.tmp"));
  std::ofstream(folder.of(".model.7.8.tmp")) << "left";
  save(folder.of("model"), "new");
  for (const char* more : {".model.3.4.tmp", ".model.5.6.tmp", "model"}) others.push_back(more);
  std::sort(others.begin(), others.end());
  EXPECT_EQ(folder.names(), others);
}
