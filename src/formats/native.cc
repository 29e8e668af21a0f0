#include "formats/native.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/error.h>
#include <cantik/native.h>

#include "base/text.h"
#include "formats/attributes.h"

namespace cantik {
namespace {

struct Registered {
  std::mutex mutex;
  std::unordered_map<std::string, const Operator*> operators;
  static Registered& all() {
    static auto* r = new Registered;
    return *r;
  }
};

// The library of a module: "Cntk.ExtensibilityExamples-2.7" is Cntk.ExtensibilityExamples-2.7.so in one of
// the folders.
std::string library_of(const std::string& module) {
  namespace fs = std::filesystem;
  std::string file = module.ends_with(".so") ? module : module + ".so";
  std::error_code ignored;
  if (file.find('/') != std::string::npos) {
    if (fs::exists(file, ignored)) return file;
  } else {
    for (const char* variable : {"CANTIK_OPERATOR_PATH", "LD_LIBRARY_PATH"})
      if (const char* folders = std::getenv(variable))
        for (const std::string& folder : split(folders, ':'))
          if (fs::path found = fs::path(folder) / file; !folder.empty() && fs::exists(found, ignored))
            return found.string();
  }
  throw runtime_error(cat("Plugin not found: '", file, "'"))
      .remedy("name its folder in CANTIK_OPERATOR_PATH, or give the path of the library as the module");
}

}  // namespace

const Operator* operator_of_factory(const std::string& module, const std::string& factory) {
  for (const Operator* op : Registry::global().all())
    if (!factory.empty() && op->facts.file.factory == factory &&
        module.starts_with(module.empty() ? "" : op->facts.file.module))
      return op;
  return nullptr;
}

bool read_native_attributes(const Operator& op, const Dictionary& given, Node& node) {
  Dictionary own, extra;
  for (const auto& [name, value] : given) (op.field(name) >= 0 ? own : extra)[name] = value;
  if (extra.size() && op.facts.file.factory.empty()) return false;
  auto attributes = read_by_name(op, own);
  if (!attributes) return false;
  node.attributes = std::move(*attributes);
  if (extra.size()) node.extra = std::make_shared<const Dictionary>(std::move(extra));
  return true;
}

void register_native_function(const std::string& op_id, const std::string& module,
                              const std::string& factory) {
  if (factory.empty())
    throw value_error(cat("register_native_user_function: the factory of '", op_id, "' has no name"))
        .remedy("name the factory that makes the function, as the operator's file does");
  Registered& r = Registered::all();
  auto check = [&] {
    if (r.operators.count(op_id))
      throw value_error(cat("UserFunction with op-id '", op_id,
                            "' is already registered. All UserFunction op-ids must be unique."));
  };
  {
    std::lock_guard lock(r.mutex);
    check();
  }
  const Operator* op = operator_of_factory(module, factory);
  if (!op) {
    Registry::global().load_library(library_of(module));
    op = operator_of_factory("", factory);
  }
  if (!op)
    throw runtime_error(cat("Symbol '", factory, "' not found in plugin '", module, ".so'"))
        .remedy("name the factory in the operator's file: .cntk_native(name, module, \"" + factory + "\")");
  std::lock_guard lock(r.mutex);
  check();
  r.operators.emplace(op_id, op);
}

bool is_native_function_registered(const std::string& op_id) {
  Registered& r = Registered::all();
  std::lock_guard lock(r.mutex);
  return r.operators.count(op_id) != 0;
}

Function native_function(const std::string& op_id, const std::vector<Variable>& operands,
                         const Dictionary& given, const std::string& name) {
  const Operator* op = nullptr;
  {
    Registered& r = Registered::all();
    std::lock_guard lock(r.mutex);
    auto found = r.operators.find(op_id);
    if (found == r.operators.end())
      throw value_error(cat("UserFunction with op-id '", op_id, "' has not been registered."))
          .remedy("call register_native_user_function first");
    op = found->second;
  }
  Node read;
  if (!read_native_attributes(*op, given, read))
    throw value_error(cat("an attribute given to ", op_id, " has another kind than the operator's attribute"))
        .remedy(op->signature);
  Function f = make_function(*op, std::move(read.attributes), operands, name);
  f.node()->extra = read.extra;
  return f;
}

Dictionary further_attributes(const Function& f) { return f.node()->extra ? *f.node()->extra : Dictionary(); }

}  // namespace cantik
