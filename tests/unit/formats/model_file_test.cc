// Models in CNTK's format: what CNTK wrote and what we write.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <cantik/legacy_model.h>
#include <cantik/onnx.h>

#include "formats/model.h"
#include "formats/wire.h"
#include "model_helpers.h"
#include "temporary_path.h"

using namespace cantik;
using namespace cantik::support;
namespace fs = std::filesystem;

namespace {

Variable filled(Shape shape, double value, const std::string& name, DType dtype = DType::float32) {
  return parameter(std::move(shape), Initializer(value), dtype, name);
}

Variable dense(const Variable& x, int64_t width, const char* activation, const std::string& name = {}) {
  Variable inside = placeholder("x");
  Variable w = parameter({kInferred, width}, glorot_uniform(kDefaultScale, {.seed = 7}), x.dtype(), "W");
  Function f = call("plus", {call("times", {inside, w}), filled({width}, 0.25, "b", x.dtype())});
  if (activation) f = call(activation, {f});
  return as_block(f, {{inside, x}}, "Dense", name);
}

TEST(Model, everything_of_cntk_loads_and_is_stable) {
  for (const auto& entry : fs::directory_iterator(corpus(""))) {
    if (entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename());
    expect_stable(Function::load(entry.path()));
  }
}

// Files that made the fuzzer find a defect, most with parts that contradict each other: models or errors, and
// a model comes back.
TEST(Model, what_fuzzing_found) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator(corpus("found"))) {
    SCOPED_TRACE(entry.path().filename());
    ++found;
    Function f;
    try {
      f = Function::load(entry.path());
    } catch (const Error&) {
      continue;
    }
    EXPECT_EQ(Function::from_bytes(f.to_bytes()).text(), f.text());
  }
  EXPECT_GT(found, 0);
}

TEST(Model, of_cntk) {
  Function f = Function::load(corpus("criterion"));
  EXPECT_EQ(f.text().substr(0, 70), "Composite(Combine): Input('x', [#], [3]), Input('y', [#], [4]) -> Outp");
  std::vector<std::string> names;
  for (const Variable& v : f.parameters()) names.push_back(v.name() + v.shape().text());
  EXPECT_EQ(names, (std::vector<std::string>{"W[6, 4]", "b[4]", "W[3, 6]", "b[6]"}));
  EXPECT_TRUE(f.arguments()[1].is_sparse());
  Function d1 = f.find_by_name("d1");
  ASSERT_TRUE(d1);
  EXPECT_EQ(d1.root().op_name(), "Dense");
  EXPECT_EQ(d1.root().block_composite().root().op_name(), "ReLU");
}

TEST(Model, of_cntk_with_unknown_dimensions) {
  Function f = Function::load(corpus("free"));
  EXPECT_EQ(f.text(), "Composite(ReLU): Input('free', [#], [2 x *]) -> Output('" + f.output().uid() +
                          "', [#], [2 x *])");
  EXPECT_EQ(scores(Function::load(corpus("placeholder"))(input({2})), {-1, 2}),
            (std::vector<double>{0, 2, 0, 3}));
}

TEST(Model, half_precision) {
  Function f = Function::load(corpus("half"));
  EXPECT_EQ(f.parameters()[0].dtype(), DType::float16);
  EXPECT_EQ(f.parameters()[0].value().at(2), 1.5);
}

TEST(Model, custom_attributes) {
  Function f = Function::load(corpus("annotated"));
  Dictionary wanted{{"a", 1}, {"b", "text"}, {"c", DictionaryVector{1, 2.5}}};
  EXPECT_EQ(f.custom_attributes(), wanted);
  EXPECT_EQ(f.clone(CloneMethod::share).custom_attributes(), wanted);
  f.set_custom_attributes({{"new", true}});
  EXPECT_EQ(Function::from_bytes(f.to_bytes()).custom_attributes(), (Dictionary{{"new", true}}));
}

TEST(Model, saved_and_loaded) {
  for (DType dtype : {DType::float32, DType::float64}) {
    Variable x = input({3}, {.dtype = dtype, .name = "x"});
    Function f = call("alias", {dense(dense(x, 4, "relu", "d1"), 2, "tanh")}, {}, "z");
    Function g = Function::from_bytes(f.to_bytes());
    EXPECT_EQ(lines(f), lines(g));
    EXPECT_EQ(scores(f, {1, 2, 3, -1, 0.5, 4}), scores(g, {1, 2, 3, -1, 0.5, 4}));
    expect_stable(g);
  }
}

TEST(Model, shared_things_stay_shared) {
  Variable x = input({2}), w = filled({2, 2}, 0.5, "W");
  Function first = call("times", {x, w});
  Function f = combine({call("times", {call("relu", {first}), w}), call("plus", {first, first})});
  Function g = Function::from_bytes(f.to_bytes());
  EXPECT_EQ(g.parameters().size(), 1u);
  EXPECT_EQ(g.outputs()[1].owner().inputs()[0], g.outputs()[1].owner().inputs()[1]);
  g.parameters()[0].set_value(Tensor::of<float>({2, 2}, {1, 0, 0, 1}));
  EXPECT_EQ(scores(g, {3, -4}), (std::vector<double>{3, 0, 6, -8}));
}

TEST(Model, names_uids_and_kinds_are_kept) {
  Variable x =
      input({2}, {.needs_gradient = true, .axes = Axes({Axis::batch(), Axis("words")}), .name = "x"});
  Variable c = constant(Tensor::of<float>({2}, {1, 2}), "c");
  Function f = call("plus", {call("element_times", {x, c}, {}, "inner"), filled({}, 3, "p")}, {}, "outer")
                   .as_composite("whole");
  Function g = Function::from_bytes(f.to_bytes());
  EXPECT_EQ(lines(f), lines(g));
  EXPECT_EQ(g.name(), "whole");
  EXPECT_EQ(g.root().name(), "outer");
  EXPECT_TRUE(g.arguments()[0].needs_gradient());
  EXPECT_EQ(g.arguments()[0].axes()[1].name(), "words");
  // Two functions of one file in one model: each uid once.
  Function h = Function::from_bytes(f.to_bytes());
  Dictionary d = write_model(combine({g.output(), h.output()}));
  std::set<std::string> uids;
  for (const char* list : {"inputs", "primitive_functions"})
    for (const DictionaryValue& v : d.at(list).as<DictionaryVector>())
      EXPECT_TRUE(uids.insert(v.as<Dictionary>().at("uid").as<std::string>()).second);
  EXPECT_EQ(uids.size(), 11u);
  expect_stable(Function::from_bytes(combine({g.output(), h.output()}).to_bytes()));
}

TEST(Model, blocks_within_blocks) {
  Variable a = placeholder("a"), b = placeholder("b"), x = input({2}, {.name = "x"});
  Function inner = as_block(call("element_times", {a, call("exp", {a})}), {{a, b}}, "Inner", "i");
  Function f = as_block(call("plus", {inner, b}), {{b, x}}, "Outer", "o");
  Function g = Function::from_bytes(f.to_bytes());
  EXPECT_EQ(lines(f), lines(g));
  EXPECT_EQ(g.root().block_composite().root().inputs()[0].owner().op_name(), "Inner");
  EXPECT_EQ(scores(f, {1, 2}), scores(g, {1, 2}));
  EXPECT_EQ(g.root().block_arguments()[0].second, g.arguments()[0]);
}

TEST(Model, blocks_have_nothing_from_outside) {
  Variable p = placeholder("p"), q = placeholder("q"), x = input({2}, {.name = "x"});
  EXPECT_STREQ(error_of([&] { as_block(call("plus", {p, q}), {{p, x}}, "B", "b"); }).what(),
               "1 of the arguments 'Placeholder('q', [???], [???])' of the underlying composite Function of "
               "Block 'b' have not been mapped when encapsulating the composite as a Block."
               "\n  remedy   make it an argument of the block");
  EXPECT_EQ(
      std::string(error_of([&] { as_block(call("plus", {p, x}), {{p, x}}, "B", "b"); }).what()).substr(0, 84),
      "The composite implementing Block 'b' has an argument 'Input('x', [#], [2])' which is");
}

// A loop is a placeholder of the uid of the output that it comes back to.
TEST(Model, loops) {
  Variable x = input({2}, {.axes = Axes::sequence(), .name = "x"}), back = placeholder("back");
  Function f = call(
      "plus",
      {x, call("relu", {call("element_times", {call("sequence_past_value", {back}), filled({2}, 2, "w")})})});
  f.replace_placeholders({{back, f.output()}});
  Dictionary d = write_model(f);
  std::string output = f.output().uid();
  int found = 0;
  for (const DictionaryValue& v : d.at("inputs").as<DictionaryVector>()) {
    const Dictionary& leaf = v.as<Dictionary>();
    if (leaf.at("uid").as<std::string>() != output) continue;
    ++found;
    EXPECT_EQ(leaf.at("kind").as<uint64_t>(), 4u);
  }
  EXPECT_EQ(found, 1);
  Function g = Function::from_bytes(f.to_bytes());
  EXPECT_EQ(lines(f), lines(g));
  EXPECT_TRUE(g.placeholders().empty());
  expect_stable(g);
  Function lstm = Function::load(corpus("recurrence"));
  EXPECT_TRUE(lstm.placeholders().empty());
  EXPECT_EQ(lstm.parameters().size(), 3u);
}

TEST(Model, initialised_by_saving) {
  Variable x = input({3}), w = parameter({kInferred, 2}, glorot_uniform(), DType::float32, "W");
  Function f = call("times", {x, w});
  Function g = Function::from_bytes(f.to_bytes());
  EXPECT_EQ(DictionaryValue(g.parameters()[0].value()), DictionaryValue(w.value()));
  Variable p = placeholder();
  Error e = error_of([&] { call("times", {p, parameter({kInferred, 2}, glorot_uniform())}).to_bytes(); });
  EXPECT_NE(std::string(e.what()).find(
                "Cannot create an NDArrayView using a view shape '[? x 2]' that has unknown dimensions"),
            std::string::npos);
}

TEST(Model, users_functions_load_print_and_name_what_is_missing) {
  Function f = Function::load(corpus("user"));
  Function own = f.root().inputs()[0].owner();
  EXPECT_EQ(own.op_name(), "__main__.Twice");
  Error e = error_of([&] { scores(f, {1, 2}); });
  EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  std::string text = e.what();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "the user's function __main__.Twice, Twice of the module __main__ cannot be run: this program "
            "does not have it. "
            "Define its class, a UserFunction with deserialize, or its function, with @cantik.op, before the "
            "model is loaded");
  EXPECT_NE(text.find("\n  node     Twice, inputs u : float32[#, 2]"), std::string::npos);
  // What is there and does not need it runs.
  Dictionary again = write_model(Function::from_bytes(f.to_bytes())),
             first = Dictionary::load(corpus("user"));
  auto of_user = [](const Dictionary& d) {
    for (const DictionaryValue& v : d.at("primitive_functions").as<DictionaryVector>())
      if (v.as<Dictionary>().at("type") == DictionaryValue("UserDefinedFunction")) return v.as<Dictionary>();
    return Dictionary();
  };
  EXPECT_EQ(of_user(again), of_user(first));
}

TEST(Model, operators_that_are_not_there) {
  Bent m;
  m.leaves = {Bent::leaf("x")};
  m.functions = {Bent::function("f", 56, {"x"}, {{"hiddenSize", uint64_t{4}}, {"kind", "lstm"}})};
  Function f = Function::from_bytes(m.model().to_bytes());
  EXPECT_EQ(f.text(), "Composite(Pass): Input('x', [#], [2]) -> Output('f_Output_0', [???], [???])");
  EXPECT_EQ(f.root().attributes()[0], (std::pair<std::string, Attribute>("hiddenSize", int64_t{4})));
  std::string text = error_of([&] { scores(f, {1, 2}); }).what();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "CNTK's operator Pass cannot be run: this program does not have it");
  expect_stable(f);
  // An operator that is there, with an attribute that it cannot have.
  m.functions = {Bent::function("f", 3, {"x"}, {{"slope", 0.5}})};
  f = Function::from_bytes(m.model().to_bytes());
  text = error_of([&] { scores(f, {1, 2}); }).what();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "CNTK's operator ReLU with 1 input and the attributes slope cannot be run: this program does not "
            "have it");
}

std::vector<double> all_of(const Tensor& t) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < t.elements(); ++i) numbers.push_back(t.at(i));
  return numbers;
}

// Large parameters lie in the memory that the file was read into, wherever the file has them.
TEST(Model, large_parameters) {
  const std::string path = temporary_path("large_parameters");
  const Shape shape{200, 100};  // more than 64 KiB
  for (const DType dtype : {DType::float32, DType::float64})
    for (int place = 0; place < 9; ++place)
      for (const bool is_onnx : {false, true}) {
        SCOPED_TRACE(place);
        Variable x = input({200}, {.dtype = dtype, .name = std::string(static_cast<size_t>(place) + 1, 'x')});
        Function f = call(
            "times", {call("plus", {x, filled({200}, 2, "b", dtype)}),
                      parameter(shape, uniform(1), dtype, std::string(static_cast<size_t>(place), 'w'))});
        is_onnx ? save_onnx(f, path) : f.save(path);
        const Function one = Function::load(path), two = Function::load(path);
        fs::remove(path);
        const Value fed = Value::batch(Tensor::full(dtype, {3, 200}, 0.5));
        const Feeds first{{one.arguments()[0], fed}}, second{{two.arguments()[0], fed}};
        const std::vector<double> expected = all_of(f.eval({{x, fed}}).data);
        EXPECT_EQ(all_of(one.eval(first).data), expected);
        // what is done to one is not done to the other
        for (const Variable& p : one.parameters()) p.set_value(Tensor::full(dtype, p.shape(), 1));
        EXPECT_NE(all_of(one.eval(first).data), expected);
        EXPECT_EQ(all_of(two.eval(second).data), expected);
      }
  call("plus", {filled(shape, 1, "w"), constant(Shape{}, 0.0)}).save(path);
  std::string damaged = contents(path);
  fs::remove(path);
  for (const size_t at : {damaged.size() / 2, damaged.size() / 2 + 1, size_t{400}}) {
    std::string other = damaged;
    other[at] = static_cast<char>(other[at] ^ 4);
    std::ofstream(path, std::ios::binary) << other;
    EXPECT_THROW(Function::load(path), Error) << at;
    fs::remove(path);
  }
}

TEST(Model, first_generation) {
  Error e = error_of([] { Function::from_bytes(std::string("B\0C\0N\0\0\0B\0V\0", 12)); });
  EXPECT_EQ(e.kind(), ErrorKind::runtime);
  EXPECT_STREQ(e.what(), "the model of CNTK 1 is damaged at byte 12: the file ends before it is complete");
  // Cut off anywhere, and with any byte changed, it is an error or a model; never anything else.
  const fs::path path = fs::temp_directory_path() / ("cantik_first_generation_" + std::to_string(getpid()));
  Variable x = input({3}, {.axes = Axes::sequence(), .name = "x"}), h = placeholder("h");
  Function step = call("tanh", {call("plus", {x, call("past_value", {h, constant({}, 0.0)})})});
  save_legacy_model(step.replace_placeholders({{h, step.output()}}), path);
  const std::string whole = contents(path);
  fs::remove(path);
  EXPECT_EQ(Function::from_bytes(whole).text().substr(0, 47),
            "Composite(Combine): Input('x', [#, *], [3]) -> ");
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_THROW(Function::from_bytes(whole.substr(0, n)), Error) << n;
  for (size_t i = 0; i < whole.size(); ++i)
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      try {
        Function::from_bytes(damaged);
      } catch (const Error&) {
      }
    }
}

TEST(Model, texts_of_cntk) {
  Error e = error_of([] { Function::load("nope.cmf"); });
  EXPECT_EQ(e.kind(), ErrorKind::value);
  EXPECT_STREQ(e.what(), "Cannot load the model nope.cmf that is neither a file nor a byte buffer.");
  e = error_of([] { Function::from_bytes("garbage"); });
  EXPECT_EQ(e.kind(), ErrorKind::runtime);
  EXPECT_EQ(std::string(e.what()).substr(0, 54), "Failed to parse Dictionary from the input stream.\n  wh");
}

}  // namespace
