// A learner that is a graph of assignments. A trainer compiles the graph into its training step; called by
// itself, the learner runs it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include <cantik/learner.h>

namespace cantik {

class UniversalLearner final : public Learner {
 public:
  UniversalLearner(std::vector<Variable> parameters, std::vector<Variable> gradients, const Function& update);

  std::string name() const override { return "universal"; }
  const Function& graph() const { return update_; }
  // What stands in the graph for the gradient of parameters()[i]; none where the graph does not read it.
  const std::vector<Variable>& gradients() const { return gradients_; }
  // The graph has run as a part of something else.
  void has_run(const Progress& progress);

  // With what the graph keeps from update to update: the parameters and constants that it assigns.
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  bool update(std::span<ParameterGradient> gradients, const Progress& progress) override;

  // No update reads the rate, but CNTK tells of it.
  void report_rate() { report(learning_rate_schedule(), "Learning rate", reported_); }

  double reported_ = std::numeric_limits<double>::quiet_NaN();
  Function update_;
  std::vector<Variable> gradients_;
  std::vector<Variable> kept_;  // what it assigns beside its parameters
};

}  // namespace cantik
