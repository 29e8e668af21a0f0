#include "backends/backend.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/text.h"

namespace cantik {
namespace {

constexpr int32_t kMost = 65536;  // kernels, and devices

Error malformed(const std::string& what, const std::string& why) {
  return value_error(cat("the description of ", what, " is malformed: ", why))
      .remedy("build the library with the headers that `cantik config --cflags` names");
}

template <class F>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  std::apply([&](auto... f) { (names.emplace_back(f.name), ...); }, F::fields());
  return names;
}

// The forms with their attributes.
const std::map<std::string, std::vector<std::string>>& forms() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"form:map", {}},
      {"form:copy", names_of<CopyForm>()},
      {"form:lookup", names_of<TableForm>()},
      {"form:spread_back", names_of<TableForm>()},
      {"form:lines", names_of<LineForm>()},
      {"form:reduction", names_of<ReductionForm>()}};
  return all;
}

// The attributes of an operator or a form, in their order.
struct Attributes {
  std::vector<std::string> names, live;  // live: those that may change between runs

  Attributes(const std::string& op, const std::string& backend) {
    if (const auto form = forms().find(op); form != forms().end()) {
      names = form->second;
      return;
    }
    const Operator* found = Registry::global().find(op);
    if (!found)
      throw key_error(
          cat("the backend ", backend, " has a kernel for ", op, ", which is neither an operator nor a form"))
          .remedy("load the library that defines the operator first");
    for (const AttributeInfo& field : found->fields) {
      names.push_back(field.name);
      if (field.live) live.push_back(field.name);
    }
  }

  // Where the attribute stands that a kernel reads. Kernels are made for its value.
  size_t place(const std::string& name, const std::string& op, const std::string& backend) const {
    const auto at = std::find(names.begin(), names.end(), name);
    const std::string reads = cat("the backend ", backend, " reads the attribute ", name, " of ", op);
    if (at == names.end())
      throw key_error(reads + ", which has " +
                      (names.empty() ? "none" : join(names, ", ", [](const std::string& n) { return n; })));
    if (std::find(live.begin(), live.end(), name) != live.end())
      throw value_error(reads + ", which may change between runs");
    return static_cast<size_t>(at - names.begin());
  }
};

// The kernel that a backend's `prepare` made.
class KernelOfBackend final : public Kernel {
 public:
  explicit KernelOfBackend(const cantik_prepare& p) : state_(p.state), release_(p.release), run_(p.run) {
    scratch_bytes = p.scratch_bytes;
    row_work = p.row_work;
  }
  ~KernelOfBackend() override {
    if (release_) release_(state_);
  }
  void run(const Run& r) const override {
    char text[512] = "";
    if (const cantik_status status = run_(state_, &r.c(), text, sizeof text)) throw Failure(status, text);
  }

 private:
  void* state_;
  void (*release_)(void*);
  cantik_status (*run_)(const void*, const cantik_run*, char*, size_t);
};

}  // namespace

Backend::Backend(const cantik_backend& described, std::string library)
    : library_(std::move(library)), c_(described) {
  if (c_.size < offsetof(cantik_backend, kernel_count) + sizeof c_.kernel_count)
    throw malformed("a backend", cat("a struct of ", c_.size, " bytes"));
  if (!c_.name || !*c_.name || strnlen(c_.name, 100) == 100) throw malformed("a backend", "it has no name");
  name_ = c_.name;
  if (name_ == "host" || name_ == "CPU") throw malformed(name_, "that is the name of the host's memory");
  c_.name = name_.c_str();
  if (c_.kind != CANTIK_DEVICE_GPU && c_.kind != CANTIK_DEVICE_OTHER)
    throw malformed(name_, cat("devices of the unknown kind ", c_.kind));
  if (c_.devices < 0 || c_.devices > kMost) throw malformed(name_, cat("it has ", c_.devices, " devices"));
  if (!c_.allocate || !c_.release || !c_.open || !c_.close || !c_.to_device || !c_.to_host || !c_.within ||
      !c_.launch || !c_.wait)
    throw malformed(name_, "one of its functions is missing");
  if (c_.kernel_count < 0 || c_.kernel_count > kMost || (c_.kernel_count && !c_.kernels))
    throw malformed(name_, cat("it lists ", c_.kernel_count, " kernels"));
  const cantik_backend_kernel* k = c_.kernels;
  for (int32_t i = 0; i < c_.kernel_count; ++i) {
    if (k->size < sizeof(cantik_backend_kernel) || k->size > 4096 || k->size % sizeof(size_t))
      throw malformed(name_, cat("a struct of ", k->size, " bytes"));
    if (!k->op || !k->prepare || k->field_count < 0 || k->field_count > kMost)
      throw malformed(name_, cat("its kernel ", i, " lacks its operator, its fields or what makes it"));
    const Attributes known(k->op, name_);
    Entry entry{*k, {}};
    for (int32_t f = 0; f < k->field_count; ++f)
      entry.fields.push_back(known.place(k->fields[f], k->op, name_));
    kernels_[k->op].push_back(std::move(entry));
    k = reinterpret_cast<const cantik_backend_kernel*>(reinterpret_cast<const char*>(k) + k->size);
  }
}

std::span<const Backend::Entry> Backend::kernels_of(std::string_view op_or_form) const {
  const auto found = kernels_.find(std::string(op_or_form));
  if (found == kernels_.end()) return {};
  return found->second;
}

cantik_status Backend::prepare(const Entry& e, std::span<const cantik_attribute> attributes,
                               cantik_prepare& p) const {
  std::vector<cantik_attribute> read;
  for (const size_t f : e.fields) read.push_back(attributes[f]);
  p.attributes = read.data();
  return e.kernel.prepare(c_.user, &p);
}

std::unique_ptr<Kernel> Backend::packed_form(const char* name, const Prepare& p,
                                             std::span<const cantik_attribute> attributes) const {
  std::string reasons;
  for (const Entry& e : kernels_of(name)) {
    struct Asked {
      int32_t kind = CANTIK_RUNTIME;
      std::string text;
    } asked;
    cantik_prepare q = p.c();
    q.self = &asked;
    q.fail = [](void* self, int32_t kind, const char* text) {
      *static_cast<Asked*>(self) = {kind, text ? text : ""};
    };
    if (prepare(e, attributes, q) == CANTIK_OK) {
      if (!q.run) throw Failure(CANTIK_RUNTIME, cat("the kernel of ", name_, " for ", name, " has no run"));
      return std::make_unique<KernelOfBackend>(q);
    }
    if (asked.kind != CANTIK_UNSUPPORTED) throw Failure(asked.kind, asked.text);
    reasons += (reasons.empty() ? "" : "; ") + asked.text;
  }
  throw declined(reasons.empty() ? cat("it does not fill in ", name) : reasons);
}

}  // namespace cantik
