// Layers by name: what each takes, and how one is made. The typed calls of layers.h and recurrence.h,
// Python's functions and the reference are made of these descriptions; a program may use them where the name
// is known at run time only.
//
//   Function f = make_layer("dense", {{"shape", 10}, {"activation", "relu"}});
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/option.h>
#include <cantik/source_location.h>

namespace cantik {

// A layer, or a function that is made in the same way.
struct LayerDescription {
  std::string name;                        // in C++
  std::string family;                      // its folder in src/layers, and its header: cantik/layers/FAMILY.h
  std::string python;                      // its name in Python; empty: calls of C++ alone
  std::string module;                      // where Python has it, in cantik.layers
  std::string struct_name;                 // of its options in C++, which layers with the same ones share
  std::string doc;                         // what it computes
  std::string returns;                     // what the function that is made takes, gives and learns
  std::string raises;                      // when it refuses its options
  std::string example;                     // lines of Python
  std::vector<OptionDescription> options;  // in the order of C++
};

// The names of all layers, sorted.
CANTIK_API std::vector<std::string> layer_names();
// The layer with this name. An unknown name is an error that lists all.
CANTIK_API const LayerDescription& describe_layer(const std::string& name);
// A layer by its name. Options that are not named have their defaults. An unknown option, a value of another
// kind and a number out of its range are errors, and so is an option without a default that is not named.
CANTIK_API Function make_layer(const std::string& name, const OptionValues& options,
                               SourceLocation where = SourceLocation::current());

}  // namespace cantik
