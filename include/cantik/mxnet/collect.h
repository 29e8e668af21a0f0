// Hands the operators that this library registered to the host.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include <cantik/mxnet/adapter.h>

namespace nnvm::detail {

// One operator's description; what it points to lives here.
struct Description {
  std::string name, signature;
  std::vector<cantik_field> fields;
  std::vector<std::pair<std::string, std::string>> names;
  cantik_kernel kernel{sizeof(cantik_kernel), "cpu", &prepare, 0, 0};

  explicit Description(const Op& op) : name(cantik_name(op.name)), signature(name + "(") {
    auto text = [](const char* field, const char* doc) {
      return cantik_field{sizeof(cantik_field), field, nullptr, doc, CANTIK_PLAIN, 0, cantik::pack("")};
    };
    std::string operands;
    for (const auto& a : op.arguments) {
      if (a.type.starts_with("NDArray[") || a.type.starts_with("Symbol["))
        operands += "*" + a.name + ", ";
      else if (a.type.starts_with("NDArray") || a.type.starts_with("Symbol"))
        operands += a.name + ", ";
    }
    if (operands.empty())
      for (const std::string& input : names_of_inputs(op)) operands += input + ", ";
    signature += operands;
    for (const auto* k : keywords(op)) {
      signature += k->name + "='', ";
      fields.push_back(text(k->name.c_str(), k->description.c_str()));
    }
    fields.push_back(text(kMore, "further keywords"));
    signature += "name='', **more)";  // kMore is behind it
    names.emplace_back("mxnet", op.name);
    for (const auto& a : op.arguments)
      names.emplace_back("mxnet.type." + a.name, a.type_info_str),
          names.emplace_back("mxnet.doc." + a.name, a.description);
    std::string listed;
    for (const std::string& alias : op.aliases) listed += (listed.empty() ? "" : ",") + alias;
    if (!listed.empty()) names.emplace_back("mxnet.aliases", listed);
    guess(op, [&](const NodeAttrs& attrs) {
      if (const auto* f = op.attribute<FNumVisibleOutputs>("FNumVisibleOutputs"))
        names.emplace_back("mxnet.visible_outputs", std::to_string((*f)(attrs)));
      if (const auto* f = op.attribute<FListOutputNames>("FListOutputNames")) {
        std::string outputs;
        for (const std::string& output : (*f)(attrs)) outputs += (outputs.empty() ? "" : ",") + output;
        names.emplace_back("mxnet.outputs", outputs);
      }
    });
  }

  cantik_status define(const cantik_host* host, const Op& op) const {
    cantik_operator c{};
    c.size = sizeof c;
    c.name = name.c_str();
    c.signature = signature.c_str();
    c.doc = op.description.c_str();
    c.inputs_min = op.get_num_inputs ? 0 : static_cast<int32_t>(op.num_inputs);
    c.inputs_max = op.get_num_inputs ? 1 << 20 : static_cast<int32_t>(op.num_inputs);
    c.outputs = static_cast<int32_t>(op.num_outputs);
    guess(op, [&](const NodeAttrs& attrs) { c.outputs = static_cast<int32_t>(outputs_of(op, attrs)); });
    std::string in_place;
    if (const auto* f = op.attribute<FInplaceOption>("FInplaceOption"))
      guess(op, [&](const NodeAttrs& attrs) {
        for (auto [in, out] : (*f)(attrs))
          in_place += (in_place.empty() ? "" : " ") + std::to_string(in) + ":" + std::to_string(out);
      });
    if (!in_place.empty()) c.traits |= CANTIK_IN_PLACE;
    c.fields = fields.data();
    c.field_count = static_cast<int32_t>(fields.size());
    c.user = const_cast<Op*>(&op);
    c.infer = [](void* user, cantik_infer* call) -> cantik_status {
      return cantik::guarded(
          [&] {
            cantik::Infer in(call);
            infer(*static_cast<const Op*>(user), in, call->attributes);
          },
          [&](int32_t kind, const char* text, const char* remedy) {
            call->fail(call->self, kind, text, remedy);
          });
    };
    c.gradient = [](void* user, cantik_builder* call) -> cantik_status {
      return cantik::guarded(
          [&] {
            GradientOf g(call);
            gradient(*static_cast<const Op*>(user), g, call->attributes);
          },
          [&](int32_t kind, const char* text, const char* remedy) {
            call->fail(call->self, kind, text, remedy);
          });
    };
    c.kernels = &kernel;
    c.kernel_count = 1;
    std::vector<cantik_named> named;
    for (const auto& [key, value] : names) named.push_back({key.c_str(), value.c_str()});
    if (!in_place.empty()) named.push_back({"in_place", in_place.c_str()});
    c.names = named.data();
    c.name_count = static_cast<int32_t>(named.size());
    return host->define(host->self, &c);
  }

 private:
  // With the attributes of a call that gives none; a rule that needs some says nothing here.
  template <class F>
  static void guess(const Op& op, F&& f) {
    try {
      NodeAttrs attrs;
      attrs.op = &op;
      if (op.attr_parser) op.attr_parser(&attrs);
      f(attrs);
    } catch (const std::exception&) {
    }
  }
  static std::vector<std::string> names_of_inputs(const Op& op) {
    if (op.get_num_inputs) return {"*data"};
    std::vector<std::string> list;
    if (const auto* f = op.attribute<FListInputNames>("FListInputNames"))
      guess(op, [&](const NodeAttrs& attrs) { list = (*f)(attrs); });
    if (list.size() == op.num_inputs) return list;
    list.clear();
    for (uint32_t i = 0; i < op.num_inputs; ++i) list.push_back(i ? "data" + std::to_string(i) : "data");
    return list;
  }
};

inline cantik_status collected(const cantik_host* host) {
  return cantik::guarded(
      [&] {
        auto check = [](cantik_status s) {
          if (s) throw Failure(s, "");
        };
        if (host->abi_version != CANTIK_ABI_VERSION)
          throw Failure(CANTIK_RUNTIME,
                        "the library was built for another version of the operator interface");
        library().attached = host->attached;
        for (const Op& op : library().ops)
          if (!op.wrong.empty()) throw cantik::value_failure(op.wrong);
        for (const Op& op : library().ops)
          if (op.is_defined()) check(Description(op).define(host, op));
        for (const Op& op : library().ops) {
          // An operator of this library, of another one, or of Cantik itself.
          std::string target = op.is_defined() || is_known(op.name) ? cantik_name(op.name) : op.name;
          if (op.is_defined()) check(host->attach(host->self, target.c_str(), kOpKey, "nnvm::Op", &op));
          for (const auto& [key, a] : op.attributes)
            check(host->attach(host->self, target.c_str(), key.c_str(), a.type, a.object(a.value)));
        }
      },
      [&](int32_t kind, const char* text, const char*) {
        if (*text) host->fail(host->self, kind, text);
      });
}

}  // namespace nnvm::detail
