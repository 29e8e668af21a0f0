// Dictionaries: as values, as CNTK's protobuf messages, and as files that survive what happens to them.
#include <cantik/dictionary.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/file.h"
#include "child_process.h"
#include "formats/wire.h"

using namespace cantik;
namespace fs = std::filesystem;

namespace {

#include "../golden/dictionary_cntk.inc"

std::string unhex(std::string_view hex) {
  std::string s;
  for (size_t i = 0; i < hex.size(); i += 2)
    s += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return s;
}

template <class T>
Tensor counted(Shape shape, DType dtype) {
  Tensor t(dtype, std::move(shape));
  for (int64_t i = 0; i < t.elements(); ++i) t.data<T>()[i] = static_cast<T>(i);
  return t;
}

struct StringSink final : Sink {
  void write(const void* data, size_t bytes) override { text.append(static_cast<const char*>(data), bytes); }
  std::string text;
};

// One of each kind, nested.
Dictionary everything() {
  return {{"none", DictionaryValue()},
          {"yes", true},
          {"no", false},
          {"int", int32_t{-7}},
          {"size", uint64_t{1} << 63},
          {"float", 1.5f},
          {"double", -2.25},
          {"text", "grün"},
          {"empty", ""},
          {"shape", Shape({2, kFree, kInferred})},
          {"unknown shape", Shape::unknown()},
          {"axis", Axis(-3)},
          {"batch", Axis::batch()},
          {"sequence", Axis("words")},
          {"all", Axis::all_static()},
          {"unknown axis", Axis::unknown()},
          {"list", DictionaryVector{1.0, "two", DictionaryVector{}, Dictionary{{"three", int32_t{3}}}}},
          {"float32", counted<float>({2, 3}, DType::float32)},
          {"float64", counted<double>({3}, DType::float64)},
          {"float16", counted<float>({5}, DType::float32).cast(DType::float16)},
          {"int8", counted<int8_t>({4, 1}, DType::int8)},
          {"int16", counted<int16_t>({300}, DType::int16)},
          {"scalar", Tensor::scalar(4)},
          {"nothing", Tensor(DType::float32, {0, 3})}};
}

std::string message_of(const std::string& bytes) {
  try {
    Dictionary::from_bytes(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::runtime);
    return e.what();
  }
  return "";
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cantik_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

TEST(Crc64, known_values) {
  EXPECT_EQ(crc64("123456789", 9), 0x995dc9bbdf1939faULL);  // of the xz file format specification
  EXPECT_EQ(crc64("", 0), 0u);
  Crc64 parts;
  parts.add("1234", 4);
  parts.add("56789", 5);
  EXPECT_EQ(parts.value(), 0x995dc9bbdf1939faULL);
}

// Bit by bit, as the definition has it.
uint64_t crc64_by_bits(const std::string& bytes) {
  uint64_t c = ~uint64_t{0};
  for (const char b : bytes) {
    c ^= static_cast<unsigned char>(b);
    for (int i = 0; i < 8; ++i) c = c & 1 ? (c >> 1) ^ 0xC96C5795D7870F42 : c >> 1;
  }
  return ~c;
}

TEST(Crc64, of_any_length_in_any_parts) {
  std::string bytes;
  for (size_t i = 0; i < 1000; ++i) bytes += static_cast<char>(i * i * 7 + i / 3);
  for (size_t length = 0; length <= bytes.size(); length += length < 300 ? 1 : 41)
    for (const size_t first : {size_t{0}, length / 2, length / 3}) {
      const std::string part = bytes.substr(bytes.size() - length);
      Crc64 c;
      c.add(part.data(), first);
      c.add(part.data() + first, length - first);
      ASSERT_EQ(c.value(), crc64_by_bits(part)) << length << " from " << first;
    }
}

TEST(Dictionary, equality_and_access) {
  Dictionary a = everything(), b = everything();
  EXPECT_EQ(a, b);
  b["float"] = 1.5;  // another kind
  EXPECT_FALSE(a == b);
  b = everything();
  b["float32"].get<Tensor>()->data<float>()[5] = 9;
  EXPECT_FALSE(a == b);
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(DictionaryValue(Tensor::scalar(nan)), DictionaryValue(Tensor::scalar(nan)));
  EXPECT_EQ(DictionaryValue(nan), DictionaryValue(nan));
  EXPECT_EQ(a.at("int").as<int32_t>(), -7);
  EXPECT_TRUE(b.erase("int"));
  EXPECT_FALSE(b.contains("int"));
  try {
    Dictionary{{"one", 1}, {"two", 2}}.at("three");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::key);
    EXPECT_STREQ(e.what(), "the dictionary has no entry three\n  remedy   use one of its keys: one, two");
  }
  try {
    (void)a.at("int").as<double>();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::value);
    EXPECT_STREQ(e.what(), "the dictionary's value must be of the kind double, and is of the kind int");
  }
}

// Byte for byte what CNTK writes.
TEST(Dictionary, values_as_cntk) {
  EXPECT_EQ(DictionaryValue(counted<int8_t>({16, 4}, DType::int8)).to_bytes(), unhex(kInt8));
  EXPECT_EQ(DictionaryValue(counted<int16_t>({16, 4}, DType::int16)).to_bytes(), unhex(kInt16));
  EXPECT_EQ(unhex(kInt16).size(), 82u);
  Tensor d = Tensor::of<double>({3, 2}, {1.5, -2, 3, 4, 1e300, 0});
  EXPECT_EQ(DictionaryValue(d).to_bytes(), unhex(kFloat64));
  EXPECT_EQ(DictionaryValue::from_bytes(unhex(kFloat64)), DictionaryValue(d));
  EXPECT_EQ(DictionaryValue::from_bytes(unhex(kInt8)),
            DictionaryValue(counted<int8_t>({16, 4}, DType::int8)));
}

TEST(Dictionary, reads_cntk) {
  Dictionary wanted = {{"a", 1},
                       {"b", 2.5},
                       {"big", 1 << 30},
                       {"c", "text ä"},
                       {"d", true},
                       {"e", false},
                       {"f", DictionaryVector{1, "x", -7}},
                       {"z", Dictionary{{"k", -3}}},
                       {"t", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})}};
  EXPECT_EQ(Dictionary::from_bytes(unhex(kMixed)), wanted);
}

TEST(Dictionary, round_trip) {
  Dictionary d = everything();
  EXPECT_EQ(Dictionary::from_bytes(d.to_bytes()), d);
  EXPECT_EQ(d.to_bytes(), d.to_bytes());
  EXPECT_EQ(Dictionary::from_bytes(Dictionary().to_bytes()), Dictionary());
  for (const auto& [key, value] : d) EXPECT_EQ(DictionaryValue::from_bytes(value.to_bytes()), value) << key;
}

// The index of dynamic axes, and no name beside it.
TEST(Dictionary, an_axis_without_a_name) {
  Axis axis(axis_code::kDynamic);
  EXPECT_EQ(axis.text(), "Axis('staticAxisIdx=DynamicAxisSentinel')");  // as CNTK calls it
  EXPECT_FALSE(axis.is_ordered());
  EXPECT_EQ(DictionaryValue::from_bytes(DictionaryValue(axis).to_bytes()).as<Axis>().text(), axis.text());
}

// The form of more than 2 GiB, asked for earlier.
TEST(Dictionary, large_form) {
  Dictionary d = everything();
  StringSink sink;
  wire::write(d, sink, 100);
  EXPECT_EQ(sink.text.substr(0, 4), "ktnc");
  EXPECT_EQ(Dictionary::from_bytes(sink.text), d);
  for (size_t i = 0; i < sink.text.size(); ++i) {
    std::string s = sink.text;
    s[i] = static_cast<char>(s[i] ^ 0x10);
    EXPECT_NE(message_of(s), "") << "byte " << i;
    EXPECT_NE(message_of(sink.text.substr(0, i)), "") << "prefix " << i;
  }
  EXPECT_NE(message_of(sink.text + "x"), "");
}

// Every byte, every bit: found by the checksum, or earlier.
TEST(Dictionary, every_flip_is_found) {
  Dictionary d = everything();
  d.erase("int16");
  std::string bytes = d.to_bytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string s = bytes;
      s[i] = static_cast<char>(s[i] ^ (1 << bit));
      EXPECT_NE(message_of(s), "") << "byte " << i << " bit " << bit;
    }
    EXPECT_NE(message_of(bytes.substr(0, i)), "") << "prefix " << i;
  }
  EXPECT_NE(message_of(bytes + '\x08' + '\x02'), "");
}

TEST(Dictionary, texts_of_errors) {
  std::string lead = "Failed to parse Dictionary from the input stream.\n  why      ",
              remedy =
                  "\n  remedy   write the file again: it is damaged, incomplete, or not a file of CNTK's";
  EXPECT_EQ(message_of(""), lead + "the file is empty" + remedy);
  EXPECT_EQ(message_of("\xff\xff\xff"),
            lead + "the protobuf encoding is broken: end of buffer exception" + remedy);
  std::string bytes = Dictionary{{"a", "b"}}.to_bytes(), damaged = bytes;
  damaged[bytes.find('b')] = 'c';
  EXPECT_EQ(message_of(damaged),
            lead + "the file is damaged: its checksum does not agree with its contents" + remedy);
  EXPECT_EQ(message_of(bytes.substr(0, bytes.size() - 9)),
            lead + "the file is damaged: it lacks the name of its writer, or its checksum" + remedy);
}

std::string varint(uint64_t v) {
  std::string s;
  for (; v > 127; v >>= 7) s += static_cast<char>(v | 128);
  return s += static_cast<char>(v);
}
std::string field(int number, const std::string& content) {
  return static_cast<char>(number << 3 | 2) + varint(content.size()) + content;
}
std::string entry(const std::string& key, const std::string& value) {
  return field(2, field(1, key) + field(2, value));
}

TEST(Dictionary, impossible_contents) {
  auto tensor = [](const std::string& shape, const std::string& numbers) {
    return entry("t", "\x10\x0b" + field(13, "\x08\x01" + field(3, field(1, shape)) + numbers));
  };
  std::string four(4, '\0'), huge = varint(uint64_t{1} << 40);
  EXPECT_EQ(message_of(tensor("\x01", field(4, field(1, four)))), "");
  EXPECT_NE(
      message_of(tensor("\x02", field(4, field(1, four)))).find("bytes of numbers in the file, and needs"),
      std::string::npos);
  EXPECT_NE(
      message_of(tensor(huge, field(4, field(1, four)))).find("bytes of numbers in the file, and needs"),
      std::string::npos);
  EXPECT_NE(
      message_of(tensor(huge + huge, field(4, field(1, four)))).find("more elements than can be counted"),
      std::string::npos);
  EXPECT_NE(message_of(tensor("\x01", field(5, field(1, four)))).find("numbers of another type"),
            std::string::npos);
  EXPECT_NE(message_of(tensor("\x01", "")).find("fewer numbers than its shape says"), std::string::npos);
  EXPECT_NE(message_of(tensor(varint(~uint64_t{0}), field(4, field(1, four)))).find("has no complete shape"),
            std::string::npos);
  EXPECT_NE(message_of(entry("x", "\x10\x06" + field(8, "\xff\xfe"))).find("not valid UTF-8"),
            std::string::npos);
  EXPECT_NE(message_of(entry("x", "\x10\x01" + field(8, "a"))).find("but its record says"),
            std::string::npos);
  EXPECT_NE(message_of(entry("x", "\x10\x07" + field(9, field(1, varint(~uint64_t{0} - 10)))))
                .find("the impossible dimension"),
            std::string::npos);
}

TEST(Dictionary, depth_is_bounded) {
  auto nested = [](int depth) {
    DictionaryValue v = 1;
    for (int i = 0; i < depth; ++i) v = Dictionary{{"d", std::move(v)}};
    return Dictionary{{"d", std::move(v)}};
  };
  EXPECT_EQ(message_of(nested(50).to_bytes()), "");
  EXPECT_NE(message_of(nested(100).to_bytes()).find("nested more than 64 deep"), std::string::npos);
  std::string bytes = "\x10\x0a";
  for (int i = 0; i < 30000 && bytes.size() < 100000; ++i) bytes = "\x10\x0a" + field(12, entry("", bytes));
  EXPECT_EQ(test::in_child([&] {
              return message_of(entry("", bytes)).find("nested more than 64 deep") == std::string::npos;
            }),
            0);
}

// The worst that few bytes can ask for: empty values in a list, dimensions of a shape, names of axes.
TEST(Dictionary, memory_is_bounded) {
  std::string values, dims(1 << 20, '\1'), axes;
  for (int i = 0; i < (1 << 20); ++i) values += std::string("\x0a\0", 2);
  for (const std::string& bytes :
       {entry("x", "\x10\x0b" + field(11, values)), entry("x", "\x10\x07" + field(9, field(1, dims)))}) {
    int result = test::in_child([&] {
      test::limit_memory((uint64_t{64} << 20) + 20 * bytes.size());
      message_of(bytes);
      return 0;
    });
    EXPECT_EQ(result, 0);
  }
  EXPECT_NE(message_of(entry("x", "\x10\x09" + field(11, values))).find("far more memory"),
            std::string::npos);
}

TEST(DictionaryFile, saves_and_loads) {
  Folder folder;
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
  Folder folder;
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
  Folder folder;
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
  Folder folder;
  std::string path = folder / "d";
  Dictionary old = everything();
  old.save(path);
  int result = test::in_child([&] {
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
  Folder folder;
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
