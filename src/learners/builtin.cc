// Built-in learners: their expressions, the numbers of an update, the order of its parts.
#include <algorithm>
#include <cmath>

#include <cantik/error.h>

#include "base/denormals.h"
#include "base/text.h"
#include "learners/builtin_parts.h"
#include "graph/trace_results.h"
#include "tensor/random.h"

namespace cantik {

BuiltinLearner::BuiltinLearner(LearnerArguments arguments, Traits traits)
    : Learner(std::move(arguments.parameters), std::move(arguments.rate), std::move(arguments.options)),
      traits_(traits) {
  const LearnerOptions& o = options();
  auto noisy = [](const TrainingParameterSchedule::Step& s) { return s.value > 0; };
  layout_.arrays = 2 + traits.states;
  if (std::any_of(o.gaussian_noise_injection_std_dev.steps().begin(),
                  o.gaussian_noise_injection_std_dev.steps().end(), noisy))
    layout_.noise = layout_.arrays++;
  layout_.numbers = traits.rates;
  const bool clips = std::isfinite(o.gradient_clipping_threshold_per_sample);
  clips_norms_ = clips && !o.gradient_clipping_with_truncation;
  clips_together_ = std::isfinite(o.gradient_clipping_global_norm);
  if (is_compatible_mode() || clips_norms_ || clips_together_) layout_.scale = layout_.numbers++;
  if (clips && o.gradient_clipping_with_truncation) layout_.clip = layout_.numbers++;
  if (o.l2_regularization_weight > 0) layout_.l2 = layout_.numbers++;
  if (o.l1_regularization_weight > 0) layout_.l1 = layout_.numbers++;
  if (traits.averages) layout_.average = layout_.numbers++;
  numbers_.resize(static_cast<size_t>(layout_.numbers));
}

BuiltinLearner::~BuiltinLearner() = default;

// ---- expressions

// Symbols for the operands; `prepared`: the gradient scaled, clipped and with L2 decay.
Element BuiltinLearner::inputs(bool prepared) const {
  auto array = [](int i) { return Real::symbol(CANTIK_X_INPUT, i); };
  auto number = [&](int i) { return Real::symbol(CANTIK_X_INPUT, layout_.arrays + i); };
  Element e;
  e.w = array(0);
  e.g = array(1);
  for (int i = 0; i < traits_.states; ++i) e.state[i] = array(2 + i);
  for (int i = 0; i < traits_.rates; ++i) e.rate[i] = number(i);
  if (layout_.average >= 0) e.average = number(layout_.average);
  if (!prepared) return e;
  if (layout_.scale >= 0) e.g = e.g * number(layout_.scale);
  // in this order a NaN stays one
  if (layout_.clip >= 0) e.g = min(number(layout_.clip), max(-number(layout_.clip), e.g));
  if (layout_.l2 >= 0) e.g = number(layout_.l2) * e.w + e.g;
  return e;
}

Expression BuiltinLearner::traced(int parts) const {
  return trace_results([&] {
    Element e = inputs((parts & (kStep | kAverage)) != 0);
    std::vector<Real> results;
    if (parts & kNorm) return std::vector<Real>{e.g * e.g};
    if (parts & kAverage) return std::vector<Real>{multiplier(e)};
    if (parts & kStep) parts& kRows ? trace_rows(e) : trace(e);
    if (parts & kFinish) {
      if (layout_.noise >= 0) e.w = e.w + Real::symbol(CANTIK_X_INPUT, layout_.noise);
      if (layout_.l1 >= 0) {  // towards 0 by the weight, no further
        Real weight = Real::symbol(CANTIK_X_INPUT, layout_.arrays + layout_.l1);
        e.w = max(0, e.w - weight) + min(0, e.w + weight);
      }
    }
    results.push_back(e.w);
    for (int i = 0; (parts & kStep) && i < traits_.states; ++i) results.push_back(e.state[i]);
    return results;
  });
}

host::UpdateForm BuiltinLearner::form(int parts) const {
  host::UpdateForm f{layout_.arrays, layout_.numbers, {}};
  if (parts & (kStep | kFinish)) f.overwrites.push_back(0);
  for (int i = 0; (parts & kStep) && i < traits_.states; ++i) f.overwrites.push_back(2 + i);
  return f;
}

BuiltinLearner::Programs& BuiltinLearner::programs(DType t) const {
  std::unique_ptr<Programs>& p = programs_[t == DType::float64];
  if (p) return *p;
  auto made = std::make_unique<Programs>();
  auto make = [&](int parts) { return host::make_update(traced(parts), form(parts), t); };
  made->dense.update = make(kStep | kFinish);
  made->rows.update = make(kStep | kRows);
  if (layout_.noise >= 0 || layout_.l1 >= 0) made->finish.update = make(kFinish);
  if (clips_norms_ || clips_together_) made->norm.update = make(kNorm);
  if (traits_.averages) made->average.update = make(kAverage);
  p = std::move(made);
  return *p;
}

bool BuiltinLearner::has_loop(DType t) const { return programs(t).dense.update->is_loop; }

// The parameters' memory and that of their states, once.
void BuiltinLearner::prepare() const {
  if (!slots_.empty()) return;
  std::vector<Slot> slots;
  for (const Variable& v : parameters()) {
    Slot s;
    s.parameter = v;
    s.value = v.value();
    s.dtype = v.dtype();
    s.elements = s.value.elements();
    const Shape& shape = s.value.shape();
    s.rows = shape.rank() > 0 ? shape[0] : 1;
    s.width = s.rows > 0 ? s.elements / s.rows : 0;
    s.arrays[0] = s.value.raw();
    programs(s.dtype);  // says which element types there are
    if (traits_.states > 0) {
      s.states = Tensor::zeros(s.dtype, {traits_.states, s.elements});
      for (int i = 0; i < traits_.states; ++i)
        s.arrays[2 + i] =
            static_cast<char*>(s.states.raw()) + static_cast<size_t>(i * s.elements) * size_of(s.dtype);
    }
    if (layout_.noise >= 0) {
      s.noise = Tensor::zeros(s.dtype, {s.elements});
      s.arrays[layout_.noise] = s.noise.raw();
    }
    slots.push_back(std::move(s));
  }
  slots_ = std::move(slots);
}

// ---- an update

void BuiltinLearner::fill_numbers(const Progress& p) {
  double n = is_compatible_mode() ? 1 : static_cast<double>(p.samples);
  const LearnerOptions& o = options();
  auto set = [&](int i, double x) {
    if (i >= 0) numbers_[i] = x;
  };
  rates({numbers_.data(), static_cast<size_t>(traits_.rates)}, p.samples);
  set(layout_.scale, is_compatible_mode() ? 1.0 / static_cast<double>(p.samples) : 1.0);
  set(layout_.clip,
      std::fabs(o.gradient_clipping_threshold_per_sample) * n);  // the sign is lost in CNTK, too
  set(layout_.l2, o.l2_regularization_weight * n);
  set(layout_.l1, rate_for(p.samples) * o.l1_regularization_weight * n);
}

// Decay reaches every row.
SparseGradients BuiltinLearner::sparse_gradients() const {
  return layout_.l2 >= 0 ? SparseGradients::none : traits_.sparse_gradients;
}

void BuiltinLearner::report_rates() { report(learning_rate_schedule(), "Learning rate", reported_); }

// CNTK draws for one parameter after the other, each by a seed of its own.
void BuiltinLearner::draw_noise() {
  double deviation = now(options().gaussian_noise_injection_std_dev);
  for (Slot& s : slots_) {
    if (!(deviation > 0)) {
      s.noise.fill(0);
      continue;
    }
    RandomStream stream(noise_seed_++);
    if (s.dtype == DType::float64)
      stream.normal(s.noise.span<double>(), 0, deviation);
    else
      stream.normal(s.noise.span<float>(), 0, deviation);
  }
}

void BuiltinLearner::check(const ParameterGradient& g, const Slot& s) const {
  const Tensor& t = g.value;
  // Rows that are numbered are the parameter's own; a dense gradient may have leading ones.
  bool fits =
      t.defined() && t.dtype() == s.dtype && t.elements() == s.elements &&
      (t.storage() == Storage::dense || (t.storage() == Storage::row_sparse && t.shape() == s.value.shape()));
  if (!fits)
    throw value_error(cat("the gradient of ", s.parameter.text(), " has the element type ",
                          name_of(t.dtype()), " and the shape ", t.shape().text(),
                          t.storage() == Storage::csr ? ", sparse" : ""))
        .remedy(cat("give a gradient of the element type ", name_of(s.dtype), " and the shape ",
                    s.value.shape().text()));
}

bool BuiltinLearner::update(std::span<ParameterGradient> gradients, const Progress& progress) {
  report_rates();
  if (learning_rate() == 0) return false;
  prepare();
  bool dense = false, sparse = false;
  for (size_t i = 0; i < slots_.size(); ++i) {
    check(gradients[i], slots_[i]);
    (gradients[i].value.storage() == Storage::dense ? dense : sparse) = true;
  }
  FlushDenormals flush;
  fill_numbers(progress);
  if (layout_.noise >= 0) draw_noise();
  if (clips_together_) clip_together(gradients, progress);
  for (size_t i = 0; i < slots_.size() && (clips_norms_ || traits_.averages); ++i)
    measure(i, gradients[i], progress);
  if (dense) update_dense(gradients, progress);
  for (size_t i = 0; i < slots_.size() && sparse; ++i)
    if (gradients[i].value.storage() == Storage::row_sparse) update_rows(slots_[i], gradients[i].value);
  for (const Slot& s : slots_) s.parameter.add_to_version();
  return true;
}

}  // namespace cantik
