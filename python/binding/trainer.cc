// Trainer and Evaluator, a minibatch at a time.
#include <algorithm>

#include <cantik/trainer.h>

#include "binding/arguments.h"
#include "binding/dictionary.h"
#include "binding/feeds.h"
#include "binding/sequences.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

// What is trained or tested, with its arguments, found once.
struct EvaluatorBox {
  std::shared_ptr<Evaluator> evaluator;
  Function function;
  // of the function; of the loss and the metric; of the metric alone
  std::vector<Variable> arguments, trained, tested;

  EvaluatorBox(std::shared_ptr<Evaluator> e, Function f, const Variable& loss = {})
      : evaluator(std::move(e)), function(std::move(f)) {
    if (function) arguments = function.arguments();
    const Variable metric = evaluator->evaluation_function();
    if (metric) tested = function_of({metric}).arguments();
    if (loss) trained = (metric ? combine({loss, metric}) : function_of({loss})).arguments();
  }
  Feeds feeds_of_training(nb::handle given, Kept& kept) const { return feeds(given, trained, kept); }
  Feeds feeds_of_test(nb::handle given, Kept& kept) const { return feeds(given, tested, kept); }

 private:
  // A dictionary needs what `read` says; what the rest of the function reads beside may be there.
  Feeds feeds(nb::handle given, const std::vector<Variable>& read, Kept& kept) const {
    if (read.size() == arguments.size() || !PyDict_Check(given.ptr()))
      return feeds_of(function, arguments, given, &kept);
    std::vector<Variable> inputs;
    for (const Variable& v : arguments)
      if (std::find(read.begin(), read.end(), v) != read.end() || is_given(v, given)) inputs.push_back(v);
    return feeds_of(function, inputs, given, &kept);
  }
  static bool is_given(const Variable& v, nb::handle dictionary) {
    PyObject *key, *data;
    Py_ssize_t at = 0;
    while (PyDict_Next(dictionary.ptr(), &at, &key, &data)) {
      const Variable* k = variable_in(key);
      if (k ? *k == v : PyUnicode_Check(key) && nb::cast<std::string>(nb::handle(key)) == v.name())
        return true;
    }
    return false;
  }
};
struct TrainerBox : EvaluatorBox {
  using EvaluatorBox::EvaluatorBox;
  Trainer& trainer() const { return static_cast<Trainer&>(*evaluator); }
};

Variable variable_or_none(nb::handle h, const char* what) {
  return h.is_none() ? Variable() : as_variable(h, what);
}
nb::object function_or_none(const Variable& v) { return v ? wrap(function_of({v})) : nb::none(); }

// Whether the minibatch ends a sweep, as its source says.
bool ends_sweep(nb::handle given) {
  if (!PyDict_Check(given.ptr())) return false;
  PyObject *key, *data;
  Py_ssize_t at = 0;
  while (PyDict_Next(given.ptr(), &at, &key, &data)) {
    nb::handle h(data);
    if (PyList_Check(data) || PyTuple_Check(data) || tensor_in(h) || value_in(h) ||
        PyObject_CheckBuffer(data))
      continue;
    if (nb::hasattr(h, "end_of_sweep") && flag_in(nb::borrow(h).attr("end_of_sweep"), "end_of_sweep"))
      return true;
  }
  return false;
}

bool is_empty(nb::handle given) { return PyDict_Check(given.ptr()) && PyDict_Size(given.ptr()) == 0; }

nb::object train_minibatch(TrainerBox& box, nb::handle given, nb::handle outputs_given,
                           const std::optional<Device>& device, nb::handle is_sweep_end, bool check_nan) {
  nb::object outputs = listed(outputs_given);
  if (is_collection(outputs) && PyObject_Size(outputs.ptr()) == 0) outputs = nb::none();
  TrainOptions options;
  options.device = device;
  options.check_nan |= check_nan;
  if (is_empty(given)) {
    options.sweep_end = !is_sweep_end.is_none() && flag_in(is_sweep_end, "is_sweep_end");
    bool went_on = false;
    {
      Unlocked unlock;
      went_on = box.trainer().train_minibatch({}, options);
    }
    return outputs.is_none() ? nb::cast(went_on) : nb::make_tuple(went_on, nb::dict());
  }
  options.sweep_end = is_sweep_end.is_none() ? ends_sweep(given) : flag_in(is_sweep_end, "is_sweep_end");
  Kept kept;
  Feeds feeds = box.feeds_of_training(given, kept);
  bool went_on = false;
  if (outputs.is_none()) {
    {
      Unlocked unlock;
      went_on = box.trainer().train_minibatch(feeds, options);
    }
    return nb::borrow(went_on ? Py_True : Py_False);
  }
  std::vector<Variable> wanted = as_variables(outputs, "outputs");
  TrainedStep trained;
  {
    Unlocked unlock;
    trained = box.trainer().train_minibatch(feeds, wanted, options);
  }
  nb::dict results;
  const std::vector<nb::object> named = names_of(outputs, wanted);
  for (size_t i = 0; i < wanted.size(); ++i) results[named[i]] = result_of(trained.outputs[i]);
  return nb::make_tuple(trained.updated, results);
}

double test_minibatch(EvaluatorBox& box, nb::handle given, const std::optional<Device>& device,
                      bool distributed) {
  Kept kept;
  Feeds feeds;
  if (!distributed || !is_empty(given)) feeds = box.feeds_of_test(given, kept);
  Unlocked unlock;
  return box.evaluator->test_minibatch(feeds, {.distributed = distributed, .device = device});
}

}  // namespace

std::shared_ptr<Trainer> trainer_in(nb::handle h) {
  TrainerBox* box = nullptr;
  if (!nb::try_cast(h, box) || !box) throw type_error("a Trainer was expected, not " + class_name(h));
  return std::static_pointer_cast<Trainer>(box->evaluator);
}

void bind_trainer(nb::module_& m) {
  nb::class_<EvaluatorBox>(m, "Evaluator", "A metric over test data, minibatch by minibatch.")
      .def(
          "__init__",
          [](EvaluatorBox* self, nb::handle metric, nb::handle writers) {
            Variable v = variable_or_none(metric, "the metric");
            new (self) EvaluatorBox(std::make_shared<Evaluator>(v, as_writers(writers)),
                                    v ? function_of({v}) : Function());
          },
          nb::arg("eval_function").none(), nb::arg("progress_writers") = nb::none())
      .def("test_minibatch", &test_minibatch, nb::arg("arguments"), nb::arg("device") = nb::none(),
           nb::arg("distributed") = false,
           "The metric's average over the samples of a minibatch; with `distributed` over the minibatches of "
           "all "
           "workers.")
      .def_prop_ro(
          "evaluation_function",
          [](const EvaluatorBox& b) { return function_or_none(b.evaluator->evaluation_function()); },
          "The metric.")
      .def(
          "summarize_test_progress",
          [](EvaluatorBox& b) {
            Unlocked unlock;
            b.evaluator->summarize_test_progress();
          },
          "Tells the writers that the test is over.")
      .def("progress_writers", [](const EvaluatorBox& b) {
        nb::list list;
        for (const ProgressWriterPtr& w : b.evaluator->progress_writers()) list.append(nb::cast(w));
        return list;
      });
  nb::class_<TrainerBox, EvaluatorBox>(m, "Trainer", "A model, a loss, learners; a minibatch at a time.")
      .def(
          "__init__",
          [](TrainerBox* self, nb::handle model, nb::handle loss, nb::handle metric, nb::handle learners,
             nb::handle writers) {
            const Interruptible compiling;
            Function f = model.is_none() ? Function() : as_function(model, "the model");
            auto trainer = std::make_shared<Trainer>(f, variable_or_none(loss, "the loss"),
                                                     variable_or_none(metric, "the metric"),
                                                     as_learners(learners), as_writers(writers));
            const Function trained = trainer->training_function();
            const Variable root = trainer->loss_function();
            new (self) TrainerBox(std::move(trainer), trained, root);
          },
          nb::arg("model").none(), nb::arg("loss").none(), nb::arg("metric").none(), nb::arg("learners"),
          nb::arg("progress_writers") = nb::none())
      .def("__repr__", [](TrainerBox& b) { return '<' + b.trainer().text() + '>'; })
      .def("train_minibatch", &train_minibatch, nb::arg("arguments"), nb::arg("outputs") = nb::none(),
           nb::arg("device") = nb::none(), nb::arg("is_sweep_end") = nb::none(), nb::arg("check_nan") = false,
           "One step: forward, backward, update.\n\nArgs:\n    arguments: a dictionary from inputs or their "
           "names to data, or the data of the only one\n"
           "    outputs: outputs wanted with it\n    device: where to run\n    is_sweep_end: whether the "
           "minibatch ends a sweep over the data\n\n"
           "Returns:\n    True if parameters were updated; with `outputs` a pair of that and a dictionary "
           "from outputs to arrays")
      .def("test_minibatch", &test_minibatch, nb::arg("arguments"), nb::arg("device") = nb::none(),
           nb::arg("distributed") = false,
           "The metric's average over the samples of a minibatch; with `distributed` over the minibatches of "
           "all "
           "workers.")
      .def(
          "save_checkpoint",
          [](TrainerBox& b, nb::handle filename, nb::handle state) {
            const std::string path = path_in(filename, "filename");
            Dictionary d = state.is_none() ? Dictionary() : dictionary_from(state);
            Unlocked unlock;
            b.trainer().save_checkpoint(path, d);
          },
          nb::arg("filename"), nb::arg("external_state") = nb::none(),
          "Everything needed to go on, in one file that load_model opens, too.")
      .def(
          "restore_from_checkpoint",
          [](TrainerBox& b, nb::handle filename) {
            const std::string path = path_in(filename, "filename");
            Dictionary external;
            {
              Unlocked unlock;
              external = b.trainer().restore_from_checkpoint(path);
            }
            return to_python(external);
          },
          nb::arg("filename"),
          "Goes on where save_checkpoint was called.\n\nReturns:\n    the external state that was saved with "
          "it")
      .def_prop_ro(
          "model",
          [](const TrainerBox& b) { return b.trainer().model() ? wrap(b.trainer().model()) : nb::none(); },
          "The model.")
      .def_prop_ro(
          "loss_function", [](const TrainerBox& b) { return function_or_none(b.trainer().loss_function()); },
          "The loss.")
      .def_prop_ro(
          "parameter_learners",
          [](const TrainerBox& b) {
            nb::list list;
            for (const LearnerPtr& l : b.trainer().parameter_learners()) list.append(nb::cast(l));
            return nb::tuple(list);
          },
          "The learners.")
      .def_prop_ro(
          "previous_minibatch_loss_average",
          [](const TrainerBox& b) { return b.trainer().previous_minibatch_loss_average(); },
          "The loss of the last minibatch, a sample.")
      .def_prop_ro(
          "previous_minibatch_evaluation_average",
          [](const TrainerBox& b) { return b.trainer().previous_minibatch_evaluation_average(); },
          "The metric of the last minibatch, a sample.")
      .def_prop_ro(
          "previous_minibatch_sample_count",
          [](const TrainerBox& b) { return b.trainer().previous_minibatch_sample_count(); },
          "How many samples the last minibatch had.")
      .def_prop_ro(
          "total_number_of_samples_seen",
          [](const TrainerBox& b) { return b.trainer().total_number_of_samples_seen(); },
          "How many samples it was trained on.")
      .def(
          "total_number_of_units_seen",
          [](const TrainerBox& b, int unit) {
            const Trainer& t = b.trainer();
            if (unit < 0 || unit > 2)
              throw value_error("Unsupported data unit: " + std::to_string(unit))
                  .remedy("give DataUnit.sweep, .sample or .minibatch");
            DataUnit u = static_cast<DataUnit>(unit);
            return u == DataUnit::sample      ? t.total_number_of_samples_seen()
                   : u == DataUnit::minibatch ? t.total_number_of_minibatches_seen()
                                              : t.total_number_of_sweeps_seen();
          },
          nb::arg("unit") = 1)
      .def(
          "summarize_training_progress",
          [](TrainerBox& b) {
            Unlocked unlock;
            b.trainer().summarize_training_progress();
          },
          "Tells the writers that an epoch is over.");
}

}  // namespace cantik::python
