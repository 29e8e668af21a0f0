// Functions from code: what it makes of placeholders is a network with these as its arguments, in their
// order.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "graph/node.h"

namespace cantik {
namespace {

// Arguments of the functions that this thread is tracing, the outermost first. A function that is traced
// inside another may use the other's arguments: they are no arguments of its own.
std::vector<Variable>& open_places() {
  static thread_local std::vector<Variable> places;
  return places;
}

struct Tracing {
  explicit Tracing(const std::vector<Variable>& places) : before(open_places().size()) {
    open_places().insert(open_places().end(), places.begin(), places.end());
  }
  ~Tracing() { open_places().resize(before); }
  Tracing(const Tracing&) = delete;
  size_t before;
};

std::vector<Variable> placeholders_named(const std::vector<std::string>& names) {
  std::vector<Variable> places;
  for (const std::string& name : names) places.push_back(placeholder(name));
  return places;
}

bool holds(const std::vector<Variable>& list, const Variable& v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

void check(const Function& f, const std::vector<Variable>& places, const std::string& what) {
  auto complain = [&](const char* kind, const std::vector<Variable>& which, const char* remedy) {
    if (which.empty()) return;
    throw type_error(
        cat("CNTK Function '", what, "' has ", which.size(), " ", kind, " arguments (",
            join(which, ", ", [](const Variable& v) { return v.name().empty() ? v.uid() : v.name(); }),
            "), which is currently not supported"))
        .made_at(Origin::current().text())
        .remedy(remedy);
  };
  std::vector<Variable> mine = f.signature_arguments(), unused, missing;
  for (const Variable& v : places)
    if (!holds(mine, v)) unused.push_back(v);
  for (const Variable& v : mine)
    if (!holds(places, v)) missing.push_back(v);
  complain("unused", unused, "leave them out of the function's parameters");
  complain("missing", missing,
           "pass inputs to the function as its parameters, or make it inside of a function whose parameters "
           "they are; parameters, constants and what is computed of them it may use from outside");
}

}  // namespace

bool is_being_traced(const Variable& place) { return place.is_placeholder() && holds(open_places(), place); }

std::vector<Variable> Function::signature_arguments() const {
  std::vector<Variable> list;
  for (const Variable& v : arguments())
    if (!is_being_traced(v)) list.push_back(v);
  return list;
}

Function function_of(const std::vector<Variable>& outputs, const std::string& name) {
  if (outputs.empty())
    throw type_error("the traced function returned no value, and must return at least one");
  const std::shared_ptr<Node>& n = outputs[0].node();
  bool whole = outputs[0].is_output() && n->types.size() == outputs.size();
  for (size_t i = 0; whole && i < outputs.size(); ++i)
    whole = outputs[i].node() == n && outputs[i].index() == i;
  return whole ? outputs[0].owner().as_composite() : combine(outputs, name);
}

namespace {
void check(const Body& body) {
  if (!body)
    throw value_error("the function to trace is empty")
        .made_at(Origin::current().text())
        .remedy("give a function that makes its results from its arguments");
}
}  // namespace

Function trace(const std::vector<std::string>& arguments, const Body& body, const std::string& what) {
  check(body);
  std::vector<Variable> places = placeholders_named(arguments);
  Function f;
  {
    Tracing tracing(places);
    f = body(places).as_composite();
  }
  check(f, places, what);
  if (f.signature_arguments() == places) return f;
  // The order of a graph's arguments is that in which they are met: a tuple of all of them comes first.
  places = placeholders_named(arguments);
  std::vector<Variable> inner = placeholders_named(arguments);
  std::vector<std::pair<Variable, Variable>> map;
  for (size_t i = 0; i < places.size(); ++i) map.emplace_back(inner[i], places[i]);
  Tracing tracing(places);
  return body(as_block(combine(inner), map, "Tuple").outputs()).as_composite();
}

Function trace_block(const std::vector<std::string>& arguments, const Body& body, const std::string& op_name,
                     const std::string& name) {
  check(body);
  std::vector<Variable> places = placeholders_named(arguments), inner = placeholders_named(arguments);
  Function f;
  {
    Tracing tracing(inner);
    f = body(inner).as_composite();
  }
  check(f, inner, op_name);
  std::vector<std::pair<Variable, Variable>> map;
  for (size_t i = 0; i < places.size(); ++i) map.emplace_back(inner[i], places[i]);
  return as_block(f, map, op_name, name);
}

}  // namespace cantik
