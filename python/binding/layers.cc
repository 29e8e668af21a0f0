// Layers by name, with their options.
#include "binding/layers.h"

#include <algorithm>
#include <optional>

#include <cantik/layer_registry.h>

#include "binding/options.h"

namespace cantik::python {
namespace {

// given: options by name; scoped: those of default_options, which do not count where another one stands in
// their place.
nb::object made_layer(const std::string& name, nb::dict given, nb::dict scoped, nb::handle dtype) {
  CallSite here;
  const LayerDescription& layer = describe_layer(name);
  const DType t = dtype.is_none() ? DType::unknown : as_dtype(dtype);
  OptionValues values;
  auto has = [&](const std::string& option) {
    return given.contains(option.c_str()) && !nb::object(given[option.c_str()]).is_none();
  };
  for (const OptionDescription& o : layer.options) {
    const char* key = o.name.c_str();
    OptionDescription told = o;  // as errors name it
    told.name = layer.python + ": " + o.name;
    if (given.contains(key))
      values.emplace_back(o.name, option_in(told, nb::object(given[key]), t));
    else if (scoped.contains(key) && !has(o.instead_of))
      values.emplace_back(o.name, option_in(told, nb::object(scoped[key]), t));
    else if (std::optional<OptionValue> usual = default_of(o, t))
      values.emplace_back(o.name, *std::move(usual));
  }
  return wrap(make_layer(name, values, {}));
}

}  // namespace

void bind_layers(nb::module_& m) {
  m.def("layer", &made_layer, nb::arg("name"), nb::arg("given"), nb::arg("scoped"), nb::arg("dtype").none(),
        "A layer by its name.");
}

}  // namespace cantik::python
