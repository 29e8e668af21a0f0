// From a model to a file of CNTK's first generation, by way of the second one's dictionary. Blocks are
// opened: the first generation has none.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cantik/error.h>
#include <cantik/legacy_model.h>

#include "base/file.h"
#include "base/text.h"
#include "formats/legacy_operations.h"
#include "formats/legacy_stream.h"
#include "formats/model.h"

namespace cantik {
namespace {

constexpr uint64_t kVersion = 31;
constexpr uint64_t kPastValueWritten = 37, kFutureValueWritten = 38, kCombineWritten = 44, kBlockWritten = 57,
                   kOwn = ~uint64_t{0};
enum Kind : uint64_t { kInput = 0, kParameter = 2, kPlaceholder = 4 };

class LegacyWriter {
 public:
  explicit LegacyWriter(const Dictionary& model) : model_(model) {}

  std::string bytes() {
    for (const DictionaryValue& f : list("primitive_functions")) enter(f.as<Dictionary>());
    for (const DictionaryValue& v : list("inputs")) leaf(v.as<Dictionary>());
    for (const DictionaryValue& f : list("primitive_functions")) function(f.as<Dictionary>());
    return whole();
  }

 private:
  struct Entry {
    std::string content;  // from the type of its numbers to the end
    std::vector<std::string> reads;
  };

  const DictionaryVector& list(const char* key) const { return model_.at(key).as<DictionaryVector>(); }
  static std::string text_in(const Dictionary& d, const char* key) {
    const DictionaryValue* v = d.find(key);
    return v ? v->as<std::string>() : std::string();
  }
  static std::vector<std::string> texts_in(const Dictionary& d, const char* key) {
    std::vector<std::string> all;
    for (const DictionaryValue& v : d.at(key).as<DictionaryVector>()) all.push_back(v.as<std::string>());
    return all;
  }

  // Of a function of the program's own there is none.
  static uint64_t number_of(const Dictionary& f) {
    const DictionaryValue* op = f.find("op");
    return op ? op->as<uint64_t>() : kOwn;
  }

  // What a block reads and gives is known inside under other names.
  void enter(const Dictionary& f) {
    const std::string uid = text_in(f, "uid");
    functions_[uid] = &f;
    if (number_of(f) != kBlockWritten) return;
    const std::vector<std::string> inside = texts_in(f, "block_function_composite_arguments_map_keys"),
                                   outside = texts_in(f, "block_function_composite_arguments_map_values");
    for (size_t i = 0; i < inside.size(); ++i) same_[inside[i]] = outside[i];
    const std::string root = text_in(f.at("block_function_composite").as<Dictionary>(), "root");
    const Dictionary* r = functions_.contains(root) ? functions_[root] : nullptr;
    const std::vector<std::string> given =
        r && number_of(*r) == kCombineWritten
            ? texts_in(*r, "inputs")
            : std::vector<std::string>{root + "_Output_0", root + "_Output_1"};
    for (size_t i = 0; i < given.size(); ++i) same_[cat(uid, "_Output_", i)] = given[i];
  }

  std::string resolved(std::string uid) const {
    for (auto at = same_.find(uid); at != same_.end(); at = same_.find(uid)) uid = at->second;
    return uid;
  }

  // The name of a node in the file.
  std::string key(const Dictionary& d) const {
    return "__v2libuid__" + text_in(d, "uid") + "__v2libname__" + text_in(d, "name");
  }
  std::string key_of_value(const std::string& value) const {
    const std::string uid = resolved(value);
    if (const auto at = leaves_.find(uid); at != leaves_.end()) return at->second;
    const size_t end = uid.rfind("_Output_");
    if (end == uid.npos || uid.substr(end) != "_Output_0" || !functions_.contains(uid.substr(0, end)))
      throw unsupported("a function of several results cannot be written in the format of CNTK 1")
          .line("value", value);
    return key(*functions_.at(uid.substr(0, end)));
  }

  static LegacyOutput begin(DType dtype, std::string_view operation, const std::string& key) {
    LegacyOutput out;
    if (dtype != DType::float32 && dtype != DType::float64)
      throw unsupported(
          cat("numbers of the type ", name_of(dtype), " cannot be written in the format of CNTK 1"));
    out.text(dtype == DType::float64 ? "double" : "float");
    out.text(operation);
    out.text(key);
    return out;
  }

  void leaf(const Dictionary& d) {
    const uint64_t kind = d.at("kind").as<uint64_t>();
    if (kind == kPlaceholder) return;  // of a block, or of a loop that comes back
    const auto dtype = static_cast<DType>(d.at("data_type").as<uint64_t>());
    const std::string name = key(d);
    leaves_[text_in(d, "uid")] = name;
    dtype_ = dtype;
    LegacyOutput out = begin(dtype,
                             kind != kInput                 ? "LearnableParameter"
                             : d.at("is_sparse").as<bool>() ? "SparseInputValue"
                                                            : "InputValue",
                             name);
    if (kind == kInput) {
      const std::string axis = axis_of(d.at("dynamic_axis").as<DictionaryVector>());
      out.number(uint64_t{0});
      out.number(uint64_t{0});
      out.shape(d.at("shape").as<Shape>());
      out.number(uint32_t{1});
      out.text(axis);
      out.number(0.0f);
      if (!entries_.contains(axis)) entries_[axis] = {begin(DType::float32, "DynamicAxis", axis).take(), {}};
    } else {
      const Tensor& value = d.at("value").as<Tensor>();
      out.number(kind == kParameter ? 1.0f : 0.0f);
      out.shape(value.shape());
      out.matrix(value);
    }
    entries_[name] = {out.take(), {}};
  }

  static std::string axis_of(const DictionaryVector& axes) {
    if (axes.size() < 2) return std::string(kNoSequenceAxis);
    const Axis sequence = axes[0].as<Axis>();
    return sequence == Axis::sequence() ? "*" : sequence.name();
  }

  void function(const Dictionary& f) {
    const uint64_t number = number_of(f);
    if (number == kCombineWritten || number == kBlockWritten) return;
    const Dictionary& attributes = f.at("attributes").as<Dictionary>();
    std::vector<std::string> in;
    for (const std::string& value : texts_in(f, "inputs")) in.push_back(key_of_value(value));
    if (number == kPastValueWritten || number == kFutureValueWritten) {
      LegacyOutput out = begin(dtype_, number == kPastValueWritten ? "PastValue" : "FutureValue", key(f));
      out.number(static_cast<uint32_t>(attributes.at("offset").as<uint64_t>()));
      out.shape(Shape());
      out.number(0.0f);
      entries_[key(f)] = {out.take(), in};
      return;
    }
    const LegacyOperation* o = legacy_operation(number);
    if (!o)
      throw unsupported(cat("the function ", text_in(f, "uid"), " cannot be written in the format of CNTK 1"))
          .remedy("save the model in the format of CNTK 2: model.save(path)");
    LegacyOutput out = begin(dtype_, o->name, key(f));
    if (o->write) o->write(out, attributes);
    std::vector<std::string> reads = in;
    for (size_t i = 0; i < o->order.size() && i < in.size(); ++i)
      if (o->order[i] < in.size()) reads[o->order[i]] = in[i];
    entries_[key(f)] = {out.take(), reads};
  }

  // Outputs that something else reads, too. All others a reader knows by nothing reading them.
  std::vector<std::string> named_outputs() const {
    std::set<std::string> read;
    for (const auto& [name, entry] : entries_) read.insert(entry.reads.begin(), entry.reads.end());
    const std::string root = text_in(model_, "root");
    const Dictionary& r = *functions_.at(root);
    const std::vector<std::string> given = number_of(r) == kCombineWritten
                                               ? texts_in(r, "inputs")
                                               : std::vector<std::string>{root + "_Output_0"};
    std::vector<std::string> named;
    for (const std::string& value : given)
      if (const std::string key = key_of_value(value); read.contains(key)) named.push_back(key);
    return named;
  }

  std::string whole() const {
    LegacyOutput out;
    out.text("BCN");
    out.text("BVersion");
    out.number(kVersion);
    out.text("EVersion");
    out.number(static_cast<uint64_t>(entries_.size()));
    out.text("BNodeList");
    std::string all = out.take();
    for (const auto& [name, entry] : entries_) all += entry.content;
    out.text("ENodeList");
    out.text("BRelation");
    for (const auto& [name, entry] : entries_) {
      out.text(name);
      out.number(static_cast<uint64_t>(entry.reads.size()));
      for (const std::string& operand : entry.reads) out.text(operand);
    }
    out.text("ERelation");
    out.text("BRootNodes");
    for (const char* kind : {"Feature", "Label", "Criterion", "Eval", "Output"}) {
      const std::vector<std::string> named =
          std::string_view(kind) == "Output" ? named_outputs() : std::vector<std::string>();
      out.text(cat("B", kind, "Nodes"));
      out.number(static_cast<uint64_t>(named.size()));
      for (const std::string& name : named) out.text(name);
      out.text(cat("E", kind, "Nodes"));
    }
    out.text("ERootNodes");
    out.text("ECN");
    return all + out.take();
  }

  const Dictionary& model_;
  DType dtype_ = DType::float32;  // of the leaves that were written last: functions compute in their type
  std::unordered_map<std::string, const Dictionary*> functions_;
  std::unordered_map<std::string, std::string> same_, leaves_;
  std::map<std::string, Entry> entries_;
};

}  // namespace

void save_legacy_model(const Function& model, const std::string& path) {
  const Dictionary dictionary = write_model(model);
  const std::string bytes = LegacyWriter(dictionary).bytes();
  FileWriter file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace cantik
