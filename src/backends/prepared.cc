#include "backends/prepared.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/host/maps.h"
#include "base/text.h"
#include "graph/boundary.h"
#include "graph/types.h"

namespace cantik {

Prepared& Prepared::operator=(Prepared&& o) noexcept {
  if (this == &o) return *this;
  if (release) release(state);
  state = o.state;
  release = o.release;
  run = o.run;
  units = o.units;
  lengths = o.lengths;
  most_rows_per_row = o.most_rows_per_row;
  most_rows_per_sequence = o.most_rows_per_sequence;
  scratch_bytes = o.scratch_bytes;
  row_work = o.row_work;
  state_bytes = o.state_bytes;
  name = std::move(o.name);
  library = std::move(o.library);
  o.release = nullptr;
  return *this;
}

Prepared::~Prepared() {
  if (release) release(state);
}

Prepared own(std::unique_ptr<Kernel> k, std::string name) {
  Prepared p;
  p.name = std::move(name);
  p.scratch_bytes = k->scratch_bytes;
  p.row_work = k->row_work;
  p.state_bytes = k->state_bytes;
  p.state = k.release();
  p.release = [](void* s) { delete static_cast<Kernel*>(s); };
  p.units = [](const void* s, int64_t rows) { return static_cast<const Kernel*>(s)->units(rows); };
  p.run = [](const void* s, const cantik_run* r, char*, size_t) -> cantik_status {
    static_cast<const Kernel*>(s)->run(Run(r));
    return CANTIK_OK;
  };
  return p;
}

namespace {

// The task as the C boundary has it, and the answers of those that are asked.
class KernelRequest {
 public:
  KernelRequest(const Task& t, const Backend* backend, std::string& reasons)
      : t_(t), backend_(backend), reasons_(reasons) {
    for (const Type& x : t.in) in_.push_back(to_c(x));
    for (const Type& x : t.out) out_.push_back(to_c(x));
    attributes_ = to_c(t.attributes);
    if (t.expression)
      for (const Code& k : t.expression->codes) codes_.push_back({k.op, {k.a, k.b, k.c}, k.value});
  }

  std::span<const cantik_attribute> attributes() const { return attributes_; }

  // What make(description) makes; none where it declines.
  template <class F>
  Prepared ask(const std::string& kernel, const std::string& shown, const std::string& library, F&& make) {
    text_.clear();
    cantik_prepare p{};
    p.size = sizeof p;
    p.self = this;
    p.inputs = static_cast<int32_t>(in_.size());
    p.outputs = static_cast<int32_t>(out_.size());
    p.in = in_.data();
    p.out = out_.data();
    p.attributes = attributes_.data();
    p.backend = backend_;
    p.fail = [](void* self, int32_t, const char* text) {
      auto& a = *static_cast<KernelRequest*>(self);
      a.text_ = text ? text : "";
    };
    if (!codes_.empty()) {
      p.epilogue = {static_cast<int32_t>(codes_.size()), t_.expression->results[0], codes_.data()};
      p.epilogue_inputs = t_.epilogue_inputs;
    }
    const cantik_status status = make(p);
    if (status == CANTIK_OK) return taken(p, kernel, library);
    if (status != CANTIK_UNSUPPORTED)
      throw located(
          failure(status, cat(name(), ": ", text_.empty() ? "no reason was given" : text_).c_str(), ""),
          library);
    reasons_ += (reasons_.empty() ? "" : "; ") + shown + ": " + text_;
    return {};
  }

 private:
  std::string name() const { return t_.op ? t_.op->name : "an elementwise chain"; }
  static Error located(Error e, const std::string& library) { return std::move(e).line("library", library); }
  Prepared taken(const cantik_prepare& p, const std::string& kernel, const std::string& library) const {
    Prepared made;
    made.state = p.state;
    made.release = p.release;
    made.run = p.run;
    made.units = p.units;
    made.lengths = p.lengths;
    made.most_rows_per_row = p.most_rows_per_row;
    made.most_rows_per_sequence = p.most_rows_per_sequence;
    made.scratch_bytes = p.scratch_bytes;
    made.row_work = std::max<int64_t>(0, p.row_work);
    made.state_bytes = std::max<int64_t>(0, p.state_bytes);
    made.name = kernel;
    made.library = library;
    if (!made.run || made.scratch_bytes < 0 || made.most_rows_per_row < 0 || made.most_rows_per_sequence < 0)
      throw located(
          runtime_error("the kernel " + kernel +
                        " has no run function, or asks for a negative amount of scratch memory or rows"),
          library);
    return made;
  }

  const Task& t_;
  const Backend* backend_;
  std::string& reasons_;
  SmallVector<cantik_type, 4> in_, out_;
  AttributesInC attributes_;
  SmallVector<cantik_code, 8> codes_;
  std::string text_;
};

// Of the operator's own list: those of the host's memory, or those made of forms.
Prepared of_list(const Task& t, const Backend* backend, KernelRequest& asking) {
  for (size_t i = 0; i < t.op->kernels.size(); ++i) {
    const cantik_kernel& k = t.op->kernels[i];
    if (backend && !k.of_forms) continue;
    const std::string& name = t.op->kernel_names[i];
    const std::string kernel = cat(t.op->name, ".", backend ? backend->name() : name);
    Prepared made = asking.ask(kernel, name, t.op->library, [&](cantik_prepare& p) {
      return Boundary::guarded(*t.op, kernel, [&] { return k.prepare(t.op->user, &p); });
    });
    if (made) return made;
  }
  return {};
}

Prepared of_backend(const Task& t, const Backend& backend, KernelRequest& asking) {
  const std::string name = t.op ? t.op->name : "map";
  for (const Backend::Entry& e : backend.kernels_of(t.op ? t.op->name : "form:map")) {
    Prepared made = asking.ask(cat(name, ".", backend.name()), backend.name(), backend.library(),
                               [&](cantik_prepare& p) { return backend.prepare(e, asking.attributes(), p); });
    if (made) return made;
  }
  return {};
}

}  // namespace

Prepared prepared(const Task& t, const Backend* backend, std::string& reasons) {
  if (!t.op && !backend)
    return t.closes ? own(host::make_map_sum(*t.expression, t.in, t.out[0]), "map_sum")
                    : own(host::make_map(*t.expression, t.in, t.out), "map");
  KernelRequest asking(t, backend, reasons);
  if (backend)
    if (Prepared made = of_backend(t, *backend, asking)) return made;
  return t.op ? of_list(t, backend, asking) : Prepared();
}

}  // namespace cantik
