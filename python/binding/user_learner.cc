// Learners that users write in Python: a class with an `update` of its own, called with the gradients' own
// memory.
#include <cantik/learner.h>

#include "binding/dictionary.h"
#include "binding/numpy.h"
#include "binding/training.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

// Lives inside the Python object that it calls.
class UserLearner final : public Learner {
 public:
  UserLearner(nb::handle self, std::vector<Variable> parameters, TrainingParameterSchedule rate,
              nb::object array_class)
      : Learner(std::move(parameters), std::move(rate)), self_(self), array_class_(std::move(array_class)) {
    for (const Variable& p : this->parameters()) keys_.push_back(wrap(p));
  }

  std::string name() const override {
    Locked lock;
    return class_name(self_);
  }
  // What the user's class overrides; a checkpoint asks for it.
  Dictionary state() const override {
    Locked lock;
    return in_user_code(method_name(self_, "create_checkpoint"),
                        [&] { return dictionary_from(self_.attr("create_checkpoint")()); });
  }
  void restore(const Dictionary& state) override {
    Locked lock;
    in_user_code(method_name(self_, "restore_from_checkpoint"),
                 [&] { self_.attr("restore_from_checkpoint")(to_python(state)); });
  }
  void reset_smoothed_gradients() override {
    Locked lock;
    in_user_code(method_name(self_, "reset_smoothed_gradients"),
                 [&] { self_.attr("reset_smoothed_gradients")(); });
  }
  Dictionary own_state() const { return Learner::state(); }
  void restore_own(const Dictionary& state) { Learner::restore(state); }

 private:
  bool update(std::span<ParameterGradient> gradients, const Progress& progress) override {
    report(learning_rate_schedule(), "Learning rate", reported_);
    Locked lock;
    nb::dict given;
    for (size_t i = 0; i < gradients.size(); ++i)
      given[keys_[i]] = array_class_.is_none() ? wrap(gradients[i].value) : as_array(gradients[i].value);
    nb::object said;
    try {
      said = in_user_code(method_name(self_, "update"), [&] {
        return nb::object(self_.attr("update")(given, progress.samples, progress.sweep_end));
      });
    } catch (...) {
      written();
      throw;
    }
    written();
    int done = said.is_none() ? -1 : PyObject_IsTrue(said.ptr());
    if (done >= 0) return done == 1;
    PyErr_Clear();
    throw runtime_error(method_name(self_, "update") + " returned " + nb::repr(said).c_str())
        .remedy("return True, or False where nothing was updated and the training is to end");
  }
  // The memory of any parameter may have been written through a view.
  void written() const {
    for (const Variable& p : parameters()) p.add_to_version();
  }
  nb::object as_array(const Tensor& t) const {
    return array_of_tensor(t.is_sparse() ? t.to_dense() : t).attr("view")(array_class_);
  }

  nb::handle self_;
  nb::object array_class_;        // of what as_numpy=True gives; None for views
  std::vector<nb::object> keys_;  // the parameters, as Python knows them
  double reported_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

void bind_user_learner(nb::module_& m) {
  nb::class_<UserLearner, Learner>(m, "UserLearner", "A learner whose update is written in Python.")
      .def(
          "__init__",
          [](nb::pointer_and_handle<UserLearner> self, nb::handle parameters, nb::handle rate,
             nb::object array_class) {
            new (self.p) UserLearner(self.h, as_variables(parameters, "parameters"), as_schedule(rate),
                                     std::move(array_class));
          },
          nb::arg("parameters"), nb::arg("lr_schedule"), nb::arg("array_class").none())
      .def(
          "create_checkpoint", [](const UserLearner& l) { return to_python(l.own_state()); },
          "Its state, as a dictionary. A learner that remembers more overrides this, and adds its own.")
      .def(
          "restore_from_checkpoint",
          [](UserLearner& l, nb::handle state) { l.restore_own(dictionary_from(state)); },
          nb::arg("checkpoint"), "Goes on where create_checkpoint was called.")
      .def(
          "reset_smoothed_gradients", [](UserLearner&) {},
          "Forgets what it remembers of the gradients; there is nothing unless a learner overrides it.");
}

}  // namespace cantik::python
