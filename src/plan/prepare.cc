// Kernels made for their types: from an operator's list, or of elementwise chains.
#include "plan/prepare.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/cpu/map.h"
#include "backends/cpu/sum_to.h"
#include "graph/boundary.h"
#include "graph/types.h"

namespace cantik::runtime {

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
  name = std::move(o.name);
  library = std::move(o.library);
  o.release = nullptr;
  return *this;
}

Prepared::~Prepared() {
  if (release) release(state);
}

namespace {

Prepared own(std::unique_ptr<Kernel> k, std::string name) {
  Prepared p;
  p.name = std::move(name);
  p.scratch_bytes = k->scratch_bytes;
  p.row_work = k->row_work;
  p.state = k.release();
  p.release = [](void* s) { delete static_cast<Kernel*>(s); };
  p.units = [](const void* s, int64_t rows) { return static_cast<const Kernel*>(s)->units(rows); };
  p.run = [](const void* s, const cantik_run* r, char*, size_t) -> cantik_status {
    static_cast<const Kernel*>(s)->run(Run(r));
    return CANTIK_OK;
  };
  return p;
}

struct Asked {
  int32_t kind = CANTIK_OK;
  std::string text;
  static void fail(void* self, int32_t kind, const char* text) {
    auto& a = *static_cast<Asked*>(self);
    a.kind = kind;
    a.text = text;
  }
};

// The kernel of results without elements, whatever the operator.
struct Nothing final : Kernel {
  int64_t units(int64_t) const override { return 1; }
  void run(const Run&) const override {}
};

bool makes_nothing(const ir::Graph& g, const ir::Node& n) {
  if (n.kind == ir::NodeKind::call && (n.op->runs_each_time() || n.op->has(CANTIK_OWN_AXIS))) return false;
  auto is_empty = [&](ir::ValueId v) {
    const Type& t = g.type(v);
    return t.storage == Storage::dense && t.shape.is_static() && t.shape.elements() == 0;
  };
  return !n.out.empty() && std::all_of(n.out.begin(), n.out.end(), is_empty);
}

}  // namespace

Prepared prepare(const ir::Graph& g, const ir::Node& n) {
  if (makes_nothing(g, n)) return own(std::make_unique<Nothing>(), "nothing");
  std::vector<Type> in, out;
  in.reserve(n.in.size());
  out.reserve(n.out.size());
  for (ir::ValueId v : n.in) in.push_back(g.type(v));
  for (ir::ValueId v : n.out) out.push_back(g.type(v));
  if (n.kind == ir::NodeKind::map)
    return own(n.closes ? cpu::make_map_sum(n.expression, in, out[0]) : cpu::make_map(n.expression, in, out),
               n.closes ? "map_sum" : "map");

  std::vector<cantik_type> c_in, c_out;
  c_in.reserve(in.size());
  c_out.reserve(out.size());
  for (const Type& t : in) c_in.push_back(to_c(t));
  for (const Type& t : out) c_out.push_back(to_c(t));
  std::vector<cantik_attribute> attributes = to_c(n.attributes);
  std::vector<cantik_code> codes;
  codes.reserve(n.expression.codes.size());
  for (const Code& k : n.expression.codes) codes.push_back({k.op, {k.a, k.b, k.c}, k.value});
  std::string reasons;
  for (size_t i = 0; i < n.op->kernels.size(); ++i) {
    Asked asked;
    cantik_prepare p{};
    p.size = sizeof p;
    p.self = &asked;
    p.inputs = static_cast<int32_t>(in.size());
    p.outputs = static_cast<int32_t>(out.size());
    p.in = c_in.data();
    p.out = c_out.data();
    p.attributes = attributes.data();
    p.fail = &Asked::fail;
    if (!codes.empty()) {
      p.epilogue = {static_cast<int32_t>(codes.size()), n.expression.results[0], codes.data()};
      p.epilogue_inputs = n.epilogue_inputs;
    }
    const std::string kernel = n.op->name + "." + n.op->kernel_names[i];
    const cantik_status status =
        Boundary::guarded(*n.op, kernel, [&] { return n.op->kernels[i].prepare(n.op->user, &p); });
    if (status == CANTIK_OK) {
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
      made.name = kernel;
      made.library = n.op->library;
      if (!made.run || made.scratch_bytes < 0 || made.most_rows_per_row < 0 ||
          made.most_rows_per_sequence < 0)
        Boundary::rethrow(
            runtime_error("the kernel " + kernel +
                          " has no run function, or asks for a negative amount of scratch memory or rows"),
            *n.op);
      return made;
    }
    if (status != CANTIK_UNSUPPORTED) Boundary::rethrow(runtime_error(n.op->name + ": " + asked.text), *n.op);
    reasons += (reasons.empty() ? "" : "; ") + n.op->kernel_names[i] + ": " + asked.text;
  }
  throw unsupported(n.op->name + " cannot run" +
                    (reasons.empty() ? ": it has no kernel" : " (" + reasons + ")"));
}

}  // namespace cantik::runtime
