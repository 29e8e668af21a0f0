// Values of a saved model into a function of the same graph.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "execute/draws.h"
#include "formats/model.h"

namespace cantik {
namespace {

std::vector<Variable> stored_in(const Function& f) {
  std::vector<Variable> list;
  for (const Variable& v : f.inputs())
    if (v.is_parameter() || v.is_constant()) list.push_back(v);
  return list;
}

// Functions that draw random numbers, in the order of the graph.
void drawing(const std::shared_ptr<Node>& root, std::vector<std::shared_ptr<Node>>& list) {
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    if (n->block)
      drawing(n->block->root.handle(), list);
    else if (n->op && n->op->field("rng_offset") >= 0)
      list.push_back(n);
    return false;
  });
}

std::vector<std::shared_ptr<Node>> drawing(const Function& f) {
  std::vector<std::shared_ptr<Node>> list;
  drawing(f.node(), list);
  return list;
}

Attribute& attribute(Node& n, const char* name) { return n.attributes[n.op->field(name)]; }

constexpr const char* kSeeds = "seeds";
constexpr const char* kPositions = "positions";

[[noreturn]] void another_graph(const std::string& text) {
  throw value_error("the file holds another model: " + text)
      .remedy("load it with Function::load, or build the graph that was saved");
}

bool stores(const Variable& v) { return v.is_parameter() || v.is_constant(); }

// What is open agrees with everything: sizes that the data tell, models that have not been called yet.
bool may_agree(const Shape& a, const Shape& b) {
  if (!a.is_known() || !b.is_known()) return true;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](int64_t m, int64_t n) { return m == n || m < 0 || n < 0; });
}

// Any two sequence axes agree.
bool may_agree(const Axes& a, const Axes& b) {
  return !a.is_known() || !b.is_known() || a.size() == b.size();
}

bool may_agree(DType a, DType b) { return a == b || a == DType::unknown || b == DType::unknown; }

// In what two variables differ that stand in the same place; empty: in nothing that CNTK asks for. What
// functions do in between may differ, as there.
std::string difference(const Variable& to, const Variable& from) {
  const bool unbound = to.is_placeholder() || from.is_placeholder();
  if (to.kind() != from.kind() && (!unbound || stores(to) || stores(from))) return "kind";
  if (to.name() != from.name() && !unbound) return "name";
  if (!may_agree(to.dtype(), from.dtype())) return "element type";
  if (stores(to) ? !(to.shape() == from.shape()) : !may_agree(to.shape(), from.shape())) return "shape";
  if (!may_agree(to.axes(), from.axes())) return "number of dynamic axes";
  if (to.is_sparse() != from.is_sparse() && !unbound && !to.is_output()) return "storage";
  return {};
}

// Values go from place to place: lists that differ would give some to others than their own.
void check_same_places(const std::vector<Variable>& to, const std::vector<Variable>& from, const char* what) {
  for (size_t i = 0; i < std::min(to.size(), from.size()); ++i)
    if (const std::string other = difference(to[i], from[i]); !other.empty())
      another_graph(
          cat("in the place of ", to[i].text(), " it has ", from[i].text(), ", of another ", other));
  if (to.size() != from.size())
    another_graph(cat("it has ", from.size(), " ", what, ", the function has ", to.size()));
}

}  // namespace

void check_same_graph(const Function& target, const Function& source) {
  const Function to = target.as_composite(), from = source.as_composite();
  if (to.name() != from.name())
    another_graph(cat("it is called '", from.name(), "', the function '", to.name(), "'"));
  check_same_places(stored_in(to), stored_in(from), "parameters and constants");
  check_same_places(to.arguments(), from.arguments(), "inputs");
  check_same_places(to.outputs(), from.outputs(), "outputs");
  if (drawing(target).size() != drawing(source).size())
    another_graph(cat("it has ", drawing(source).size(),
                      " functions that draw random numbers, the function has ", drawing(target).size()));
}

void restore_values(const Function& target, const Function& source) {
  check_same_graph(target, source);
  const std::vector<Variable> to = stored_in(target), from = stored_in(source);
  const std::vector<std::shared_ptr<Node>> draws_to = drawing(target), draws_from = drawing(source);
  const Uninterrupted all_values;
  for (size_t i = 0; i < to.size(); ++i) to[i].set_value(from[i].value());
  for (size_t i = 0; i < draws_to.size(); ++i) {
    Node &t = *draws_to[i], &s = *draws_from[i];
    std::lock_guard lock(t.state_mutex);
    attribute(t, "seed") = attribute(s, "seed");
    attribute(t, "rng_offset") = attribute(s, "rng_offset");
    ++t.restorations;
  }
}

Dictionary write_draws(const Function& model, const runtime::Draws& draws) {
  DictionaryVector seeds, positions;
  for (const std::shared_ptr<Node>& n : drawing(model)) {
    const auto number = [&](const char* name) {
      return static_cast<uint64_t>(attribute(*n, name).integer());
    };
    const uint64_t seed = number("seed");
    const std::optional<RandomStream> now = draws.now(*n);
    seeds.push_back(seed);
    positions.push_back(now && now->seed() == seed ? now->offset() : number("rng_offset"));
  }
  return {{kSeeds, std::move(seeds)}, {kPositions, std::move(positions)}};
}

void restore_draws(const Function& model, const Dictionary& draws, int64_t apart) {
  if (draws.size() == 0) return;
  const std::vector<std::shared_ptr<Node>> nodes = drawing(model);
  const auto &seeds = draws.at(kSeeds).as<DictionaryVector>(),
             &positions = draws.at(kPositions).as<DictionaryVector>();
  if (seeds.size() != nodes.size() || positions.size() != nodes.size())
    another_graph(cat("a worker had ", seeds.size(), " functions that draw random numbers, the function has ",
                      nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& n = *nodes[i];
    const uint64_t seed = seeds[i].as<uint64_t>() + static_cast<uint64_t>(apart);
    const uint64_t position = apart ? 0 : positions[i].as<uint64_t>();
    std::lock_guard lock(n.state_mutex);
    attribute(n, "seed") = Attribute(static_cast<int64_t>(seed));
    attribute(n, "rng_offset") = Attribute(static_cast<int64_t>(position));
    ++n.restorations;
  }
}

void Function::restore(const std::string& path) const {
  const Function network = as_composite();  // an empty one is told first
  if (!is_file(path)) throw runtime_error("there is no model file " + path);
  const Function saved = load(path);
  try {
    restore_values(network, saved);
  } catch (const Error& e) {
    throw Error(e).line("file", path);
  }
}

}  // namespace cantik
