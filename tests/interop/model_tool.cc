// Cantik's side of the interop scripts:
//
//   model_tool show MODEL              what the model is, one fact a line
//   model_tool eval MODEL FOLDER       feeds FOLDER/in<i>.npy to argument i, as sequences where there is an
//                                      in<i>.lengths.npy; writes FOLDER/out<i>.npy
//   model_tool save MODEL OTHER        loads and saves
//   model_tool list                    names of the models it can build itself
//   model_tool make NAME MODEL         builds and saves one of them
#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/ops.h>
#include <cantik/recurrence.h>

#include <filesystem>
#include <iostream>

#include "npy.h"

using namespace cantik;

namespace {

void show(const Function& f) {
  std::cout << "signature " << f.signature() << "\ntext " << f.text() << "\nuid " << f.uid() << "\n";
  for (const Variable& v : f.inputs())
    std::cout << "input " << v.uid() << " " << v.text() << " " << v.type().text() << "\n";
  for (const Variable& v : f.outputs())
    std::cout << "output " << v.uid() << " " << v.text() << " " << v.type().text() << "\n";
}

Value feed(const Variable& v, const Tensor& data, const std::shared_ptr<const Layout>& layout) {
  if (v.axes().empty()) return Value(data, nullptr);
  if (!v.is_sparse()) return Value(data, layout);
  // One-hot rows, given dense.
  int64_t rows = data.shape()[0], width = data.elements() / rows;
  std::vector<int32_t> columns;
  for (int64_t i = 0; i < data.elements(); ++i)
    if (data.at(i) != 0) columns.push_back(static_cast<int32_t>(i % width));
  return Value(Tensor::one_hot(data.dtype(), data.shape(), columns), layout);
}

void eval(const Function& f, const std::string& folder) {
  Feeds feeds;
  std::vector<Variable> arguments = f.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string file = folder + "/in" + std::to_string(i);
    Tensor data = npy::load(file + ".npy");
    std::shared_ptr<const Layout> layout =
        arguments[i].axes().empty() ? nullptr : Layout::batch(data.shape()[0]);
    if (std::filesystem::exists(file + ".lengths.npy")) {
      Tensor given = npy::load(file + ".lengths.npy");
      std::vector<int64_t> lengths;
      for (int64_t s = 0; s < given.elements(); ++s) lengths.push_back(static_cast<int64_t>(given.at(s)));
      layout = Layout::of_lengths(lengths);
    }
    feeds.emplace_back(arguments[i], feed(arguments[i], data, layout));
  }
  std::vector<Value> values = f.eval(feeds, f.outputs());
  for (size_t i = 0; i < values.size(); ++i)
    npy::save(folder + "/out" + std::to_string(i) + ".npy", values[i].data);
}

Variable filled(Shape shape, const std::string& name, DType dtype = DType::float32) {
  return parameter(std::move(shape), glorot_uniform(), dtype, name);
}

Variable dense(const Variable& x, int64_t width, const char* activation) {
  Variable inside = placeholder("x");
  Function f = call("plus", {call("times", {inside, filled({kInferred, width}, "W", x.dtype())}),
                             filled({width}, "b", x.dtype())});
  if (activation) f = call(activation, {f});
  return as_block(f, {{inside, x}}, "Dense");
}

using Make = Function (*)();
const std::pair<const char*, Make> kModels[] = {
    {"dense_stack",
     [] {
       return call("alias",
                   {dense(dense(dense(input({3}, {.name = "x"}), 8, "relu"), 5, "tanh"), 2, nullptr)}, {},
                   "z");
     }},
    {"dense_stack_double",
     [] {
       return call("alias", {dense(dense(input({3}, {.dtype = DType::float64}), 8, "sigmoid"), 2, nullptr)});
     }},
    {"sparse_dense", [] { return call("alias", {dense(input({12}, {.sparse = true}), 4, "relu")}); }},
    {"shared_parameter",
     [] {
       Variable x = input({4}), w = filled({4, 4}, "W");
       return combine(
           {call("times", {call("tanh", {call("times", {x, w})}), w}), call("element_times", {x, w})});
     }},
    {"tagger",
     [] {
       Variable x = input({9}, {.sparse = true, .axes = Axes::sequence(), .name = "words"});
       Function both = layers::side_by_side({layers::recurrence(layers::lstm(4)),
                                             layers::recurrence(layers::lstm(4), {.go_backwards = true})});
       return layers::sequential({layers::embedding(5), both, layers::dense(3)})(x);
     }},
    {"gru_fold",
     [] {
       return layers::fold(layers::gru(4, {.enable_self_stabilization = true}))(
           input({3}, {.axes = Axes::sequence()}));
     }},
    {"own_step",
     [] {
       Variable w = filled({3, 3}, "W");
       auto step = [&](Variable a, Variable b, Variable x) {
         return std::pair(call("tanh", {call("times", {a, w}) + b}), b - x);
       };
       return layers::recurrence(step, {.return_full_state = true})(input({3}, {.axes = Axes::sequence()}));
     }},
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> a(argv + 1, argv + argc);
  try {
    if (a.size() == 2 && a[0] == "show")
      show(Function::load(a[1]));
    else if (a.size() == 3 && a[0] == "eval")
      eval(Function::load(a[1]), a[2]);
    else if (a.size() == 3 && a[0] == "save")
      Function::load(a[1]).save(a[2]);
    else if (a.size() == 1 && a[0] == "list") {
      for (const auto& [name, make] : kModels) std::cout << name << "\n";
    } else if (a.size() == 3 && a[0] == "make") {
      for (const auto& [name, make] : kModels)
        if (a[1] == name) make().save(a[2]);
    } else {
      std::cerr
          << "usage: model_tool show MODEL | eval MODEL FOLDER | save MODEL OTHER | list | make NAME MODEL\n";
      return 2;
    }
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
