// All layers, by name, and making one of option values.
#include <cantik/layer_registry.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "layers/define.h"

namespace cantik {
namespace {

const std::map<std::string, layers::LayerKind>& kinds() {
  static const std::map<std::string, layers::LayerKind> all = [] {
    std::map<std::string, layers::LayerKind> made;
    for (int i = 0; i < layers::kLayerFileCount; ++i) {
      layers::LayerDefinitions definitions(made, layers::kLayerFiles[i].family);
      layers::kLayerFiles[i].define(definitions);
    }
    return made;
  }();
  return all;
}

const layers::LayerKind& kind_named(const std::string& name) {
  auto at = kinds().find(name);
  if (at == kinds().end())
    throw key_error("there is no layer " + name)
        .remedy("use one of: " + join(layer_names(), ", ", [](const std::string& s) { return s; }));
  return at->second;
}

}  // namespace

std::string OptionType<Shape>::json(const Shape& s) {
  if (!s.is_known()) return "null";
  return cat("[", join(s, ", ", [](int64_t n) { return std::to_string(n); }), "]");
}

std::string OptionType<layers::Activation>::json(const layers::Activation& f) {
  return f ? OptionType<std::string>::json(f.operator_name()) : "null";
}

std::string OptionType<Initializer>::json(const Initializer& init) {
  switch (init.kind) {
    case Initializer::Kind::constant: return OptionType<double>::json(init.scale);
    case Initializer::Kind::glorot_uniform: return "\"glorot_uniform\"";
    default: throw runtime_error("the generator knows no text of this default of a layer");
  }
}

void assign(const char* option, const OptionValue& value, layers::Extents& to) {
  if (const auto* extents = value.as<layers::Extents>())
    to = *extents;
  else if (const auto* shape = value.as<Shape>())
    to = *shape;
  else if (const auto* number = value.as<int64_t>())
    to = *number;
  else
    refuse_kind(option, OptionKind::extents);
}

void assign(const char* option, const OptionValue& value, layers::Activation& to) {
  if (const auto* f = value.as<layers::Activation>())
    to = *f;
  else if (const auto* op = value.as<std::string>())
    to = *op;
  else
    refuse_kind(option, OptionKind::activation);
}

void assign(const char* option, const OptionValue& value, Initializer& to) {
  double number = 0;
  if (const auto* init = value.as<Initializer>()) {
    to = *init;
  } else if (value.as<double>() || value.as<int64_t>()) {
    assign(option, value, number);
    to = number;
  } else {
    refuse_kind(option, OptionKind::initializer);
  }
}

std::vector<std::string> layer_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

const LayerDescription& describe_layer(const std::string& name) { return kind_named(name).description; }

Function make_layer(const std::string& name, const OptionValues& options, SourceLocation where) {
  OriginScope scope(where);
  const layers::LayerKind& kind = kind_named(name);
  std::vector<const OptionDescription*> known;
  for (const OptionDescription& o : kind.description.options) known.push_back(&o);
  check_names(name, known, options);
  return kind.make(options);
}

}  // namespace cantik
