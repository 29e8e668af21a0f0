#include "compiled.h"

#include <regex>

#include "compile/parse.h"

namespace cantik::support {
namespace {

std::string without_packed_shapes(const std::string& text) {
  static const std::regex packed(R"((= pack_[^\n]*\) : \w+)\[[^\]\n]*\]\n)");
  return std::regex_replace(text, packed, "$1, packed\n");
}

}  // namespace

std::string after(const std::string& pass, const ir::Request& request) {
  ir::Graph g = ir::imported(request);
  for (const PassReport& report : ir::run_passes_reported(g, request))
    if (report.name == pass) return without_packed_shapes(report.text);
  return "no such pass";
}

std::string text_after(void (*pass)(ir::Graph&), std::string_view text) {
  ir::Graph g = ir::parsed(text);
  pass(g);
  g.remove_unused();
  g.verify("the pass");
  return g.text();
}

int count(std::string_view text, std::string_view part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace cantik::support
