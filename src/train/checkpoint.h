// Files of checkpoints.
#pragma once

#include <string>
#include <vector>

#include <cantik/dictionary.h>

namespace cantik::training {

// The model of a trainer with the trainer's state, crash-safe, and the small file beside it that CNTK's
// programs look for.
void write_checkpoint(Dictionary model, Dictionary state, const std::string& path);

// Copies of dictionaries, tensors and all, in the memory of the last copy where they fit.
class DictionaryCopies {
 public:
  Dictionary of(const Dictionary& d);

 private:
  Dictionary copied(const Dictionary& d);
  DictionaryValue copied(const DictionaryValue& value);
  Tensor copied(const Tensor& t);

  std::vector<Tensor> kept_;
  size_t next_ = 0;
};

}  // namespace cantik::training
