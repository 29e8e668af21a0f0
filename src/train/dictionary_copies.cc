#include "train/checkpoint.h"

namespace cantik::training {

Dictionary DictionaryCopies::of(const Dictionary& d) {
  next_ = 0;
  Dictionary copy = copied(d);
  kept_.resize(next_);
  return copy;
}

Dictionary DictionaryCopies::copied(const Dictionary& d) {
  Dictionary copy;
  for (const auto& [name, value] : d) copy[name] = copied(value);
  return copy;
}

DictionaryValue DictionaryCopies::copied(const DictionaryValue& value) {
  if (const Dictionary* d = value.get<Dictionary>()) return copied(*d);
  if (const Tensor* t = value.get<Tensor>()) return copied(*t);
  const DictionaryVector* list = value.get<DictionaryVector>();
  if (!list) return value;
  DictionaryVector copy;
  copy.reserve(list->size());
  for (const DictionaryValue& v : *list) copy.push_back(copied(v));
  return copy;
}

Tensor DictionaryCopies::copied(const Tensor& t) {
  if (next_ == kept_.size()) kept_.emplace_back();
  Tensor& kept = kept_[next_++];
  const bool is_dense = kept.defined() && !kept.is_sparse() && !t.is_sparse();
  if (is_dense && kept.dtype() == t.dtype() && kept.shape() == t.shape())
    kept.copy_from(t);
  else
    kept = t.clone();
  return kept;
}

}  // namespace cantik::training
