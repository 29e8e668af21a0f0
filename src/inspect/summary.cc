// Networks as tables.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include <cantik/inspect.h>

#include "base/text.h"
#include "inspect/shape_text.h"

namespace cantik {
namespace {

constexpr size_t kColumns = 4;
using Line = std::array<std::string, kColumns>;

int64_t count(const std::vector<Variable>& parameters) {
  int64_t total = 0;
  for (const Variable& p : parameters) {
    int64_t n = 1;
    for (const int64_t d : p.shape()) n *= std::max<int64_t>(d, 0);
    total += n;
  }
  return total;
}

// 1,234,567
std::string grouped(int64_t n) {
  std::string s = std::to_string(n);
  for (size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, ",");
  return s;
}

// Characters, not bytes of UTF-8.
size_t width(const std::string& s) {
  return static_cast<size_t>(std::count_if(
      s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string sizes(const Shape& s) {
  const std::string text = shape_text(s);
  return text.empty() ? "1" : text;
}

std::string aligned(const Line& line, const std::array<size_t, kColumns>& widths) {
  std::string s;
  for (size_t i = 0; i < kColumns; ++i) {
    const std::string room(widths[i] - width(line[i]), ' ');
    const bool is_last = i + 1 == kColumns;
    s += is_last ? room + line[i] : line[i] + room + "  ";
  }
  while (!s.empty() && s.back() == ' ') s.pop_back();
  return s;
}

}  // namespace

NetworkSummary summary(const Function& network) {
  NetworkSummary s;
  std::vector<Function> functions = functions_of(network);
  std::reverse(functions.begin(), functions.end());
  std::unordered_set<Variable> counted;
  for (const Function& f : functions) {
    if (f.op_name() == "Combine") continue;
    std::vector<Variable> own = f.parameters();
    std::erase_if(own, [&](const Variable& p) { return !counted.insert(p).second; });
    SummaryRow& row = s.rows.emplace_back();
    row.name = f.name();
    row.op_name = f.op_name();
    for (const Variable& v : f.outputs()) row.outputs.push_back(v.shape());
    row.parameters = count(own);
  }
  const std::vector<Variable> parameters = network.parameters();
  s.parameters = count(parameters);
  s.tensors = static_cast<int64_t>(parameters.size());
  for (const Variable& v : network.arguments())
    s.inputs.emplace_back(v.name().empty() ? v.uid() : v.name(), v.shape());
  return s;
}

std::string NetworkSummary::text() const {
  std::vector<Line> lines{{"name", "operator", "output", "parameters"}};
  for (const auto& [name, shape] : inputs) lines.push_back({name, "", sizes(shape), ""});
  for (const SummaryRow& r : rows)
    lines.push_back(
        {r.name, r.op_name, join(r.outputs, ", ", sizes), r.parameters ? grouped(r.parameters) : ""});
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines)
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width(line[i]));
  const std::string rule(std::accumulate(widths.begin(), widths.end(), size_t{0}) + 2 * (kColumns - 1), '-');
  std::string s = aligned(lines[0], widths) + "\n" + rule + "\n";
  for (size_t i = 1; i < lines.size(); ++i) s += aligned(lines[i], widths) + "\n";
  return s + rule + "\n" + grouped(parameters) + " parameters in " + std::to_string(tensors) + " tensors";
}

}  // namespace cantik
