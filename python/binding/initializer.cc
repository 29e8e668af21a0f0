// Initializers as objects, and the process' seeds.
#include "binding/arguments.h"
#include "binding/numpy.h"

#include <cantik/initializer.h>
#include <cantik/seed.h>

namespace cantik::python {
namespace {

Initializer::Kind kind_named(const std::string& name) {
  static const std::pair<const char*, Initializer::Kind> kKinds[] = {
      {"uniform", Initializer::Kind::uniform},
      {"normal", Initializer::Kind::normal},
      {"truncated_normal", Initializer::Kind::truncated_normal},
      {"xavier", Initializer::Kind::xavier},
      {"glorot_uniform", Initializer::Kind::glorot_uniform},
      {"glorot_normal", Initializer::Kind::glorot_normal},
      {"he_uniform", Initializer::Kind::he_uniform},
      {"he_normal", Initializer::Kind::he_normal}};
  for (const auto& [n, k] : kKinds)
    if (name == n) return k;
  throw key_error("there is no initializer " + name);
}

std::string text(const Initializer& i) {
  static constexpr const char* kNames[] = {"constant",  "uniform",        "normal",        "truncated_normal",
                                           "xavier",    "glorot_uniform", "glorot_normal", "he_uniform",
                                           "he_normal", "bilinear",       "values"};
  std::string s = std::string(kNames[static_cast<int>(i.kind)]) + "(";
  if (i.kind == Initializer::Kind::bilinear)
    return s + std::to_string(i.kernel_width) + ", " + std::to_string(i.kernel_height) + ")";
  if (i.kind == Initializer::Kind::values) return s + i.tensor.shape().text() + ")";
  s += Attribute(i.scale).text();
  if (i.output_rank != kInferRank) s += ", output_rank=" + std::to_string(i.output_rank);
  if (i.filter_rank != kInferRank) s += ", filter_rank=" + std::to_string(i.filter_rank);
  if (i.draws() && i.seed != kAutoSeed) s += ", seed=" + std::to_string(i.seed);
  return s + ")";
}

// The parameter or constant that an object is; null where it is none.
const Variable* stored_in(nb::handle h) {
  if (!nb::isinstance<VariableBox>(h)) return nullptr;
  const Variable& v = nb::cast<const VariableBox&>(h).variable;
  return v.is_parameter() || v.is_constant() ? &v : nullptr;
}

}  // namespace

Initializer as_initializer(nb::handle h, DType dtype) {
  if (nb::isinstance<Initializer>(h)) {
    const Initializer& i = nb::cast<const Initializer&>(h);
    i.check();
    return i;
  }
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr())) return Initializer(number_in(h, "an initial value"));
  if (const Tensor* t = tensor_in(h)) return Initializer(t->clone());
  if (const Variable* v = stored_in(h)) return Initializer(v->value().clone());
  if (value_in(h)) return as_initializer(h.attr("data"), dtype);
  if (is_array_like(h)) {  // a tensor of PyTorch's, too, though it can be asked for a number
    // Lists of numbers are float32; arrays keep their own element type.
    if (dtype == DType::unknown && (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))) dtype = DType::float32;
    Tensor t = tensor_of_array(array_of(h), dtype);
    return Initializer(t.clone());
  }
  if (PyNumber_Check(h.ptr()) && !PyComplex_Check(h.ptr()))
    return Initializer(number_in(h, "an initial value"));
  throw not_of_kind("an initial value", "a number, an array or an initializer such as glorot_uniform() gives",
                    h);
}

void bind_initializer(nb::module_& m) {
  m.attr("SentinelValueForInferParamInitRank") = kInferRank;
  m.attr("SentinelValueForAutoSelectRandomSeed") = kAutoSeed;
  m.attr("DefaultParamInitScale") = kDefaultScale;
  nb::class_<Initializer>(m, "Initializer", nb::dynamic_attr(), "How a parameter gets its first values.")
      .def("__repr__", &text)
      .def(
          "__eq__",
          [](const Initializer& a, nb::handle b) {
            return nb::isinstance<Initializer>(b) && text(a) == text(nb::cast<const Initializer&>(b));
          },
          nb::arg().none())
      .def("__hash__", [](const Initializer& a) { return std::hash<std::string>()(text(a)); });
  m.def(
      "initializer",
      [](const std::string& kind, double scale, int output_rank, int filter_rank,
         std::optional<uint64_t> seed) {
        return Initializer(kind_named(kind), scale, {output_rank, filter_rank, seed.value_or(kAutoSeed)});
      },
      nb::arg("kind"), nb::arg("scale"), nb::arg("output_rank") = kInferRank,
      nb::arg("filter_rank") = kInferRank, nb::arg("seed") = nb::none());
  m.def("bilinear", &bilinear, nb::arg("kernel_width"), nb::arg("kernel_height"));
  m.def(
      "initializer_with_rank",
      [](nb::object init, std::optional<int> output_rank, std::optional<int> filter_rank) {
        if (!nb::isinstance<Initializer>(init))
          throw not_of_kind("initializer", "an initializer such as glorot_uniform() gives", init);
        return as_initializer(init, DType::unknown)
            .with_ranks(output_rank.value_or(kInferRank), filter_rank.value_or(kInferRank));
      },
      nb::arg("initializer"), nb::arg("output_rank") = nb::none(), nb::arg("filter_rank") = nb::none());

  nb::class_<SeedSource>(m, "SeedSource", "Where seeds come from that a program does not name.");
  m.def("set_seed", &set_seed, nb::arg("seed"));
  m.def("seed_source", &seed_source);
  m.def("set_seed_source", &set_seed_source, nb::arg("source"));
  m.def("draw_seeds", [](const FunctionBox& b) { draw_seeds(b.function()); }, nb::arg("network"));
  m.def("set_fixed_random_seed", &set_fixed_random_seed, nb::arg("seed"));
  m.def("reset_random_seed", &reset_random_seed, nb::arg("seed") = 0);
  m.def("get_random_seed", &random_seed);
  m.def("is_random_seed_fixed", &is_random_seed_fixed);
  m.def("generate_random_seed", &next_worker_seed, nb::arg("workers") = 1, nb::arg("rank") = 0);
}

}  // namespace cantik::python
