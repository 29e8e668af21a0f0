// Writes the registry as JSON: what tools/generate makes calls, docstrings, stubs and reference pages of.
#include <cstdio>
#include <string>

#include "graph/operator.h"
#include "json_text.h"

namespace {

using cantik::Attribute;

using cantik::json::listed;
using cantik::json::number;
using cantik::json::quoted;

std::string value(const Attribute& a) {
  if (auto* b = a.get<bool>()) return *b ? "true" : "false";
  if (auto* i = a.get<int64_t>()) return std::to_string(*i);
  if (auto* d = a.get<double>()) return number(*d);
  if (auto* s = a.get<std::string>()) return quoted(*s);
  if (auto* is = a.get<std::vector<int64_t>>())
    return listed(*is, [](int64_t i) { return std::to_string(i); });
  if (auto* ds = a.get<std::vector<double>>()) return listed(*ds, number);
  return "null";
}

const char* kind(const Attribute& a) {
  static const char* const kNames[] = {"none", "bool", "int", "real", "text", "ints", "reals"};
  return kNames[a.storage().index()];
}

const char* role(int32_t r) {
  static const char* const kNames[] = {"plain",  "axis",     "axes",     "shape",       "dtype",
                                       "flags",  "signed",   "seed",     "permutation", "sizes",
                                       "single", "boundary", "new_axis", "list"};
  static_assert(std::size(kNames) == CANTIK_LIST + 1);
  return kNames[r];
}

std::string text(const cantik::Operator& op) {
  std::string s = "{\"name\": " + quoted(op.name) + ", \"signature\": " + quoted(op.signature) +
                  ", \"doc\": " + quoted(op.doc);
  s += ", \"hidden\": " + std::string(op.has(CANTIK_HIDDEN) ? "true" : "false") +
       ", \"outputs\": " + std::to_string(op.outputs);
  s += ", \"inputs\": [" + std::to_string(op.inputs_min) + ", " + std::to_string(op.inputs_max) + "]";
  s += ",\n  \"parameters\": " + listed(op.parameters, [](const cantik::ParameterInfo& p) {
         return "{\"name\": " + quoted(p.name) + ", \"default\": " + quoted(p.value) +
                ", \"field\": " + std::to_string(p.field) +
                ", \"variadic\": " + (p.variadic ? "true" : "false") + "}";
       });
  s += ",\n  \"fields\": " + listed(op.fields, [](const cantik::AttributeInfo& f) {
         return "{\"name\": " + quoted(f.name) + ", \"key\": " + quoted(f.key) +
                ", \"doc\": " + quoted(f.doc) + ", \"role\": " + quoted(role(f.role)) +
                ", \"kind\": " + quoted(kind(f.value)) + ", \"live\": " + (f.live ? "true" : "false") +
                ", \"default\": " + value(f.value) + "}";
       });
  s += ",\n  \"samples\": " + listed(op.samples, [](const cantik::Sample& sample) {
         return "{\"inputs\": " +
                listed(sample.inputs,
                       [](const cantik::Shape& x) {
                         return listed(x, [](int64_t d) { return std::to_string(d); });
                       }) +
                ", \"attributes\": " + listed(sample.attributes, value) + ", \"low\": " + number(sample.low) +
                ", \"high\": " + number(sample.high) + "}";
       });
  s += ",\n  \"names\": {";
  bool first = true;
  for (const auto& [key, name] : op.names) {
    s += (first ? "" : ", ") + quoted(key) + ": " + quoted(name);
    first = false;
  }
  return s + "}}";
}

}  // namespace

int main() {
  std::printf("%s\n", listed(cantik::Registry::global().all(), [](const cantik::Operator* op) {
                        return "\n" + text(*op);
                      }).c_str());
}
