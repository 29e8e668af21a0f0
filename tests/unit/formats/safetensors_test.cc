// Files of weights: there and back, those of other programs, and damaged ones.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <cantik/error.h>
#include <cantik/safetensors.h>

namespace cantik {
namespace {

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

std::string with_header(const std::string& header, const std::string& data = "") {
  const auto length = static_cast<uint64_t>(header.size());
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string error_with(const std::string& header, size_t bytes = 0) {
  const std::string e =
      error_of([&] { safetensors_from_bytes(with_header(header, std::string(bytes, 'x'))); });
  const std::string lead = "the safetensors file is damaged: ";
  return e.starts_with(lead) ? e.substr(lead.size()) : e;
}

TEST(Safetensors, ThereAndBack) {
  const NamedTensors tensors{{"a", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                             {"b \"quoted\"\n\\", Tensor::of<double>({}, {0.1})},
                             {"c", Tensor::of<int16_t>({2}, {-1, 7})},
                             {"empty", Tensor(DType::float32, {0, 5})},
                             {"d", Tensor::of<int8_t>({1, 1}, {-5})}};
  const std::string bytes = safetensors_to_bytes(tensors, {{"key", "value \u00e4"}});
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  const Safetensors back = safetensors_from_bytes(bytes);
  EXPECT_EQ(back.metadata, (std::map<std::string, std::string>{{"key", "value \u00e4"}}));
  ASSERT_EQ(back.tensors.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(back.tensors[i].first, tensors[i].first);
    const Tensor &a = back.tensors[i].second, &b = tensors[i].second;
    EXPECT_EQ(a.dtype(), b.dtype());
    EXPECT_EQ(a.shape(), b.shape());
    if (b.bytes() > 0) {
      EXPECT_EQ(std::memcmp(a.raw(), b.raw(), b.bytes()), 0);
    }
  }
  EXPECT_TRUE(safetensors_from_bytes(safetensors_to_bytes({})).tensors.empty());
}

TEST(Safetensors, ReadsAnotherProgramsFile) {
  const Safetensors file = load_safetensors(CANTIK_TESTS "/golden/weights.safetensors");
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"format", "np"}, {"by", "\"PyPI\""}}));
  std::map<std::string, Tensor> found;
  for (const auto& [name, tensor] : file.tensors) found[name] = tensor;
  ASSERT_EQ(found.size(), 7U);
  EXPECT_EQ(found["hidden.W"].shape(), (Shape{2, 3}));
  EXPECT_EQ(found["hidden.W"].at(5), 1.25);
  EXPECT_EQ(found["hidden.b"].dtype(), DType::float64);
  EXPECT_EQ(found["hidden.b"].at(1), -2);
  EXPECT_EQ(found["half"].at(1), 65504);
  EXPECT_EQ(found["small \"\u00e4\U0001d11e\""].at(0), -128);
  EXPECT_EQ(found["short"].shape(), Shape{});
  EXPECT_EQ(found["short"].at(0), -32768);
  EXPECT_EQ(found["int"].at(0), 2147483647);
  EXPECT_EQ(found["empty"].shape(), (Shape{0, 4}));
}

TEST(Safetensors, ReadsBrainFloats) {
  std::string data(4, '\0');
  const uint16_t halves[2] = {0x3fc0, 0xc000};  // 1.5, -2
  std::memcpy(data.data(), halves, 4);
  const Safetensors file = safetensors_from_bytes(
      with_header(R"({"w\u00e4\ud834\udd1e":{"shape":[2],"dtype":"BF16","data_offsets":[0,4]}}  )", data));
  EXPECT_EQ(file.tensors[0].first, "w\u00e4\U0001d11e");
  EXPECT_EQ(file.tensors[0].second.dtype(), DType::float32);
  EXPECT_EQ(file.tensors[0].second.at(0), 1.5);
  EXPECT_EQ(file.tensors[0].second.at(1), -2);
}

TEST(Safetensors, KeepsOtherTypesAside) {
  const Safetensors file =
      safetensors_from_bytes(with_header(R"({"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                                         R"("w":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
                                         R"("m":{"dtype":"BOOL","shape":[2,1],"data_offsets":[12,14]}})",
                                         std::string("\5\0\0\0\0\0\0\0\0\0\x80?\1\0", 14)));
  ASSERT_EQ(file.tensors.size(), 1U);
  EXPECT_EQ(file.tensors[0].second.at(0), 1);
  ASSERT_EQ(file.others.size(), 2U);
  EXPECT_EQ(file.others[0].name, "n");
  EXPECT_EQ(file.others[0].dtype, "I64");
  EXPECT_EQ(file.others[0].shape, Shape{});
  EXPECT_EQ(file.others[0].bytes.elements(), 8);
  EXPECT_EQ(file.others[0].bytes.at(0), 5);
  EXPECT_EQ(file.others[1].shape, (Shape{2, 1}));
  EXPECT_EQ(file.others[1].bytes.at(0), 1);
}

TEST(Safetensors, RefusesDamagedFiles) {
  auto tensor = [](const std::string& what) { return "{\"a\":" + what + "}"; };
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 8), "none");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 4),
            "'a' has the shape [2], too large for the file");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"), 8),
            "the numbers of 'a' are said to lie from byte 0 to 4 and must begin at 0 and be 8 bytes");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), 9),
            "1 bytes belong to no tensor");
  EXPECT_TRUE(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"), 12)
                  .starts_with("the numbers of 'a' are said to lie from byte 4 to 12"));
  EXPECT_TRUE(error_with(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), 8)
                  .starts_with("the numbers of 'a'"));
  EXPECT_TRUE(error_with(tensor(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})"))
                  .ends_with("too large for the file"));
  EXPECT_TRUE(error_with(tensor(R"({"dtype":"F32","shape":[0,9223372036854775807,9],"data_offsets":[0,0]})"))
                  .ends_with("too large for the file"));
  EXPECT_EQ(error_with(tensor(R"({"dtype":"I64","shape":[2],"data_offsets":[0,8]})"), 8),
            "'a' has the shape [2], too large for the file");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F33","shape":[1],"data_offsets":[0,8]})"), 8),
            "'a' has the unknown dtype 'F33'");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[1]})"), 4),
            "'a' lacks its dtype, shape or data_offsets");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]})"), 4),
            "'a' has two entries dtype");
  EXPECT_EQ(error_with(tensor(R"({"type":"F32","shape":[1],"data_offsets":[0,4]})"), 4),
            "'a' has an entry type");
  EXPECT_EQ(error_with(tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,5]})"), 4),
            "'a' has 3 data_offsets");
  const std::string one = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_EQ(error_with("{" + one + "," + one + "}", 4), "two tensors have the name 'a'");
  for (const char* json :
       {"", "[]", "{", "{\"a\"", "{\"a\":1}", "{} x", "{\"a\":{\"shape\":[-1]}}", "{\"a\":{\"shape\":[1.5]}}",
        "{\"a\":{\"shape\":[01]}}", "{\"\\ud800\":1}", "{\"\\udc00\":1}", "{\"\\x\":1}", "{\"\\u12\":1}",
        "{\"a\n\":1}", "{\"a\":{\"shape\":[99999999999999999999]}}", "{\"__metadata__\":{\"a\":1}}", "nul"})
    EXPECT_TRUE(error_with(json).starts_with("the JSON text has at byte "))
        << json << ": " << error_with(json);
  EXPECT_EQ(error_of([] { safetensors_from_bytes("1234567"); }),
            "the safetensors file is damaged: it has 7 bytes");
  EXPECT_EQ(error_of([] { safetensors_from_bytes(std::string(16, '\x7f')); }),
            "the safetensors file is damaged: its header has 9187201950435737471 bytes, and the file 16");
}

// Each byte of a file changed and each part of it left out: an error, or another file.
TEST(Safetensors, SurvivesChangedBytes) {
  const std::string whole = safetensors_to_bytes(
      {{"a", Tensor::of<float>({2}, {1, 2})}, {"b", Tensor::of<int8_t>({3}, {1, 2, 3})}}, {{"k", "v"}});
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(error_of([&] { safetensors_from_bytes(std::string_view(whole).substr(0, n)); }), "none") << n;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try {
        const Safetensors read = safetensors_from_bytes(changed);
        EXPECT_NO_THROW(safetensors_from_bytes(safetensors_to_bytes(read.tensors, read.metadata)));
      } catch (const Error&) {
      }
    }
}

TEST(Safetensors, RefusesWhatItCannotWrite) {
  const Tensor one = Tensor::of<float>({1}, {1});
  EXPECT_EQ(error_of([&] { safetensors_to_bytes({{"a", one}, {"a", one}}); }),
            "each tensor needs a name of its own, and 'a' is none");
  EXPECT_EQ(error_of([&] { safetensors_to_bytes({{"", one}}); }),
            "each tensor needs a name of its own, and '' is none");
  EXPECT_EQ(error_of([&] { safetensors_to_bytes({{"__metadata__", one}}); }),
            "each tensor needs a name of its own, and '__metadata__' is none");
  const int32_t columns[1] = {1};
  EXPECT_TRUE(error_of([&] {
                safetensors_to_bytes({{"s", Tensor::one_hot(DType::float32, {1, 3}, columns)}});
              }).starts_with("the tensor 's' must be dense"));
  EXPECT_TRUE(
      error_of([&] { safetensors_to_bytes({{"u", Tensor()}}); }).starts_with("the tensor 'u' must be"));
}

TEST(Safetensors, FilesAreWholeAndNamed) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cantik_safetensors_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const std::string path = (folder / "w.safetensors").string();
  const NamedTensors tensors{{"a", Tensor::of<float>({2}, {1, 2})}};
  save_safetensors(path, tensors, {{"k", "v"}});
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), safetensors_to_bytes(tensors, {{"k", "v"}}));
  EXPECT_EQ(load_safetensors(path).tensors[0].second.at(1), 2);
  std::filesystem::resize_file(path, 20);
  EXPECT_NE(error_of([&] { load_safetensors(path); }).find("file     " + path), std::string::npos);
  EXPECT_NE(error_of([&] { load_safetensors(path + "x"); }).find("cannot be read"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cantik
