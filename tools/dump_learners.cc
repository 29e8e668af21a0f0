// Writes the kinds of learners as JSON: what tools/generate makes calls, docstrings and the reference of.
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <cantik/learner_registry.h>

#include "json_text.h"

namespace {

using namespace cantik::json;
using cantik::LearnerOption;
using cantik::TrainingParameterSchedule;

// Defaults have one value for ever.
std::string schedule(const TrainingParameterSchedule& s) {
  return "{\"value\": " + number(s.steps().front().value) + ", \"minibatch_size\": " +
         (s.has_own_minibatch_size() ? std::to_string(s.minibatch_size()) : "null") + "}";
}

struct ValueText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool b) const { return flag(b); }
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return number(d); }
  std::string operator()(const TrainingParameterSchedule& s) const { return schedule(s); }
};

std::string option(const LearnerOption& o) {
  static const char* const kKinds[] = {"flag", "count", "number", "schedule"};
  return "{\"name\": " + quoted(o.name) + ", \"doc\": " + quoted(o.doc) +
         ", \"kind\": " + quoted(kKinds[static_cast<size_t>(o.kind)]) +
         ", \"required\": " + flag(o.required) +
         ", \"default\": " + std::visit(ValueText(), o.value.storage()) +
         ", \"default_call\": " + quoted(o.default_call) + ", \"range\": " + quoted(o.range) +
         ", \"behind\": " + flag(o.behind) + "}";
}

std::string learner(const std::string& name) {
  static const char* const kMeanings[] = {"mean_gradient", "adaptive", "scaled"};
  const cantik::LearnerDescription& d = cantik::describe_learner(name);
  return "\n{\"name\": " + quoted(d.name) + ", \"doc\": " + quoted(d.doc) +
         ", \"example\": " + quoted(d.example) +
         ", \"rate_meaning\": " + quoted(kMeanings[static_cast<size_t>(d.rate_meaning)]) +
         ", \"rate\": " + (d.rate ? schedule(*d.rate) : "null") +
         ", \"options\": " + listed(d.options, option) + "}";
}

}  // namespace

int main() {
  std::printf("{\"common\": %s, \"learners\": %s}\n", listed(cantik::learner_options(), option).c_str(),
              listed(cantik::learner_names(), learner).c_str());
}
