// Checkpoints of a trainer.
#include "train/checkpoint.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>
#include <cantik/trainer.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "formats/model.h"
#include "train/training.h"

namespace cantik {
namespace {

// beside the model, in its dictionary; CNTK passes over it
constexpr const char* kTrainer = "cantik.trainer";
constexpr const char* kPointer = "StateIsIn";  // of the small file beside it: where to look

// Nobody goes on before the file is there, and all learn where it could not be written.
void tell_others(Communicator& workers, const std::optional<Error>& failure) {
  const std::vector<std::string> said = workers.gather(failure ? failure->what() : "", "end of a checkpoint");
  if (!failure && !said[0].empty())
    throw runtime_error("the main worker could not write the checkpoint").line("it says", said[0]);
}

std::string name_of_file(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

void training::write_checkpoint(Dictionary model, Dictionary state, const std::string& path) {
  // CNTK keeps what is in our one file in two, and programs look for the second. A stale one would belong to
  // another model.
  const std::string pair = path + ".ckp";
  auto save = [](const Dictionary& d, const std::string& to, const std::string& checkpoint) {
    try {
      d.save(to);
    } catch (const Error& e) {
      throw Error(e).line("checkpoint", checkpoint);
    }
  };
  model[kTrainer] = std::move(state);
  save(model, path, cat(path, " and ", pair, " are both as before"));
  const Uninterrupted both;  // or neither
  save({{"Version", uint64_t{1}}, {kPointer, name_of_file(path)}}, pair,
       cat(path, " is written and complete; ", pair, ", which says so to programs of CNTK's, is as before"));
}

void Trainer::save_checkpoint(const std::string& path, const Dictionary& external_state) {
  for (;;) {
    const int64_t acted = training_->acted;
    try {
      write_checkpoint(path, external_state);
      has_acted();
      take_in(external_state);
      return;
    } catch (const Error& e) {
      if (!has_lost_worker()) throw;
      meet_again(external_state, e.what());
      if (training_->acted > acted) return;  // all have written it
    }
  }
}

void Trainer::write_checkpoint(const std::string& path, const Dictionary& external_state) const {
  meet();
  const Dictionary model = trained_model(), all = state(external_state);
  std::optional<Error> failure;
  if (!workers() || workers()->is_main()) {
    try {
      training::write_checkpoint(model, all, path);
    } catch (const Error& e) {
      failure = e;
    }
  }
  if (workers()) tell_others(*workers(), failure);
  if (failure) throw Error(*failure);
}

Dictionary Trainer::checkpoint(const Dictionary& external_state) const {
  meet();
  Dictionary d = training::DictionaryCopies().of(trained_model());
  d[kTrainer] = state(external_state);
  return d;
}

Dictionary Trainer::restore_checkpoint(const Dictionary& checkpoint) {
  return restore(checkpoint, checkpoint.at(kTrainer).as<Dictionary>());
}

Dictionary Trainer::restore_from_checkpoint(const std::string& path) {
  if (is_new()) return wait_to_be_taken_in();
  if (!is_file(path)) throw runtime_error("there is no checkpoint file " + path);
  Dictionary model = Dictionary::load(path);
  const DictionaryValue* own = model.find(kTrainer);
  std::string pair = path + ".ckp";
  Dictionary training = own ? own->as<Dictionary>() : is_file(pair) ? Dictionary::load(pair) : Dictionary();
  if (!own && (training.size() == 0 || training.contains(kPointer)))
    throw value_error("the file holds a model, but not the state of a training")
        .line("file", path)
        .remedy("give a file that save_checkpoint wrote, or load the model with Function::load");
  try {
    return restore(model, training);
  } catch (const Error& e) {
    throw e.has("file") ? e : Error(e).line("file", path);
  }
}

// The model with its values, and the trainer's state.
Dictionary Trainer::restore(const Dictionary& model, const Dictionary& training) {
  const Dictionary kept = state_without_workers({}), own = state_of_this_worker();
  try {
    return restore_training(model, training);
  } catch (...) {  // nothing has changed
    restore(kept);
    restore_worker(own, true);
    throw;
  }
}

Dictionary Trainer::restore_training(const Dictionary& model, const Dictionary& training) {
  const Function saved = read_model(model);
  check_same_graph(training_function(), saved);  // before anything changes
  const Dictionary external = restore(training);
  restore_values(training_function(), saved);
  restore_worker(training);  // may have values of its own
  return external;
}

}  // namespace cantik
