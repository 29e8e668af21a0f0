// Writes the layers as JSON: what tools/generate makes calls, docstrings and the reference of.
#include <cstdio>
#include <string>

#include <cantik/layer_registry.h>

#include "option_json.h"

namespace {

using namespace cantik::json;

std::string layer(const std::string& name) {
  const cantik::LayerDescription& d = cantik::describe_layer(name);
  return "\n{\"name\": " + quoted(d.name) + ", \"family\": " + quoted(d.family) +
         ", \"python\": " + quoted(d.python) + ", \"module\": " + quoted(d.module) +
         ", \"struct\": " + quoted(d.struct_name) + ", \"doc\": " + quoted(d.doc) +
         ", \"returns\": " + quoted(d.returns) + ", \"raises\": " + quoted(d.raises) +
         ", \"example\": " + quoted(d.example) + ", \"options\": " + listed(d.options, option) + "}";
}

}  // namespace

int main() { std::printf("%s\n", listed(cantik::layer_names(), layer).c_str()); }
