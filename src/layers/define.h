// How a file states its layers: for each a struct of options with their fields, the function that makes the
// layer, and documentation. Calls in C++ and Python, checks of ranges, help and the reference are made of it.
//
//   CANTIK_LAYERS(stabilizer) {
//     layers.add("stabilizer", make)
//         .python("Stabilizer", "blocks")
//         .doc("Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).")
//         .returns("a function of one argument with the parameter alpha")
//         .example("C.layers.Stabilizer()(C.input_variable(3)).shape");
//   }
//
// where `Function make(const StabilizerLayer&)` reads the struct StabilizerLayer with its fields().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/initializer.h>
#include <cantik/layer_registry.h>
#include <cantik/layers/argument.h>
#include <cantik/layers/step.h>

#include "base/options.h"

namespace cantik {

// ---- the types that options of layers have
template <>
struct OptionType<uint64_t> : OptionTypeOf<OptionKind::seed> {
  static std::string json(uint64_t seed) { return seed == kAutoSeed ? "\"auto\"" : std::to_string(seed); }
};
template <>
struct OptionType<DType> : OptionTypeOf<OptionKind::dtype> {
  static std::string json(DType t) { return OptionType<std::string>::json(std::string(name_of(t))); }
};
template <>
struct OptionType<Shape> : OptionTypeOf<OptionKind::shape> {
  static bool is_nothing(const Shape& s) { return !s.is_known(); }
  static std::string json(const Shape& s);
};
template <>
struct OptionType<layers::Extents> : OptionTypeOf<OptionKind::extents> {
  static bool is_nothing(const Shape& s) { return !s.is_known(); }
  static std::string json(const Shape& s) { return OptionType<Shape>::json(s); }
};
template <>
struct OptionType<layers::PerAxis<bool>> : OptionTypeOf<OptionKind::flags> {
  static std::string json(const layers::PerAxis<bool>& v) {
    return OptionType<bool>::json(v.values()[0] != 0);
  }
};
template <>
struct OptionType<layers::PerAxis<int64_t>> : OptionTypeOf<OptionKind::counts> {
  static std::string json(const layers::PerAxis<int64_t>& v) { return std::to_string(v.values()[0]); }
};
template <>
struct OptionType<layers::Activation> : OptionTypeOf<OptionKind::activation> {
  static bool is_nothing(const layers::Activation& f) { return !f; }
  static std::string json(const layers::Activation& f);
};
template <>
struct OptionType<std::vector<layers::Activation>> : OptionTypeOf<OptionKind::activations> {
  static std::string json(const std::vector<layers::Activation>&) { return "[]"; }
};
template <>
struct OptionType<Initializer> : OptionTypeOf<OptionKind::initializer> {
  static std::string json(const Initializer& init);
};
template <>
struct OptionType<Tensor> : OptionTypeOf<OptionKind::tensor> {
  static std::string json(const Tensor&) { return "null"; }
};
template <>
struct OptionType<Variable> : OptionTypeOf<OptionKind::variable> {
  static std::string json(const Variable&) { return "null"; }
};
template <>
struct OptionType<layers::Step> : OptionTypeOf<OptionKind::step> {
  static std::string json(const layers::Step&) { return "null"; }
};
template <>
struct OptionType<layers::InitialState> : OptionTypeOf<OptionKind::state> {
  static std::string json(const layers::InitialState& s) { return OptionType<double>::json(s.number()); }
};
template <>
struct OptionType<std::vector<layers::InitialState>> : OptionTypeOf<OptionKind::states> {
  static std::string json(const std::vector<layers::InitialState>& s) {
    return OptionType<double>::json(s[0].number());
  }
};
// Numbers stand for extents and initializers, texts for activations.
void assign(const char* option, const OptionValue& value, layers::Extents& to);
void assign(const char* option, const OptionValue& value, layers::Activation& to);
void assign(const char* option, const OptionValue& value, Initializer& to);
// One value stands for all axes.
template <class T>
void assign(const char* option, const OptionValue& value, layers::PerAxis<T>& to) {
  if (const auto* each = value.as<layers::PerAxis<T>>())
    to = *each;
  else if (const T* all = value.as<T>())
    to = *all;
  else
    refuse_kind(option, OptionType<layers::PerAxis<T>>::kind);
}

namespace layers {

// Lines of help that many layers have.
inline constexpr const char* kActivationDoc = "a function, a layer, or the name of an operator";
inline constexpr const char* kStabilizationDoc =
    "learned factors before the products (Ghahremani and Droppo 2016)";

// Options of every layer.
struct NamedLayer {
  std::string name;
  static constexpr auto fields() { return list(option("name", &NamedLayer::name, "of the layer")); }
};
// And of layers with parameters.
struct WithParameters : NamedLayer {
  DType dtype = DType::float32;
  static constexpr auto fields() {
    return std::tuple_cat(list(option("dtype", &WithParameters::dtype, "of the parameters").cpp_only()),
                          NamedLayer::fields());
  }
};

// All fields of a layer: those that Fields says, and those of every layer.
template <class O, class Fields>
struct AllFields {
  static constexpr auto fields() {
    if constexpr (std::is_base_of_v<WithParameters, O>)
      return std::tuple_cat(Fields::fields(), WithParameters::fields());
    else if constexpr (std::is_base_of_v<NamedLayer, O>)
      return std::tuple_cat(Fields::fields(), NamedLayer::fields());
    else
      return Fields::fields();
  }
};

// A layer: what is said about it, and how one is made.
struct LayerKind {
  LayerDescription description;
  std::function<Function(const OptionValues&)> make;
};

// What add() gives: says more of the layer.
class LayerDefinition {
 public:
  explicit LayerDefinition(LayerDescription& description) : description_(description) {}

  // The name that Python has, in the module layers.MODULE; without this call there is none.
  LayerDefinition& python(const char* name, const char* module = "layers") {
    description_.python = name;
    description_.module = module;
    return *this;
  }
  // The struct of options in C++, shared by layers with the same ones. Otherwise it is called as the layer
  // is.
  LayerDefinition& struct_name(const char* name) {
    description_.struct_name = name;
    return *this;
  }
  // What it computes; paragraphs are parted by empty lines.
  LayerDefinition& doc(const char* text) {
    description_.doc = text;
    return *this;
  }
  // What the function that is made takes, gives and learns.
  LayerDefinition& returns(const char* text) {
    description_.returns = text;
    return *this;
  }
  // When it refuses its options, as a line of help: "ValueError: where ...".
  LayerDefinition& raises(const char* text) {
    description_.raises = text;
    return *this;
  }
  // Lines of Python, after `import cantik as C`; what they print is found by tools/generate.
  LayerDefinition& example(const char* lines) {
    description_.example = lines;
    return *this;
  }

 private:
  LayerDescription& description_;
};

// What CANTIK_LAYERS gets as `layers`.
class LayerDefinitions {
 public:
  LayerDefinitions(std::map<std::string, LayerKind>& kinds, const char* family)
      : kinds_(kinds), family_(family) {}

  // A layer, made of its options. Fields: the fields of O, where O has not its own.
  template <class Fields, class O>
  LayerDefinition add(const char* name, Function (*make)(const O&)) {
    using All = AllFields<O, Fields>;
    LayerKind& kind = kinds_[name];
    kind.description.name = name;
    kind.description.family = family_;
    kind.description.options = describe_options<O, All>();
    kind.make = [&kind, make](const OptionValues& values) {
      const LayerDescription& d = kind.description;
      return make(read_options<O, All>(d.python.empty() ? d.name : d.python, values));
    };
    return LayerDefinition(kind.description);
  }
  template <class O>
  LayerDefinition add(const char* name, Function (*make)(const O&)) {
    return add<O, O>(name, make);
  }

 private:
  std::map<std::string, LayerKind>& kinds_;
  const char* family_;
};

// From the manifest that CMake writes of the names of the files in the folders.
struct LayerFile {
  const char* family;
  void (*define)(LayerDefinitions&);
};
extern const LayerFile kLayerFiles[];
extern const int kLayerFileCount;

}  // namespace layers
}  // namespace cantik

// The definitions of a file's layers in namespace cantik::layers; `file` is its name.
#define CANTIK_LAYERS(file) void define_layers_##file(LayerDefinitions& layers)
