// All operators by name; built-in ones come from the manifest, others from libraries loaded at run time.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include <cantik/error.h>
#include <cantik/op.h>

#include "base/library_file.h"
#include "base/shared_library.h"
#include "graph/adopt.h"
#include "graph/boundary.h"
#include "graph/types.h"

namespace cantik {

// Written by CMake from the names of the files in src/ops.
extern void (*const kBuiltinOperators[])(Define&);
extern const int kBuiltinOperatorCount;

namespace {

const std::string kNothing;

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

// What one library brings, taken over as a whole or not at all.
struct PendingLibrary {
  std::string library;
  std::deque<Operator> made;
  std::vector<std::array<std::string, 3>> notes;  // operator, key, text
  struct Attached {
    std::string op, key, type;
    const void* object;
  };
  std::vector<Attached> attached;
  std::optional<Error> failure;  // the first one

  bool makes(std::string_view name) const {
    return std::any_of(made.begin(), made.end(), [&](const Operator& o) { return o.name == name; });
  }

  template <class F>
  static cantik_status guard(void* self, F&& f) {
    auto& batch = *static_cast<PendingLibrary*>(self);
    try {
      f(batch);
      return CANTIK_OK;
    } catch (const Error& e) {
      if (!batch.failure) batch.failure = e;
    } catch (const std::exception& e) {
      if (!batch.failure) batch.failure = runtime_error(e.what());
    } catch (...) {
      if (!batch.failure) batch.failure = Boundary::foreign("the description of an operator");
    }
    return CANTIK_VALUE;
  }
  static cantik_status define(void* self, const cantik_operator* c) {
    return guard(self, [&](PendingLibrary& batch) {
      if (!c) throw value_error("the library registers an operator without a description");
      Operator op = adopt(*c, !batch.library.empty());
      op.library = batch.library;
      if (batch.makes(op.name))
        throw value_error("the operator " + op.name + " is defined twice")
            .remedy("give one of them another name");
      batch.made.push_back(std::move(op));
    });
  }
  static cantik_status annotate(void* self, const char* op, const char* key, const char* value) {
    return guard(self, [&](PendingLibrary& batch) {
      if (!op || !key || !value)
        throw value_error("the library gives a note that lacks its operator, its key or its text");
      batch.notes.push_back({op, key, value});
    });
  }
  static cantik_status attach(void* self, const char* op, const char* key, const char* type,
                              const void* object) {
    return guard(self, [&](PendingLibrary& batch) {
      if (!op || !key || !type || !object)
        throw value_error("the library attaches an object that lacks its operator, its key or its type");
      batch.attached.push_back({op, key, type, object});
    });
  }
  static void fail(void* self, int32_t failed, const char* text) {
    auto& batch = *static_cast<PendingLibrary*>(self);
    if (!batch.failure) batch.failure = cantik::failure(failed, text, "");
  }
  cantik_host host() {
    return {sizeof(cantik_host),
            CANTIK_ABI_VERSION,
            this,
            &define,
            &annotate,
            &fail,
            &attach,
            [](const char* op, const char* key, const char* type) {
              return Registry::global().attached(op, key, type);
            }};
  }
};

}  // namespace

struct Registry::State {
  // open ones, with the operators they brought
  std::unordered_map<const void*, std::vector<std::string>> libraries;
  mutable std::shared_mutex mutex;
  std::deque<Operator> operators;  // never moved, never removed
  std::unordered_map<std::string_view, Operator*> by_name;
  struct Attached {
    std::string type;
    std::map<std::string, const void*> objects;  // by the operator's name
  };
  std::map<std::string, Attached> attached;  // by key

  // All of it is looked at before anything changes.
  void check(const PendingLibrary& batch) const {
    for (const Operator& op : batch.made)
      if (auto there = by_name.find(op.name); there != by_name.end())
        throw value_error("the operator " + op.name + " is registered already" +
                          (there->second->library.empty() ? "" : ", by " + there->second->library))
            .remedy("give the operator another name");
    auto known = [&](const std::string& name) { return by_name.count(name) || batch.makes(name); };
    for (const auto& [op, key, value] : batch.notes)
      if (!known(op)) throw key_error("there is no operator " + op + " to annotate with " + key);
    std::map<std::string, std::string> types;
    for (const PendingLibrary::Attached& a : batch.attached) {
      if (!known(a.op)) throw key_error("there is no operator " + a.op + " to attach " + a.key + " to");
      auto there = attached.find(a.key);
      const std::string& type =
          there != attached.end() ? there->second.type : types.emplace(a.key, a.type).first->second;
      if (type != a.type)
        throw type_error("objects attached with the key " + a.key + " have the type " + type + "; that of " +
                         a.op + " is of " + a.type);
      if (there != attached.end() && there->second.objects.count(a.op))
        throw value_error("the operator " + a.op + " has " + a.key + " already");
    }
  }
  void take(PendingLibrary& batch) {
    check(batch);
    for (Operator& op : batch.made) {
      operators.push_back(std::move(op));
      by_name.emplace(operators.back().name, &operators.back());
    }
    for (const auto& [op, key, value] : batch.notes) by_name.at(op)->names[key] = value;
    for (const PendingLibrary::Attached& a : batch.attached) {
      State::Attached& of_key = attached[a.key];
      of_key.type = a.type;
      of_key.objects[a.op] = a.object;
    }
  }
  // The names of a library's operators, which are taken if they are not there yet: its entry may have loaded
  // the library, too.
  std::vector<std::string> keep(PendingLibrary& batch, const void* identity) {
    std::vector<std::string> names;
    for (const Operator& op : batch.made) names.push_back(op.name);
    std::unique_lock lock(mutex);
    if (auto it = libraries.find(identity); it != libraries.end()) return it->second;
    try {
      take(batch);
    } catch (Error& e) {
      throw std::move(e).line("library", batch.library);
    }
    libraries.emplace(identity, names);
    return names;
  }
};

const std::string& OperatorInfo::named(const std::string& key) const {
  auto it = names.find(key);
  return it == names.end() ? kNothing : it->second;
}

const std::string& Operator::cntk_name() const {
  const std::string& n = named("cntk");
  return n.empty() ? name : n;
}

int OperatorInfo::field(std::string_view field_name) const {
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field_name) return static_cast<int>(i);
  return -1;
}

const Operator* Operator::relative(std::string_view named) const {
  auto at =
      std::find_if(relatives.begin(), relatives.end(), [&](const Operator* o) { return o->name == named; });
  return at == relatives.end() ? nullptr : *at;
}

bool Operator::is_or_has(const Operator& o) const {
  return this == &o || std::find(relatives.begin(), relatives.end(), &o) != relatives.end();
}

std::vector<Attribute> Operator::defaults() const {
  std::vector<Attribute> a;
  a.reserve(fields.size());
  for (const AttributeInfo& f : fields) a.push_back(f.value);
  return a;
}

Registry::Registry() : state_(std::make_unique<State>()) {
  PendingLibrary batch;
  cantik_host host = batch.host();
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
    if (size_t d = distance(name, op->name); d < least && !op->has(CANTIK_HIDDEN))
      least = d, closest = op->name;
  throw key_error("there is no operator " + std::string(name))
      .remedy(closest.empty() ? "load the library that defines it" : "did you mean " + closest + "?");
}

std::vector<const Operator*> Registry::all() const {
  std::shared_lock lock(state_->mutex);
  std::vector<const Operator*> list;
  for (const Operator& op : state_->operators) list.push_back(&op);
  std::sort(list.begin(), list.end(), [](auto* a, auto* b) { return a->name < b->name; });
  return list;
}

namespace {

// The versions that a library was built for, before any of its code runs.
void check_version(const std::string& path) {
  std::string version =
      version_in_library(path, {"operator library", "an operator library", CANTIK_ABI_MARK});
  if (version.empty())
    throw value_error(path + " is not an operator library: it does not state the version of its interface")
        .remedy("write CANTIK_LIBRARY(...) in one of its files");
  int major = 0, revision = 0;
  bool read = std::sscanf(version.c_str(), "%d.%d", &major, &revision) == 2;
  if (read && major == CANTIK_ABI_VERSION && revision <= CANTIK_ABI_REVISION) return;
  throw runtime_error("the operator library " + path + " was built for version " + version +
                      " of the interface, this Cantik has " + std::to_string(CANTIK_ABI_VERSION) + "." +
                      std::to_string(CANTIK_ABI_REVISION))
      .remedy("build it with the headers that `cantik config --cflags` names, or install a newer Cantik");
}

// One after another: a library's entry, which fills its own tables, is called by one thread, after its
// constructors. It may load others.
std::recursive_mutex& loading() {
  static std::recursive_mutex mutex;
  return mutex;
}

// What an entry defines goes to the batch; `what`: of which library, for errors.
void enter(cantik_library_function* entry, const cantik_host& host, PendingLibrary& batch,
           const std::string& what) {
  cantik_status status = CANTIK_OK;
  try {
    status = entry(&host);  // the registry is not locked: it may use it
  } catch (const std::exception& e) {
    throw runtime_error(what + " failed while it was loaded: " + e.what());
  } catch (...) {
    throw Boundary::foreign(what + " failed while it was loaded: it");
  }
  if (batch.failure) throw std::move(*batch.failure).line("library", batch.library);
  if (status) throw runtime_error(what + " refused to be loaded, status " + std::to_string(status));
}

std::string absolute(const std::string& path) {
  std::error_code wrong;
  std::string found = std::filesystem::canonical(path, wrong).string();
  return wrong ? path : found;
}

}  // namespace

std::vector<std::string> Registry::load_library(const std::string& given) {
  const std::string path = absolute(given);
  check_version(path);
  const std::lock_guard alone(loading());
  SharedLibrary library(path);
  if (!library) throw runtime_error("the operator library " + path + " cannot be loaded: " + library.why());
  {
    std::shared_lock lock(state_->mutex);
    if (auto it = state_->libraries.find(library.identity()); it != state_->libraries.end())
      return it->second;
  }
  PendingLibrary batch;
  batch.library = path;
  cantik_host host = batch.host();
  bool any = false;
  for (const char* symbol : {CANTIK_LIBRARY_SYMBOL, CANTIK_COLLECTED_SYMBOL}) {
    auto* entry = library.function<cantik_library_function>(symbol);
    if (!entry) continue;
    any = true;
    enter(entry, host, batch, "the operator library " + path);
  }
  if (!any)
    throw value_error(path + " is not an operator library: it has no symbol " CANTIK_LIBRARY_SYMBOL)
        .remedy("write CANTIK_LIBRARY(...) in one of its files");
  std::vector<std::string> names = state_->keep(batch, library.identity());
  library.keep();  // graphs and plans point into it
  return names;
}

std::vector<std::string> Registry::add(cantik_library_function* entry) {
  if (!entry)
    throw value_error("there is no function that registers operators")
        .remedy("give cantik_library, which CANTIK_LIBRARY(...) in a file of the program defines");
  const std::lock_guard alone(loading());
  const void* identity = reinterpret_cast<const void*>(entry);
  {
    std::shared_lock lock(state_->mutex);
    if (auto it = state_->libraries.find(identity); it != state_->libraries.end()) return it->second;
  }
  PendingLibrary batch;
  batch.library = "the program";
  const cantik_host host = batch.host();
  enter(entry, host, batch, "the program's list of operators");
  return state_->keep(batch, identity);
}

const void* Registry::attached(std::string_view op, std::string_view key, std::string_view type) const {
  std::shared_lock lock(state_->mutex);
  auto of_key = state_->attached.find(std::string(key));
  if (of_key == state_->attached.end() || of_key->second.type != type) return nullptr;
  auto found = of_key->second.objects.find(std::string(op));
  return found == of_key->second.objects.end() ? nullptr : found->second;
}

void Registry::annotate(const std::string& op, const std::string& key, const std::string& value) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->by_name.find(op);
  if (it == state_->by_name.end()) throw key_error("there is no operator " + op + " to annotate with " + key);
  it->second->names[key] = value;
}

std::vector<std::string> register_operators(cantik_library_function* library) {
  return Registry::global().add(library);
}

std::vector<const OperatorInfo*> operators() {
  const std::vector<const Operator*> all = Registry::global().all();
  return {all.begin(), all.end()};
}

const OperatorInfo& operator_info(std::string_view name) { return Registry::global().get(name); }

}  // namespace cantik
