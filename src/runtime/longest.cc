#include "runtime/longest.h"

#include <algorithm>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/engine.h"

namespace cantik::runtime {

namespace {

int64_t longest(const Layout& l) {
  int64_t n = 0;
  for (int64_t s = 0; s < l.sequences(); ++s) n = std::max(n, l.length(s));
  return n;
}

// The function, inside blocks too, that makes the axis.
std::shared_ptr<Node> maker(const std::shared_ptr<Node>& root, const Axes& axes) {
  std::shared_ptr<Node> found;
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    if (n->block) found = maker(n->block->composite.node(), axes);
    else if (n->op && n->op->has(CANTIK_OWN_AXIS) && n->types[0].axes == axes) found = n;
    return found != nullptr;
  });
  return found;
}

int64_t longest_made(const Axes& axes, const Feeds& feeds, const ir::Request& request) {
  std::vector<Variable> roots = request.outputs;
  roots.insert(roots.end(), request.roots.begin(), request.roots.end());
  for (const Variable& v : roots) {
    if (!v.is_output()) continue;
    std::shared_ptr<Node> n = maker(v.node(), axes);
    if (!n) continue;
    ir::Request own;
    own.outputs = {Variable(n)};
    std::shared_ptr<Executable> x = make_executable(own);
    std::vector<const Value*> list(x->leaves().size(), nullptr);
    for (size_t i = 0; i < list.size(); ++i)
      for (const auto& [input, value] : feeds)
        if (input == x->leaves()[i]) list[i] = &value;
    Outputs out;
    x->run(list, out);
    return longest(*out.value(0).layout);
  }
  throw unsupported(cat("steps on the axes ", axes.text(), " become a static axis, but nothing says how many there are")).remedy("feed an input on these axes");
}

}  // namespace

std::vector<std::pair<Axes, int64_t>> longest_sequences(const std::vector<Axes>& axes, const Feeds& feeds, const ir::Request& request) {
  std::vector<std::pair<Axes, int64_t>> list;
  for (const Axes& a : axes) {
    auto fed = std::find_if(feeds.begin(), feeds.end(), [&](const auto& f) { return f.first.axes() == a && f.second.layout; });
    list.emplace_back(a, fed != feeds.end() ? longest(*fed->second.layout) : longest_made(a, feeds, request));
  }
  return list;
}

}  // namespace cantik::runtime
