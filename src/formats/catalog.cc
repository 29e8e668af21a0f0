// Operators by what CNTK's files call them.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "formats/attributes.h"
#include "formats/model.h"

namespace cantik {

Catalog::Catalog() {
  for (const Operator* op : Registry::global().all()) {
    const FileForm& form = op->facts.file;
    if (form.number) primitives_[*form.number].push_back(op);
    if (!form.block.empty()) blocks_[form.block].push_back(op);
  }
  // Those that ask for more first.
  for (auto& [number, list] : primitives_)
    std::stable_sort(list.begin(), list.end(), [](const Operator* a, const Operator* b) {
      return a->facts.file.fixed.size() > b->facts.file.fixed.size();
    });
}

const Operator* Catalog::primitive(uint64_t number, const Dictionary& attributes, size_t inputs,
                                   std::vector<Attribute>& read, std::string& why) const {
  auto list = primitives_.find(number);
  if (list == primitives_.end()) return nullptr;
  for (const Operator* op : list->second) {
    if (static_cast<int>(inputs) < op->inputs_min || static_cast<int>(inputs) > op->inputs_max) continue;
    if (auto found = read_attributes(*op, attributes)) {
      read = std::move(*found);
      return op;
    }
  }
  std::string keys;
  for (const auto& [key, value] : attributes) keys += (keys.empty() ? "" : ", ") + key;
  why = cat(" with ", inputs, inputs == 1 ? " input" : " inputs", keys.empty() ? "" : " and the attributes ",
            keys);
  return nullptr;
}

const std::vector<const Operator*>& Catalog::blocks(const std::string& name) const {
  static const std::vector<const Operator*> none;
  auto list = blocks_.find(name);
  return list == blocks_.end() ? none : list->second;
}

}  // namespace cantik
