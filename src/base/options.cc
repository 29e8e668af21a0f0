#include "base/options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace cantik {
namespace {

const char* text_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag: return "true or false";
    case OptionKind::whole: return "a whole number";
    case OptionKind::number: return "a number";
    case OptionKind::text: return "a text";
    case OptionKind::seed: return "a seed";
    case OptionKind::dtype: return "an element type";
    case OptionKind::schedule: return "a number or a schedule";
    case OptionKind::shape: return "a shape";
    case OptionKind::extents: return "a number or a shape";
    case OptionKind::flags: return "true or false, or a list of them";
    case OptionKind::counts: return "a whole number, or a list of them";
    case OptionKind::activation: return "a function, or the name of an operator";
    case OptionKind::activations: return "a list of functions";
    case OptionKind::initializer: return "a number, a tensor or an initializer";
    case OptionKind::tensor: return "a tensor";
    case OptionKind::variable: return "a variable";
    case OptionKind::step: return "a step";
    case OptionKind::state: return "an initial state";
    case OptionKind::states: return "an initial state, or a list of them";
  }
  return "";
}

}  // namespace

std::string OptionType<double>::json(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return std::isfinite(v) ? std::string(text) : cat('"', text, '"');
}

std::string OptionType<std::string>::json(const std::string& v) {
  std::string quoted = "\"";
  for (char c : v) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

void refuse_kind(const char* option, OptionKind kind) {
  throw type_error(cat("the option ", option, " must be ", text_of(kind)));
}

void refuse_missing(const std::string& owner, const char* option) {
  throw type_error(cat(owner, " needs the option ", option, ", which has no default"))
      .remedy(cat("give ", option));
}

void assign(const char* option, const OptionValue& value, double& to) {
  if (const double* number = value.as<double>())
    to = *number;
  else if (const int64_t* whole = value.as<int64_t>())
    to = static_cast<double>(*whole);
  else
    refuse_kind(option, OptionKind::number);
}

const OptionValue* find_option(const OptionValues& values, const char* name) {
  for (const auto& [given, value] : values)
    if (given == name) return value.is_default() ? nullptr : &value;
  return nullptr;
}

std::string OptionRange::text() const {
  std::string lower, upper;
  if (std::isfinite(least)) lower = cat(has_least ? "at least " : "above ", least);
  if (std::isfinite(most)) upper = cat(has_most ? "at most " : "below ", most);
  return lower + (lower.empty() || upper.empty() ? "" : " and ") + upper;
}

void OptionRange::check(const std::string& owner, const char* option, double value) const {
  const bool low = std::isfinite(least) && (has_least ? !(value >= least) : !(value > least));
  const bool high = std::isfinite(most) && (has_most ? !(value <= most) : !(value < most));
  if (!low && !high) return;
  std::string said =
      refusal ? refusal : cat(owner, owner.empty() ? "" : ": ", option, " must be ", text(), ", and is %");
  if (size_t at = said.find('%'); at != std::string::npos) said.replace(at, 1, cat(value));
  throw Error(kind, said);
}

void check_names(const std::string& owner, const std::vector<const OptionDescription*>& known,
                 const OptionValues& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& name = values[i].first;
    if (std::none_of(known.begin(), known.end(), [&](const auto* o) { return o->name == name; }))
      throw type_error(cat(owner, " has no option ", name))
          .remedy("use the options " + join(known, ", ", [](const auto* o) { return o->name; }));
    for (size_t k = 0; k < i; ++k)
      if (values[k].first == name) throw type_error("the option " + name + " is given twice");
  }
}

}  // namespace cantik
