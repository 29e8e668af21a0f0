// From attributes of a user's own to an entry of metadata, and back.
#include "onnx/kept_attributes.h"

#include <string>
#include <utility>

#include <cantik/dictionary.h>
#include <cantik/error.h>

#include "base/text.h"
#include "tensor/dictionary_json.h"

namespace cantik::onnx {

void keep_attributes(const Function& f, ModelRecord& record) {
  Dictionary attributes = f.custom_attributes();
  if (attributes.size() == 0) attributes = f.root().custom_attributes();
  if (attributes.size() == 0) return;
  try {
    record.metadata.emplace_back(kAttributesEntry, record.own(to_json(attributes)));
  } catch (Error& e) {
    throw std::move(e).remedy("take it out of the network's custom_attributes, or write CNTK's format");
  }
}

void restore_attributes(const ModelRecord& record, const Function& f) {
  for (const auto& [key, value] : record.metadata) {
    if (key != kAttributesEntry) continue;
    try {
      f.set_custom_attributes(dictionary_from_json(value));
    } catch (Error& e) {
      throw std::move(e).line("metadata", key);
    }
  }
}

}  // namespace cantik::onnx
