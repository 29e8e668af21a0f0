// Callbacks of trainings: those of the library, and those that users derive in Python.
#include "binding/callback.h"

#include <nanobind/trampoline.h>

#include <cantik/callbacks.h>

#include "binding/dictionary.h"
#include "binding/options.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

// A callback whose methods may be overridden in Python. They get the session's Python object.
struct OfPython : Callback, SessionOfCallback {
  virtual void training_start(nb::handle) {}
  virtual void training_end(nb::handle) {}
  virtual void minibatch_start(nb::handle) {}
  virtual void minibatch_end(nb::handle) {}
  virtual void epoch_end(nb::handle, nb::handle) {}
  virtual void checkpoint_start(nb::handle, int64_t) {}
  virtual void checkpoint_end(nb::handle, int64_t) {}
  virtual void cross_validation_start(nb::handle, int64_t) {}
  virtual nb::object state_in_python() const { return nb::dict(); }
  virtual void restore_in_python(nb::handle) {}

  void on_training_start(TrainingSession&) override { training_start(session()); }
  void on_training_end(TrainingSession&) override { training_end(session()); }
  void on_minibatch_start(TrainingSession&) override { minibatch_start(session()); }
  void on_minibatch_end(TrainingSession&) override { minibatch_end(session()); }
  void on_epoch_end(TrainingSession&, EpochRecord& record) override {
    Locked lock;
    nb::object python = record_of(record);
    epoch_end(session(), python);
    take_over(python, record);
  }
  void on_checkpoint_start(TrainingSession&, int64_t index) override { checkpoint_start(session(), index); }
  void on_checkpoint_end(TrainingSession&, int64_t index) override { checkpoint_end(session(), index); }
  void on_cross_validation_start(TrainingSession&, int64_t index) override {
    cross_validation_start(session(), index);
  }
  Dictionary state() const override {
    Locked lock;
    return dictionary_from(state_in_python());
  }
  void restore(const Dictionary& d) override {
    Locked lock;
    restore_in_python(to_python(d));
  }
};

struct PythonCallback final : OfPython {
  NB_TRAMPOLINE(OfPython, 10);
  void training_start(nb::handle session) override {
    NB_OVERRIDE_NAME("on_training_start", training_start, session);
  }
  void training_end(nb::handle session) override {
    NB_OVERRIDE_NAME("on_training_end", training_end, session);
  }
  void minibatch_start(nb::handle session) override {
    NB_OVERRIDE_NAME("on_minibatch_start", minibatch_start, session);
  }
  void minibatch_end(nb::handle session) override {
    NB_OVERRIDE_NAME("on_minibatch_end", minibatch_end, session);
  }
  void epoch_end(nb::handle session, nb::handle record) override {
    NB_OVERRIDE_NAME("on_epoch_end", epoch_end, session, record);
  }
  void checkpoint_start(nb::handle session, int64_t index) override {
    NB_OVERRIDE_NAME("on_checkpoint_start", checkpoint_start, session, index);
  }
  void checkpoint_end(nb::handle session, int64_t index) override {
    NB_OVERRIDE_NAME("on_checkpoint_end", checkpoint_end, session, index);
  }
  void cross_validation_start(nb::handle session, int64_t index) override {
    NB_OVERRIDE_NAME("on_cross_validation_start", cross_validation_start, session, index);
  }
  nb::object state_in_python() const override { NB_OVERRIDE_NAME("state", state_in_python); }
  void restore_in_python(nb::handle state) override { NB_OVERRIDE_NAME("restore", restore_in_python, state); }
};

void bind_library_callbacks(nb::module_& m) {
  nb::class_<EarlyStopping, Callback>(m, "EarlyStopping", "Ends a training that no longer gets better.")
      .def(
          "__init__",
          [](EarlyStopping* self, nb::dict options) {
            new (self) EarlyStopping(options_in<EarlyStoppingOptions>(options));
          },
          nb::arg("options"))
      .def_prop_ro(
          "best_epoch",
          [](const EarlyStopping& s) -> std::optional<int64_t> {
            if (s.best_epoch() == 0) return {};
            return s.best_epoch();
          },
          "The best epoch, counted from 1; None before the first one.")
      .def_prop_ro("best", &EarlyStopping::best, "What the monitored entry was in the best epoch.");
  nb::class_<ReduceOnPlateau, Callback>(m, "ReduceOnPlateau",
                                        "Reduces rates where a training no longer gets better.")
      .def(
          "__init__",
          [](ReduceOnPlateau* self, nb::dict options) {
            new (self) ReduceOnPlateau(options_in<ReduceOnPlateauOptions>(options));
          },
          nb::arg("options"));
  nb::class_<GradientNorm, Callback>(m, "GradientNorm", "The norm of gradients in the log.")
      .def(
          "__init__",
          [](GradientNorm* self, nb::dict options) {
            new (self) GradientNorm(options_in<GradientNormOptions>(options));
          },
          nb::arg("options"));
  nb::class_<Throughput, Callback>(m, "Throughput", "Samples a second in the log.").def(nb::init<>());
}

}  // namespace

nb::object record_of(const EpochRecord& record) {
  nb::dict entries;
  entries["epoch"] = record.epoch();
  for (const auto& [name, value] : record.entries()) {
    if (name == "samples")
      entries[name.c_str()] = static_cast<int64_t>(value);
    else
      entries[name.c_str()] = value;
  }
  return nb::module_::import_("cantik.variables").attr("Record")(**entries);
}

void take_over(nb::handle python, EpochRecord& record) {
  for (auto [key, value] : nb::cast<nb::dict>(nb::borrow(python))) {
    const auto name = nb::cast<std::string>(key);
    if (name == "epoch") continue;
    double number = 0;
    if (!nb::try_cast(value, number))
      throw type_error("an entry of an epoch's record must be a number, and '" + name + "' is " +
                       class_name(value));
    record.set(name, number);
  }
}

std::vector<CallbackPtr> as_callbacks(nb::handle h) {
  std::vector<CallbackPtr> list;
  if (h.is_none()) return list;
  for (nb::handle item : nb::borrow(h)) {
    CallbackPtr callback;
    if (!nb::try_cast(item, callback) || !callback)
      throw type_error("a callback was expected, not " + class_name(item));
    list.push_back(std::move(callback));
  }
  return list;
}

void bind_callbacks(nb::module_& m) {
  nb::class_<Callback, PythonCallback>(
      m, "Callback",
      "What a training calls while it goes on: derive from it, and override what is wanted.\n\nCheckpoints "
      "keep "
      "what its method `state` gives, and `restore` takes it over.\n\nExample:\n    >>> import cantik as C\n "
      "   "
      ">>> class Enough(C.train.Callback):\n    ...     def on_epoch_end(self, session, record):\n    ...    "
      "    "
      " if record.loss < 0.1:\n    ...             session.end()\n    >>> enough = Enough()")
      .def(nb::init<>())
      .def(
          "on_training_start", [](Callback&, nb::handle) {}, nb::arg("session"),
          "Before the first minibatch; a checkpoint has been restored.")
      .def(
          "on_training_end", [](Callback&, nb::handle) {}, nb::arg("session"),
          "After the last minibatch and checkpoint, before the test; not of a training that was interrupted.")
      .def(
          "on_minibatch_start", [](Callback&, nb::handle) {}, nb::arg("session"),
          "Before a minibatch is asked for.")
      .def(
          "on_minibatch_end", [](Callback&, nb::handle) {}, nb::arg("session"),
          "After it has been trained on.")
      .def(
          "on_epoch_end", [](Callback&, nb::handle, nb::handle) {}, nb::arg("session"), nb::arg("record"),
          "After an epoch, with its record. Numbers that are added to it are seen by the callbacks after "
          "this "
          "one.")
      .def(
          "on_checkpoint_start", [](Callback&, nb::handle, int64_t) {}, nb::arg("session"), nb::arg("index"),
          "Before a checkpoint is taken.")
      .def(
          "on_checkpoint_end", [](Callback&, nb::handle, int64_t) {}, nb::arg("session"), nb::arg("index"),
          "Once its file is there: of one that is written in the background after a later minibatch.")
      .def(
          "on_cross_validation_start", [](Callback&, nb::handle, int64_t) {}, nb::arg("session"),
          nb::arg("index"), "Before a cross-validation.")
      .def(
          "state", [](const Callback& c) { return to_python(c.state()); },
          "What checkpoints keep of it, as a dictionary.")
      .def(
          "restore", [](Callback& c, nb::handle state) { c.restore(dictionary_from(state)); },
          nb::arg("state"), "Takes over what `state` gave.");
  bind_library_callbacks(m);
}

}  // namespace cantik::python
