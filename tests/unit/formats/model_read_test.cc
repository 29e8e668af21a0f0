// Models that cannot be, that would be endless, and that are damaged: errors, within the memory and time that
// a file of their size may take.
#include <gtest/gtest.h>

#include "child_process.h"
#include "model_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Model, impossible_models) {
  Bent m;
  m.leaves = {Bent::leaf("x")};
  m.functions = {Bent::function("f", 3, {"x"})};
  EXPECT_EQ(Function::from_bytes(m.model().to_bytes()).op_name(), "CompositeFunctionOpName");
  auto with = [&](auto&& change) {
    Bent b = m;
    change(b);
    return b.error();
  };
  const std::string lead = "The model cannot be loaded: ";
  EXPECT_EQ(with([](Bent& b) { b.root = "g"; }), lead + "the root g is not among the model's functions.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("f", 3, {"y"})}; }),
            lead + "the function f reads y, which is not in the file.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("f", 98, {"x"})}; }),
            lead + "the function f has the unknown operator number 98, version 24.");
  EXPECT_EQ(with([](Bent& b) { b.functions.push_back(Bent::function("f", 3, {"x"})); }),
            lead + "two functions have the uid f.");
  EXPECT_EQ(with([](Bent& b) { b.leaves.push_back(Bent::leaf("x")); }),
            lead + "two variables have the uid x.");
  EXPECT_EQ(with([](Bent& b) { b.leaves = {Bent::leaf("x", 7)}; }),
            lead + "the variable x has the unknown kind 7, version 1.");
  EXPECT_EQ(with([](Bent& b) { b.leaves = {Bent::leaf("x", 2)}; }),
            lead + "the variable x lacks the entry value.");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::leaf("x", 2);
              d["value"] = Tensor::zeros(DType::float32, {3});
              b.leaves = {d};
            }),
            lead + "the variable x has the type float32[#, 2], but its value is float32[3].");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::leaf("x");
              d["shape"] = Shape({int64_t{1} << 40, int64_t{1} << 40});
              b.leaves = {d};
            }),
            lead + "the variable x has the impossible shape [1099511627776, 1099511627776].");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::function("f", 3, {"x"});
              d.erase("attributes");
              b.functions = {d};
            }),
            lead + "the function f lacks the entry attributes.");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::function("f", 3, {"x"});
              d["op"] = 3;
              b.functions = {d};
            }),
            lead + "the entry op of the function f has the wrong kind, int.");
  EXPECT_EQ(with([](Bent& b) {
              b.functions = {Bent::function("f", 3, {"x"}), Bent::function("g", 3, {"f_Output_5"})},
              b.root = "g";
            }),
            lead + "a function reads output 5 of f, which has 1 outputs.");
  EXPECT_EQ(with([](Bent& b) {
              b.functions = {Bent::function("c", 44, {"x"}), Bent::function("f", 3, {"c_Output_0"})};
            }),
            lead + "a function reads an output of the composite c, which has no outputs of its own.");
}

// What would be endless.
TEST(Model, impossible_blocks) {
  Bent m;
  m.leaves = {Bent::leaf("x"), Bent::leaf("p", 4), Bent::leaf("q", 4)};
  auto error = [&](DictionaryVector functions, const char* root) {
    Bent b = m;
    b.functions = std::move(functions);
    b.root = root;
    return b.error();
  };
  const std::string lead = "The model cannot be loaded: ";
  EXPECT_EQ(error({Bent::function("i", 3, {"b_Output_0"}), Bent::block("b", "i", {"p"}, {"x"})}, "b"),
            lead + "the block b contains itself.");
  EXPECT_EQ(error({Bent::block("b", "b", {}, {})}, "b"), lead + "the block b contains itself.");
  EXPECT_EQ(error({Bent::block("b", "b", {}, {}), Bent::function("f", 3, {"b_Output_0"})}, "f"),
            lead + "an argument of a block is bound to itself.");
  EXPECT_EQ(error({Bent::function("i", 44, {"p"}), Bent::block("b", "i", {"p"}, {"b_Output_0"})}, "b"),
            lead + "an argument of a block is bound to itself.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"p"})}, "b"),
            lead + "an argument of a block is bound to itself.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"x"}),
                   Bent::block("c", "i", {"p"}, {"b_Output_0"})},
                  "c"),
            lead + "the placeholder p is an argument of two blocks.");
  EXPECT_EQ(error({Bent::function("i", 3, {"x"}), Bent::block("b", "i", {"x"}, {"x"})}, "b"),
            lead + "an argument of the block b is not a placeholder.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"x"}),
                   Bent::function("f", 19, {"p", "b_Output_0"})},
                  "f"),
            lead + "the function f reads an argument of a block that it does not belong to.");
  // Each block holds the one before it twice.
  DictionaryVector doubled{Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 40; ++i) {
    std::string inner = numbered("f", i - 1), a = numbered("a", i), b = numbered("b", i);
    doubled.push_back(Bent::block(a, inner, {}, {}));
    doubled.push_back(Bent::block(b, inner, {}, {}));
    doubled.push_back(Bent::function(numbered("f", i), 19, {a + "_Output_0", b + "_Output_0"}));
  }
  EXPECT_EQ(error(doubled, "f39"), lead + "the model's blocks are nested too often.");
  DictionaryVector nested{Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 500; ++i) nested.push_back(Bent::block(numbered("f", i), numbered("f", i - 1), {}, {}));
  EXPECT_EQ(error(nested, "f499"), lead + "the model's blocks are nested more than 100 deep.");
}

// A chain as deep as a program might unroll.
TEST(Model, deep_models) {
  Bent m;
  m.leaves = {Bent::leaf("x")};
  m.functions = {Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 120000; ++i)
    m.functions.push_back(Bent::function(numbered("f", i), 3, {numbered("f", i - 1) + "_Output_0"}));
  m.root = "f119999";
  Function f = Function::from_bytes(m.model().to_bytes());
  EXPECT_EQ(f.output().shape(), Shape({2}));
}

// Shapes and sizes far beyond the file, in all attributes that have any: nothing is allocated for them by
// loading, printing and saving.
TEST(Model, hostile_sizes) {
  const Shape wide({int64_t{1} << 31, int64_t{1} << 31}), long_one({int64_t{1} << 62});
  int result = in_child([&] {
    limit_memory(uint64_t{64} << 20);
    for (const Shape& shape : {wide, long_one, Shape({0, int64_t{1} << 40})}) {
      for (const Dictionary& attributes :
           {Dictionary{{"newShape", shape}, {"beginAxis", Axis(0)}, {"endAxis", Axis(1)}},
            Dictionary{{"poolingType", uint64_t{0}}, {"poolingWindowShape", shape}, {"strides", shape}},
            Dictionary{
                {"numClass", ~uint64_t{0}}, {"oneHotOutputSparse", false}, {"onehotAxis", Axis(INT32_MIN)}},
            Dictionary{{"axis", Axis(INT32_MAX)}, {"numItems", ~uint64_t{0}}},
            Dictionary{{"paddingHead", DictionaryVector{~uint64_t{0}}},
                       {"paddingFoot", DictionaryVector{uint64_t{1} << 63}},
                       {"paddingMode", uint64_t{0}},
                       {"paddingConstantValue", 0.0}},
            Dictionary{{"axis", Axis(-1)},
                       {"beginIndex", INT32_MIN},
                       {"endIndex", INT32_MAX},
                       {"sliceStrides", INT32_MIN}}}) {
        for (uint64_t op = 0; op < 98; ++op) {
          if (op == 57) continue;  // a block
          Bent m;
          m.leaves = {Bent::leaf("x"), Bent::leaf("y")};
          for (int inputs = 0; inputs < 3; ++inputs) {
            m.functions = {Bent::function("f", op, std::vector<std::string>(static_cast<size_t>(inputs), "x"),
                                          attributes)};
            try {
              Function f = Function::from_bytes(m.model().to_bytes());
              lines(f);
              f.to_bytes();
            } catch (const Error&) {
            }
          }
        }
      }
    }
    return 0;
  });
  EXPECT_EQ(result, 0);
}

// What damage makes of a file: an error, or a model that says what it is and can be saved and loaded again.
struct Damage {
  int64_t errors = 0, models = 0;

  void attempt(std::string_view bytes) {
    Function f;
    try {
      f = Function::from_bytes(bytes);
    } catch (const Error& e) {
      if (std::string_view(e.what()).size() < 10) throw std::logic_error("an error without a text");
      ++errors;
      return;
    }
    EXPECT_EQ(lines(Function::from_bytes(f.to_bytes())), lines(f));
    ++models;
  }
};

// Every prefix and every flipped bit; `step`: of every so many bytes. The sanitizers are slow: they see fewer
// bytes.
Damage damage(const std::string& bytes, size_t step = 1) {
  Damage d;
  if (kSanitized) step = 11 * step;
  for (size_t i = 0; i < bytes.size(); i += step) {
    d.attempt(std::string_view(bytes).substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string s = bytes;
      s[i] = static_cast<char>(s[i] ^ (1 << bit));
      d.attempt(s);
    }
  }
  return d;
}

constexpr uint64_t kConstant = uint64_t{96} << 20;  // beyond the size of the file

TEST(Model, damaged_files_of_cntk) {
  for (const char* name : {"recurrence", "criterion", "convolution", "blocks", "random"}) {
    std::string bytes = contents(corpus(name));
    int result = in_child(
        [&] {
          limit_memory(kConstant);
          Damage d = damage(bytes, name == std::string("recurrence") ? 1 : 29);
          return d.errors > 0 && d.models > 0 && !::testing::Test::HasFailure() ? 0 : 1;
        },
        600);
    EXPECT_EQ(result, 0) << name;
  }
}

TEST(Model, damaged_files_of_ours) {
  std::string bytes = Function::load(corpus("criterion")).to_bytes();
  EXPECT_GT(bytes.size(), 8000u);
  int result = in_child(
      [&] {
        limit_memory(kConstant);
        return damage(bytes).models == 0 ? 0 : 1;  // every single one is found
      },
      600);
  EXPECT_EQ(result, 0);
}

}  // namespace
