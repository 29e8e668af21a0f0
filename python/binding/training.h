// What the files of the binding share that have to do with training.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include <cantik/train.h>

#include "binding/common.h"

namespace cantik::python {

// A schedule, a number, a list of numbers or of pairs (count, number).
TrainingParameterSchedule as_schedule(nb::handle h, const char* what = "");
std::vector<LearnerPtr> as_learners(nb::handle h);        // one or several
std::vector<ProgressWriterPtr> as_writers(nb::handle h);  // None, one or several
std::shared_ptr<Trainer> trainer_in(nb::handle h);

// What Python's objects of these classes hold.
struct DeserializerBox {
  DeserializerPtr deserializer;
};
struct SourceBox {
  SourcePtr source;
};

void bind_source(nb::module_&);
void bind_binary_files(nb::module_&);
void bind_speech_files(nb::module_&);
void bind_user_deserializer(nb::module_&);
void bind_images(nb::module_&);
void bind_tables(nb::module_&);
void bind_schedule(nb::module_&);
void bind_learner(nb::module_&);
void bind_user_learner(nb::module_&);
void bind_distributed(nb::module_&);
void bind_progress(nb::module_&);
void bind_tensorboard(nb::module_&);
void bind_trainer(nb::module_&);
void bind_callbacks(nb::module_&);
void bind_session(nb::module_&);

}  // namespace cantik::python
