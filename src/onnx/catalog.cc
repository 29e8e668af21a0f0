#include "onnx/catalog.h"

#include <mutex>
#include <string>

namespace cantik::onnx {

const cantik_onnx_form* form_of(const Operator& op) {
  return static_cast<const cantik_onnx_form*>(
      Registry::global().attached(op.name, CANTIK_ONNX_KEY, CANTIK_ONNX_TYPE));
}

const ReadingRule* reading_of(std::string_view name) {
  struct Table {
    std::mutex mutex;
    size_t operators = 0;  // that were there when it was made
    std::unordered_map<std::string, ReadingRule> by_name;
  };
  static auto* table = new Table;
  std::lock_guard lock(table->mutex);
  const auto all = Registry::global().all();
  if (all.size() != table->operators) {  // a library has been loaded meanwhile
    for (const Operator* op : all) {
      const cantik_onnx_form* form = form_of(*op);
      if (!form) continue;
      for (int32_t i = 0; i < form->rule_count; ++i)
        table->by_name.try_emplace(form->rules[i].name, ReadingRule{op, form, &form->rules[i]});
      if (form->name) table->by_name.try_emplace(form->name, ReadingRule{op, form, nullptr});
    }
    table->operators = all.size();
  }
  const auto found = table->by_name.find(std::string(name));
  return found == table->by_name.end() ? nullptr : &found->second;
}

}  // namespace cantik::onnx
