// All operators by name; built-in ones come from the manifest, others from libraries loaded at run time.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include <cantik/error.h>
#include <cantik/op.h>

#include "graph/operator.h"

namespace cantik {

// Written by CMake from the names of the files in src/ops.
extern void (*const kBuiltinOperators[])(Define&);
extern const int kBuiltinOperatorCount;

namespace {

const std::string kNothing;

// "f(x, y, alpha=0.01, name='')": its parameters, except name.
std::vector<SignatureEntry> parse_signature(const Operator& op) {
  std::vector<SignatureEntry> found;
  const std::string& s = op.signature;
  size_t open = s.find('(');
  if (open == std::string::npos || s.back() != ')') throw value_error("the signature '" + s + "' of an operator has no list of parameters");
  int depth = 0;
  std::string item;
  auto finish = [&] {
    size_t first = item.find_first_not_of(' ');
    if (first == std::string::npos) return;
    item = item.substr(first);
    SignatureEntry p;
    size_t equals = item.find('=');
    p.name = item.substr(0, equals);
    if (equals != std::string::npos) p.value = item.substr(equals + 1);
    while (!p.name.empty() && p.name.back() == ' ') p.name.pop_back();
    if (p.name.starts_with("**")) {  // further attributes by name: all that the signature does not list
      item.clear();
      return;
    }
    if (p.name[0] == '*') p.variadic = true, p.name = p.name.substr(1);
    p.field = op.field(p.name);
    if (p.name != "name") found.push_back(p);
    item.clear();
  };
  for (size_t i = open + 1; i + 1 < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    if (s[i] == ',' && depth == 0) finish();
    else item += s[i];
  }
  finish();
  return found;
}

Operator adopt(const cantik_operator& c) {
  Operator op;
  op.name = c.name;
  op.signature = c.signature;
  op.doc = c.doc ? c.doc : "";
  op.outputs = c.outputs;
  op.traits = c.traits;
  op.layout_only = c.layout_only;
  for (int i = 0; i < c.field_count; ++i) {
    const cantik_field& f = c.fields[i];
    op.fields.push_back({f.name, f.key ? f.key : "", f.doc ? f.doc : "", f.role, (f.flags & CANTIK_LIVE) != 0, from_c(f.value)});
  }
  op.expression = Expression::from_c(c.expression);
  if (c.derivatives)
    for (int i = 0; i < c.inputs_max; ++i) op.derivatives.push_back(Expression::from_c(c.derivatives[i]));
  op.parameters = parse_signature(op);
  int inputs = 0, optional = 0;
  bool variadic = false;
  for (const SignatureEntry& p : op.parameters)
    if (p.field < 0) ++inputs, optional += !p.value.empty(), variadic |= p.variadic;
  op.inputs_min = c.inputs_min >= 0 ? c.inputs_min : variadic ? 1 : inputs - optional;
  op.inputs_max = c.inputs_max >= 0 ? c.inputs_max : variadic ? 1 << 20 : inputs;
  op.user = c.user;
  op.infer = c.infer;
  op.compose = c.compose;
  op.lower = c.lower;
  op.gradient = c.gradient;
  op.finish = c.finish;
  for (int i = 0; i < c.kernel_count; ++i) {
    op.kernels.push_back(c.kernels[i]);
    op.kernel_names.push_back(c.kernels[i].name);
  }
  for (int i = 0; i < c.sample_count; ++i) {
    const cantik_sample& s = c.samples[i];
    Sample sample{{}, op.defaults(), s.low, s.high};
    const int64_t* dims = s.dims;
    for (int j = 0; j < s.inputs; ++j) {
      sample.inputs.emplace_back(dims, static_cast<size_t>(s.ranks[j]));
      dims += s.ranks[j];
    }
    for (int j = 0; j < s.argument_count; ++j)
      if (int f = op.field(s.arguments[j].name); f >= 0) sample.attributes[static_cast<size_t>(f)] = from_c(s.arguments[j].value);
    op.samples.push_back(std::move(sample));
  }
  op.kinks.assign(c.kinks, c.kinks + c.kink_count);
  for (int i = 0; i < c.name_count; ++i) op.names[c.names[i].key] = c.names[i].value;
  if (op.expression.empty() && !op.compose && !op.lower && !op.finish && op.kernels.empty() && !op.has(CANTIK_ALIAS) && !op.has(CANTIK_EFFECT) && !op.infer)
    throw value_error("the operator " + op.name + " has no body").remedy("give it an expression, a composite or a kernel");
  return op;
}

ErrorKind kind_of(int32_t failure) {
  switch (failure) {
    case CANTIK_VALUE: return ErrorKind::value;
    case CANTIK_SHAPE: return ErrorKind::shape;
    case CANTIK_TYPE: return ErrorKind::type;
    case CANTIK_KEY: return ErrorKind::key;
    case CANTIK_UNSUPPORTED: return ErrorKind::unsupported;
    default: return ErrorKind::runtime;
  }
}

// How far two names are apart, in edits.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = row[j];
      row[j] = next;
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string& Operator::named(const std::string& key) const {
  auto it = names.find(key);
  return it == names.end() ? kNothing : it->second;
}

const std::string& Operator::cntk_name() const {
  const std::string& n = named("cntk");
  return n.empty() ? name : n;
}

int Operator::field(std::string_view field_name) const {
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field_name) return static_cast<int>(i);
  return -1;
}

std::vector<Attribute> Operator::defaults() const {
  std::vector<Attribute> a;
  for (const FieldInfo& f : fields) a.push_back(f.value);
  return a;
}

struct Registry::State {
  std::unordered_map<void*, std::vector<std::string>> libraries;  // open ones, with the operators they brought
  mutable std::shared_mutex mutex;
  std::deque<Operator> operators;  // never moved, never removed
  std::unordered_map<std::string_view, Operator*> by_name;

  // What one library defines, taken over as a whole or not at all.
  struct Batch {
    State* state;
    std::string library;
    std::deque<Operator> made;
    std::vector<std::array<std::string, 3>> notes;
    std::optional<Error> failure;
  };

  static cantik_status define(void* self, const cantik_operator* c) {
    auto& batch = *static_cast<Batch*>(self);
    try {
      Operator op = adopt(*c);
      op.library = batch.library;
      bool taken = batch.state->by_name.count(op.name) != 0 ||
                   std::any_of(batch.made.begin(), batch.made.end(), [&](const Operator& o) { return o.name == op.name; });
      if (taken) throw value_error("an operator of the name " + op.name + " is registered already").remedy("give the operator another name");
      batch.made.push_back(std::move(op));
      return CANTIK_OK;
    } catch (const Error& e) {
      batch.failure = e;
      return CANTIK_VALUE;
    }
  }
  static cantik_status annotate(void* self, const char* op, const char* key, const char* value) {
    static_cast<Batch*>(self)->notes.push_back({op, key, value});
    return CANTIK_OK;
  }
  static void fail(void* self, int32_t failure, const char* text) {
    auto& batch = *static_cast<Batch*>(self);
    if (!batch.failure) batch.failure = Error(kind_of(failure), text);
  }

  void take(Batch& batch) {
    for (const auto& [op, key, value] : batch.notes) {
      bool known = by_name.count(op) || std::any_of(batch.made.begin(), batch.made.end(), [&, &wanted = op](const Operator& o) { return o.name == wanted; });
      if (!known) throw key_error("no operator " + op + " to annotate with " + key);
    }
    for (Operator& op : batch.made) {
      operators.push_back(std::move(op));
      by_name.emplace(operators.back().name, &operators.back());
    }
    for (const auto& [op, key, value] : batch.notes) by_name.at(op)->names[key] = value;
  }
};

Registry::Registry() : state_(std::make_unique<State>()) {
  State::Batch batch{state_.get(), "", {}, {}, {}};
  cantik_host host{sizeof(cantik_host), CANTIK_ABI_VERSION, &batch, &State::define, &State::annotate, &State::fail};
  for (int i = 0; i < kBuiltinOperatorCount; ++i) {
    Define define(&host);
    kBuiltinOperators[i](define);
    define.finish();
    if (batch.failure) throw *batch.failure;
  }
  state_->take(batch);
}

Registry::~Registry() = default;

Registry& Registry::global() {
  static Registry* registry = new Registry;
  return *registry;
}

const Operator* Registry::find(std::string_view name) const {
  std::shared_lock lock(state_->mutex);
  auto it = state_->by_name.find(name);
  return it == state_->by_name.end() ? nullptr : it->second;
}

const Operator& Registry::get(std::string_view name) const {
  if (const Operator* op = find(name)) return *op;
  std::string closest;
  size_t least = name.size() / 2 + 1;
  for (const Operator* op : all())
    if (size_t d = distance(name, op->name); d < least && !op->has(CANTIK_HIDDEN)) least = d, closest = op->name;
  throw key_error("there is no operator " + std::string(name)).remedy(closest.empty() ? "load the library that defines it" : "did you mean " + closest + "?");
}

std::vector<const Operator*> Registry::all() const {
  std::shared_lock lock(state_->mutex);
  std::vector<const Operator*> list;
  for (const Operator& op : state_->operators) list.push_back(&op);
  std::sort(list.begin(), list.end(), [](auto* a, auto* b) { return a->name < b->name; });
  return list;
}

std::vector<std::string> Registry::load_library(const std::string& path) {
  // Kept open for the life of the process: plans hold pointers into it.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw runtime_error("the operator library " + path + " cannot be loaded: " + dlerror());
  auto* entry = reinterpret_cast<cantik_library_function*>(dlsym(handle, CANTIK_LIBRARY_SYMBOL));
  if (!entry) {
    dlclose(handle);
    throw value_error(path + " is not an operator library: it has no symbol " CANTIK_LIBRARY_SYMBOL).remedy("write CANTIK_LIBRARY(...) in one of its files");
  }
  std::unique_lock lock(state_->mutex);
  if (auto it = state_->libraries.find(handle); it != state_->libraries.end()) {  // loaded already
    dlclose(handle);
    return it->second;
  }
  State::Batch batch{state_.get(), path, {}, {}, {}};
  cantik_host host{sizeof(cantik_host), CANTIK_ABI_VERSION, &batch, &State::define, &State::annotate, &State::fail};
  cantik_status status = entry(&host);
  if (batch.failure) throw *batch.failure;
  if (status) throw runtime_error("the operator library " + path + " refused to be loaded, status " + std::to_string(status));
  std::vector<std::string> names;
  for (const Operator& op : batch.made) names.push_back(op.name);
  state_->take(batch);
  state_->libraries.emplace(handle, names);
  return names;
}

void Registry::annotate(const std::string& op, const std::string& key, const std::string& value) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->by_name.find(op);
  if (it == state_->by_name.end()) throw key_error("no operator " + op + " to annotate with " + key);
  it->second->names[key] = value;
}

}  // namespace cantik
