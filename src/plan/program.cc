#include "plan/program.h"

#include <algorithm>
#include <cstring>

#include "backends/backend.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "compile/core.h"

namespace cantik::runtime {

namespace {

constexpr int64_t kWorkToPrepare = 2000;

void check_memory(const Type& row) {
  constexpr size_t kMostOfAMachine = size_t{1} << 44;
  if (!row.shape.is_static() || row.storage != Storage::dense) return;
  if (const size_t bytes = bytes_of(row.shape.elements(), size_of(row.dtype)); bytes > kMostOfAMachine)
    throw no_memory(bytes);
}

// Rows that no machine has room for are refused before memory is planned and kernels look at all places of a
// result.
const ir::Graph& checked(const ir::Graph& g, const ir::Sources& sources) {
  for (ir::NodeId id : g.nodes.ids()) {
    if (!g.is_live(id) || ir::is_alias(g.node(id))) continue;
    try {
      for (ir::ValueId v : g.node(id).out) check_memory(g.type(v));
    } catch (const Error& e) {
      if (const ir::SourceId source = g.node(id).source) rethrow_with(e, *sources[source]);
      throw;
    }
  }
  return g;
}

}  // namespace

OperandRef Program::refer(ir::ValueId v) {
  const Type& t = graph.type(v);
  OperandRef r;
  r.place = schedule.places[v];
  r.space = schedule.space[v];
  r.stride = t.shape.elements();
  r.pitch = r.place.pitch ? r.place.pitch : r.stride;
  r.dtype = t.dtype;
  r.storage = t.storage;
  r.on_device = graph.is_on_device(v);
  if (r.place.where == ir::Where::number) {
    NumberCell cell{};
    double x = graph.value(ir::ValueId(r.place.index)).number;
    copy_numbers(DType::float64, &x, t.dtype, cell.bytes, 1);
    numbers.push_back(cell);
    r.place.index = static_cast<int32_t>(numbers.size() - 1);
  }
  return r;
}

void Program::read_through(MapRef map, int32_t operand) {
  auto at = std::find(maps.begin(), maps.end(), map);
  mapped.push_back({operand, static_cast<int32_t>(at - maps.begin())});
  if (at == maps.end()) maps.push_back(map);
}

Instruction Program::make(ir::NodeId id, const ir::Sources& sources) {
  may_end(kWorkToPrepare);
  const ir::Node& n = graph.node(id);
  Instruction i;
  const bool delay = ir::is_delay(n);
  i.stepped = delay && n.loop;  // the runtime brings rows from step to step
  i.on_device = n.on_device;
  i.copies = ir::core::copy.is(n) && graph.is_on_device(n.in[0]) != n.on_device;
  i.by_device = i.copies || (i.on_device && !i.stepped);
  try {
    if (i.stepped)
      i.kernel.name = n.op->name;
    else if (i.copies)
      i.kernel.name = cat("copy.to_", n.on_device ? graph.device.backend()->name() : "host");
    else
      i.kernel = ir::prepare(graph, n);
  } catch (const Error& e) {
    if (n.source) rethrow_with(e, *sources[n.source]);
    throw;
  }
  i.first_operand = static_cast<int32_t>(operands.size());
  i.inputs = static_cast<int32_t>(n.in.size());
  i.outputs = static_cast<int32_t>(n.out.size());
  for (ir::ValueId v : n.in) operands.push_back(refer(v));
  for (ir::ValueId v : n.out) operands.push_back(refer(v));
  const bool device_kernel = i.by_device && !i.copies;
  for (size_t k = static_cast<size_t>(i.first_operand); k < operands.size(); ++k)
    operands[k].device_layout = device_kernel;
  // A row's own elements; or what a product multiplies it with, at about eight multiply-adds in the time of
  // an element.
  int64_t shared = 0;
  i.sums_rows = i.outputs > 0 && !operands[i.first_operand + i.inputs].has_rows();
  for (size_t k = static_cast<size_t>(i.first_operand); k < operands.size(); ++k) {
    int64_t& work = operands[k].has_rows() ? i.row_work : shared;
    work = std::max(work, operands[k].stride);
  }
  i.row_work = i.row_work ? std::max(i.row_work, shared / 8) : shared;
  i.row_work = std::max(i.row_work, i.kernel.row_work);
  if (n.kind == ir::NodeKind::map) i.row_work *= static_cast<int64_t>(n.expression.codes.size());
  i.source = n.source;
  i.draws = n.kind == ir::NodeKind::call && n.op->has(CANTIK_DRAWS);
  i.effect = n.kind == ir::NodeKind::call && n.op->has(CANTIK_EFFECT);
  i.node = id;
  if (n.kind == ir::NodeKind::call) {
    i.needs_keeper = n.op->needs_keeper();
    i.keeps = i.needs_keeper && n.source && sources[n.source]->op->is_or_has(*n.op);
    i.saves = graph.saves(*n.op);
    i.reads_saved = n.op->has(CANTIK_READS_SAVED);
    i.in_steps = n.op->has(CANTIK_IN_STEPS);
    i.lock = n.op->facts.lock;
    i.by_sequence = n.op->has(CANTIK_BY_SEQUENCE);
    if (n.op->has(CANTIK_OWN_AXIS) && graph.type(n.out[0]).axes.has_sequence())
      i.makes = schedule.space[n.out[0]];
    if (delay) i.delay = static_cast<int32_t>(n.attributes[n.op->field("time_step")].integer());
    i.border = n.op->facts.delay == CANTIK_BORDER;
    if (n.op->has(CANTIK_TAKES_ROWS) && operands[i.first_operand].has_rows()) {
      const int64_t map = n.attributes[n.op->field("map")].integer();
      read_through({static_cast<RowMap>(map), schedule.space[n.out[0]]}, i.first_operand);
    }
  }
  for (size_t k = 0; k < n.in.size() && !n.loop; ++k)
    if (n.is_spread(k))
      read_through({RowMap::sequence, schedule.space[n.out[0]]}, i.first_operand + static_cast<int32_t>(k));
  if (i.effect) find_changed(n, sources);
  if (n.kind == ir::NodeKind::call) find_live_fields(i, n, sources);
  draws |= i.draws;
  effects |= i.effect;
  locks |= i.lock != nullptr;
  int64_t& scratch = device_kernel ? device_scratch_bytes : scratch_bytes;
  scratch = std::max(scratch, i.kernel.scratch_bytes);
  return i;
}

void Program::add_instruction(ir::NodeId id, const ir::Sources& sources) {
  const ir::Node& n = graph.node(id);
  if (ir::is_alias(n)) return;
  int32_t index = static_cast<int32_t>(instructions.size());
  Instruction& i = instructions.emplace_back(make(id, sources));
  if (i.needs_keeper) keeping.push_back(index);
  if (n.kind != ir::NodeKind::call || !n.of_user || !i.source) return;
  if (ir::looks_at_whole_sequences(n)) whole.push_back(index);
  if (n.op->facts.delay != CANTIK_PAST) return;
  i.carries = static_cast<int32_t>(carriers.size());
  carriers.push_back(index);
}

void Program::add_stage(const ir::Stage& s, const ir::Sources& sources) {
  StageProgram stage;
  stage.block_rows = s.block_rows;
  stage.loop = s.loop;
  stage.whole_begin = stage.blocked_begin = static_cast<int32_t>(instructions.size());
  for (ir::NodeId id : s.whole) add_instruction(id, sources);
  if (!s.loop) stage.blocked_begin = static_cast<int32_t>(instructions.size());
  for (ir::NodeId id : s.blocked) add_instruction(id, sources);
  stage.end = static_cast<int32_t>(instructions.size());
  add_blocked(stage);
  stages.push_back(std::move(stage));
}

// What a block (or a step of a loop) has to know of its operands.
void Program::add_blocked(StageProgram& stage) {
  for (int32_t i = stage.blocked_begin; i < stage.end; ++i) {
    const Instruction& ins = instructions[i];
    stage.in_steps |= ins.in_steps;
    const ir::Node& n = graph.node(ins.node);
    for (int32_t k = ins.first_operand; k < ins.first_operand + ins.inputs + ins.outputs; ++k) {
      const OperandRef& r = operands[k];
      if (ins.stepped && k == ins.first_operand + 1) continue;  // the initial state has rows of its own
      int64_t row_bytes = r.bytes_to_next();
      if (n.is_spread(static_cast<size_t>(k - ins.first_operand)) && k < ins.first_operand + ins.inputs) {
        if (stage.loop)
          stage.spread.push_back(k);
        else
          stage.moving.push_back({k, row_bytes});  // its map is
        continue;
      }
      if (r.has_rows()) stage.rowed.push_back(k), stage.space = r.space;
      if (r.place.where == ir::Where::block) {
        auto at = std::find_if(stage.slots.begin(), stage.slots.end(),
                               [&](auto& x) { return x.slot == r.place.index; });
        if (at == stage.slots.end())
          stage.slots.push_back({r.place.index, row_bytes, r.on_device});
        else
          at->row_bytes = std::max(at->row_bytes, row_bytes);
      } else if (r.has_rows()) {
        stage.moving.push_back({k, row_bytes});
      } else if (k >= ins.first_operand + ins.inputs) {
        stage.sums.push_back({k, r.stride, r.dtype});
      }
    }
  }
  if (stage.loop) add_given(stage);
}

void Program::add_given(StageProgram& stage) const {
  auto same_place = [&](int32_t k, int32_t l) {
    const ir::Place &a = operands[k].place, &b = operands[l].place;
    return a.where == b.where && a.index == b.index;
  };
  auto is_written = [&](int32_t k) {
    for (int32_t i = stage.blocked_begin; i < stage.end; ++i) {
      const int32_t results = instructions[i].first_operand + instructions[i].inputs;
      for (int32_t r = results; r < results + instructions[i].outputs; ++r)
        if (same_place(k, r)) return true;
    }
    return false;
  };
  for (const auto& m : stage.moving) {
    const OperandRef& o = operands[m.operand];
    if (o.on_device || o.storage != Storage::dense || is_written(m.operand)) continue;
    if (std::none_of(stage.given.begin(), stage.given.end(),
                     [&](const auto& g) { return same_place(g.operand, m.operand); }))
      stage.given.push_back(m);
  }
}

void Program::find_spaces() {
  for (const Axes& a : schedule.spaces) spaces.push_back({a, {}, {}, -1, false, -1, 0, 0});
  auto of = [&](const Axes& a) {
    return static_cast<int32_t>(std::find(schedule.spaces.begin(), schedule.spaces.end(), a) -
                                schedule.spaces.begin());
  };
  for (Space& s : spaces)
    if (s.axes.has_sequence())
      if (int32_t batch = of(Axes({s.axes[0]})); batch < static_cast<int32_t>(spaces.size())) s.batch = batch;
  for (ir::ValueId v : graph.values.ids())
    if (graph.value(v).leaf == ir::LeafKind::input && schedule.space[v] > 0)
      spaces[schedule.space[v]].feeds.push_back(graph.value(v).leaf_index);
  for (size_t k = 0; k < operands.size(); ++k)
    if (operands[k].has_rows()) spaces[operands[k].space].operands.push_back(static_cast<int32_t>(k));
  for (const Instruction& i : instructions) {
    bool batch = false;
    auto own = std::span(operands).subspan(static_cast<size_t>(i.first_operand),
                                           static_cast<size_t>(i.inputs + i.outputs));
    for (const OperandRef& r : own) batch |= r.has_rows() && !spaces[r.space].axes.has_sequence();
    for (const OperandRef& r : own) spaces[r.space].meets_batch |= batch;
    if (i.makes < 0) continue;
    Space& s = spaces[i.makes];
    s.made_from = own[0].space;
    s.most_rows_per_row = i.kernel.most_rows_per_row;
    s.most_rows_per_sequence = i.kernel.most_rows_per_sequence;
  }
}

// Setup has no memory of a run, and no rows.
void Program::check_setup() const {
  for (const Instruction& i : setup)
    for (int32_t k = i.first_operand; k < i.first_operand + i.inputs + i.outputs; ++k) {
      const OperandRef& r = operands[k];
      const ir::Where where = r.place.where;
      const bool kept = where == ir::Where::stored || where == ir::Where::number || where == ir::Where::setup;
      if (!kept || r.has_rows() || r.place.offset != 0)
        throw runtime_error(cat("a defect of the schedule: ", i.kernel.name,
                                " runs before the rows are known, on values of a run"));
    }
}

Program::Program(ir::Graph g, const ir::Sources& sources)
    : graph(std::move(g)), schedule(ir::schedule(checked(graph, sources))) {
  for (ir::NodeId id : schedule.setup) {
    for (ir::ValueId v : graph.node(id).in)
      if (int32_t leaf = graph.value(v).leaf_index;
          leaf >= 0 && std::find(setup_leaves.begin(), setup_leaves.end(), leaf) == setup_leaves.end())
        setup_leaves.push_back(leaf);
    if (!ir::is_alias(graph.node(id))) setup.push_back(make(id, sources));
  }
  check_setup();
  for (const ir::Stage& s : schedule.stages) add_stage(s, sources);
  if (!schedule.effects.empty()) add_stage({schedule.effects, {}, 0, {}}, sources);
  for (ir::ValueId v : graph.outputs) outputs.push_back(refer(v));
  find_spaces();
  find_patches();
  charge_.set(count_bytes());
}

size_t bytes_held(const ir::Graph& g) {
  size_t bytes = g.values.capacity() * sizeof(ir::ValueInfo) + g.nodes.capacity() * sizeof(ir::Node);
  for (const ir::Node& n : g.nodes)
    bytes += n.attributes.capacity() * sizeof(Attribute) + n.expression.codes.capacity() * sizeof(Code);
  return bytes;
}

// Roughly: kernels tell only what is large.
size_t Program::count_bytes() const {
  constexpr size_t kOfAKernel = 1024;
  auto of = [](const auto& list) { return list.capacity() * sizeof(*list.data()); };
  size_t bytes = sizeof(Program) + bytes_held(graph) + of(setup) + of(instructions) + of(stages) +
                 of(spaces) + of(operands) + of(numbers) + of(outputs) + of(live_fields) +
                 of(schedule.places) + of(schedule.space) + of(schedule.slots) + of(schedule.block_slots);
  for (const StageProgram& s : stages) bytes += of(s.moving) + of(s.given) + of(s.rowed) + of(s.slots);
  for (const Space& s : spaces) bytes += of(s.operands);
  for (const auto* list : {&feeds, &stored, &lives, &output_patches, &setup_patches, &sparse_patches})
    bytes += of(*list);
  for (const auto* list : {&setup, &instructions})
    for (const Instruction& i : *list) bytes += kOfAKernel + static_cast<size_t>(i.kernel.state_bytes);
  return bytes;
}

// An effect changes its first operand, and may change the others that are parameters or constants.
void Program::find_changed(const ir::Node& n, const ir::Sources& sources) {
  for (size_t k = 0; k < n.in.size(); ++k) {
    ir::ValueId v = n.in[k];
    for (const ir::Node* p = graph.producer(v); p && ir::is_alias(*p); p = graph.producer(v)) v = p->in[0];
    const ir::ValueInfo& i = graph.value(v);
    if (i.leaf == ir::LeafKind::parameter || i.leaf == ir::LeafKind::constant)
      changed.push_back(i.leaf_index);
    else if (k == 0) {
      Error e = value_error(
          n.op->name +
          " assigns to its first operand, which must be a parameter or a constant and is a computed value");
      if (n.source) rethrow_with(e, *sources[n.source]);
      throw e;
    }
  }
}

// Fields that may change are read from the user's function each time; it has them under the same names.
void Program::find_live_fields(Instruction& i, const ir::Node& n, const ir::Sources& sources) {
  bool any = false;
  for (const AttributeInfo& f : n.op->fields) any |= f.live;
  if (!any) return;
  i.first_live = static_cast<int32_t>(live_fields.size());
  for (size_t k = 0; k < n.op->fields.size(); ++k) {
    const AttributeInfo& f = n.op->fields[k];
    LiveField l{n.attributes[k].real(), {}, -1};
    if (f.live && n.source) {
      int field = sources[n.source]->op->field(f.name);
      if (field >= 0) l.source = n.source, l.field = field;
    }
    live_fields.push_back(l);
  }
}

void Program::find_patches() {
  for (size_t i = 0; i < operands.size(); ++i) {
    Patch p{static_cast<int32_t>(i), operands[i].place.index};
    switch (operands[i].place.where) {
      case ir::Where::feed: feeds.push_back(p); break;
      case ir::Where::stored: stored.push_back(p); break;
      case ir::Where::live: lives.push_back(p); break;
      case ir::Where::output: output_patches.push_back(p); break;
      case ir::Where::setup: setup_patches.push_back(p); break;
      case ir::Where::sparse: sparse_patches.push_back(p); break;
      default: break;
    }
  }
}

}  // namespace cantik::runtime
