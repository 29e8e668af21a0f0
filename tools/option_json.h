// Writing descriptions of options as JSON.
#pragma once

#include <string>

#include <cantik/option.h>

#include "json_text.h"

namespace cantik::json {

inline std::string option(const OptionDescription& o) {
  static const char* const kKinds[] = {"flag",     "whole",      "number",      "text",        "seed",
                                       "dtype",    "schedule",   "shape",       "extents",     "flags",
                                       "counts",   "activation", "activations", "initializer", "tensor",
                                       "variable", "step",       "state",       "states"};
  return "{\"name\": " + quoted(o.name) + ", \"doc\": " + quoted(o.doc) +
         ", \"kind\": " + quoted(kKinds[static_cast<size_t>(o.kind)]) +
         ", \"required\": " + flag(o.required) + ", \"may_be_left\": " + flag(o.may_be_left) +
         ", \"optional\": " + flag(o.optional) + ", \"default\": " + o.value_text +
         ", \"default_call\": " + quoted(o.default_call) + ", \"range\": " + quoted(o.range) +
         ", \"leading\": " + flag(o.leading) + ", \"behind\": " + flag(o.behind) +
         ", \"keyword\": " + flag(o.keyword) + ", \"scoped\": " + flag(o.scoped) +
         ", \"in_cpp\": " + flag(o.in_cpp) + ", \"in_python\": " + flag(o.in_python) + "}";
}

}  // namespace cantik::json
