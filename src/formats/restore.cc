// Values of a saved model into a function of the same graph.
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

}  // namespace

void check_same_graph(const Function& target, const Function& source) {
  const std::vector<Variable> to = stored_in(target), from = stored_in(source);
  if (to.size() != from.size())
    another_graph(cat("it has ", from.size(), " parameters and constants, the function has ", to.size()));
  for (size_t i = 0; i < to.size(); ++i)
    if (!(to[i].shape() == from[i].shape()) || to[i].dtype() != from[i].dtype() ||
        to[i].kind() != from[i].kind())
      another_graph(cat("in the place of ", to[i].text(), " it has ", from[i].text()));
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
