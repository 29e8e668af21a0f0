// What the built-in learners share: each is a traced expression of one element, and a few numbers for each
// update.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <cantik/learner.h>
#include <cantik/op/real.h>

#include "backends/host/updates.h"
#include "learners/define.h"

namespace cantik {

inline constexpr int kMostStates = 3, kMostRates = 8;

// One element of a parameter while its update is traced.
struct Element {
  Real w;                   // the parameter
  Real g;                   // its gradient, clipped and with decay added
  Real state[kMostStates];  // what the learner remembers of it
  Real rate[kMostRates];    // numbers of this update, the same for all elements
  Real average = 1;         // the mean of multiplier() over the parameter
};

class BuiltinLearner : public Learner {
 public:
  enum class StateForm : uint8_t { none, like_parameter, stacked };  // in files
  struct Traits {
    int states = 0, rates = 1;  // how many of each
    StateForm form = StateForm::none;
    bool averages = false;  // multiplier() is used
    bool counts = false;    // files hold smoothed_count
    double idle_decay = 1;  // by what states shrink in an update by a gradient of 0
    SparseGradients sparse_gradients = SparseGradients::none;
  };

  BuiltinLearner(LearnerArguments arguments, Traits traits);
  ~BuiltinLearner() override;

  Dictionary state() const override;
  void restore(const Dictionary& state) override;
  void reset_smoothed_gradients() override;
  SparseGradients sparse_gradients() const override;
  // Whether updates by dense gradients run as a loop that is compiled (backends/cpu/formulas.h).
  bool has_loop(DType t) const;

 protected:
  // The formula: assigns e.w and e.state.
  virtual void trace(Element& e) const = 0;
  // The same for rows of a gradient that has few.
  virtual void trace_rows(Element& e) const { trace(e); }
  // Its mean over a parameter is e.average; sees what trace() sees, apart from that.
  virtual Real multiplier(const Element&) const { return 1; }
  // The numbers of an update by the gradient of so many samples. Called once for each.
  virtual void rates(std::span<double> r, int64_t samples) = 0;

  // Tells progress writers of rates that changed.
  virtual void report_rates();

  bool update(std::span<ParameterGradient> gradients, const Progress& progress) final;

  double smoothed_count_ = 0;  // of updates or samples, for those that correct by it

 private:
  double reported_ = std::numeric_limits<double>::quiet_NaN();
  struct Slot;                   // a parameter with its memory
  struct ProgramPart;            // an expression, compiled for one element type
  struct Programs;               // all of them
  struct Layout {                // of the expressions' inputs
    int noise = -1, arrays = 0;  // arrays
    int scale = -1, clip = -1, l2 = -1, l1 = -1, average = -1, numbers = 0;  // numbers, after the rates
  };
  enum Part { kStep = 1, kFinish = 2, kNorm = 4, kAverage = 8, kRows = 16 };

  Element inputs(bool prepared) const;
  Expression traced(int parts) const;
  host::UpdateForm form(int parts) const;
  void prepare() const;
  Programs& programs(DType t) const;
  Shape state_shape(const Slot& s) const;
  void check(const ParameterGradient& g, const Slot& s) const;
  void fill_numbers(const Progress& p);
  void draw_noise();
  std::span<const double> numbers_of(const Slot& s) const;  // of the update under way
  double summed(size_t index, const Tensor& gradient, ProgramPart& part, int threads);
  void clip_together(std::span<ParameterGradient> gradients, const Progress& progress);
  void measure(size_t index, const ParameterGradient& g, const Progress& progress);
  void update_dense(std::span<ParameterGradient> gradients, const Progress& progress);
  void update_rows(Slot& s, const Tensor& gradient);
  void bring_up(Slot& s, int64_t row) const;
  void bring_up(Slot& s) const;

  Traits traits_;
  Layout layout_;
  bool clips_norms_ = false, clips_together_ = false;  // of each gradient, of all of them
  std::vector<double> numbers_;                        // of the update under way, the same for all parameters
  mutable std::vector<Slot> slots_;
  mutable std::unique_ptr<Programs> programs_[2];  // float32, float64
};

}  // namespace cantik
