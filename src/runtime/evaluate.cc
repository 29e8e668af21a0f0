// Function::eval, grad, forward and backward: from a request to a run.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "base/thread_pool.h"
#include "compile/pipeline.h"
#include "graph/node.h"
#include "runtime/draws.h"
#include "runtime/engine.h"

namespace cantik {
namespace runtime {
namespace {

std::atomic<int> limit{0};
std::atomic<bool> checked{false};

// Plans by structure, for the whole process. The least recently made go when there are many.
struct PlanCache {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const Plan>> plans;
  std::deque<const std::string*> made;  // their keys, the oldest first
  static constexpr size_t kMost = 512;

  void add(std::string key, const std::shared_ptr<const Plan>& plan) {
    while (made.size() >= kMost) {
      plans.erase(plans.find(*made.front()));
      made.pop_front();
    }
    auto [at, added] = plans.emplace(std::move(key), plan);
    if (added) made.push_back(&at->first);
  }
};
PlanCache& cache() {
  static PlanCache* c = new PlanCache;
  return *c;
}

std::atomic<int64_t> compiled{0};

}  // namespace

int64_t plans_compiled() { return compiled.load(); }

std::shared_ptr<Executable> make_executable(const ir::Request& request, std::shared_ptr<Draws> draws) {
  ir::Graph g = ir::imported(request);
  // A plan with objects of the user's program is theirs alone.
  const bool shared =
      std::none_of(g.nodes.begin(), g.nodes.end(), [](const ir::Node& n) { return n.op && n.op->object; });
  std::string key = shared ? ir::structure_key(g, request) : std::string();
  std::vector<Variable> leaves = g.leaves;
  std::vector<std::shared_ptr<Node>> sources;
  for (const Node* n : g.sources) sources.push_back(n->handle());
  std::shared_ptr<const Plan> plan;
  if (shared) {
    std::lock_guard lock(cache().mutex);
    if (auto it = cache().plans.find(key); it != cache().plans.end()) plan = it->second;
  }
  if (!plan) {
    if (Plan::is_open(g)) {
      plan = std::make_shared<const Plan>(g, Plan::OpenTag{});
    } else {
      ir::run_passes(g, request);
      plan = std::make_shared<const Plan>(std::move(g));
    }
    compiled.fetch_add(1);
    if (shared) {
      std::lock_guard lock(cache().mutex);
      cache().add(std::move(key), plan);
    }
  }
  return std::make_shared<Executable>(plan, std::move(leaves), std::move(sources), std::move(draws), request);
}

namespace {

// Functions and leaves of a graph, inside blocks too.
void collect(const std::shared_ptr<Node>& root, std::unordered_set<const Node*>& all) {
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    all.insert(n.get());
    for (const Variable& v : resolved_inputs(*n)) all.insert(v.node().get());
    if (n->block) collect(n->block->root.handle(), all);
    return false;
  });
}

}  // namespace

Engine::Engine(const std::shared_ptr<Node>& root) : root_(root), draws_(std::make_shared<Draws>()) {}

void Engine::check(const ir::Request& r) const {
  if (r.outputs.empty() && r.roots.empty())
    throw value_error(
        cat("At least one output has to be specified when calling Forward method of the Function '",
            wrap(root_).text(), "'."))
        .remedy("evaluate a function that has outputs");
  std::unordered_set<const Node*> all;
  collect(root_, all);
  auto known = [&](const std::vector<Variable>& list, const char* what) {
    for (const Variable& v : list)
      if (!all.count(v.node().get()) && !all.count(computed(v).node().get()))
        throw value_error(cat(what, " ", v.text(), ", which is not part of the function"))
            .node(wrap(root_).text());
  };
  known(r.outputs, "an output was asked for,");
  known(r.roots, "a gradient was asked for of");
  known(r.wrt, "a gradient was asked for with respect to");
}

std::shared_ptr<Executable> Engine::executable(const ir::Request& r) {
  auto find = [&]() -> std::shared_ptr<Executable> {
    auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.request == r; });
    if (at == entries_.end()) return nullptr;
    if (at->executable->has_run() || at->executable->checked() == checked_mode()) return at->executable;
    entries_.erase(at);  // it was made ahead of its first run, and runs in another mode
    return nullptr;
  };
  {
    std::lock_guard lock(mutex_);
    if (std::shared_ptr<Executable> x = find()) return x;
  }
  check(r);
  ir::Request made = r;
  if (checked_mode()) made.apart = made.checked = true;
  // without the lock: compiling takes its time, and may ask objects of the user's
  std::shared_ptr<Executable> x = make_executable(made, draws_);
  std::lock_guard lock(mutex_);
  if (std::shared_ptr<Executable> other = find()) return other;
  if (entries_.size() >= 16) entries_.erase(entries_.begin());
  entries_.push_back({r, x});
  return x;
}

Engine& engine_of(const Function& f) {
  Composite& c = *f.composite();
  std::lock_guard lock(c.mutex);
  if (!c.engine) c.engine = std::make_shared<Engine>(f.node());
  return *static_cast<Engine*>(c.engine.get());
}

std::vector<const Value*> arrange(const Executable& x, const Feeds& feeds, const Function& f) {
  std::vector<const Value*> list(x.leaves().size(), nullptr);
  for (const auto& [variable, value] : feeds) {
    bool known = false;
    for (size_t i = 0; i < list.size(); ++i)
      if (x.leaves()[i] == variable) {
        check_feed(variable, value);
        list[i] = &value;
        known = true;
      }
    if (!known) {
      std::vector<Variable> all = f.arguments();
      if (std::find(all.begin(), all.end(), variable) == all.end())
        throw value_error(
            cat("a value was given for ", variable.text(), ", which the function does not read"))
            .node(f.text());
    }
  }
  for (size_t i = 0; i < list.size(); ++i)
    if (!list[i] && x.wants(i))
      throw value_error(cat("no value was given for ", x.leaves()[i].text()))
          .node(f.text())
          .remedy("feed all arguments of the function");
  return list;
}

void check_feed(const Variable& v, const Value& value) {
  const Type& t = v.type();
  const Shape& s = value.data.shape();
  if (value.data.dtype() != t.dtype)
    throw type_error(cat("the value for ", v.text(), " has the element type ", name_of(value.data.dtype()),
                         ", not ", name_of(t.dtype)))
        .remedy("convert the data");
  int rows = t.axes.has_batch() ? 1 : 0;
  bool fits = s.rank() == t.shape.rank() + rows && (value.layout != nullptr) == (rows == 1);
  for (int i = 0; fits && i < t.shape.rank(); ++i) fits = t.shape[i] < 0 || t.shape[i] == s[i + rows];
  if (fits && rows && value.layout->rows() != s[0])
    throw value_error(
        cat("the value for ", v.text(), " has ", s[0], " rows, its layout ", value.layout->rows()));
  if (!fits)
    throw value_error(cat("The trailing dimensions of the Value shape '", s.text(" x "),
                          "' do not match the Variable '", v.text(), "' shape '", t.shape.text(" x "), "'."));
  if (value.data.is_sparse() && t.storage == Storage::dense)
    throw value_error(cat("sparse data for the dense ", v.text()))
        .remedy("declare the input with is_sparse, or make the data dense");
  if (!value.data.is_sparse() && t.storage == Storage::csr)
    throw value_error(cat("Dense input data supplied for sparse input Variable '", v.text(), "'."));
}

}  // namespace runtime

using namespace runtime;

void set_checked_mode(bool on) { checked = on; }
bool checked_mode() { return checked.load(std::memory_order_relaxed); }

void set_thread_limit(int threads) {
  if (threads < 0)
    throw value_error(cat("a limit of ", threads, " threads"))
        .remedy("0 stands for as many as there are processors");
  limit = threads;
}
int thread_limit() {
  int n = limit.load(std::memory_order_relaxed);
  return n > 0 ? n : hardware_threads();
}

std::vector<Value> Function::eval(const Feeds& feeds, std::span<const Variable> asked,
                                  const RunOptions& options) const {
  Function f = as_composite();
  std::vector<Variable> outputs(asked.begin(), asked.end());
  std::shared_ptr<Executable> x = engine_of(f).executable(
      {outputs.empty() ? f.outputs() : outputs, {}, {}, ir::Mode::evaluation, {}, options.check_nan});
  Outputs out;
  x->run(arrange(*x, feeds, f), out, options);
  std::vector<Value> values;
  for (size_t i = 0; i < out.size(); ++i) values.push_back(out.value(i));
  return values;
}

Value Function::eval(const Feeds& feeds, const RunOptions& options) const {
  return eval(feeds, {output()}, options)[0];
}

std::vector<Value> Function::grad(const Feeds& feeds, const std::vector<Variable>& wrt,
                                  const std::vector<Variable>& outputs, std::vector<Value>* output_values,
                                  const RunOptions& options) const {
  Function f = as_composite();
  std::vector<Variable> all = wrt;
  if (all.empty())
    throw value_error("gradients with respect to nothing")
        .remedy("name parameters, or inputs with needs_gradient");
  std::shared_ptr<Executable> x =
      engine_of(f).executable({outputs, {output()}, all, ir::Mode::training, {}, options.check_nan});
  Outputs out;
  x->run(arrange(*x, feeds, f), out, options);
  std::vector<Value> gradients;
  for (size_t i = 0; i < out.size(); ++i) {
    if (i < outputs.size()) {
      if (output_values) output_values->push_back(out.value(i));
    } else {
      gradients.push_back(out.value(i));
    }
  }
  return gradients;
}

}  // namespace cantik
