#include "compile/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "compile/core.h"
#include "compile/passes.h"
#include "compile/prepare.h"
#include "compile/stated.h"
#include "compile/stores.h"

namespace cantik::ir {
namespace {

// A value of the type of `like` that is the same number everywhere. It reads `like` only for free dimensions.
ValueId filled(Graph& g, double x, ValueId like) {
  Node n;
  n.kind = NodeKind::map;
  if (g.type(like).shape.has_free()) n.in = {like};
  n.expression.results = {n.expression.constant(x)};
  Type t = g.type(like);
  t.storage = Storage::dense;
  return g.node(g.add(std::move(n), {&t, 1})).out[0];
}

void add_gradients(Graph& g, const Request& r) {
  if (r.wrt.empty()) return g.outputs.resize(r.outputs.size() + r.roots.size());
  // import() left outputs, roots, wrt, updates and gradients one behind the other.
  auto next = g.outputs.begin() + static_cast<std::ptrdiff_t>(r.outputs.size());
  auto take = [&](size_t n) {
    auto begin = next;
    next += static_cast<std::ptrdiff_t>(n);
    return std::vector<ValueId>(begin, next);
  };
  std::vector<ValueId> root = take(r.roots.size()), wrt = take(r.wrt.size());
  take(r.updates.size());  // what they change keeps them
  std::vector<ValueId> stands = take(static_cast<size_t>(g.outputs.end() - next)), seeds;
  for (ValueId v : root)
    seeds.push_back(r.part == Part::whole ? filled(g, 1, v) : further_input(g, g.type(v)));
  g.outputs.resize(r.outputs.size());
  std::vector<ValueId> d = differentiate(g, root, seeds, wrt);
  // A number is spread over what it is the gradient of; the gradient of a root itself is the seed that came
  // in.
  for (size_t i = 0, k = 0; i < wrt.size(); ++i) {
    const bool number = !d[i] || g.value(d[i]).leaf == LeafKind::number;
    if (number) d[i] = filled(g, d[i] ? g.value(d[i]).number : 0, wrt[i]);
    if (i < r.gradients.size() && r.gradients[i])
      g.replace_uses(stands[k++], g.dense(d[i], {}));
    else
      g.outputs.push_back(d[i]);
  }
}

// Whether the rows that a value has are those with entries in sparse operands.
bool of_sparse_operands(const Graph& g, ValueId v) {
  const Node* n = g.producer(v);
  bool few = false;
  for (size_t i = 0; n && i < n->in.size(); ++i) {
    Storage s = g.type(n->in[i]).storage;
    if (s == Storage::csr) return true;
    if (s != Storage::row_sparse) continue;
    if (!of_sparse_operands(g, n->in[i])) return false;
    few = true;
  }
  return few;
}

// What outputs[i] may be, by the request.
std::vector<SparseGradients> sparse_outputs(const Graph& g, const Request& r) {
  std::vector<SparseGradients> few(g.outputs.size(), SparseGradients::none);
  for (size_t i = 0, k = r.outputs.size(); i < r.sparse_gradients.size(); ++i)
    if (i >= r.gradients.size() || !r.gradients[i]) few[k++] = r.sparse_gradients[i];
  return few;
}

// Whether v is sparse rows as they were fed or made. Views of them count as written out, as in CNTK; another
// name is no view.
bool is_named_rows(const Graph& g, ValueId v) {
  const Type& t = g.type(v);
  if (t.storage != Storage::csr || !t.axes.has_batch()) return false;
  const Node* n = g.producer(v);
  if (!n || n->kind != NodeKind::call || !n->op->has(CANTIK_ALIAS)) return true;
  return !n->op->has(CANTIK_NO_GRADIENT) && g.type(n->in[0]) == t && is_named_rows(g, n->in[0]);
}

// Each output gets memory of its own: leaves, and values asked for twice, are copied.
void own_outputs(Graph& g, const Request& request) {
  auto root = [&](ValueId v) {
    for (const Node* n = g.producer(v); n && n->kind == NodeKind::call && n->op->has(CANTIK_ALIAS);
         n = g.producer(v))
      v = n->in[0];
    return v;
  };
  std::vector<ValueId> taken;
  std::vector<SparseGradients> few = sparse_outputs(g, request);
  for (size_t i = 0; i < g.outputs.size(); ++i) {
    ValueId& v = g.outputs[i];
    const Type& made = g.type(v);
    bool rows =
        few[i] == SparseGradients::all || (few[i] == SparseGradients::products && of_sparse_operands(g, v));
    if ((made.storage == Storage::row_sparse && !rows) ||
        (made.storage == Storage::csr && !made.axes.has_batch() && made.shape.rank() != 2))
      v = g.dense(v, {});
    ValueId r = root(v);
    if (g.value(r).leaf == LeafKind::none && std::find(taken.begin(), taken.end(), r) == taken.end()) {
      taken.push_back(r);
      continue;
    }
    if (g.type(v).storage == Storage::dense)
      v = g.copied(v);
    else
      v = g.type(v).storage == Storage::row_sparse || is_named_rows(g, v)
              ? g.call(core::copy.op(), {}, std::array{v}, {})[0]
              : g.dense(v, {});
  }
}

// With channels last, for the sake of an operator that prefers them so; its results are turned back.
Values with_channels_last(Graph& g, Node n) {
  const ImageFacts& images = n.op->facts.images;
  auto turned = [&](ValueId v, bool last) {
    if (g.type(v).shape.rank() < 2) return v;  // channels alone
    return g.call(core::turn_image.op(), {Attribute(last), Attribute(int64_t{0})}, std::array{v},
                  n.source)[0];
  };
  for (size_t i = 0; i < n.in.size(); ++i)
    if (images.has_operand(i)) n.in[i] = turned(n.in[i], true);
  n.attributes[images.last] = Attribute(true);
  Values results = g.call(*n.op, n.attributes, n.in, n.source);
  for (size_t i = 0; i < results.size(); ++i)
    if (images.has_result(i)) results[i] = turned(results[i], false);
  return results;
}

bool wants_channels_last(const Node& n) {
  const ImageFacts& images = n.op->facts.images;
  return images.preferred && !n.attributes[images.last].integer();
}

// Packed weights and formats are the host's: a node that a device takes as it is keeps its form.
bool keeps_its_form(const Graph& g, const Node& n) { return g.device.backend() && is_taken(g, n); }

Values finished(Graph& g, const Node& n) {
  GraphBuilder builder(g, *n.op, n.attributes, n.in, n.source);
  builder.in_place_of(n.out);
  return builder.run(n.op->finish);
}

bool has_final_form(const Graph& g, const Node& n) {
  return n.kind == NodeKind::call && (n.op->finish || wants_channels_last(n)) && !keeps_its_form(g, n);
}

// Operators that run differently once gradients are taken, as other operators or on images that lie
// otherwise.
void finish(Graph& g) {
  std::vector<NodeId> open = g.order();
  for (size_t k = 0; k < open.size(); ++k) {
    if (!has_final_form(g, g.node(open[k]))) continue;
    const Node n = g.node(open[k]);
    const NodeId first = g.nodes.end_id();
    const Values made = n.op->finish ? finished(g, n) : with_channels_last(g, n);
    for (NodeId id : g.nodes.ids_from(first)) {
      g.node(id).of_user = n.of_user;
      open.push_back(id);
    }
    bool replaced = true;
    for (size_t i = 0; i < n.out.size(); ++i) {
      replaced &= bool(made[i]);
      if (made[i]) g.replace_uses(n.out[i], made[i]);
    }
    if (replaced) g.remove(open[k]);  // or it would be one more maker of the axes that it has
  }
  g.remove_unused();
}

// Operands in the order in which kernels read them.
void pack(Graph& g) {
  for (NodeId id : g.order()) {
    std::optional<PackedOperand> packed = operand_to_pack(g, g.node(id));
    if (!packed || keeps_its_form(g, g.node(id))) continue;
    const Node n = g.node(id);
    const NodeId first = g.nodes.end_id();
    const ValueId v =
        g.call(*packed->op, std::move(packed->attributes), std::array{n.in[packed->operand]}, n.source)[0];
    for (NodeId made : g.nodes.ids_from(first)) g.node(made).of_user = n.of_user;
    g.node(id).in[packed->operand] = v;
    g.node(id).attributes[n.op->facts.packed.attribute] = Attribute(true);
  }
}

struct Pass {
  const char* name;
  void (*run)(Graph&, const Request&);
  bool optional;
};
constexpr Pass kPasses[] = {
    {"in_steps", [](Graph& g, const Request&) { call_in_steps(g); }, false},
    {"layouts", [](Graph& g, const Request&) { untie_layouts(g); }, false},
    {"share", [](Graph& g, const Request&) { share(g); }, true},
    {"merge_products", [](Graph& g, const Request&) { merge_products(g); }, true},
    {"differentiate", [](Graph& g, const Request& r) { add_gradients(g, r); }, false},
    {"hoist",
     [](Graph& g, const Request& r) {
       if (!r.unfused) hoist(g);
     },
     true},
    {"share_again", [](Graph& g, const Request&) { share(g); }, true},
    {"seam", [](Graph& g, const Request& r) { cut_at_seam(g, r); }, false},
    {"widen", [](Graph& g, const Request&) { widen(g); }, false},
    {"finish", [](Graph& g, const Request&) { finish(g); }, false},
    {"formats", [](Graph& g, const Request&) { turn_formats(g); }, true},
    {"pack", [](Graph& g, const Request&) { pack(g); }, false},
    {"join_parts", [](Graph& g, const Request&) { join_parts(g); }, true},
    {"layouts_again", [](Graph& g, const Request&) { untie_layouts(g); }, false},
    {"loops", [](Graph& g, const Request&) { form_loops(g); }, false},
    {"step_order", [](Graph& g, const Request&) { order_by_steps(g); }, true},
    {"fuse",
     [](Graph& g, const Request& r) {
       if (!r.unfused) fuse(g);
     },
     true},
    {"gather_maps",
     [](Graph& g, const Request& r) {
       if (!r.unfused && !g.device.backend()) gather_maps(g);
     },
     true},
    {"fold_spreads", [](Graph& g, const Request&) { fold_spreads(g); }, true},
    {"own_outputs", [](Graph& g, const Request& r) { own_outputs(g, r); }, false},
    {"keep_old_values", [](Graph& g, const Request&) { keep_old_values(g); }, false},
    // those who look want parameters as they were, if a NaN stops the run
    {"stores_in_place",
     [](Graph& g, const Request& r) { g.stores_in_place = !r.unfused && !g.device.backend(); }, true},
    {"place_columns",
     [](Graph& g, const Request&) {
       if (!g.device.backend()) place_columns(g);
     },
     true},
    {"place_on_device", [](Graph& g, const Request&) { place_on_device(g); }, false},
};
constexpr size_t kCount = std::size(kPasses);
std::atomic<bool> switched_off[kCount];
std::atomic<bool> verify_each{false};

}  // namespace

Graph imported(const Request& r, std::span<const std::pair<Variable, Shape>> shapes, Known known) {
  Graph g;
  g.known = std::move(known);
  g.mode = r.mode;
  g.device = r.device;
  std::vector<Variable> wanted = r.outputs;
  wanted.insert(wanted.end(), r.roots.begin(), r.roots.end());
  wanted.insert(wanted.end(), r.wrt.begin(), r.wrt.end());
  wanted.insert(wanted.end(), r.updates.begin(), r.updates.end());
  for (const Variable& v : r.gradients)
    if (v) wanted.push_back(v);
  const bool counts = r.counted && !g.known.samples.empty();
  if (counts) wanted.push_back(r.counted);
  g.import(wanted, shapes);
  g.needs.samples |= r.unlike_batches;
  if (counts) {
    if (const Axes& axes = g.type(g.outputs.back()).axes; axes.has_batch() && !axes.has_sequence())
      g.counted = g.samples_of(axes[0]);
    g.outputs.pop_back();
  }
  if (!g.makes_batches) return g;
  // Where inputs have a batch too, their number of samples decides whether that is the same batch. Where none
  // has, nothing else does.
  const bool fed = std::any_of(g.leaves.begin(), g.leaves.end(),
                               [](const Variable& v) { return v.is_input() && v.axes().has_batch(); });
  g.needs.samples |= fed;
  if (fed || !g.known.samples.empty()) return g;
  g.known.samples = {{Axes::batch(), 1}};
  return imported(r, shapes, std::move(g.known));
}

std::string structure_key(const Graph& g, const Request& r) {
  std::string key;
  key.reserve(1024);
  auto add = [&](const auto& x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
  // Axes count in the order in which they are met: those made anew for the same graph have other numbers.
  // Where the steps of some become a static axis, a run asks for them by name.
  std::vector<int64_t> met;
  auto add_axis = [&](int64_t id) {
    if (!g.needs.longest.empty()) return add(id);
    size_t at = static_cast<size_t>(std::find(met.begin(), met.end(), id) - met.begin());
    if (at == met.size()) met.push_back(id);
    add(at);
  };
  add(g.mode);
  add(g.device.backend());
  add(g.device.id());
  add(r.outputs.size());
  add(r.roots.size());
  for (SparseGradients f : r.sparse_gradients) add(f);
  add(r.unlike_batches);
  add(r.unfused);
  add(r.updates.size());
  for (const Variable& v : r.gradients) add(static_cast<bool>(v));
  add(r.part);
  add(r.only.size());
  for (int32_t i : r.only) add(i);
  add(g.counted);
  add(g.needs.results.size());
  for (SourceId s : g.needs.results) add(s);
  for (const ValueInfo& v : g.values) {
    add(v.producer);
    add(v.leaf);
    add(v.leaf_index);
    add(v.number);
    add(v.type.dtype);
    add(v.type.storage);
    for (int64_t d : v.type.shape) add(d);
    add(v.type.shape.rank());
    add(v.type.axes.size());
    for (int i = 0; i < v.type.axes.size(); ++i) add_axis(v.type.axes[i].id());
  }
  for (const Node& n : g.nodes) {
    add(n.kind);
    add(n.op);
    for (ValueId v : n.in) add(v);
    for (ValueId v : n.out) add(v);
    for (size_t k = 0; k < n.attributes.size(); ++k) {
      const Attribute& a = n.attributes[k];
      key += static_cast<char>(a.storage().index());
      if (n.op && k < n.op->fields.size() && n.op->fields[k].role == CANTIK_NEW_AXIS && a.get<int64_t>() &&
          axis_code::is_static(a.integer()))
        add_axis(a.integer());
      else if (auto* truth = a.get<bool>())
        add(*truth);
      else if (auto* integer = a.get<int64_t>())
        add(*integer);
      else if (auto* real = a.get<double>())
        add(*real);
      else if (auto* text = a.get<std::string>())
        add(text->size()), key += *text;
      else if (auto* integers = a.get<std::vector<int64_t>>()) {
        add(integers->size());
        for (int64_t i : *integers) add(i);
      } else if (auto* reals = a.get<std::vector<double>>()) {
        add(reals->size());
        for (double x : *reals) add(x);
      }
    }
    for (const Code& k : n.expression.codes) add(k.op), add(k.a), add(k.b), add(k.c), add(k.value);
    for (int32_t i : n.expression.results) add(i);
    add(n.source);
  }
  for (const Live& l : g.lives) add(l.source), add(l.field);
  for (ValueId v : g.outputs) add(v);
  return key;
}

void run_passes(Graph& g, const Request& r) {
  bool verify = verify_each.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kCount; ++i) {
    if (kPasses[i].optional && switched_off[i].load(std::memory_order_relaxed)) continue;
    kPasses[i].run(g, r);
    if (verify) g.verify(kPasses[i].name);
  }
  g.remove_unused();
}

std::vector<PassReport> run_passes_reported(Graph& g, const Request& r) {
  std::vector<PassReport> reports{{"import", g.text(), 0}};
  for (size_t i = 0; i < kCount; ++i) {
    if (kPasses[i].optional && switched_off[i]) continue;
    auto begin = std::chrono::steady_clock::now();
    kPasses[i].run(g, r);
    double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    g.verify(kPasses[i].name);
    reports.push_back({kPasses[i].name, g.text(), us});
  }
  g.remove_unused();
  return reports;
}

}  // namespace cantik::ir

namespace cantik {

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const ir::Pass& p : ir::kPasses) names.push_back(p.name);
  return names;
}

void switch_pass(const std::string& name, bool on) {
  for (size_t i = 0; i < ir::kCount; ++i)
    if (ir::kPasses[i].name == name) {
      if (!ir::kPasses[i].optional)
        throw value_error("the pass " + name + " cannot be switched off: the result depends on it");
      ir::switched_off[i] = !on;
      return;
    }
  throw key_error("there is no pass " + name);
}

void set_verification(bool on) { ir::verify_each = on; }

std::vector<PassReport> pass_reports(const Function& network, const std::vector<Variable>& wrt,
                                     const Device& device) {
  const Function f = network.as_composite();
  ir::Request r{f.outputs(), {}, {}, ir::Mode::evaluation};
  if (!wrt.empty()) r = {f.outputs(), {f.output()}, wrt, ir::Mode::training};
  r.device = device;
  ir::Graph g = ir::imported(r);
  return ir::run_passes_reported(g, r);
}

}  // namespace cantik
