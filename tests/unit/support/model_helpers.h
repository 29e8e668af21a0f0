// What tests of model files share: models that CNTK wrote, what a model says of itself, and models to be
// bent.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <cantik/dictionary.h>
#include <cantik/error.h>
#include <cantik/function.h>

namespace cantik::support {

inline std::string corpus(const std::string& name) {
  return std::string(CANTIK_TESTS "/fuzz/corpus/model/") + name;
}

inline std::string contents(const std::string& path) {
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

inline std::vector<std::string> lines(const Function& f) {
  std::vector<std::string> list{f.text(), f.signature(), f.uid(), f.name()};
  for (const Variable& v : f.inputs()) list.push_back(v.uid() + " " + v.text() + " " + v.type().text());
  for (const Variable& v : f.outputs()) list.push_back(v.uid() + " " + v.text() + " " + v.type().text());
  return list;
}

inline std::vector<double> scores(const Function& f, std::initializer_list<double> numbers) {
  Feeds feeds;
  for (const Variable& v : f.arguments()) {
    Shape shape = Shape{static_cast<int64_t>(numbers.size()) / v.shape().elements()} + v.shape();
    feeds.emplace_back(
        v,
        Value::batch(Tensor::of<double>(shape, std::span(numbers.begin(), numbers.size())).cast(v.dtype())));
  }
  std::vector<double> all;
  for (const Value& v : f.eval(feeds, f.outputs()))
    for (int64_t i = 0; i < v.data.elements(); ++i) all.push_back(v.data.at(i));
  return all;
}

// The model says the same of itself after another round, and the file is the same.
inline void expect_stable(const Function& f) {
  std::string bytes = f.to_bytes();
  Function g = Function::from_bytes(bytes);
  EXPECT_EQ(lines(f), lines(g));
  EXPECT_EQ(Dictionary::from_bytes(g.to_bytes()), Dictionary::from_bytes(bytes));
}

inline std::string numbered(const char* name, int i) {
  std::string s(name);
  return s += std::to_string(i);
}

// A model of one function and its inputs, to be bent.
struct Bent {
  DictionaryVector leaves, functions;
  std::string root = "f";

  static Dictionary leaf(const std::string& uid, uint64_t kind = 0) {
    return {{"version", uint64_t{1}},
            {"type", "Variable"},
            {"uid", uid},
            {"kind", kind},
            {"data_type", uint64_t{1}},
            {"dynamic_axis", DictionaryVector{Axis::batch()}},
            {"is_sparse", false},
            {"needs_gradient", false},
            {"shape", Shape({2})}};
  }
  static Dictionary function(const std::string& uid, uint64_t op, std::vector<std::string> inputs,
                             Dictionary attributes = {}) {
    return {{"version", uint64_t{24}},
            {"type", "PrimitiveFunction"},
            {"uid", uid},
            {"op", op},
            {"inputs", DictionaryVector(inputs.begin(), inputs.end())},
            {"attributes", attributes}};
  }
  static Dictionary block(const std::string& uid, const std::string& inner, std::vector<std::string> keys,
                          std::vector<std::string> values) {
    Dictionary d = function(uid, 57, values);
    d["block_function_op_name"] = "B";
    d["block_function_composite"] = Dictionary{
        {"version", uint64_t{3}}, {"type", "CompositeFunction"}, {"root", inner}, {"uid", "c" + uid}};
    d["block_function_composite_arguments_map_keys"] = DictionaryVector(keys.begin(), keys.end());
    d["block_function_composite_arguments_map_values"] = DictionaryVector(values.begin(), values.end());
    return d;
  }
  Dictionary model() const {
    return {{"version", uint64_t{3}}, {"type", "CompositeFunction"},     {"uid", "m"}, {"root", root},
            {"inputs", leaves},       {"primitive_functions", functions}};
  }
  std::string error() const {
    Dictionary d = model();
    Error e = error_of([&] { Function::from_bytes(d.to_bytes()); });
    return std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
  }
};

}  // namespace cantik::support
