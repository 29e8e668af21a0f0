// Networks as text and as pictures.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <cantik/inspect.h>

#include "base/text.h"
#include "inspect/shape_text.h"

namespace cantik {
namespace {

// Operands before results.
std::vector<Function> in_order(const Function& network) {
  std::vector<Function> list = functions_of(network);
  std::reverse(list.begin(), list.end());
  return list;
}

// A text of Graphviz's language.
std::string quoted_for_graphviz(const std::string& text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '\n') {
      s += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s + "\"";
}

// [#, *, 3 x 4]
std::string dimensions(const Variable& v) {
  std::string s = v.axes().has_batch() ? "#, " : "";
  if (v.axes().has_sequence()) s += "*, ";
  s += shape_text(v.shape());
  while (!s.empty() && (s.back() == ',' || s.back() == ' ')) s.pop_back();
  return "[" + s + "]";
}

struct LeafStyle {
  const char *kind, *fill;
};

LeafStyle style_of(const Variable& v) {
  switch (v.kind()) {
    case VariableKind::input: return {"input", "#d5e8d4"};
    case VariableKind::parameter: return {"parameter", "#dae8fc"};
    case VariableKind::constant: return {"constant", "#f5f5f5"};
    default: return {"placeholder", "#fff2cc"};
  }
}

std::string leaf_line(const Variable& v) {
  const LeafStyle style = style_of(v);
  const std::string name = v.name().empty() ? style.kind : v.name();
  return cat("  ", quoted_for_graphviz(v.uid()), " [label=", quoted_for_graphviz(name + "\n" + dimensions(v)),
             ", shape=ellipse, style=filled, fillcolor=\"", style.fill, "\"];\n");
}

std::string function_line(const Function& f) {
  const std::string label = f.name().empty() ? f.op_name() : f.name() + "\n" + f.op_name();
  return cat("  ", quoted_for_graphviz(f.uid()), " [label=", quoted_for_graphviz(label),
             ", shape=box, style=\"rounded,filled\", fillcolor=\"", f.is_block() ? "#ffe6cc" : "#ffffff",
             "\"];\n");
}

// A text of Mermaid's language, in which these characters mean something.
std::string mermaid_text(const std::string& text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '\n')
      s += "<br>";
    else if (std::string_view("\"&<>#;`").find(c) != std::string_view::npos)
      s += cat("#", static_cast<int>(c), ";");
    else
      s += c;
  }
  return s + "\"";
}

}  // namespace

std::string plot_text(const Function& network) {
  std::vector<std::string> lines;
  for (const Function& f : functions_of(network)) {
    std::string operands;
    const std::vector<Variable> inputs = f.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (f.is_block() && inputs[i].is_constant()) continue;  // its own affair, as in CNTK
      operands += inputs[i].uid() + (i + 1 < inputs.size() ? ", " : "");
    }
    for (const Variable& v : f.outputs())
      lines.push_back(f.op_name() + "(" + operands + ") -> " + v.uid() + ";\n");
  }
  std::reverse(lines.begin(), lines.end());
  return join(lines, "\n", [](const std::string& line) { return line; });
}

std::string plot_dot(const Function& network) {
  std::string s =
      "digraph network {\n"
      "  rankdir=TB; node [fontname=\"Helvetica\", fontsize=11]; "
      "edge [fontname=\"Helvetica\", fontsize=9, color=\"#666666\"];\n";
  std::unordered_set<Variable> seen;
  for (const Function& f : in_order(network)) {
    s += function_line(f);
    for (const Variable& v : f.inputs()) {
      if (v.is_output()) {
        s += cat("  ", quoted_for_graphviz(v.owner().uid()), " -> ", quoted_for_graphviz(f.uid()),
                 " [label=", quoted_for_graphviz(dimensions(v)), "];\n");
        continue;
      }
      if (seen.insert(v).second) s += leaf_line(v);
      s += cat("  ", quoted_for_graphviz(v.uid()), " -> ", quoted_for_graphviz(f.uid()), ";\n");
    }
  }
  return s + "}\n";
}

std::string plot_mermaid(const Function& network) {
  // uids may hold characters of the language, so nodes have numbers.
  std::unordered_map<std::string, std::string> ids;
  auto id = [&](const std::string& uid) { return ids.try_emplace(uid, cat("n", ids.size())).first->second; };
  std::string s = "flowchart TB\n";
  std::unordered_set<Variable> seen;
  for (const Function& f : in_order(network)) {
    const std::string label = f.name().empty() ? f.op_name() : f.name() + "\n" + f.op_name();
    s += cat("  ", id(f.uid()), "[", mermaid_text(label), "]\n");
    for (const Variable& v : f.inputs()) {
      if (v.is_output()) {
        const std::string sizes = mermaid_text(dimensions(v));
        s += cat("  ", id(v.owner().uid()), " -- ", sizes, " --> ", id(f.uid()), "\n");
        continue;
      }
      const std::string name = v.name().empty() ? style_of(v).kind : v.name();
      if (seen.insert(v).second)
        s += cat("  ", id(v.uid()), "([", mermaid_text(name + "\n" + dimensions(v)), "])\n");
      s += cat("  ", id(v.uid()), " --> ", id(f.uid()), "\n");
    }
  }
  return s;
}

}  // namespace cantik
