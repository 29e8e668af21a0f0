// A learner that is a graph of assignments.
#include <algorithm>
#include <unordered_set>

#include <cantik/error.h>
#include <cantik/learner.h>

namespace cantik {
namespace {

class Universal final : public Learner {
 public:
  Universal(const UpdateGraph& make, std::vector<Variable> list) : Learner(std::move(list), TrainingParameterSchedule(1.0)) {
    for (const Variable& p : parameters()) inputs_.push_back(input(p.shape(), {.dtype = p.dtype(), .axes = Axes(), .name = p.name().empty() ? "gradient" : p.name() + ".gradient"}));
    update_ = make(parameters(), inputs_);
    if (!update_) throw value_error("the update function of a universal learner returned nothing");
    update_ = update_.as_composite();
    std::unordered_set<Variable> wanted;
    for (const Variable& v : update_.arguments()) {
      if (std::find(inputs_.begin(), inputs_.end(), v) == inputs_.end())
        throw value_error("the update of a universal learner reads " + v.text() + ", which is no gradient").remedy("use the parameters and gradients that it is called with");
      wanted.insert(v);
    }
    for (const Variable& v : inputs_) read_.push_back(wanted.count(v) != 0);
  }

 private:
  bool update(std::span<Gradient> gradients, const Progress& progress) override {
    Feeds feeds;
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (read_[i]) feeds.emplace_back(inputs_[i], Value(gradients[i].value.to_dense(), nullptr));
    update_.eval(feeds, update_.outputs(), {.threads = progress.threads});
    return true;
  }

  Function update_;
  std::vector<Variable> inputs_;  // of the gradients
  std::vector<char> read_;        // which of them the update reads
};

}  // namespace

LearnerPtr universal(const UpdateGraph& update, std::vector<Variable> parameters) { return std::make_shared<Universal>(update, std::move(parameters)); }

}  // namespace cantik
