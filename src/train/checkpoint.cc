// Checkpoints of a trainer.
#include <cantik/error.h>
#include <cantik/trainer.h>

#include "base/file.h"
#include "formats/model.h"

namespace cantik {
namespace {

constexpr const char* kTrainer = "cantik.trainer";  // beside the model, in its dictionary; CNTK passes over it

}  // namespace

void Trainer::save_checkpoint(const std::string& path, const Dictionary& external_state) const {
  Dictionary d = write_model(training_function());
  d[kTrainer] = state(external_state);
  d.save(path);
}

Dictionary Trainer::restore_from_checkpoint(const std::string& path) {
  if (!is_file(path)) throw value_error("the checkpoint " + path + " is not there");
  Dictionary model = Dictionary::load(path);
  const DictionaryValue* own = model.find(kTrainer);
  std::string pair = path + ".ckp";
  if (!own && !is_file(pair)) throw value_error("the file holds a model, but no state of a training").line("file", path).remedy("give a file that save_checkpoint has written, or load the model");
  Dictionary training = own ? own->as<Dictionary>() : Dictionary::load(pair);
  Dictionary kept = state();
  Dictionary external;
  try {
    external = restore(training);
    restore_values(training_function(), read_model(model));
  } catch (...) {
    restore(kept);  // nothing has changed
    throw;
  }
  return external;
}

}  // namespace cantik
