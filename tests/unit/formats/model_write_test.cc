// What stands in a model's file, compared with files of CNTK 2.7.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <cantik/ops.h>

#include "base/text.h"
#include "formats/model.h"
#include "model_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// The root of a model as calls of numbered operators on named inputs: uids are left out.
class Wiring {
 public:
  explicit Wiring(const Dictionary& model) {
    for (const DictionaryValue& d : model.at("inputs").as<DictionaryVector>()) {
      const Dictionary& leaf = d.as<Dictionary>();
      calls_[leaf.at("uid").as<std::string>()] = leaf.at("name").as<std::string>();
    }
    for (const DictionaryValue& d : model.at("primitive_functions").as<DictionaryVector>())
      functions_[d.as<Dictionary>().at("uid").as<std::string>()] = d.as<Dictionary>();
    text = of(model.at("root").as<std::string>());
  }
  std::string text;

 private:
  std::string of(const std::string& uid) {
    if (const auto leaf = calls_.find(uid); leaf != calls_.end()) return leaf->second;
    const Dictionary& f = functions_.at(uid.substr(0, uid.find("_Output_")));
    std::string arguments;
    for (const DictionaryValue& in : f.at("inputs").as<DictionaryVector>())
      arguments += cat(arguments.empty() ? "" : ", ", of(in.as<std::string>()));
    return cat(f.at("op").as<uint64_t>(), "(", arguments, ")");
  }
  std::map<std::string, std::string> calls_;
  std::map<std::string, Dictionary> functions_;
};

// A batch `v` and sequences `s` of two numbers.
struct BatchAndSteps {
  Variable s = input({2}, {.axes = Axes({Axis::batch(), Axis::sequence()}), .name = "s"});
  Variable v = input({2}, {.name = "v"});
  static std::vector<Value> values(const Function& f) {
    constexpr int64_t lengths[] = {3, 1};
    Feeds feeds;
    for (const Variable& x : f.arguments()) {
      const bool steps = x.axes().has_sequence();
      const std::vector<double> numbers =
          steps ? std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8} : std::vector<double>{2, 3, -4, 9};
      const Tensor t = Tensor::of<double>(Shape{steps ? 4 : 2, 2}, std::span(numbers)).cast(x.dtype());
      feeds.emplace_back(x, steps ? Value{t, Layout::of_lengths(std::span(lengths))} : Value::batch(t));
    }
    return f.eval(feeds, f.outputs());
  }
};

void expect_same(const std::vector<Value>& a, const std::vector<Value>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].data.shape(), b[i].data.shape());
    for (int64_t k = 0; k < a[i].data.elements(); ++k) EXPECT_EQ(a[i].data.at(k), b[i].data.at(k));
  }
}

TEST(ModelWrite, a_batch_beside_sequences_has_cntks_function_between) {
  BatchAndSteps in;
  const Function f = combine({call("plus", {in.s, in.v}), call("minus", {in.v, in.s}),
                              call("greater", {in.s, in.v}), call("times_transpose", {in.v, in.s})});
  const Dictionary written = write_model(f);
  EXPECT_EQ(Wiring(written).text, Wiring(Dictionary::load(corpus("batch_and_steps"))).text);
  expect_same(BatchAndSteps::values(f), BatchAndSteps::values(read_model(written)));
  expect_same(BatchAndSteps::values(f), BatchAndSteps::values(Function::load(corpus("batch_and_steps"))));
  expect_stable(read_model(written));
}

TEST(ModelWrite, a_block_is_known_again_with_that_function_in_it) {
  BatchAndSteps in;
  const Function f = call("element_max", {in.s, in.v});
  const Function again = read_model(write_model(f));
  EXPECT_EQ(again.root().signature(), f.root().signature());
  expect_same(BatchAndSteps::values(f), BatchAndSteps::values(again));
}

TEST(ModelWrite, sequences_alone_have_none) {
  BatchAndSteps in;
  EXPECT_EQ(Wiring(write_model(call("plus", {in.s, in.s}))).text, "19(s, s)");
  EXPECT_EQ(Wiring(write_model(call("plus", {in.v, in.v}))).text, "19(v, v)");
}

TEST(ModelWrite, the_order_of_no_axes_is_an_empty_list) {
  const Variable one = parameter({}, Initializer(3.0), DType::float32, "one");
  const NamedAttribute perm{"perm", std::vector<int64_t>()};
  const Dictionary written = write_model(call("transpose", {one}, {perm}));
  const Dictionary f = written.at("primitive_functions").as<DictionaryVector>().back().as<Dictionary>();
  EXPECT_TRUE(f.at("attributes").as<Dictionary>().at("axisVec").as<DictionaryVector>().empty());
  EXPECT_EQ(read_model(written).output().shape(), Shape{});
}

}  // namespace
