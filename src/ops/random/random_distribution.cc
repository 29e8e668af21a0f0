// Numbers drawn anew in every run, from the node's own stream: the primitive under cntk.random.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/random/distribution.h"
#include "ops/random/drawn_columns.h"
#include "ops/random/onnx_random.h"

using namespace cantik;

namespace {

void check_distribution(const std::string& type, const std::vector<double>& args) {
  size_t wanted = type == "bernoulli" ? 1 : 2;
  if (args.size() != wanted)
    throw value_failure("the distribution " + type + " takes " + std::to_string(wanted) +
                        (wanted == 1 ? " number" : " numbers") + ", and was given " +
                        std::to_string(args.size()));
  if (type == "uniform")
    check_uniform(args[0], args[1]);
  else if (type == "normal")
    check_normal(args[1]);
  else if (type == "gumbel")
    check_gumbel(args[1]);
  else if (type == "bernoulli")
    check_bernoulli(args[0]);
  else
    throw value_failure("there is no distribution " + type, "use uniform, normal, gumbel or bernoulli");
}

// The checks' errors as failures of the rule.
void checked(const std::string& type, const std::vector<double>& args) {
  try {
    check_distribution(type, args);
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& e) {
    throw Failure(CANTIK_RUNTIME, e.what());
  }
}

template <class T>
struct Draw final : Kernel {
  std::string type;
  std::vector<double> args;
  int64_t elements;
  Draw(std::string type, std::vector<double> args, int64_t n)
      : type(std::move(type)), args(std::move(args)), elements(n) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    RandomStream& s = *static_cast<RandomStream*>(r.draws());
    draw_in_columns<T>(r, elements, [&](std::span<T> out) {
      if (type == "uniform")
        s.uniform<T>(out, args[0], args[1]);
      else if (type == "normal")
        s.normal<T>(out, args[0], args[1]);
      else if (type == "gumbel")
        s.gumbel<T>(out, args[0], args[1]);
      else
        s.bernoulli<T>(out, args[0]);
    });
  }
};

template <class A>
std::unique_ptr<Kernel> make(const Prepare& p, const A& a) {
  int64_t n = p.out().shape.elements();
  return of_type<Draw>(p.dtype(), a.type, a.args, n);
}

}  // namespace

CANTIK_OP(random_distribution) {
  op.attributes<randoms::Given>("random_distribution(name='')")
      .doc("A tensor of random numbers, new ones in each run.")
      .inputs(0)
      .traits(CANTIK_HIDDEN | CANTIK_DRAWS | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const randoms::Given& a) {
        checked(a.type, a.args);
        if (!a.shape.is_static())
          throw value_failure("the shape of random numbers must be known, and is " + a.shape.text(),
                              "give every dimension as a number that is not negative");
        if (a.dtype != DType::float32 && a.dtype != DType::float64 && a.dtype != DType::float16)
          throw value_failure("random numbers must be of a floating type, and are asked for as " +
                                  std::string(name_of(a.dtype)),
                              "give dtype=np.float32 or np.float64");
        TypeView t;
        t.dtype = a.dtype;
        t.shape = a.shape;
        in.set(t);
      })
      .kernel("stream", [](const Prepare& p, const randoms::Given& a) { return make(p, a); })
      .cntk("RandomDistribution", 76)
      .onnx_write("RandomUniform",
                  [](OnnxGraph& g, const randoms::Given& a) { onnx_random::write_of_shape(g, a); })
      .onnx_read("RandomUniform",
                 [](OnnxNode& n) { onnx_random::read_of_shape(n, "uniform", onnx_random::uniform_range(n)); })
      .onnx_read("RandomNormal",
                 [](OnnxNode& n) { onnx_random::read_of_shape(n, "normal", onnx_random::normal_form(n)); });

  op.attributes<randoms::Like>("random_distribution_like(x, name='')")
      .doc("Random numbers in the shape of x, new ones in each run.")
      .traits(CANTIK_HIDDEN | CANTIK_DRAWS | CANTIK_NO_GRADIENT)
      .layout_only(0)
      .type([](Infer& in, const randoms::Like& a) {
        checked(a.type, a.args);
        in.set(in.like(0, in.shape(0)));
      })
      .kernel("stream", [](const Prepare& p, const randoms::Like& a) { return make(p, a); })
      .cntk("RandomDistribution", 76)
      .onnx_write("RandomUniformLike",
                  [](OnnxGraph& g, const randoms::Like& a) { onnx_random::write_like(g, a); })
      .onnx_read("RandomUniformLike",
                 [](OnnxNode& n) { onnx_random::read_like(n, "uniform", onnx_random::uniform_range(n)); })
      .onnx_read("RandomNormalLike",
                 [](OnnxNode& n) { onnx_random::read_like(n, "normal", onnx_random::normal_form(n)); })
      .onnx_read("Bernoulli", [](OnnxNode& n) { onnx_random::bernoulli(n); })
      .onnx_read("Multinomial", [](OnnxNode& n) { onnx_random::multinomial(n); });
}
