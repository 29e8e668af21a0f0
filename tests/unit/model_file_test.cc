// Models in CNTK's format: what CNTK wrote, what we write, and what is damaged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <cantik/dictionary.h>
#include <cantik/error.h>
#include <cantik/function.h>

#include "child_process.h"
#include "formats/model.h"
#include "formats/wire.h"

using namespace cantik;
namespace fs = std::filesystem;

namespace {

std::string corpus(const std::string& name) { return std::string(CANTIK_TESTS "/fuzz/corpus/model/") + name; }

std::string contents(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(f)), {});
}

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return runtime_error("");
}

Variable filled(Shape shape, double value, const std::string& name, DType dtype = DType::float32) {
  return parameter(std::move(shape), Initializer(value), dtype, name);
}

Variable dense(const Variable& x, int64_t width, const char* activation, const std::string& name = {}) {
  Variable inside = placeholder("x");
  Variable w = parameter({kInferred, width}, glorot_uniform(kDefaultScale, kInferRank, kInferRank, 7), x.dtype(), "W");
  Function f = call("plus", {call("times", {inside, w}), filled({width}, 0.25, "b", x.dtype())});
  if (activation) f = call(activation, {f});
  return as_block(f, {{inside, x}}, "Dense", name);
}

std::vector<std::string> lines(const Function& f) {
  std::vector<std::string> list{f.text(), f.signature(), f.uid(), f.name()};
  for (const Variable& v : f.inputs()) list.push_back(v.uid() + " " + v.text() + " " + v.type().text());
  for (const Variable& v : f.outputs()) list.push_back(v.uid() + " " + v.text() + " " + v.type().text());
  return list;
}

std::vector<double> scores(const Function& f, std::initializer_list<double> numbers) {
  Feeds feeds;
  for (const Variable& v : f.arguments()) {
    Shape shape = Shape{static_cast<int64_t>(numbers.size()) / v.shape().elements()} + v.shape();
    feeds.emplace_back(v, Value::batch(Tensor::of<double>(shape, std::span(numbers.begin(), numbers.size())).cast(v.dtype())));
  }
  std::vector<double> all;
  for (const Value& v : f.eval(feeds, f.outputs()))
    for (int64_t i = 0; i < v.data.elements(); ++i) all.push_back(v.data.at(i));
  return all;
}

// The model says the same of itself after another round, and the file is the same.
void expect_stable(const Function& f) {
  std::string bytes = f.to_bytes();
  Function g = Function::from_bytes(bytes);
  EXPECT_EQ(lines(f), lines(g));
  EXPECT_EQ(Dictionary::from_bytes(g.to_bytes()), Dictionary::from_bytes(bytes));
}

TEST(Model, everything_of_cntk_loads_and_is_stable) {
  for (const auto& entry : fs::directory_iterator(corpus(""))) {
    SCOPED_TRACE(entry.path().filename());
    expect_stable(Function::load(entry.path()));
  }
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
  EXPECT_EQ(f.text(), "Composite(ReLU): Input('free', [#], [2 x *]) -> Output('" + f.output().uid() + "', [#], [2 x *])");
  EXPECT_EQ(scores(Function::load(corpus("placeholder"))(input({2})), {-1, 2}), (std::vector<double>{0, 2, 0, 3}));
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
  Variable x = input({2}, {.needs_gradient = true, .axes = Axes({Axis::batch(), Axis("words")}), .name = "x"});
  Variable c = constant(Tensor::of<float>({2}, {1, 2}), "c");
  Function f = call("plus", {call("element_times", {x, c}, {}, "inner"), filled({}, 3, "p")}, {}, "outer").as_composite("whole");
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
    for (const DictionaryValue& v : d.at(list).as<DictionaryVector>()) EXPECT_TRUE(uids.insert(v.as<Dictionary>().at("uid").as<std::string>()).second);
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
               "1 of the arguments 'Placeholder('q', [???], [???])' of the underlying composite Function of Block 'b' have not been mapped when encapsulating the composite as a Block."
               "\n  remedy   make it an argument of the block");
  EXPECT_EQ(std::string(error_of([&] { as_block(call("plus", {p, x}), {{p, x}}, "B", "b"); }).what()).substr(0, 84), "The composite implementing Block 'b' has an argument 'Input('x', [#], [2])' which is");
}

// A loop is a placeholder of the uid of the output that it comes back to.
TEST(Model, loops) {
  Variable x = input({2}, {.axes = Axes::sequence(), .name = "x"}), back = placeholder("back");
  Function f = call("plus", {x, call("relu", {call("element_times", {back, filled({2}, 2, "w")})})});
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
  EXPECT_NE(std::string(e.what()).find("Cannot create an NDArrayView using a view shape '[? x 2]' that has unknown dimensions"), std::string::npos);
}

TEST(Model, users_functions_load_print_and_name_what_is_missing) {
  Function f = Function::load(corpus("user"));
  Function own = f.root().inputs()[0].owner();
  EXPECT_EQ(own.op_name(), "__main__.Twice");
  Error e = error_of([&] { scores(f, {1, 2}); });
  EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  std::string text = e.what();
  EXPECT_EQ(text.substr(0, text.find('\n')), "the user's function __main__.Twice, Twice of the module __main__ cannot be run: this program does not have it. "
                                                "Load the library that brings it with load_operators, before the model");
  EXPECT_NE(text.find("\n  node     Twice, inputs u : float32[#, 2]"), std::string::npos);
  // What is there and does not need it runs.
  Dictionary again = write_model(Function::from_bytes(f.to_bytes())), first = Dictionary::load(corpus("user"));
  auto of_user = [](const Dictionary& d) {
    for (const DictionaryValue& v : d.at("primitive_functions").as<DictionaryVector>())
      if (v.as<Dictionary>().at("type") == DictionaryValue("UserDefinedFunction")) return v.as<Dictionary>();
    return Dictionary();
  };
  EXPECT_EQ(of_user(again), of_user(first));
}

std::string numbered(const char* name, int i) {
  std::string s(name);
  return s += std::to_string(i);
}

// A model of one function and its inputs, to be bent.
struct Bent {
  DictionaryVector leaves, functions;
  std::string root = "f";

  static Dictionary leaf(const std::string& uid, uint64_t kind = 0) {
    return {{"version", uint64_t{1}}, {"type", "Variable"}, {"uid", uid}, {"kind", kind}, {"data_type", uint64_t{1}}, {"dynamic_axis", DictionaryVector{Axis::batch()}},
            {"is_sparse", false}, {"needs_gradient", false}, {"shape", Shape({2})}};
  }
  static Dictionary function(const std::string& uid, uint64_t op, std::vector<std::string> inputs, Dictionary attributes = {}) {
    return {{"version", uint64_t{24}}, {"type", "PrimitiveFunction"}, {"uid", uid}, {"op", op}, {"inputs", DictionaryVector(inputs.begin(), inputs.end())}, {"attributes", attributes}};
  }
  static Dictionary block(const std::string& uid, const std::string& inner, std::vector<std::string> keys, std::vector<std::string> values) {
    Dictionary d = function(uid, 57, values);
    d["block_function_op_name"] = "B";
    d["block_function_composite"] = Dictionary{{"version", uint64_t{3}}, {"type", "CompositeFunction"}, {"root", inner}, {"uid", "c" + uid}};
    d["block_function_composite_arguments_map_keys"] = DictionaryVector(keys.begin(), keys.end());
    d["block_function_composite_arguments_map_values"] = DictionaryVector(values.begin(), values.end());
    return d;
  }
  Dictionary model() const {
    return {{"version", uint64_t{3}}, {"type", "CompositeFunction"}, {"uid", "m"}, {"root", root}, {"inputs", leaves}, {"primitive_functions", functions}};
  }
  std::string error() const {
    Dictionary d = model();
    Error e = error_of([&] { Function::from_bytes(d.to_bytes()); });
    return std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
  }
};

TEST(Model, operators_that_are_not_there) {
  Bent m;
  m.leaves = {Bent::leaf("x")};
  m.functions = {Bent::function("f", 49, {"x"}, {{"hiddenSize", uint64_t{4}}, {"recurrentOp", "lstm"}})};
  Function f = Function::from_bytes(m.model().to_bytes());
  EXPECT_EQ(f.text(), "Composite(OptimizedRNNStack): Input('x', [#], [2]) -> Output('f_Output_0', [???], [???])");
  EXPECT_EQ(f.root().attributes()[0], (std::pair<std::string, Attribute>("hiddenSize", int64_t{4})));
  std::string text = error_of([&] { scores(f, {1, 2}); }).what();
  EXPECT_EQ(text.substr(0, text.find('\n')), "CNTK's operator OptimizedRNNStack cannot be run: this program does not have it");
  expect_stable(f);
  // An operator that is there, with an attribute that it cannot have.
  m.functions = {Bent::function("f", 3, {"x"}, {{"slope", 0.5}})};
  f = Function::from_bytes(m.model().to_bytes());
  text = error_of([&] { scores(f, {1, 2}); }).what();
  EXPECT_EQ(text.substr(0, text.find('\n')), "CNTK's operator ReLU with 1 input and the attributes slope cannot be run: this program does not have it");
}

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
  EXPECT_EQ(with([](Bent& b) { b.root = "g"; }), lead + "its root g is not among its functions.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("f", 3, {"y"})}; }), lead + "the function f reads y, which is not in the file.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("f", 98, {"x"})}; }), lead + "the function f is of the unknown operator 98, version 24.");
  EXPECT_EQ(with([](Bent& b) { b.functions.push_back(Bent::function("f", 3, {"x"})); }), lead + "two functions have the uid f.");
  EXPECT_EQ(with([](Bent& b) { b.leaves.push_back(Bent::leaf("x")); }), lead + "two variables have the uid x.");
  EXPECT_EQ(with([](Bent& b) { b.leaves = {Bent::leaf("x", 7)}; }), lead + "the variable x is of the unknown kind 7, version 1.");
  EXPECT_EQ(with([](Bent& b) { b.leaves = {Bent::leaf("x", 2)}; }), lead + "the variable x has no entry value.");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::leaf("x", 2);
              d["value"] = Tensor::zeros(DType::float32, {3});
              b.leaves = {d};
            }),
            lead + "the variable x is float32[#, 2], its value float32[3].");
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
            lead + "the function f has no entry attributes.");
  EXPECT_EQ(with([](Bent& b) {
              Dictionary d = Bent::function("f", 3, {"x"});
              d["op"] = 3;
              b.functions = {d};
            }),
            lead + "the entry op of the function f is of the kind int.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("f", 3, {"x"}), Bent::function("g", 3, {"f_Output_5"})}, b.root = "g"; }), lead + "a function reads output 5 of f, which has 1.");
  EXPECT_EQ(with([](Bent& b) { b.functions = {Bent::function("c", 44, {"x"}), Bent::function("f", 3, {"c_Output_0"})}; }), lead + "a function reads an output of c, which has none of its own.");
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
  EXPECT_EQ(error({Bent::function("i", 3, {"b_Output_0"}), Bent::block("b", "i", {"p"}, {"x"})}, "b"), lead + "the block b stands inside itself.");
  EXPECT_EQ(error({Bent::block("b", "b", {}, {})}, "b"), lead + "the block b stands inside itself.");
  EXPECT_EQ(error({Bent::block("b", "b", {}, {}), Bent::function("f", 3, {"b_Output_0"})}, "f"), lead + "a value of it stands for itself.");
  EXPECT_EQ(error({Bent::function("i", 44, {"p"}), Bent::block("b", "i", {"p"}, {"b_Output_0"})}, "b"), lead + "a value of it stands for itself.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"p"})}, "b"), lead + "a value of it stands for itself.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"x"}), Bent::block("c", "i", {"p"}, {"b_Output_0"})}, "c"), lead + "the placeholder p is an argument of two blocks.");
  EXPECT_EQ(error({Bent::function("i", 3, {"x"}), Bent::block("b", "i", {"x"}, {"x"})}, "b"), lead + "an argument of b is no placeholder.");
  EXPECT_EQ(error({Bent::function("i", 3, {"p"}), Bent::block("b", "i", {"p"}, {"x"}), Bent::function("f", 19, {"p", "b_Output_0"})}, "f"),
            lead + "the function f reads an argument of a block that it does not stand in.");
  // Each block holds the one before it twice.
  DictionaryVector doubled{Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 40; ++i) {
    std::string inner = numbered("f", i - 1), a = numbered("a", i), b = numbered("b", i);
    doubled.push_back(Bent::block(a, inner, {}, {}));
    doubled.push_back(Bent::block(b, inner, {}, {}));
    doubled.push_back(Bent::function(numbered("f", i), 19, {a + "_Output_0", b + "_Output_0"}));
  }
  EXPECT_EQ(error(doubled, "f39"), lead + "its blocks stand inside one another too often.");
  DictionaryVector nested{Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 500; ++i) nested.push_back(Bent::block(numbered("f", i), numbered("f", i - 1), {}, {}));
  EXPECT_EQ(error(nested, "f499"), lead + "its blocks are nested more than 100 deep.");
}

// A chain as deep as a program might unroll.
TEST(Model, deep_models) {
  Bent m;
  m.leaves = {Bent::leaf("x")};
  m.functions = {Bent::function("f0", 3, {"x"})};
  for (int i = 1; i < 120000; ++i) m.functions.push_back(Bent::function(numbered("f", i), 3, {numbered("f", i - 1) + "_Output_0"}));
  m.root = "f119999";
  Function f = Function::from_bytes(m.model().to_bytes());
  EXPECT_EQ(f.output().shape(), Shape({2}));
}

TEST(Model, first_generation) {
  Error e = error_of([] { Function::from_bytes(std::string("B\0C\0N\0\0\0B\0V\0", 12)); });
  EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  EXPECT_STREQ(e.what(), "a model in the format of CNTK 1 (BCN) cannot be loaded\n  remedy   load it with CNTK 2 and save it again; docs/status.md lists what is not there yet");
}

TEST(Model, texts_of_cntk) {
  Error e = error_of([] { Function::load("nope.cmf"); });
  EXPECT_EQ(e.kind(), ErrorKind::value);
  EXPECT_STREQ(e.what(), "Cannot load the model nope.cmf that is neither a file nor a byte buffer.");
  e = error_of([] { Function::from_bytes("garbage"); });
  EXPECT_EQ(e.kind(), ErrorKind::runtime);
  EXPECT_EQ(std::string(e.what()).substr(0, 54), "Failed to parse Dictionary from the input stream.\n  wh");
}

// Whatever is loaded says what it is, and can be saved and loaded again.
bool verifies(const Function& f) {
  lines(f);
  Function::from_bytes(f.to_bytes());
  return true;
}

// Every prefix and every byte damaged in two ways, within memory and time: a clear error, or a model that verifies.
struct Damage {
  int64_t errors = 0, models = 0;
};
Damage damage(const std::string& bytes, size_t step = 1) {
  Damage d;
  auto attempt = [&](std::string_view given) {
    try {
      d.models += verifies(Function::from_bytes(given));
    } catch (const Error& e) {
      if (std::string_view(e.what()).size() < 10) _exit(99);
      ++d.errors;
    }
  };
  for (size_t i = 0; i < bytes.size(); i += step) {
    attempt(std::string_view(bytes).substr(0, i));
    for (int flip : {0x01, 0xff}) {
      std::string s = bytes;
      s[i] = static_cast<char>(s[i] ^ flip);
      attempt(s);
    }
  }
  return d;
}

TEST(Model, damaged_files_of_cntk) {
  for (const char* name : {"criterion", "recurrence", "convolution", "blocks", "random"}) {
    std::string bytes = contents(corpus(name));
    size_t step = name == std::string("recurrence") ? 1 : 7;
    int result = test::in_child(
        [&] {
          test::limit_memory(uint64_t{192} << 20);
          Damage d = damage(bytes, step);
          return d.errors > 0 && d.models > 0 ? 0 : 1;
        },
        120);
    EXPECT_EQ(result, 0) << name;
  }
}

TEST(Model, damaged_files_of_ours) {
  std::string bytes = Function::load(corpus("criterion")).to_bytes();
  EXPECT_GT(bytes.size(), 8000u);
  int result = test::in_child(
      [&] {
        test::limit_memory(uint64_t{192} << 20);
        return damage(bytes).models == 0 ? 0 : 1;  // every single one is found
      },
      120);
  EXPECT_EQ(result, 0);
}

}  // namespace
