// Dictionaries as JSON: there and back, what has no form, and texts that are something else.
#include "tensor/dictionary_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <cantik/error.h>

#include "dictionaries.h"
#include "error_of.h"

namespace cantik {
namespace {

TEST(DictionaryJson, ThereAndBack) {
  const Dictionary d{{"none", DictionaryValue()},
                     {"yes", true},
                     {"no", false},
                     {"int", int32_t{-7}},
                     {"least", std::numeric_limits<int32_t>::min()},
                     {"size", uint64_t{1} << 62},
                     {"whole", 2.0},
                     {"tiny", 5e-324},
                     {"third", 1.0 / 3},
                     {"text", "grün \"\\\n\x01"},
                     {"list", DictionaryVector{1.5, "two", DictionaryVector{}, Dictionary{{"three", true}}}}};
  const std::string text = to_json(d);
  EXPECT_TRUE(dictionary_from_json(text) == d) << text;
  EXPECT_NE(text.find(R"("whole": 2.0)"), std::string::npos);
  EXPECT_EQ(to_json({}), "{}");
  EXPECT_EQ(to_json({{"a", Shape({2, 3})}, {"b", 0.5F}}), R"({"a": [2, 3], "b": 0.5})");
  const Dictionary read = dictionary_from_json(" { \"a\" : -0.5e1 , \"b\" : -3000000000 } ");
  EXPECT_EQ(read.at("a").as<double>(), -5);
  EXPECT_EQ(read.at("b").as<double>(), -3e9);
}

TEST(DictionaryJson, NamesWhatHasNoForm) {
  auto refused = [](DictionaryValue value) {
    return error_of([&] { to_json({{"outer", Dictionary{{"inner", value}}}}); });
  };
  for (DictionaryValue value : {DictionaryValue(Tensor::scalar(4)), DictionaryValue(Axis::batch()),
                                DictionaryValue(std::numeric_limits<double>::infinity()),
                                DictionaryValue(~uint64_t{0}), DictionaryValue("\xff")}) {
    const std::string said = refused(value);
    EXPECT_NE(said.find("inner"), std::string::npos) << said;
    EXPECT_NE(said.find("outer"), std::string::npos) << said;
  }
  DictionaryValue deep = 1.0;
  for (int i = 0; i < 70; ++i) deep = DictionaryVector{deep};
  EXPECT_NE(refused(deep).find("nested more than 64 deep"), std::string::npos);
}

TEST(DictionaryJson, RefusesOtherTexts) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"a\": nul}"), std::string("{\"a\": nan}"),
        std::string("{\"a\": inf}"), std::string("{\"a\": 1e999}"), std::string("{\"a\": tru}"),
        std::string("{\"a\": -}"), std::string("{\"a\": 01}"), std::string("{\"a\": 99999999999999999999}"),
        std::string("{\"a\": 1} x"), std::string("{\"\xff\": 1}"), std::string("{a: 1}"),
        "{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}"})
    try {
      dictionary_from_json(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::runtime) << text << ": " << e.what();
    }
}

}  // namespace
}  // namespace cantik
