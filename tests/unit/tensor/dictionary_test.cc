// Dictionaries: as values, and as CNTK's protobuf messages.
#include <cantik/dictionary.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <cantik/error.h>

#include "base/file.h"
#include "child_process.h"
#include "dictionaries.h"
#include "error_of.h"
#include "formats/wire.h"

using namespace cantik;

namespace {

#include "golden/dictionary_cntk.inc"

std::string unhex(std::string_view hex) {
  std::string s;
  for (size_t i = 0; i < hex.size(); i += 2)
    s += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return s;
}

struct StringSink final : Sink {
  void write(const void* data, size_t bytes) override { text.append(static_cast<const char*>(data), bytes); }
  std::string text;
};

std::string message_of(const std::string& bytes) {
  try {
    Dictionary::from_bytes(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::runtime);
    return e.what();
  }
  return "";
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
  EXPECT_NE(error_of([&] { nested(100).to_bytes(); }).find("nested more than 64 deep"), std::string::npos);
  std::string bytes = "\x10\x0a";
  for (int i = 0; i < 30000 && bytes.size() < 100000; ++i) bytes = "\x10\x0a" + field(12, entry("", bytes));
  EXPECT_EQ(support::in_child([&] {
              return message_of(entry("", bytes)).find("nested more than 64 deep") == std::string::npos;
            }),
            0);
}

// What is saved can be read again.
TEST(Dictionary, texts_that_are_none_are_not_saved) {
  const std::string latin = "gr\xfc\xdf";
  for (const Dictionary& d :
       {Dictionary{{"key", latin}}, Dictionary{{latin, 1}}, Dictionary{{"key", Axis::unique(latin)}},
        Dictionary{{"key", DictionaryVector{latin}}}})
    EXPECT_NE(error_of([&] { d.to_bytes(); }).find("is not valid UTF-8 and cannot be saved"),
              std::string::npos);
}

TEST(Dictionary, a_part_takes_the_place_of_the_whole) {
  const std::string text = "a text that is long enough to stand on the heap";
  Dictionary d{{"model", Dictionary{{"name", text}}}};
  d = d.at("model").as<Dictionary>();
  EXPECT_EQ(d.at("name").as<std::string>(), text);
  d = Dictionary(std::move(d));
  EXPECT_TRUE(d == (Dictionary{{"name", text}}));
}

// The worst that few bytes can ask for: empty values in a list, dimensions of a shape, names of axes.
TEST(Dictionary, memory_is_bounded) {
  std::string values, dims(1 << 20, '\1'), axes;
  for (int i = 0; i < (1 << 20); ++i) values += std::string("\x0a\0", 2);
  for (const std::string& bytes :
       {entry("x", "\x10\x0b" + field(11, values)), entry("x", "\x10\x07" + field(9, field(1, dims)))}) {
    int result = support::in_child([&] {
      support::limit_memory((uint64_t{64} << 20) + 20 * bytes.size());
      message_of(bytes);
      return 0;
    });
    EXPECT_EQ(result, 0);
  }
  EXPECT_NE(message_of(entry("x", "\x10\x09" + field(11, values))).find("far more memory"),
            std::string::npos);
}

}  // namespace
