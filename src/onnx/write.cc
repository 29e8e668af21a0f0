// Functions, operands first, as nodes of a file: each as the file of its operator says that it is written.
#include "onnx/write.h"

#include <vector>
#include <string_view>
#include <string>
#include <memory>
#include <algorithm>
#include <functional>
#include <utility>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/boundary.h"
#include "graph/compose.h"
#include "graph/node.h"
#include "graph/types.h"
#include "onnx/catalog.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

constexpr int kOldestWritten = 13, kNewestWritten = 21;
constexpr std::string_view kBatchName = "batch";

// The versions of the file's own form that go with sets of operators.
int64_t ir_version_of(int operators) {
  return operators <= 14 ? 7 : operators <= 18 ? 8 : operators <= 20 ? 9 : 10;
}

class OnnxWriter {
 public:
  OnnxWriter(const OnnxOptions& options, WrittenModel& to)
      : options_(options), model_(to), record_(to.record) {}

  void model(const Function& f) {
    record_.ir_version = ir_version_of(options_.version);
    record_.producer = "Cantik";
    record_.operator_sets.push_back({"", options_.version});
    record_.has_graph = true;
    GraphRecord& g = record_.graph;
    g.name = record_.own(f.name().empty() ? "model" : f.name());
    for (const Variable& v : f.inputs())
      if (v.is_input()) {
        const int id = leaf(v, v.dtype());
        g.inputs.push_back(described(v.type(), names_[static_cast<size_t>(id)]));
      } else if (v.is_placeholder()) {
        throw value_error(cat("the function still has the placeholder ", display_name(v)))
            .remedy("apply the function to input variables, and save what comes out");
      }
    find_loops(f.outputs());
    for (const Variable& v : f.outputs()) {
      int id = value(v);
      std::string name = fresh(v.name().empty() ? v.uid() : v.name(), false);
      id = node("Identity", "", {id}, {}, 1, {&name})[0];
      g.outputs.push_back(described(v.type(), names_[static_cast<size_t>(id)]));
    }
    drop_unused();
    // As CNTK's files tell which variable an output is.
    std::string doc = "<<<Uid, ONNXNodeName>>> pair:";
    for (size_t i = 0; i < g.outputs.size(); ++i)
      doc += cat(" <<<", f.outputs()[i].uid(), ", ", g.outputs[i].name, ">>>");
    g.doc = record_.own(std::move(doc));
  }

 private:
  // Numbers that were looked up and are not read after all.
  void drop_unused() {
    std::unordered_set<std::string_view> read;
    const std::function<void(const GraphRecord&)> note = [&](const GraphRecord& g) {
      for (const NodeRecord& n : g.nodes) {
        read.insert(n.inputs.begin(), n.inputs.end());
        for (const AttributeRecord& a : n.attributes)
          for (const GraphRecord& inner : a.graphs) note(inner);
      }
    };
    note(record_.graph);
    std::erase_if(record_.graph.initializers, [&](const TensorRecord& t) { return !read.count(t.name); });
  }

  struct Frame {
    std::shared_ptr<Node> node;
    std::vector<Variable> reads;
    int loop;          // -1: it stands in none
    const Node* unit;  // of a loop, its first function
    size_t next = 0;
  };
  using Key = std::pair<const Node*, uint32_t>;

  // ---- names
  std::string fresh(const std::string& wanted, bool = true) {
    std::string s = wanted.empty() ? "value" : wanted;
    for (int i = 1; !taken_.insert(s).second; ++i) s = cat(wanted, "_", i);
    return s;
  }
  int named(const std::string& name) {
    names_.push_back(record_.own(name));
    return static_cast<int>(names_.size()) - 1;
  }

  // Sizes as ONNX has them: dynamic axes first, the sequence's before the batch's.
  ValueRecord described(const Type& t, std::string_view name) {
    if (!t.is_known())
      throw value_error(cat("the type of ", name, " is not known"))
          .remedy("apply the function to input variables");
    ValueRecord r;
    r.name = name;
    r.type = element_of_dtype(t.dtype);
    r.is_tensor = r.has_shape = true;
    if (t.axes.has_sequence()) r.dims.push_back({-1, record_.own(cat("sequence_", t.axes.sequence_id()))});
    if (t.axes.has_batch()) r.dims.push_back({-1, kBatchName});
    for (int64_t d : t.shape)
      r.dims.push_back(d >= 0 ? Dimension{d, {}} : Dimension{-1, record_.own(cat("free_", ++free_))});
    return r;
  }

  // ---- values
  // The name of what a variable computes; made with all that it needs. A recurrence is made as a whole.
  int value(const Variable& wanted) {
    const Variable v = seen(wanted);
    std::vector<Frame> stack;
    auto enter = [&](const std::shared_ptr<Node>& n) {
      const int loop = loop_of(*n);
      const Node* unit = loop < 0 ? n.get() : loops_[static_cast<size_t>(loop)].nodes[0].get();
      if (done_.count(unit)) return;
      if (!open_.insert(unit).second)
        throw value_error("a value is computed from itself without a delay").node(describe(*n));
      stack.push_back(
          {n, loop < 0 ? read_by(*n) : read_by(loops_[static_cast<size_t>(loop)]), loop, unit, 0});
    };
    if (v.is_output() && !is_inside(v)) enter(v.node());
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.reads.size()) {
        const Variable in = top.reads[top.next++];
        if (in.is_output() && !is_inside(in)) enter(in.node());
        continue;
      }
      const Frame f = std::move(top);
      stack.pop_back();
      if (f.loop < 0)
        function(*f.node);
      else
        recurrence(loops_[static_cast<size_t>(f.loop)]);
      done_.insert(f.unit);
    }
    return lookup(v, v.dtype());
  }

  // What a function needs before it can be written.
  std::vector<Variable> read_by(const Node& n) {
    std::vector<Variable> list;
    for (const Variable& v : n.block ? arguments_of(n) : variables(n.inputs)) list.push_back(seen(v));
    return list;
  }
  static std::vector<Variable> arguments_of(const Node& n) {
    std::vector<Variable> list;
    for (const auto& [inside, outside] : n.block->arguments) list.push_back(outside);
    return list;
  }
  static bool has_form(const Node& n) {
    if (!n.op) return false;
    const cantik_onnx_form* form = form_of(*n.op);
    return form && (form->write || form->name);
  }
  // Through placeholders that are bound, and into blocks unless they are written as one: what makes the
  // result of a block is called as the block is.
  Variable seen(const Variable& v) {
    Variable at = v;
    for (;;) {
      const Node& n = *at.node();
      if (n.kind == Node::Kind::placeholder) {
        if (!n.bound) return at;
        at = n.bound;
      } else if (n.block && !has_form(n)) {
        at = outputs_of(n.block->root.handle())[at.index()];
        if (!n.name.empty())
          labels_.try_emplace(at.node().get(), n.name);
        else if (const auto l = labels_.find(&n); l != labels_.end())
          labels_.try_emplace(at.node().get(), l->second);
      } else {
        return at;
      }
    }
  }

  // ---- recurrences: values that are computed from themselves, through delays
  struct Loop {
    std::vector<std::shared_ptr<Node>> nodes;
    std::vector<Variable> read_outside;  // what functions that are not in it read of it
  };
  int loop_of(const Node& n) const {
    const auto at = loop_of_.find(&n);
    return at == loop_of_.end() ? -1 : at->second;
  }
  std::vector<Variable> read_by(const Loop& loop) {
    std::vector<Variable> list;
    for (const std::shared_ptr<Node>& n : loop.nodes)
      for (const Variable& v : read_by(*n))
        if (!v.is_output() || loop_of(*v.node()) != loop_of(*n)) list.push_back(v);
    return list;
  }

  // Tarjan's components of more than one function, or of one that reads itself; without recursion. A delay
  // by itself is one, too.
  void find_loops(const std::vector<Variable>& outputs) {
    struct Visit {
      std::shared_ptr<Node> node;
      std::vector<Variable> reads;
      size_t next = 0;
    };
    std::unordered_map<const Node*, std::pair<int, int>> index;  // when it was found, the earliest it reaches
    std::unordered_set<const Node*> held;
    std::vector<std::shared_ptr<Node>> path, all;
    std::vector<Visit> stack;
    auto enter = [&](const std::shared_ptr<Node>& n) {
      const int i = static_cast<int>(index.size());
      index[n.get()] = {i, i};
      held.insert(n.get());
      path.push_back(n);
      all.push_back(n);
      stack.push_back({n, read_by(*n), 0});
    };
    for (const Variable& wanted : outputs) {
      const Variable root = seen(wanted);
      if (!root.is_output() || index.count(root.node().get())) continue;
      enter(root.node());
      while (!stack.empty()) {
        Visit& top = stack.back();
        const Node* n = top.node.get();
        if (top.next < top.reads.size()) {
          const Variable in = top.reads[top.next++];
          if (!in.is_output()) continue;
          if (!index.count(in.node().get()))
            enter(in.node());
          else if (held.count(in.node().get()))
            index[n].second = std::min(index[n].second, index[in.node().get()].first);
          continue;
        }
        bool itself = false;
        for (const Variable& v : top.reads) itself = itself || v.node().get() == n;
        const auto [first, low] = index[n];
        stack.pop_back();
        if (!stack.empty()) {
          auto& outer = index[stack.back().node.get()];
          outer.second = std::min(outer.second, low);
        }
        if (first != low) continue;
        Loop loop;
        std::shared_ptr<Node> last;
        do {
          last = path.back();
          path.pop_back();
          held.erase(last.get());
          loop.nodes.push_back(last);
        } while (last.get() != n);
        if (loop.nodes.size() == 1 && !itself && !is_delay(*last)) continue;
        for (const std::shared_ptr<Node>& m : loop.nodes) loop_of_[m.get()] = static_cast<int>(loops_.size());
        loops_.push_back(std::move(loop));
      }
    }
    if (loops_.empty()) return;
    auto note = [&](const Variable& v, int reader) {
      const int loop = v.is_output() ? loop_of(*v.node()) : -1;
      if (loop < 0 || loop == reader) return;
      std::vector<Variable>& list = loops_[static_cast<size_t>(loop)].read_outside;
      if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
    };
    for (const std::shared_ptr<Node>& n : all)
      for (const Variable& v : read_by(*n)) note(v, loop_of(*n));
    for (const Variable& v : outputs) note(seen(v), -1);
  }

  static bool is_delay(const Node& n) { return n.op && n.op->has(CANTIK_DELAY); }

  // A Scan of ONNX's: states are what the delays hold, sequences from outside are its scanned inputs.
  void recurrence(const Loop& loop) {
    const int me = loop_of(*loop.nodes[0]);
    auto within = [&](const Variable& v) { return v.is_output() && loop_of(*v.node()) == me; };
    struct Delay {
      const Node* node;
      int64_t steps;
      Variable next, initial;
    };
    std::vector<Delay> delays;
    int ahead = -1;
    for (const std::shared_ptr<Node>& n : loop.nodes) {
      if (!is_delay(*n)) continue;
      const int way = n->op->facts.delay == CANTIK_FUTURE;
      if (ahead >= 0 && way != ahead)
        throw unsupported("a recurrence that looks back and ahead cannot be written to ONNX's files")
            .node(describe(*n));
      ahead = way;
      const std::vector<Variable> in = read_by(*n);
      delays.push_back(
          {n.get(), n->attributes[static_cast<size_t>(n->op->field("time_step"))].integer(), in[0], in[1]});
      if (within(in[1]) || in[1].axes().has_sequence())
        throw unsupported(
            "the initial state of a recurrence that is computed in it, or is a sequence, cannot be written "
            "to ONNX's files")
            .node(describe(*n));
    }
    // what it reads of sequences
    std::vector<Variable> scanned;
    for (const Variable& v : read_by(loop))
      if (v.axes().has_sequence() && std::find(scanned.begin(), scanned.end(), v) == scanned.end())
        scanned.push_back(v);
    if (scanned.empty())
      throw unsupported(
          "a recurrence that reads no sequence cannot be written to ONNX's files: its length is not known")
          .node(describe(*loop.nodes[0]));
    std::vector<int> inputs;
    const int batch = slice(node("Shape", "", {lookup(scanned[0], scanned[0].dtype())}, {}, 1)[0], 1, 2);
    GraphRecord body;
    body.name = record_.own(cat("recurrence_", me));
    std::map<Key, int> inner;
    std::vector<std::vector<int>> states;
    for (const Delay& d : delays) {
      const Type& t = d.node->types[0];
      if (!t.shape.is_static())
        throw unsupported("the state of a recurrence has a free size").node(describe(*d.node));
      std::vector<int64_t> statics(t.shape.begin(), t.shape.end());
      int shape = batch;
      if (!statics.empty())
        shape = node("Concat", "", {batch, whole_numbers({static_cast<int64_t>(statics.size())}, statics)},
                     {number("axis", 0)}, 1)[0];
      int initial = lookup(d.initial, t.dtype);
      const int missing = d.initial.axes().has_batch() ? t.shape.rank() - d.initial.shape().rank() : 0;
      if (missing > 0) {
        std::vector<int64_t> axes;
        for (int i = 0; i < missing; ++i) axes.push_back(1 + i);
        initial = node("Unsqueeze", "", {initial, whole_numbers({missing}, axes)}, {}, 1)[0];
      }
      initial = node("Expand", "", {initial, shape}, {}, 1)[0];
      std::vector<int> names;
      for (int64_t k = 0; k < d.steps; ++k) {
        inputs.push_back(initial);
        names.push_back(named(fresh("state")));
        body.inputs.push_back(bare(names.back(), t.dtype));
      }
      inner[Key{d.node, 0}] = names.back();
      states.push_back(std::move(names));
    }
    for (const Variable& v : scanned) {
      inputs.push_back(lookup(v, v.dtype()));
      const int name = named(fresh("step"));
      body.inputs.push_back(bare(name, v.dtype()));
      inner[Key{v.node().get(), v.index()}] = name;
    }
    // the body, in a graph of its own
    std::map<Key, int>* around = inside_;
    if (around) throw unsupported("a recurrence inside a recurrence cannot be written to ONNX's files");
    std::vector<NodeRecord> outer = std::move(record_.graph.nodes);
    record_.graph.nodes.clear();
    inside_ = &inner;
    in_order(loop, within);
    auto copied = [&](int v) { return node("Identity", "", {v}, {}, 1)[0]; };
    for (size_t i = 0; i < delays.size(); ++i)
      for (size_t k = 0; k < states[i].size(); ++k) {
        const int next =
            copied(k == 0 ? lookup(delays[i].next, delays[i].node->types[0].dtype) : states[i][k - 1]);
        body.outputs.push_back(bare(next, delays[i].node->types[0].dtype));
      }
    for (const Variable& v : loop.read_outside)
      body.outputs.push_back(bare(copied(lookup(v, v.dtype())), v.dtype()));
    inside_ = nullptr;
    body.nodes = std::move(record_.graph.nodes);
    record_.graph.nodes = std::move(outer);
    const size_t count = body.outputs.size(), kept = count - loop.read_outside.size();
    AttributeRecord graph;
    graph.name = "body";
    graph.kind = AttributeRecord::Kind::graph;
    graph.graphs.push_back(std::move(body));
    std::vector<AttributeRecord> attributes{std::move(graph),
                                            number("num_scan_inputs", static_cast<int64_t>(scanned.size()))};
    if (ahead) {
      attributes.push_back(numbers("scan_input_directions", std::vector<int64_t>(scanned.size(), 1)));
      attributes.push_back(
          numbers("scan_output_directions", std::vector<int64_t>(loop.read_outside.size(), 1)));
    }
    const std::vector<int> made = node("Scan", "", inputs, std::move(attributes), static_cast<int>(count));
    for (size_t i = 0; i < loop.read_outside.size(); ++i) {
      const Variable& v = loop.read_outside[i];
      values_[Key{v.node().get(), v.index()}] = made[kept + i];
    }
  }

  // The functions of a loop: each behind those that it reads in the same step.
  template <class Within>
  void in_order(const Loop& loop, Within&& within) {
    std::unordered_map<const Node*, int> state;
    std::vector<std::pair<std::shared_ptr<Node>, size_t>> stack;
    for (const std::shared_ptr<Node>& root : loop.nodes) {
      if (is_delay(*root) || state.count(root.get())) continue;
      state[root.get()] = 1;
      stack.push_back({root, 0});
      while (!stack.empty()) {
        auto& [n, next] = stack.back();
        const std::vector<Variable> reads = read_by(*n);
        if (next < reads.size()) {
          const Variable& v = reads[next++];
          if (!within(v) || is_delay(*v.node()) || state.count(v.node().get()) == 1) {
            if (within(v) && !is_delay(*v.node()) && state[v.node().get()] == 1)
              throw value_error("a value is computed from itself without a delay").node(describe(*n));
            continue;
          }
          state[v.node().get()] = 1;
          stack.push_back({v.node(), 0});
          continue;
        }
        const std::shared_ptr<Node> made = n;
        stack.pop_back();
        state[made.get()] = 2;
        function(*made);
      }
    }
  }

  ValueRecord bare(int name, DType dtype) {
    ValueRecord r;
    r.name = names_[static_cast<size_t>(name)];
    r.type = element_of_dtype(dtype);
    r.is_tensor = true;
    return r;
  }
  AttributeRecord number(std::string_view name, int64_t value) {
    AttributeRecord r;
    r.name = name;
    r.kind = AttributeRecord::Kind::integer;
    r.integer = value;
    return r;
  }
  AttributeRecord numbers(std::string_view name, std::vector<int64_t> values) {
    AttributeRecord r;
    r.name = name;
    r.kind = AttributeRecord::Kind::integers;
    r.integers = std::move(values);
    return r;
  }
  int slice(int v, int64_t begin, int64_t end) {
    return node("Slice", "",
                {v, whole_numbers({1}, {begin}), whole_numbers({1}, {end}), whole_numbers({1}, {0})}, {},
                1)[0];
  }

  int lookup(const Variable& wanted, DType dtype) {
    const Variable v = seen(wanted);
    if (inside_)
      if (const auto at = inside_->find(Key{v.node().get(), v.index()}); at != inside_->end())
        return at->second;
    if (!v.is_output()) return leaf(v, dtype);
    const auto at = values_.find(Key{v.node().get(), v.index()});
    if (at == values_.end()) throw runtime_error(cat("the value ", display_name(v), " has not been written"));
    return at->second;
  }

  // A constant is of the element type of what reads it.
  int leaf(const Variable& v, DType dtype) {
    if (v.is_parameter() || v.is_constant()) {
      Tensor t = v.value().to_dense();
      if (dtype == DType::unknown) dtype = t.dtype();
      auto [at, made] = constants_.try_emplace({v.node().get(), dtype}, -1);
      if (made)
        at->second = tensor(t.dtype() == dtype ? t : t.cast(dtype), v.name().empty() ? v.uid() : v.name());
      return at->second;
    }
    if (!v.is_input()) throw value_error(cat("the placeholder ", display_name(v), " is not bound"));
    auto [at, made] = values_.try_emplace(Key{v.node().get(), 0}, -1);
    if (made) at->second = named(fresh(v.name().empty() ? v.uid() : v.name()));
    return at->second;
  }

  int tensor(const Tensor& t, const std::string& name) {
    const Tensor& kept = model_.tensors.emplace_back(t);
    TensorRecord r;
    const int id = named(fresh(name));
    r.name = names_[static_cast<size_t>(id)];
    r.type = element_of_dtype(kept.dtype());
    r.dims.assign(kept.shape().begin(), kept.shape().end());
    r.raw = {static_cast<const char*>(kept.raw()), kept.bytes()};
    record_.graph.initializers.push_back(std::move(r));
    return id;
  }

  int whole_numbers(const std::vector<int64_t>& dims, const std::vector<int64_t>& numbers) {
    auto [at, made] = integers_.try_emplace({dims, numbers}, -1);
    if (!made) return at->second;
    TensorRecord r;
    at->second = named(fresh("numbers"));
    r.name = names_[static_cast<size_t>(at->second)];
    r.type = kInt64;
    r.dims = dims;
    r.raw = record_.own(
        std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int64_t)));
    record_.graph.initializers.push_back(std::move(r));
    return at->second;
  }

  // ---- nodes
  std::vector<int> node(const std::string& op, const std::string& domain, const std::vector<int>& in,
                        std::vector<AttributeRecord> attributes, int outputs,
                        const std::vector<const std::string*>& output_names = {}) {
    may_end(1000);
    NodeRecord r;
    r.op = record_.own(op);
    r.domain = record_.own(domain);
    if (!domain.empty()) {
      const bool there = std::any_of(record_.operator_sets.begin(), record_.operator_sets.end(),
                                     [&](const auto& s) { return s.first == domain; });
      if (!there) record_.operator_sets.push_back({record_.own(domain), 1});
    }
    r.name = record_.own(cat(current_.empty() ? op : current_, "_", ++count_));
    for (int i : in) r.inputs.push_back(i < 0 ? std::string_view() : names_.at(static_cast<size_t>(i)));
    while (!r.inputs.empty() && r.inputs.back().empty()) r.inputs.pop_back();
    std::vector<int> made;
    for (int i = 0; i < outputs; ++i) {
      const std::string name = static_cast<size_t>(i) < output_names.size()
                                   ? *output_names[static_cast<size_t>(i)]
                                   : fresh(cat(op, "_", count_, "_", i));
      made.push_back(named(name));
      r.outputs.push_back(names_.back());
    }
    r.attributes = std::move(attributes);
    record_.graph.nodes.push_back(std::move(r));
    return made;
  }

  AttributeRecord attribute(const std::string& name, const cantik_attribute& a) {
    using Kind = AttributeRecord::Kind;
    AttributeRecord r;
    r.name = record_.own(name);
    switch (a.kind) {
      case CANTIK_BOOL:
      case CANTIK_INT: r.kind = Kind::integer, r.integer = a.as.integer; break;
      case CANTIK_REAL: r.kind = Kind::real, r.real = a.as.real; break;
      case CANTIK_TEXT:
        r.text = record_.own(a.as.text);
        r.kind = Kind::text;
        // several texts
        if (r.text.starts_with(';')) {
          r.kind = Kind::texts;
          for (size_t at = 1; at <= r.text.size();) {
            const size_t end = std::min(r.text.find(';', at), r.text.size());
            r.texts.push_back(r.text.substr(at, end - at));
            at = end + 1;
          }
        }
        break;
      case CANTIK_INTS:
        r.kind = Kind::integers, r.integers.assign(a.as.integers, a.as.integers + a.count);
        break;
      case CANTIK_REALS: r.kind = Kind::reals, r.reals.assign(a.as.reals, a.as.reals + a.count); break;
      default: break;
    }
    return r;
  }

  // What a rule sees.
  struct WriteHost {
    OnnxWriter& writer;
    const Operator& op;
    Boundary boundary;
    template <class F>
    static cantik_status guard(void* self, F&& f) {
      WriteHost& h = *static_cast<WriteHost*>(self);
      return h.boundary.serve([&] { f(h); });
    }
    static cantik_status node(void* self, const char* op, const char* domain, const cantik_value* in,
                              int32_t count, const cantik_argument* arguments, int32_t argument_count,
                              cantik_value* out, int32_t out_count) {
      return guard(self, [&](WriteHost& h) {
        std::vector<AttributeRecord> attributes;
        for (int32_t i = 0; i < argument_count; ++i)
          if (arguments[i].value.kind != CANTIK_NONE)
            attributes.push_back(h.writer.attribute(arguments[i].name, arguments[i].value));
        const std::vector<int> made =
            h.writer.node(op, domain, {in, in + count}, std::move(attributes), out_count);
        std::copy(made.begin(), made.end(), out);
      });
    }
    static cantik_status integers(void* self, int32_t rank, const int64_t* dims, const int64_t* numbers,
                                  cantik_value* out) {
      return guard(self, [&](WriteHost& h) {
        const std::vector<int64_t> d(dims, dims + rank);
        *out = h.writer.whole_numbers(d, {numbers, numbers + Shape(d).elements()});
      });
    }
    static cantik_status reals(void* self, int32_t dtype, int32_t rank, const int64_t* dims,
                               const double* numbers, cantik_value* out) {
      return guard(self, [&](WriteHost& h) {
        Tensor t(DType::float64, Shape(dims, static_cast<size_t>(rank)));
        std::copy_n(numbers, t.elements(), t.data<double>());
        const auto type = static_cast<DType>(dtype);
        *out = h.writer.tensor(t.cast(type == DType::unknown ? DType::float32 : type), "number");
      });
    }
    static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
      static_cast<WriteHost*>(self)->boundary.fail(kind, text, remedy);
    }
  };

  void function(const Node& n) {
    const auto label = labels_.find(&n);
    current_ = around_ + (n.name.empty() && label != labels_.end() ? label->second : n.name);
    try {
      write(n);
    } catch (const Error& e) {
      rethrow_with(e, n);
    }
  }

  void keep(const Node& n, const std::vector<int>& made) {
    std::map<Key, int>& to = inside_ ? *inside_ : values_;
    for (size_t i = 0; i < made.size(); ++i) to[Key{&n, static_cast<uint32_t>(i)}] = made[i];
  }
  bool is_inside(const Variable& v) const {
    return inside_ && inside_->count(Key{v.node().get(), v.index()});
  }
  // In a recurrence a step of a sequence is a batch.
  Type as_seen(Type t) const {
    if (inside_ && t.axes.has_sequence()) t.axes = Axes::batch();
    return t;
  }

  void write(const Node& n) {
    if (n.is_combine()) return;
    if (n.foreign || n.object || !n.op)
      throw unsupported(
          cat("the function ", n.op ? n.op->name : n.name, " cannot be written to ONNX's files"));
    const cantik_onnx_form* form = form_of(*n.op);
    if (form && (form->write || form->name)) return write_form(n, *form);
    if (n.op->compose || n.op->lower || !n.op->expression.empty()) {
      const std::vector<Variable> in = resolved_inputs(n);
      const Function body = spell(*n.op, n.attributes, in, {});
      if (body.root().node()->op == n.op)  // an opcode of its own
        throw unsupported(cat("the operator ", n.op->name, " cannot be written to ONNX's files"));
      return write_body(n, body);
    }
    throw unsupported(cat("the operator ", n.op->name, " cannot be written to ONNX's files"))
        .remedy(
            "docs/onnx.md lists the operators that are; .onnx_write in the operator's file says how one is");
  }
  void write_body(const Node& n, const Function& body) {
    bodies_.push_back(body);
    const std::string around = std::exchange(around_, current_);
    std::vector<int> made;
    for (const Variable& v : body.outputs()) made.push_back(value(v));
    current_ = std::exchange(around_, around);
    keep(n, made);
  }

  void write_form(const Node& n, const cantik_onnx_form& form) {
    const Operator& op = *n.op;
    if (form.since > options_.version)
      throw unsupported(cat(op.name, " is in ONNX's operators from version ", form.since, " on"));
    const std::vector<Variable> operands = n.block ? arguments_of(n) : resolved_inputs(n);
    std::vector<Type> types = operand_types(op, operands), results = n.types;
    for (Type& t : types) t = as_seen(t);
    for (Type& t : results) t = as_seen(t);
    std::vector<cantik_type> in, out;
    std::vector<cantik_value> x, result(n.types.size() + kSpare, -1);
    for (size_t i = 0; i < operands.size(); ++i) {
      const DType dtype = types[i].dtype;
      x.push_back(lookup(operands[i], dtype == DType::unknown && i ? types[0].dtype : dtype));
      in.push_back(to_c(types[i]));
    }
    for (const Type& t : results) out.push_back(to_c(t));
    x.resize(operands.size() + kSpare, -1);
    WriteHost host{*this, op, {}};
    const std::vector<cantik_attribute> attributes = to_c(n.attributes);
    cantik_onnx_graph g{};
    g.size = sizeof g;
    g.self = &host;
    g.inputs = static_cast<int32_t>(operands.size());
    g.outputs = static_cast<int32_t>(n.types.size());
    g.in = in.data();
    g.out = out.data();
    g.attributes = attributes.data();
    g.x = x.data();
    g.result = result.data();
    g.version = options_.version;
    g.node = &WriteHost::node;
    g.integers = &WriteHost::integers;
    g.reals = &WriteHost::reals;
    g.fail = &WriteHost::fail;
    host.boundary.call(op, "writing to ONNX's files", [&] {
      if (form.write) return form.write(&g);
      return guarded([&] { write_by_form(g, form, n); },
                     [&](int32_t kind, const char* text, const char* remedy) {
                       WriteHost::fail(&host, kind, text, remedy);
                     });
    });
    std::vector<int> made;
    for (size_t i = 0; i < n.types.size(); ++i) {
      if (result[i] < 0)
        throw runtime_error(cat("the writing of ", op.name, " to ONNX's files did not set result ", i));
      made.push_back(result[i]);
    }
    keep(n, made);
  }

  static void write_by_form(cantik_onnx_graph& c, const cantik_onnx_form& form, const Node& n) {
    OnnxGraph g(&c);
    std::vector<cantik_argument> given;
    for (int32_t i = 0; i < form.attribute_count; ++i) {
      const int at = n.op->field(form.attributes[i].field);
      if (at < 0)
        throw Failure(CANTIK_RUNTIME, cat(n.op->name, " has no attribute ", form.attributes[i].field));
      given.push_back({form.attributes[i].name, c.attributes[at]});
    }
    std::vector<cantik_value> in;
    for (const OnnxValue& v : g.aligned()) in.push_back(v.id);
    if (c.node(c.self, form.name, "", in.data(), static_cast<int32_t>(in.size()), given.data(),
               static_cast<int32_t>(given.size()), c.result, 1))
      throw Failure(CANTIK_VALUE, "");
  }

  const OnnxOptions& options_;
  WrittenModel& model_;
  ModelRecord& record_;
  std::vector<std::string_view> names_;
  std::unordered_set<std::string> taken_;
  std::map<Key, int> values_;
  std::map<std::pair<const Node*, DType>, int> constants_;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, int> integers_;
  std::unordered_set<const Node*> done_, open_;
  std::vector<Loop> loops_;
  std::unordered_map<const Node*, int> loop_of_;
  std::map<Key, int>* inside_ = nullptr;  // values of the recurrence that is being written
  std::vector<Function> bodies_;  // that nodes were made of: they live as long as their addresses are keys
  std::string current_;           // what nodes are called after
  std::unordered_map<const Node*, std::string> labels_;  // of functions that make the results of blocks
  std::string around_;                                   // the name of the function whose body is written
  int count_ = 0, free_ = 0;
};

}  // namespace

WrittenModel write_model(const Function& f, const OnnxOptions& options) {
  if (options.version < kOldestWritten || options.version > kNewestWritten)
    throw value_error(cat("models are written in versions ", kOldestWritten, " to ", kNewestWritten,
                          " of ONNX's operators, not ", options.version));
  WrittenModel model;
  OnnxWriter(options, model).model(f.as_composite());
  return model;
}

}  // namespace cantik::onnx
