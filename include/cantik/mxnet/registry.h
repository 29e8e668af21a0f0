// Operators registered one statement at a time, from any file of a library, with attributes under any key.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <cantik/mxnet/blob.h>
#include <cantik/mxnet/node.h>
#include <cantik/mxnet/parameter.h>
#include <cantik/plugin.h>

namespace nnvm {

// ---- attributes that have a meaning here; a library may set others, of types of its own
using FInferShape = std::function<bool(const NodeAttrs&, std::vector<TShape>* in, std::vector<TShape>* out)>;
using FInferType = std::function<bool(const NodeAttrs&, std::vector<int>* in, std::vector<int>* out)>;
using FInplaceOption = std::function<std::vector<std::pair<int, int>>(const NodeAttrs&)>;
using FGradient =
    std::function<std::vector<NodeEntry>(const NodePtr& n, const std::vector<NodeEntry>& ograds)>;
using FListInputNames = std::function<std::vector<std::string>(const NodeAttrs&)>;
using FListOutputNames = std::function<std::vector<std::string>(const NodeAttrs&)>;
using FNumVisibleOutputs = std::function<uint32_t(const NodeAttrs&)>;
using FResourceRequest = std::function<std::vector<mxnet::ResourceRequest>(const NodeAttrs&)>;
using TIsBackward = bool;

template <class V>
class OpMap;

class Op {
 public:
  explicit Op(std::string key) : name(std::move(key)) {}

  Op& describe(const std::string& text) {
    description = text;
    return *this;
  }
  Op& add_argument(const std::string& argument, const std::string& type, const std::string& text) {
    arguments.push_back({argument, type, type, text});
    return *this;
  }
  Op& add_arguments(const std::vector<dmlc::ParamFieldInfo>& list) {
    arguments.insert(arguments.end(), list.begin(), list.end());
    return *this;
  }
  Op& set_num_inputs(uint32_t n) {
    num_inputs = n;
    return *this;
  }
  Op& set_num_inputs(std::function<uint32_t(const NodeAttrs&)> f) {
    get_num_inputs = std::move(f);
    return *this;
  }
  Op& set_num_outputs(uint32_t n) {
    num_outputs = n;
    return *this;
  }
  Op& set_num_outputs(std::function<uint32_t(const NodeAttrs&)> f) {
    get_num_outputs = std::move(f);
    return *this;
  }
  Op& set_attr_parser(std::function<void(NodeAttrs*)> parser) {
    attr_parser = std::move(parser);
    return *this;
  }
  Op& set_support_level(uint32_t) { return *this; }
  Op& add_alias(const std::string& alias) {
    aliases.push_back(alias);
    return *this;
  }
  // Of two values under one key the one of the higher level stays.
  template <class V>
  Op& set_attr(const std::string& key, const V& value, int level = 10) {
    Attribute& a = attributes[key];
    if (a.value.has_value() && a.level == level)
      wrong = "Attribute " + key + " of operator " + name + " is already registered with the same level " +
              std::to_string(level);
    if (a.value.has_value() && a.level > level) return *this;
    a = {typeid(V).name(), value, level,
         [](const any& held) -> const void* { return std::any_cast<V>(&held); }};
    return *this;
  }

  static const Op* Get(const std::string& name);
  // An attribute of all operators, of this library's and of others'.
  template <class V>
  static OpMap<V> GetAttr(const std::string& key) {
    return OpMap<V>(key);
  }

  struct Attribute {
    const char* type = nullptr;
    any value;
    int level = 0;
    const void* (*object)(const any&) = nullptr;  // where the value lies
  };
  template <class V>
  const V* attribute(const std::string& key) const {
    auto found = attributes.find(key);
    return found == attributes.end() ? nullptr : std::any_cast<V>(&found->second.value);
  }
  // It is described here, not only given attributes.
  bool is_defined() const {
    return attr_parser || !description.empty() || !arguments.empty() || attributes.count("FCompute<cpu>") ||
           attributes.count("FInferShape");
  }

  std::string name, description, wrong;
  std::vector<std::string> aliases;
  std::vector<dmlc::ParamFieldInfo> arguments;
  uint32_t num_inputs = 1, num_outputs = 1;
  std::function<uint32_t(const NodeAttrs&)> get_num_inputs, get_num_outputs;
  std::function<void(NodeAttrs*)> attr_parser;
  std::map<std::string, Attribute> attributes;
};

namespace detail {

// Of one library: hidden, so that no two share it.
struct Library {
  std::deque<Op> ops;
  const void* (*attached)(const char* op, const char* key, const char* type) = nullptr;  // the host's

  Op* find(const std::string& name) {
    for (Op& op : ops)
      if (op.name == name) return &op;
    return nullptr;
  }
};
__attribute__((visibility("hidden"))) inline Library& library() {
  static Library l;
  return l;
}

// In Cantik an operator of MXNet's has a name of its own: many share theirs with Cantik's.
inline std::string cantik_name(const std::string& name) { return "mxnet." + name; }
inline constexpr const char* kOpKey = "nnvm.op";  // attached to every operator that is defined
inline bool is_known(const std::string& name) {
  return library().attached && library().attached(cantik_name(name).c_str(), kOpKey, "nnvm::Op");
}

}  // namespace detail

// The registration of an operator: a new one, or the one that this library has.
inline Op& registered(const char* name) {
  if (Op* op = detail::library().find(name)) return *op;
  return detail::library().ops.emplace_back(name);
}

namespace detail {
// An operator of another library, or of Cantik's: known by its name alone.
inline const Op* named(const std::string& name) {
  if (const Op* op = library().find(name)) return op;
  static std::mutex mutex;
  static std::map<std::string, Op> others;
  std::lock_guard lock(mutex);
  return &others.try_emplace(name, name).first->second;
}
}  // namespace detail

inline const Op* Op::Get(const std::string& name) {
  if (const Op* op = detail::library().find(name)) return op;
  throw cantik::Failure(CANTIK_KEY, "Operator " + name + " is not registered");
}

// The values under one key, by operator.
template <class V>
class OpMap {
 public:
  explicit OpMap(std::string key) : key_(std::move(key)) {}
  const V* find(const Op* op) const {
    if (!op) return nullptr;
    if (const V* own = op->attribute<V>(key_)) return own;
    auto* attached = detail::library().attached;
    if (!attached) return nullptr;
    const void* other = attached(detail::cantik_name(op->name).c_str(), key_.c_str(), typeid(V).name());
    if (!other) other = attached(op->name.c_str(), key_.c_str(), typeid(V).name());
    return static_cast<const V*>(other);
  }
  int count(const Op* op) const { return find(op) ? 1 : 0; }
  const V& get(const Op* op, const V& otherwise) const { return find(op) ? *find(op) : otherwise; }
  const V& operator[](const Op* op) const {
    if (const V* found = find(op)) return *found;
    throw cantik::Failure(CANTIK_KEY, "Attribute " + key_ + " has not been registered for Operator " +
                                          (op ? op->name : "null"));
  }

 private:
  std::string key_;
};

}  // namespace nnvm

#define CANTIK_JOIN_(a, b) a##b
#define CANTIK_JOIN(a, b) CANTIK_JOIN_(a, b)
#define CANTIK_TEXT_(x) #x
#define CANTIK_TEXT_OF(x) CANTIK_TEXT_(x)
#define NNVM_REGISTER_OP(OpName)                                                              \
  [[maybe_unused]] static ::nnvm::Op& CANTIK_JOIN(nnvm_registered_##OpName##_, __COUNTER__) = \
      ::nnvm::registered(#OpName)
#define MXNET_DESCRIBE(...) describe(__VA_ARGS__ "\n\nFrom:" __FILE__ ":" CANTIK_TEXT_OF(__LINE__))
