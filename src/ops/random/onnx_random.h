// Random numbers in ONNX's files. A file's seed is a real number; without one each reading draws others.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <cantik/op.h>

#include "ops/control/onnx_cast.h"
#include "ops/onnx_listed.h"
#include "ops/random/distribution.h"

namespace cantik::onnx_random {

inline int64_t seed_of(const OnnxNode& n) {
  if (!n.given("seed")) return static_cast<int64_t>(kAutoSeed);
  const double seed = n.real("seed", 0);
  if (!(seed >= 0 && seed < 0x1p53)) throw value_failure("its seed is no number from 0 to 2^53");
  return static_cast<int64_t>(seed);
}

// Numbers of a distribution in the shape of x and of its element type.
inline Term drawn_like(OnnxNode& n, Term x, const char* type, const std::vector<double>& args) {
  return n.call("random_distribution_like", {x}, {{"type", type}, {"args", args}, {"seed", seed_of(n)}});
}

// The operator's two numbers, which have other names for each distribution.
inline std::vector<double> uniform_range(const OnnxNode& n) { return {n.real("low", 0), n.real("high", 1)}; }
inline std::vector<double> normal_form(const OnnxNode& n) { return {n.real("mean", 0), n.real("scale", 1)}; }

inline void read_like(OnnxNode& n, const char* type, const std::vector<double>& args) {
  const int64_t element = n.integer("dtype", n.element(n.x()));
  if (onnx::is_whole(element)) OnnxNode::refuse("random numbers of an element type of whole numbers");
  const Term x = onnx_cast::held(n, n.x(), onnx::holder_of(element));
  Term y = drawn_like(n, x, type, args);
  if (onnx::small_float(element)) y = onnx_cast::rounded(n, y, element);
  n.result(n.with_dims(y, n.dims(n.x())));
  n.result_type(0, element);
}

inline void read_of_shape(OnnxNode& n, const char* type, const std::vector<double>& args) {
  const int64_t element = n.integer("dtype", 1);
  if (onnx::is_whole(element)) OnnxNode::refuse("random numbers of an element type of whole numbers");
  const std::vector<int64_t> shape = n.integers("shape");
  listed(shape);
  Term y = n.call("random_distribution", {},
                  {{"type", type},
                   {"args", args},
                   {"seed", seed_of(n)},
                   {"shape", Shape(shape)},
                   {"dtype", onnx::holder_of(element)}});
  if (onnx::small_float(element)) y = onnx_cast::rounded(n, y, element);
  n.result(y);
  n.result_type(0, element);
}

// 1 with the probability x, which is each number's own.
inline void bernoulli(OnnxNode& n) {
  const int64_t element = n.integer("dtype", n.element(n.x()));
  Term x = n.x();
  if (n.type(x).dtype == DType::float16) x = onnx_cast::held(n, x, DType::float32);
  const Term y = n.call("less", {drawn_like(n, x, "uniform", {0, 1}), x});
  n.result(n.with_dims(onnx_cast::held(n, y, onnx::holder_of(element)), n.dims(n.x())));
  n.result_type(0, element);
}

// Classes, drawn by their unnormalised log-probabilities: the class at which these and numbers of a Gumbel
// distribution have the greatest sum (Gumbel 1954). x: [batch, classes]; y: [batch, sample_size].
inline void multinomial(OnnxNode& n) {
  const int64_t element = n.integer("dtype", 6), count = n.integer("sample_size", 1);
  std::vector<int64_t> dims = n.dims(n.x());
  if (dims.size() != 2) throw value_failure("it reads a row of classes for each sample");
  if (count < 1 || dims[1] < 1) throw value_failure("it draws no classes, or from none");
  listed({count, dims[1]});
  Term x = n.rows(n.x());
  if (n.type(x).dtype == DType::float16) x = onnx_cast::held(n, x, DType::float32);
  const std::vector<double> zeros(static_cast<size_t>(count * dims[1]), 0);
  x = n.reshape(x, {dims[0], 1, dims[1]}) + n.constants(zeros, {count, dims[1]}, x);
  x = x + drawn_like(n, x, "gumbel", {0, 1});
  const Term y = n.with_dims(n.call("argmax", {x}, {{"axis", int64_t{-1}}}), {dims[0], count, 1});
  n.result(onnx_cast::held(n, n.reshape(y, {dims[0], count}), onnx::holder_of(element)));
  n.result_type(0, element);
}

// ---- writing

// The arguments of a node that draws numbers; one without a seed of its own has none in the file.
template <class A>
std::vector<Argument> seeded(const A& a, std::vector<Argument> given) {
  if (a.seed != static_cast<int64_t>(kAutoSeed)) given.emplace_back("seed", static_cast<double>(a.seed));
  return given;
}

// Numbers of the distribution of `a`; `node` makes the one that ONNX has: uniform or normal ones.
template <class A, class F>
void write(OnnxGraph& g, const A& a, F node) {
  if (a.type == "normal")
    return g.result(node("RandomNormal", seeded(a, {{"mean", a.args[0]}, {"scale", a.args[1]}})));
  if (a.type == "uniform")
    return g.result(node("RandomUniform", seeded(a, {{"low", a.args[0]}, {"high", a.args[1]}})));
  const OnnxValue u = node("RandomUniform", seeded(a, {{"low", 0.0}, {"high", 1.0}}));
  if (a.type == "bernoulli") return g.result(g.number(g.node("Less", {u, g.real(a.args[0])})));
  const OnnxValue inner =
      g.node("Log", {g.node("Neg", {g.node("Log", {u})})});  // gumbel: loc - scale log(-log u)
  g.result(g.node("Sub", {g.real(a.args[0]), g.node("Mul", {g.real(a.args[1]), inner})}));
}

inline void write_like(OnnxGraph& g, const randoms::Like& a) {
  write(g, a, [&](std::string op, const std::vector<Argument>& given) {
    return g.node((op + "Like").c_str(), {g.x()}, given);
  });
}

inline void write_of_shape(OnnxGraph& g, const randoms::Given& a) {
  const std::vector<int64_t> shape(a.shape.begin(), a.shape.end());
  write(g, a, [&](const std::string& op, std::vector<Argument> given) {
    given.emplace_back("shape", shape);
    given.emplace_back("dtype", OnnxGraph::type_number(a.dtype));
    return g.node(op.c_str(), {}, given);
  });
}

}  // namespace cantik::onnx_random
