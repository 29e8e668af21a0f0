// Graphs of elementwise operators made at random, and what a graph computes.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <cantik/function.h>

#include "compile/graph.h"

namespace cantik::support {

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : engine_(seed) {
    shape_ = pick() % 2 ? Shape{5} : Shape{3, 4};
    for (int i = 0; i < 2; ++i) inputs_.push_back(input(shape_, {.needs_gradient = true}));
    pool_ = inputs_;
    parameters_.push_back(parameter(Shape{shape_.back()}, Tensor(numbers({shape_.back()}))));
    parameters_.push_back(parameter(shape_, Tensor(numbers(shape_))));
    pool_.insert(pool_.end(), parameters_.begin(), parameters_.end());
    for (int i = 0; i < 12; ++i) pool_.push_back(grow());
  }
  Function root() {
    Variable v = pool_.back();
    for (size_t i = pool_.size() - 4; i + 1 < pool_.size(); ++i) v = call("plus", {v, pool_[i]});
    return call("plus", {v, inputs_[0]});
  }
  Tensor numbers(Shape s) {
    Tensor t(DType::float32, std::move(s));
    std::normal_distribution<float> normal(0, 0.7f);
    for (float& x : t.span<float>()) x = normal(engine_);
    return t;
  }
  std::vector<Variable> inputs_, parameters_;
  Shape shape_;

 private:
  uint32_t pick() { return engine_(); }
  Variable any() { return pool_[pick() % pool_.size()]; }
  Variable grow() {
    static const char* kUnary[] = {"tanh", "sigmoid", "relu", "negate"};
    static const char* kBinary[] = {"plus", "minus", "element_times"};
    if (pick() % 2) return call(kUnary[pick() % 4], {any()});
    return call(kBinary[pick() % 3], {any(), any()});
  }
  std::mt19937 engine_;
  std::vector<Variable> pool_;
};

// What the graph makes of the inputs' values, all outputs behind one another.
std::vector<float> results_of(ir::Graph g, const std::vector<Variable>& leaves,
                              std::span<const Variable> inputs, std::span<const Value> values);

}  // namespace cantik::support
