// Writes the kinds of learners as JSON: what tools/generate makes calls, docstrings and the reference of.
#include <cstdio>
#include <string>

#include <cantik/learner_registry.h>

#include "option_json.h"

namespace {

using namespace cantik::json;
using cantik::TrainingParameterSchedule;

// Defaults have one value for ever.
std::string schedule(const TrainingParameterSchedule& s) {
  return "{\"value\": " + number(s.steps().front().value) + ", \"minibatch_size\": " +
         (s.has_own_minibatch_size() ? std::to_string(s.minibatch_size()) : "null") + "}";
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
