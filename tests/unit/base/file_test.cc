// Files written in one piece, by any number of writers: what a killed one leaves is removed by the next one,
// and nothing else is. What fails leaves the old file.
#include "base/file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fstream>
#include <thread>

#include <cantik/error.h>

#include "child_process.h"
#include "file_faults.h"

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
  return support::in_child([&] {
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
  std::vector<std::string> others{".model.1.tmp",   ".model.1.2",    ".model.1.2.tmp.txt",
                                  ".model.a.2.tmp", ".model.1..tmp", ".model2.1.2.tmp",
                                  ".mode.1.2.tmp",  "model.1.2.tmp", ".model",
                                  "...tmp",         ".tmp"};
  for (const std::string& name : others) std::ofstream(folder.of(name)) << "mine";
  fs::create_directory(folder.of(".model.3.4.tmp"));
  fs::create_symlink(folder.of(".model"), folder.of(".model.5.6.tmp"));
  std::ofstream(folder.of(".model.7.8.tmp")) << "left";
  save(folder.of("model"), "new");
  for (const char* more : {".model.3.4.tmp", ".model.5.6.tmp", "model"}) others.push_back(more);
  std::sort(others.begin(), others.end());
  EXPECT_EQ(folder.names(), others);
}

namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// Saves a file that is all of one letter, and reads one that somebody has saved.
void save_and_read(const std::string& path, char letter, int times) {
  for (int i = 0; i < times; ++i) {
    save(path, std::string(50000 + static_cast<size_t>(letter), letter));
    const std::string found = contents(path);
    ASSERT_FALSE(found.empty());
    ASSERT_EQ(found, std::string(50000 + static_cast<size_t>(found[0]), found[0]));
  }
}

}  // namespace

TEST(File, any_number_of_threads_save_one_file) {
  const support::Faulty faults;
  faults->quick_sync = true;
  Folder folder;
  std::vector<std::thread> threads;
  for (char letter : {'a', 'b', 'c', 'd'})
    threads.emplace_back([&, letter] { save_and_read(folder.of("model"), letter, 1500); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"model"});
}

TEST(File, any_number_of_processes_save_one_file) {
  const support::Faulty faults;
  faults->quick_sync = true;
  Folder folder;
  std::vector<std::thread> waiting;
  std::atomic<int> good{0};
  for (char letter : {'x', 'y', 'z'})
    waiting.emplace_back([&, letter] {
      good += support::in_child([&] {
                save_and_read(folder.of("model"), letter, 500);
                return testing::Test::HasFailure() ? 1 : 0;
              }) == 0;
    });
  for (std::thread& t : waiting) t.join();
  EXPECT_EQ(good, 3);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"model"});
}

TEST(File, calls_that_signals_cut_short_are_made_again) {
  const support::Faulty faults;
  Folder folder;
  for (int signals = 1; signals < 12; ++signals) {
    faults->signals = signals;
    const std::string text(300000, static_cast<char>('a' + signals));
    save(folder.of("model"), text);
    EXPECT_EQ(contents(folder.of("model")), text);
    EXPECT_EQ(faults->signals, 0);
  }
}

TEST(File, a_full_disk_leaves_the_old_file) {
  const support::Faulty faults;
  Folder folder;
  save(folder.of("model"), "old");
  const std::string text(1 << 20, 'n');
  for (int writes = 0; writes < 16; ++writes) {
    faults->writes_until = writes;
    auto part_by_part = [&] {
      FileWriter file(folder.of("model"));
      for (int i = 0; i < 16; ++i) file.write(text.data(), 60000);
      file.commit();
    };
    if (const std::string error = error_of(part_by_part); error == "no error") {
      EXPECT_GT(writes, 10);
      break;
    } else {
      EXPECT_NE(error.find("the file " + folder.of("model") + " cannot be written: No space left on device"),
                std::string::npos)
          << error;
      EXPECT_NE(error.find("the earlier file of this name has not changed"), std::string::npos) << error;
    }
    EXPECT_EQ(contents(folder.of("model")), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"model"});
  }
}

TEST(File, a_disk_that_does_not_take_it_is_an_error) {
  const support::Faulty faults;
  Folder folder;
  save(folder.of("model"), "old");
  faults->sync_file = EIO;
  EXPECT_NE(error_of([&] { save(folder.of("model"), "new"); }).find("cannot be written: Input/output error"),
            std::string::npos);
  EXPECT_EQ(contents(folder.of("model")), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"model"});
  faults->sync_file = 0;
  for (int error : {EIO, ENOSPC, EDQUOT}) {
    faults->sync_folder = error;
    EXPECT_NE(
        error_of([&] { save(folder.of("model"), "new"); }).find("its folder cannot be brought onto the disk"),
        std::string::npos);
    EXPECT_EQ(contents(folder.of("model")), "new");
  }
  for (int nothing_to_do : {EINVAL, ENOTSUP}) {
    faults->sync_folder = nothing_to_do;
    save(folder.of("model"), "once more");
    EXPECT_EQ(contents(folder.of("model")), "once more");
  }
}

TEST(File, links_are_followed) {
  Folder folder;
  fs::create_directories(folder.path / "there");
  fs::create_symlink("there/../there/far", folder.path / "first");
  fs::create_symlink(folder.path / "first", folder.path / "second");
  for (const char* text : {"made", "replaced"}) {  // what they lead to is not there at first
    save(folder.of("second"), text);
    EXPECT_EQ(contents(folder.of("there/far")), text);
    EXPECT_TRUE(fs::is_symlink(folder.path / "first") && fs::is_symlink(folder.path / "second"));
  }
  fs::create_symlink("nowhere/deep/far", folder.path / "new");
  save(folder.of("new"), "in a folder that is made");
  EXPECT_EQ(contents(folder.of("nowhere/deep/far")), "in a folder that is made");
  fs::create_symlink("round", folder.path / "about");
  fs::create_symlink("about", folder.path / "round");
  EXPECT_NE(error_of([&] { save(folder.of("round"), ""); }).find("Too many levels of symbolic links"),
            std::string::npos);
}

TEST(File, folders_are_made) {
  Folder folder;
  save(folder.of("a/b//c/model"), "x");
  EXPECT_EQ(contents(folder.of("a/b/c/model")), "x");
  save(folder.of("file"), "x");
  EXPECT_NE(error_of([&] { save(folder.of("file/model"), "x"); }).find("cannot be created: Not a directory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              save(folder.of("file/more/model"), "x");
            }).find("the folder " + folder.of("file/more") + " cannot be made"),
            std::string::npos);
  EXPECT_NE(error_of([&] { save("", "x"); }).find("it has no name"), std::string::npos);
  EXPECT_NE(error_of([&] { save(folder.of("a/"), "x"); }).find("it is not a regular file"),
            std::string::npos);
}

TEST(File, pipes_and_folders_are_no_files) {
  Folder folder;
  ASSERT_EQ(::mkfifo(folder.of("pipe").c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { read_file(folder.of("pipe")); }).find("it is not a regular file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { save(folder.of("pipe"), "x"); }).find("it is not a regular file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_file(folder.path.string()); }).find("it is not a regular file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { save(folder.path.string(), "x"); }).find("it is not a regular file"),
            std::string::npos);
}
