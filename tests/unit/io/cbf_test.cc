// Files in CNTK's binary format: round trips, memory, errors. What CNTK makes of such files is in
// tests/python/test_binary_format.py.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <cantik/cantik.h>

namespace cantik {
namespace {

namespace fs = std::filesystem;

class BinaryFormat : public ::testing::Test {
 protected:
  BinaryFormat() : folder_(fs::temp_directory_path() / ("cantik_binary_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~BinaryFormat() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string text_file(const std::string& text) const {
    std::ofstream(path("data.ctf"), std::ios::binary) << text;
    return path("data.ctf");
  }
  static std::string contents(const std::string& path) {
    std::ostringstream s;
    s << std::ifstream(path, std::ios::binary).rdbuf();
    return s.str();
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

 private:
  fs::path folder_;
};

const std::string kText =
    "7 |w 3:1 |d 1 2.5 |l 1\n7 |w 1:1 |d 3 4\n7 |w |d 5 -0.1\n"
    "3 |w 0:1 2:1 |d 7 8 |l 1e-10\n"
    "4 |w 4:1 |d 9 10 |l 16777216\n4 |w 4:1 |d 11 12\n";
const std::vector<CtfStream> kStreams = {{"w", "w", 5, true}, {"d", "d", 2}, {"l", "l", 1}};

TEST_F(BinaryFormat, keeps_every_number_from_text_to_text) {
  const std::string text = text_file(kText);
  for (int64_t chunk_bytes : {1, 80, 1 << 20}) {
    write_cbf(path("a.cbf"), {ctf(text, kStreams)}, {.chunk_bytes = chunk_bytes});
    DeserializerPtr data = cbf(path("a.cbf"));
    EXPECT_EQ(data->chunks(), chunk_bytes == 1 ? 3 : chunk_bytes == 80 ? 2 : 1) << chunk_bytes;
    write_ctf(path("b.ctf"), {data});
    std::string numbered = kText;  // a binary file has no numbers of its own
    for (auto [from, to] : {std::pair('7', '0'), {'3', '1'}, {'4', '2'}})
      for (size_t at = 0; at != std::string::npos; at = numbered.find('\n', at + 1))
        if (char& c = numbered[at ? at + 1 : 0]; at + 1 < numbered.size() && c == from) c = to;
    EXPECT_EQ(contents(path("b.ctf")), numbered);
  }
}

TEST_F(BinaryFormat, ones_are_not_kept_and_rows_are_not_copied_again) {
  write_cbf(path("a.cbf"), {ctf(text_file(kText), kStreams)});
  DeserializerPtr data = cbf(path("a.cbf"));
  const Chunk chunk = data->load(0);
  EXPECT_EQ(chunk[0].data.raw(), nullptr);
  EXPECT_EQ(chunk[0].layout, chunk[1].layout);  // the same lengths, one layout
  EXPECT_TRUE(chunk[2].layout->is_batch());
  SourcePtr source = minibatch_source({data}, {.randomize = false, .max_sweeps = 1});
  const Minibatch first = source->next({.samples = 4}), second = source->next({.samples = 4});
  EXPECT_EQ(second["d"].data.data<float>(), first["d"].data.data<float>() + 8);  // where they were read
}

// A stream of few samples beside one of many takes its own size.
TEST_F(BinaryFormat, memory_is_that_of_the_numbers) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    for (int t = 0; t < 500; ++t) text += std::to_string(i) + (t ? " |a 1\n" : " |a 1 |b 1 2 3 4 5 6 7 8\n");
  write_cbf(path("a.cbf"), {ctf(text_file(text), {{"b", "b", 8}, {"a", "a", 1}})});
  const size_t before = memory_in_use();
  DeserializerPtr data = cbf(path("a.cbf"));
  const Chunk chunk = data->load(0);
  EXPECT_LT(memory_in_use() - before, 20 * 8 * 4 + 10000 * 4 + 16384);
}

TEST_F(BinaryFormat, names_are_the_programs) {
  write_cbf(path("a.cbf"), {ctf(text_file(kText), kStreams)});
  DeserializerPtr data = cbf(path("a.cbf"), {.streams = {{"words", "w"}, {"d"}}});
  EXPECT_EQ(data->streams()[0].name + data->streams()[1].name + data->streams()[2].name, "wordsdl");
  EXPECT_EQ(error_of([&] { cbf(path("a.cbf"), {.streams = {{"x", "y"}}}); }),
            "the stream x is not in " + path("a.cbf") + "\n  field    y\n  streams  w, d, l");
  EXPECT_EQ(error_of([&] { cbf(path("a.cbf"), {.streams = {{"d", "w"}}}); }),
            "Two streams with the same name 'd' have been found. Please rename the duplicate.");
  EXPECT_EQ(error_of([&] { cbf(path("a.cbf"), {.streams = {{"", "w"}}}); }),
            "a stream of " + path("a.cbf") + " has no name");
}

TEST_F(BinaryFormat, a_file_that_changes_is_an_error) {
  write_cbf(path("a.cbf"), {ctf(text_file(kText), kStreams)});
  DeserializerPtr data = cbf(path("a.cbf"));
  std::ofstream(path("a.cbf"), std::ios::binary | std::ios::app) << "x";
  EXPECT_EQ(error_of([&] { data->load(0); }),
            "the input file " + path("a.cbf") + " cannot be read: it has changed since it was opened");
  fs::resize_file(path("a.cbf"), 20);
  EXPECT_EQ(error_of([&] { data->load(0); }),
            "the input file " + path("a.cbf") + " cannot be read: it has become shorter since it was opened");
}

TEST_F(BinaryFormat, an_error_names_stream_sequence_and_byte) {
  write_cbf(path("a.cbf"), {ctf(text_file(kText), kStreams)});
  std::string bytes = contents(path("a.cbf"));
  const int32_t column = 5;
  // the second sequence's columns: behind the lengths, and the first sequence of 2 values and 3 counts
  bytes.replace(12 + 12 + (4 + 4 + 8 + 8 + 12) + 4 + 4 + 8, 4, reinterpret_cast<const char*>(&column), 4);
  std::ofstream(path("a.cbf"), std::ios::binary) << bytes;
  EXPECT_EQ(error_of([&] { cbf(path("a.cbf"))->load(0); }),
            path("a.cbf") +
                " is not in CNTK's binary format: a number stands in column 5, and the stream's shape is 5\n"
                "  file     " +
                path("a.cbf") +
                ", byte 88\n  stream   w\n  sequence 1, number 1 of chunk 0\n"
                "  remedy   convert the text file anew, with write_cbf");
}

TEST_F(BinaryFormat, writers_refuse_what_a_file_cannot_hold) {
  EXPECT_EQ(error_of([&] { write_cbf(path("a.cbf"), {}); }),
            "no deserializer is given to write a file of\n  remedy   give at least one");
  EXPECT_EQ(error_of([&] { write_ctf(path("a.ctf"), {nullptr}); }),
            "one of the deserializers is a null pointer\n  remedy   give what ctf returns");
  DeserializerPtr text = ctf(text_file("|d 1 1e400\n"), {{"a b", "d", 2}});
  EXPECT_EQ(error_of([&] { write_cbf(path("a.cbf"), {text}, {.chunk_bytes = 0}); }),
            "a chunk of less than one byte");
  EXPECT_NE(error_of([&] { write_ctf(path("a.ctf"), {text}); }).find("the stream a b cannot be written |a b"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { write_ctf(path("a.ctf"), {ctf(path("data.ctf"), {{"d", "d", 2}})}); }),
            "CNTK's text format has no number inf\n  remedy   write CNTK's binary format");
  EXPECT_FALSE(fs::exists(path("a.ctf")) || fs::exists(path("a.cbf")));  // nothing half written
}

}  // namespace
}  // namespace cantik
