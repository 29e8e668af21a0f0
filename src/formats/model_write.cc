// From a Function to a model's dictionary.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "formats/attributes.h"
#include "formats/foreign.h"
#include "formats/model.h"
#include "graph/object.h"
#include "runtime/bound_plans.h"

namespace cantik {
namespace {

constexpr uint64_t kCompositeVersion = 3, kPrimitiveVersion = 24, kVariableVersion = 1;

DictionaryVector texts(const std::vector<std::string>& list) {
  return DictionaryVector(list.begin(), list.end());
}

DictionaryVector axes_of(const Axes& axes) {
  if (!axes.is_known()) return {Axis::unknown()};
  DictionaryVector list;
  for (int i = axes.size(); i-- > 0;) list.push_back(axes[i]);
  return list;
}

class Writer {
 public:
  explicit Writer(const runtime::Draws& draws) : draws_(draws) {}
  Dictionary model(const Function& f) {
    walk(f.node());
    Dictionary d = composite(f);
    d["inputs"] = std::move(leaves_);
    d["primitive_functions"] = std::move(functions_);
    return d;
  }

 private:
  struct Frame {
    std::shared_ptr<Node> node;
    std::vector<Variable> reads;  // what it reads, then what stands in it
    size_t next = 0;
  };

  // Operands before functions, the inside of a block before it; what closes a loop is a placeholder of the
  // output's uid.
  void walk(const std::shared_ptr<Node>& root) {
    std::vector<Frame> stack;
    auto enter = [&](const std::shared_ptr<Node>& n) {
      state_[n.get()] = kOpen;
      Frame f{n, {}, 0};
      for (const Edge& e : n->inputs) f.reads.push_back(resolved(e));
      if (n->block) f.reads.push_back(n->block->root);
      stack.push_back(std::move(f));
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.reads.size()) {
        std::shared_ptr<Node> n = top.node;
        functions_.push_back(function(*n));
        state_[n.get()] = kDone;
        stack.pop_back();
        continue;
      }
      Variable v = top.reads[top.next++];
      if (!v.is_output()) {
        if (state_.emplace(v.node().get(), kDone).second) leaves_.push_back(leaf(v));
        continue;
      }
      auto at = state_.find(v.node().get());
      if (at == state_.end())
        enter(v.node());
      else if (at->second == kOpen && loops_.insert(uid(v)).second)
        leaves_.push_back(variable(v, VariableKind::placeholder));
    }
  }

  std::string unused(std::string s) {
    while (!taken_.insert(s).second) s = cat(s.substr(0, s.find_last_not_of("0123456789") + 1), next_id());
    return s;
  }
  // Each name once: two functions loaded from one file may bear the same.
  const std::string& uid(const Node& n) {
    std::string& s = uids_[&n];
    if (s.empty()) s = unused(uid_of(n));
    return s;
  }
  std::string uid(const Variable& v) {
    return v.is_output() ? cat(uid(*v.node()), "_Output_", v.index()) : uid(*v.node());
  }

  Dictionary composite(const Function& f) {
    Dictionary d{{"version", kCompositeVersion}, {"type", "CompositeFunction"}, {"root", uid(*f.node())}};
    std::string own = f.composite() ? f.uid() : cat("CompositeFunction", next_id());
    while (!taken_.insert(own).second) own = cat("CompositeFunction", next_id());
    d["uid"] = own;
    if (!f.name().empty()) d["name"] = f.name();
    return d;
  }

  Dictionary variable(const Variable& v, VariableKind kind) {
    const Type& t = v.type();
    bool unknown = t.dtype == DType::unknown && kind != VariableKind::placeholder;
    Dictionary d{{"version", kVariableVersion},
                 {"type", "Variable"},
                 {"uid", uid(v)},
                 {"kind", static_cast<uint64_t>(kind)},
                 {"data_type", static_cast<uint64_t>(unknown ? DType::float32 : t.dtype)},
                 {"dynamic_axis", axes_of(t.axes)},
                 {"is_sparse", t.storage != Storage::dense},
                 {"needs_gradient", kind != VariableKind::placeholder && v.needs_gradient()},
                 {"shape", t.shape}};
    if (!v.name().empty()) d["name"] = v.name();
    return d;
  }

  Dictionary leaf(const Variable& v) {
    Dictionary d = variable(v, v.kind());
    if (!v.is_parameter() && !v.is_constant()) return d;
    Tensor value = numbers(v).to_dense();
    d["shape"] = value.shape();
    d["data_type"] = static_cast<uint64_t>(value.dtype());
    d["is_sparse"] = false;
    d["value"] = std::move(value);
    return d;
  }

  Dictionary function(const Node& n) {
    Dictionary d{{"version", kPrimitiveVersion}, {"type", "PrimitiveFunction"}, {"uid", uid(n)}};
    if (!n.name.empty()) d["name"] = n.name;
    if (n.block)
      write_block(n, d);
    else if (n.foreign)
      write_foreign(n, d);
    else if (n.object)
      write_object(n, d);
    else if (n.op->facts.file.number)
      write_primitive(n, d);
    else
      write_own(n, d);
    if (n.annotations && d.contains("attributes")) {
      Dictionary attributes = d.at("attributes").as<Dictionary>();
      attributes[kCustomAttributes] = *n.annotations;
      d["attributes"] = std::move(attributes);
    }
    return d;
  }

  DictionaryVector operands(const std::vector<Variable>& list) {
    std::vector<std::string> uids;
    for (const Variable& v : list) uids.push_back(uid(resolved(v)));
    return texts(uids);
  }

  // CNTK combines a batch with sequences through a function between the two, which gives the batch the
  // dynamic axes of the sequences. Here such a function is part of the reader.
  DictionaryVector spread(const Node& n) {
    const std::vector<Variable> in = n.op->to_file_order(variables(n.inputs));
    DictionaryVector uids = operands(in);
    const auto steps =
        std::find_if(in.begin(), in.end(), [](const Variable& v) { return dynamic_axes(v).has_sequence(); });
    if (steps == in.end() || !reads_batches_at_steps(n)) return uids;
    for (size_t i = 0; i < in.size(); ++i) {
      if (!dynamic_axes(in[i]).has_batch() || dynamic_axes(in[i]).has_sequence()) continue;
      const std::string between = unused(cat("ReconcileDynamicAxis", n.id));
      functions_.push_back(Dictionary{{"version", kPrimitiveVersion},
                                      {"type", "PrimitiveFunction"},
                                      {"uid", between},
                                      {"op", kReconcileNumber},
                                      {"inputs", DictionaryVector{uids[i], uid(resolved(*steps))}},
                                      {"attributes", Dictionary()}});
      uids[i] = between + "_Output_0";
    }
    return uids;
  }
  static const Axes& dynamic_axes(const Variable& v) { return resolved(v).type().axes; }
  // What moves steps, or only looks where they are, has operands of several kinds in CNTK, too.
  static bool reads_batches_at_steps(const Node& n) {
    return !n.is_combine() && n.types[0].axes.has_sequence() && !n.op->has(CANTIK_DELAY) &&
           !n.op->has(CANTIK_BY_SEQUENCE) && n.op->layout_only == 0;
  }

  void write_primitive(const Node& n, Dictionary& d) {
    d["op"] = *n.op->facts.file.number;
    d["inputs"] = spread(n);
    d["attributes"] = write_attributes(n, &draws_);
  }

  void write_block(const Node& n, Dictionary& d) {
    if (n.block->provisional)
      throw unsupported(
          n.op->name +
          " cannot be saved yet: the operators inside it depend on its operand's shape, which is not known")
          .node(describe(n))
          .made_at(n.made_at.text())
          .remedy("apply the function to input variables, and save what comes out");
    d["op"] = kBlockNumber;
    d["block_function_op_name"] = n.block->op_name;
    d["block_function_composite"] = composite(n.block->composite());
    std::vector<Variable> inside, outside;
    for (const auto& [in, out] : shown_arguments(n)) inside.push_back(in), outside.push_back(out);
    for (const Variable& v : inside)  // one that nothing inside reads
      if (state_.emplace(v.node().get(), kDone).second) leaves_.push_back(leaf(v));
    d["block_function_composite_arguments_map_keys"] = operands(inside);
    d["block_function_composite_arguments_map_values"] = operands(outside);
    d["inputs"] = operands(block_inputs(n));
    d["attributes"] = n.op        ? write_attributes(n, &draws_)
                      : n.foreign ? n.foreign->record.at("attributes").as<Dictionary>()
                                  : Dictionary();
  }

  void write_foreign(const Node& n, Dictionary& d) {
    for (const auto& [key, value] : n.foreign->record)
      if (key != "uid" && key != "name" && key != "inputs") d[key] = value;
    d["inputs"] = operands(variables(n.inputs));
  }

  // An object of the user's program says what it will need to be made again.
  void write_object(const Node& n, Dictionary& d) {
    d["version"] = uint64_t{0};
    d["type"] = "UserDefinedFunction";
    d["native"] = false;
    d["inputs"] = operands(variables(n.inputs));
    d["user_defined_state"] = n.object->saved();
  }

  // A number in a function that has not been applied will have the element type of the operands. A file has
  // to say one.
  static Tensor numbers(const Variable& v) {
    return v.dtype() == DType::unknown && v.node()->stored
               ? v.node()->stored->init.make(DType::float32, v.shape())
               : v.value();
  }

  // CNTK has no such operator. In its terms it is a native function of the user's, from a library that it
  // would have to load.
  void write_own(const Node& n, Dictionary& d) {
    if (Registry::global().find(n.op->name) != n.op)
      throw unsupported("the operator " + n.op->name + " cannot be saved: it is an object of the program")
          .node(describe(n))
          .made_at(n.made_at.text());
    d["version"] = uint64_t{0};
    d["type"] = "UserDefinedFunction";
    d["native"] = true;
    d["inputs"] = operands(variables(n.inputs));
    Dictionary kept = write_by_name(n);
    if (n.extra)
      for (const auto& [key, value] : *n.extra) kept[key] = value;
    const std::string &module = n.op->facts.file.module, &factory = n.op->facts.file.factory;
    d["user_defined_state"] =
        Dictionary{{"version", uint64_t{1}},
                   {"type", "NativeUserDefinedFunction"},
                   {"module", !module.empty()         ? module
                              : n.op->library.empty() ? "Cantik"
                                                      : n.op->library.substr(n.op->library.rfind('/') + 1)},
                   {"deserialize_method", factory.empty() ? n.op->name : factory},
                   {"op", n.op->name},
                   {"user_defined_state", kept}};
  }

  enum State : char { kOpen, kDone };
  std::unordered_map<const Node*, State> state_;
  std::unordered_map<const Node*, std::string> uids_;
  std::unordered_set<std::string> taken_, loops_;
  DictionaryVector leaves_, functions_;
  const runtime::Draws& draws_;
};

}  // namespace

Dictionary write_model(const Function& model, const runtime::Draws& draws) {
  return Writer(draws).model(model);
}
Dictionary write_model(const Function& model) {
  return write_model(model, runtime::bound_plans_of(model.as_composite()).draws());
}

}  // namespace cantik
