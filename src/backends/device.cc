// Devices, and the libraries that bring them.
#include <cantik/device.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "backends/backend.h"
#include "base/library_file.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "graph/types.h"

namespace cantik {
namespace {

// Backends stay: graphs and runs point at them.
struct Loaded {
  std::mutex mutex;
  std::vector<std::unique_ptr<const Backend>> backends;
  std::map<const void*, const Backend*> by_library;
  std::atomic<bool> chosen{false};  // that is, somebody has said which device is used
  Device used;

  const Backend* find(const std::string& name) const {
    for (const auto& b : backends)
      if (b->name() == name) return b.get();
    return nullptr;
  }
};

Loaded& loaded() {
  static auto* all = new Loaded;
  return *all;
}

// The versions that a library was built for, before any of its code runs.
void check_version(const std::string& path) {
  const std::string version = version_in_library(path, {"backend", "a backend", CANTIK_BACKEND_ABI_MARK});
  if (version.empty())
    throw value_error(path + " is not a backend: it does not state the version of its interface")
        .remedy("write CANTIK_BACKEND in one of its files");
  int major = 0, revision = 0;
  const bool read = std::sscanf(version.c_str(), "%d.%d", &major, &revision) == 2;
  if (read && major == CANTIK_BACKEND_ABI_VERSION && revision <= CANTIK_BACKEND_ABI_REVISION) return;
  throw runtime_error(cat("the backend ", path, " was built for version ", version,
                          " of the interface, this Cantik has ", CANTIK_BACKEND_ABI_VERSION, ".",
                          CANTIK_BACKEND_ABI_REVISION))
      .remedy("build it with the headers that `cantik config --cflags` names, or install a newer Cantik");
}

// What a library says of itself while it is loaded.
struct Described {
  std::string path;
  std::unique_ptr<const Backend> backend;
  std::optional<Error> failure;  // the first one

  static cantik_status define(void* self, const cantik_backend* c) {
    auto& d = *static_cast<Described*>(self);
    try {
      if (!c) throw value_error("the library registers a backend without a description");
      if (d.backend) throw value_error("a library has one backend, and this one registers two");
      d.backend = std::make_unique<const Backend>(*c, d.path);
      return CANTIK_OK;
    } catch (const Error& e) {
      if (!d.failure) d.failure = e;
    } catch (const std::exception& e) {
      if (!d.failure) d.failure = runtime_error(e.what());
    }
    return CANTIK_VALUE;
  }
  static void fail(void* self, int32_t kind, const char* text) {
    auto& d = *static_cast<Described*>(self);
    if (!d.failure) d.failure = cantik::failure(kind, text, "");
  }
};

void call_entry(cantik_backend_library_function* entry, Described& d) {
  const cantik_backend_host host{sizeof(cantik_backend_host), CANTIK_BACKEND_ABI_VERSION, &d,
                                 &Described::define, &Described::fail};
  cantik_status status = CANTIK_OK;
  try {
    status = entry(&host);
  } catch (const std::exception& e) {
    throw runtime_error(cat("the backend ", d.path, " failed while it was loaded: ", e.what()));
  } catch (...) {
    throw runtime_error(
        cat("the backend ", d.path, " failed while it was loaded: it threw what is no std::exception"));
  }
  if (d.failure) throw std::move(*d.failure).line("library", d.path);
  if (status) throw runtime_error(cat("the backend ", d.path, " refused to be loaded, status ", status));
  if (!d.backend) throw value_error(d.path + " registers no backend");
}

}  // namespace

std::vector<const Backend*> Backend::all() {
  Loaded& l = loaded();
  const std::lock_guard lock(l.mutex);
  std::vector<const Backend*> list;
  for (const auto& b : l.backends) list.push_back(b.get());
  return list;
}

DeviceKind Device::kind() const { return backend_ ? backend_->kind() : DeviceKind::cpu; }

Device Device::gpu(uint32_t id) {
  uint32_t left = id;
  bool any = false;
  for (const Backend* b : Backend::all()) {
    if (b->kind() != DeviceKind::gpu) continue;
    any |= b->devices() > 0;
    if (left < b->devices()) return {b, left};
    left -= b->devices();
  }
  throw value_error("Specified GPU device id (" + std::to_string(id) + ") is invalid.")
      .remedy(any ? "all_devices() has those that there are" : "no GPU backend is loaded; use the CPU");
}

Device Device::of(const std::string& name, uint32_t id) {
  const std::vector<const Backend*> all = Backend::all();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Backend* b) { return b->name() == name; });
  if (at == all.end())
    throw key_error(cat("no backend is called ", name)).remedy("load its library with load_backend");
  if (id >= (*at)->devices())
    throw value_error(
        cat("the backend ", name, " has ", (*at)->devices(), " devices, and device ", id, " was asked for"));
  return {*at, id};
}

std::vector<Device> Device::all() {
  std::vector<Device> list{cpu()};
  for (const Backend* b : Backend::all())
    for (uint32_t i = 0; i < b->devices(); ++i) list.push_back({b, i});
  return list;
}

Device Device::used() {
  Loaded& l = loaded();
  if (!l.chosen.load(std::memory_order_relaxed)) return cpu();
  const std::lock_guard lock(l.mutex);
  return l.used;
}

void Device::use(const Device& device) {
  Loaded& l = loaded();
  const std::lock_guard lock(l.mutex);
  l.used = device;
  l.chosen = true;
}

std::string Device::text() const {
  switch (kind()) {
    case DeviceKind::cpu: return "CPU";
    case DeviceKind::gpu: return cat("GPU[", id_, "]");
    case DeviceKind::other: return cat(backend_->name(), "[", id_, "]");
  }
  return {};
}

std::vector<MemoryKind> Device::memories() const {
  if (!backend_) return {{"host", true}};
  return {{backend_->name(), false}};
}

std::vector<Device> load_backend(const std::string& given) {
  std::error_code wrong;
  std::string path = std::filesystem::canonical(given, wrong).string();
  if (wrong) path = given;
  check_version(path);
  static std::recursive_mutex loading;
  const std::lock_guard alone(loading);
  SharedLibrary library(path);
  if (!library) throw runtime_error("the backend " + path + " cannot be loaded: " + library.why());
  Loaded& l = loaded();
  const Backend* backend = nullptr;
  {
    const std::lock_guard lock(l.mutex);
    if (const auto known = l.by_library.find(library.identity()); known != l.by_library.end())
      backend = known->second;
  }
  if (!backend) {
    auto* entry = library.function<cantik_backend_library_function>(CANTIK_BACKEND_LIBRARY_SYMBOL);
    if (!entry)
      throw value_error(path + " is not a backend: it has no symbol " CANTIK_BACKEND_LIBRARY_SYMBOL)
          .remedy("write CANTIK_BACKEND in one of its files");
    Described d{path, nullptr, {}};
    call_entry(entry, d);
    const std::lock_guard lock(l.mutex);
    if (const Backend* other = l.find(d.backend->name()))
      throw value_error(cat("the backend ", other->name(), " is loaded already, from ", other->library()))
          .line("library", path)
          .remedy("give one of them another name");
    backend = d.backend.get();
    l.backends.push_back(std::move(d.backend));
    l.by_library.emplace(library.identity(), backend);
    library.keep();
  }
  std::vector<Device> devices;
  for (uint32_t i = 0; i < backend->devices(); ++i) devices.push_back(Device::of(backend->name(), i));
  return devices;
}

}  // namespace cantik
