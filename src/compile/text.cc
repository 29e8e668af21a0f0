// A graph as text: what reports show, and what tests of passes compare.
//
//     in0 : float32[#, 3]                  a leaf: in(put), p(arameter), c(onstant), a(ttribute)
//     %2 = times(in0, p1, output_rank=2) : float32[#, 4]
//                                          a call, with the attributes that are no defaults
//     %3, %4 = exp(%2); neg(%2) : float32[#, 4]
//                                          an expression of several results, here of one type
//     %5 = 1 reading %2 : float32[#, 4]    what it reads, where it does not name all in this order
//     %6 = exp(%5) : float32[#, 4] in naive
//                                          in the memory of a device
//     loop over [#, *] from the end:       the lines of a loop are indented
//     return %3
#include <algorithm>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "base/text.h"
#include "compile/core.h"
#include "compile/graph.h"

namespace cantik::ir {
namespace {

constexpr const char* leaf_prefix(LeafKind kind) {
  switch (kind) {
    case LeafKind::input: return "in";
    case LeafKind::parameter: return "p";
    case LeafKind::constant: return "c";
    case LeafKind::live: return "a";
    case LeafKind::number:
    case LeafKind::none: break;
  }
  return nullptr;
}

std::string printed_name(const Graph& g, ValueId v) {
  const ValueInfo& i = g.value(v);
  if (const char* prefix = leaf_prefix(i.leaf)) return cat(prefix, i.leaf_index);
  if (i.leaf != LeafKind::number) return cat("%", v.number());
  char s[32];
  std::snprintf(s, sizeof s, "%.9g", i.number);
  return s;
}

std::string attributes_text(const Node& n, const Operator& op) {
  std::string s;
  for (size_t i = 0; i < n.attributes.size(); ++i) {
    const std::string text = n.attributes[i].text();
    if (i >= op.fields.size()) {  // of an object of the program: its attributes have no names
      if (text != "[]") s += cat(", ", text);
    } else if (!(n.attributes[i] == op.fields[i].value)) {
      s += cat(", ", op.fields[i].name, "=", text);
    }
  }
  return s;
}

// The inputs that an expression names, in the order in which its text does.
std::vector<int32_t> named_inputs(const Expression& e) {
  std::vector<int32_t> named;
  std::vector<char> seen(e.codes.size(), 0);
  std::vector<int32_t> open(e.results.begin(), e.results.end());
  std::ranges::reverse(open);
  while (!open.empty()) {
    const int32_t at = open.back();
    open.pop_back();
    if (std::exchange(seen[at], 1)) continue;
    const Code& k = e.codes[at];
    if (k.op == CANTIK_X_INPUT) named.push_back(k.a);
    const int n = arity(k.op);
    for (int i = n - 1; i >= 0; --i) open.push_back(i == 0 ? k.a : i == 1 ? k.b : k.c);
  }
  return named;
}

// An expression over a node's inputs from `own` on, which it counts from `base`; lower ones are the result of
// the call. What it reads is listed where it does not name all of it in this order.
std::string expression_text(const Graph& g, const Node& n, size_t own, int32_t base) {
  const auto place = [&](int32_t i) { return own + static_cast<size_t>(i - base); };
  std::string s = n.expression.text([&](int32_t i) -> std::string {
    if (i < base) return "_";
    const std::string read = printed_name(g, n.in[place(i)]);
    return n.is_spread(place(i)) ? "each(" + read + ")" : read;
  });
  if (n.closes) s = "sum_of(" + s + attributes_text(n, core::sum_to.op()) + ")";
  std::vector<size_t> named;
  for (const int32_t i : named_inputs(n.expression))
    if (i >= base) named.push_back(place(i));
  bool same = named.size() == n.in.size() - own;
  for (size_t i = 0; same && i < named.size(); ++i) same = named[i] == own + i;
  if (same) return s;
  return s + " reading " + join(std::span(n.in.begin() + own, n.in.size() - own), ", ", [&](ValueId v) {
           return printed_name(g, v);
         });
}

std::string call_text(const Graph& g, const Node& n) {
  const size_t own = n.in.size() - static_cast<size_t>(n.epilogue_inputs);
  std::string s = n.columns ? "columns " : "";
  s += n.op->name + "(";
  for (size_t i = 0; i < own; ++i) {
    const std::string read = printed_name(g, n.in[i]);
    s += (i ? ", " : "") + (n.is_spread(i) ? "each(" + read + ")" : read);
  }
  s += attributes_text(n, *n.op) + ")";
  return n.expression.empty() ? s : s + " then " + expression_text(g, n, own, 1);
}

std::string node_text(const Graph& g, const Node& n) {
  auto name = [&](ValueId v) { return printed_name(g, v); };
  const std::string made = n.kind == NodeKind::map ? expression_text(g, n, 0, 0) : call_text(g, n);
  if (n.out.empty()) return made;
  const Type& first = g.type(n.out[0]);
  const bool alike = std::ranges::all_of(n.out, [&](ValueId v) { return g.type(v) == first; });
  const std::string types =
      alike ? first.text() : join(n.out, "; ", [&](ValueId v) { return g.type(v).text(); });
  const std::string memory = n.on_device ? cat(" in ", g.device.backend()->name()) : "";
  return join(n.out, ", ", name) + " = " + made + " : " + types + memory;
}

std::string loop_text(const Loop& l) {
  return cat("loop over ", l.axes.text(), l.from_end ? " from the end" : "",
             l.descending ? " descending" : "", ":");
}

// The leaves that are read or returned, by kind and number.
std::map<std::pair<LeafKind, int32_t>, ValueId> leaves_of(const Graph& g, std::span<const NodeId> nodes) {
  std::map<std::pair<LeafKind, int32_t>, ValueId> leaves;
  auto add = [&](ValueId v) {
    if (leaf_prefix(g.value(v).leaf)) leaves.try_emplace({g.value(v).leaf, g.value(v).leaf_index}, v);
  };
  for (NodeId id : nodes) std::ranges::for_each(g.node(id).in, add);
  std::ranges::for_each(g.outputs, add);
  return leaves;
}

}  // namespace

std::string Graph::text() const {
  const std::vector<NodeId> nodes = order();
  std::string s;
  for (const auto& [leaf, v] : leaves_of(*this, nodes))
    s += printed_name(*this, v) + " : " + type(v).text() + "\n";
  LoopId loop;
  for (NodeId id : nodes) {
    const Node& n = node(id);
    if (n.loop && n.loop != loop) s += loop_text(loops[n.loop]) + "\n";
    loop = n.loop;
    s += (loop ? "  " : "") + node_text(*this, n) + "\n";
  }
  return s + "return " + join(outputs, ", ", [&](ValueId v) { return printed_name(*this, v); }) + "\n";
}

}  // namespace cantik::ir
