// Learners: CNTK's, as objects.
#include <cantik/learner_registry.h>

#include "binding/arguments.h"
#include "binding/dictionary.h"
#include "binding/numpy.h"
#include "binding/options.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

Tensor gradient_in(nb::handle h, const Variable& parameter) {
  if (const Tensor* t = tensor_in(h)) return *t;
  if (const ValueBox* v = value_in(h)) return v->get().data;
  if (is_array(h)) return tensor_of_array(h, parameter.dtype());
  throw type_error("the gradient of " + parameter.text() + " must be a tensor or an array, not " +
                   class_name(h));
}

bool update(Learner& learner, nb::dict gradients, int64_t samples, bool sweep_end) {
  std::vector<ParameterGradient> list;
  for (const Variable& p : learner.parameters()) {
    nb::object key = wrap(p);
    if (!gradients.contains(key))
      throw value_error("the gradient of " + p.text() + " is missing")
          .remedy("give the gradients of all the learner's parameters");
    list.push_back({p, gradient_in(nb::object(gradients[key]), p)});
  }
  Unlocked unlock;
  return learner.step(list, {.samples = samples, .sweep_end = sweep_end});
}

// A learner of any kind, with its options by name.
LearnerPtr made_learner(const std::string& name, nb::handle parameters, const TrainingParameterSchedule& rate,
                        nb::dict given) {
  OptionValues values;
  auto read = [&](const std::vector<OptionDescription>& options) {
    for (const OptionDescription& o : options)
      if (given.contains(o.name.c_str()))
        values.emplace_back(o.name, option_in(o, nb::object(given[o.name.c_str()])));
  };
  std::vector<Variable> list = as_variables(parameters, "parameters");
  read(describe_learner(name).options);
  read(learner_options());
  return make_learner(name, std::move(list), rate, values);
}

LearnerPtr universal_learner(nb::callable make, const std::vector<Variable>& parameters) {
  return universal(
      [&](const std::vector<Variable>& p, const std::vector<Variable>& g) {
        return as_function(make(wrap_all(p), wrap_all(g)), "what the update function returns");
      },
      parameters);
}

}  // namespace

std::vector<LearnerPtr> as_learners(nb::handle h) {
  auto one = [](nb::handle item) {
    LearnerPtr learner;
    if (!nb::try_cast(item, learner) || !learner)
      throw type_error("a learner was expected, not " + class_name(item));
    return learner;
  };
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) {
    std::vector<LearnerPtr> list;
    for (nb::handle item : nb::borrow(h)) list.push_back(one(item));
    return list;
  }
  return {one(h)};
}

void bind_learner(nb::module_& m) {
  nb::class_<Learner>(m, "Learner", nb::dynamic_attr(), "How parameters follow their gradients.")
      .def("update", &update, nb::arg("gradient_values"), nb::arg("training_sample_count"),
           nb::arg("is_sweep_end") = false,
           "One step from the gradients of all parameters (summed over the samples). False: the rate is 0, "
           "nothing was done.")
      .def_prop_ro(
          "parameters", [](const Learner& l) { return wrap_all(l.parameters()); },
          "The parameters that it changes.")
      .def("__repr__", [](const Learner& l) { return "<Learner: " + l.text() + ">"; })
      .def("learning_rate", &Learner::learning_rate, "The rate now.")
      .def(
          "reset_learning_rate",
          [](Learner& l, nb::handle rate) { l.reset_learning_rate(as_schedule(rate, "learning_rate")); },
          nb::arg("learning_rate"), "Another rate from now on, meant for the same minibatch size.")
      .def("reset_smoothed_gradients", &Learner::reset_smoothed_gradients)
      .def_prop_rw("minibatch_size", &Learner::minibatch_size, &Learner::set_minibatch_size)
      .def_prop_ro("is_minibatch_size_explicitly_specified", &Learner::has_own_minibatch_size)
      .def_prop_ro("_learning_rate_schedule", [](const Learner& l) { return l.learning_rate_schedule(); })
      .def("is_compatible_mode", &Learner::is_compatible_mode,
           "Whether rates are meant for mean gradients, whatever the minibatch size is.")
      .def("total_number_of_samples_seen", &Learner::samples_seen)
      .def("total_number_of_minibatches_seen", &Learner::minibatches_seen)
      .def("total_number_of_sweeps_seen", &Learner::sweeps_seen)
      .def(
          "add_progress_writers",
          [](Learner& l, nb::handle writers) { l.add_progress_writers(as_writers(writers)); },
          nb::arg("progress_writers"))
      .def(
          "create_checkpoint", [](const Learner& l) { return to_python(l.state()); },
          "Its state, as a dictionary.")
      .def(
          "restore_from_checkpoint", [](Learner& l, nb::handle state) { l.restore(dictionary_from(state)); },
          nb::arg("checkpoint"))
      .def(
          "current_version", [](const Learner&) { return Learner::kVersion; },
          "The version of create_checkpoint's dictionary.")
      .def(
          "set_need_to_update_master_parameter", [](const Learner&) {},
          "No effect: learners keep no second copy of parameters of float16.")
      .def_prop_ro_static("ignored_minibatch_size", [](nb::handle) { return Learner::kAnyMinibatchSize; })
      .def_prop_ro_static("_MINIBATCH_SIZE", [](nb::handle) { return "MinibatchSize"; });

  m.def("default_unit_gain_value", &default_unit_gain);
  m.def("set_default_unit_gain_value", &set_default_unit_gain, nb::arg("value"));
  m.def("default_variance_momentum", &default_variance_momentum);
  m.def("learner", &made_learner, nb::arg("name"), nb::arg("parameters"), nb::arg("rate"),
        nb::arg("options"));
  m.def("universal", [](nb::callable make, nb::handle p) {
    return universal_learner(make, as_variables(p, "parameters"));
  });
  m.def("universal_of", [](nb::handle p, nb::handle g, nb::handle update) {
    return universal(as_variables(p, "parameters"), as_variables(g, "variables that stand for gradients"),
                     as_function(update, "the update"));
  });
}

}  // namespace cantik::python
