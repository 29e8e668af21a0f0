// A graph from its text. text.cc shows the form.
#include "compile/parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "compile/core.h"
#include "graph/attribute_kind.h"

namespace cantik::ir {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '.';
}

// What is left of a line.
class Cursor {
 public:
  Cursor(std::string_view line, size_t number) : line_(line), rest_(line), number_(number) {}

  bool ended() {
    skip();
    return rest_.empty();
  }
  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    const char last = word.back();
    if (is_of_name(last) && rest_.size() > word.size() && is_of_name(rest_[word.size()])) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(cat("'", word, "' is missing"));
  }
  bool next_is(std::string_view word) {
    skip();
    return rest_.starts_with(word);
  }
  // Letters, digits, '_', '.' and '%'.
  std::string name() {
    skip();
    size_t n = 0;
    while (n < rest_.size() && is_of_name(rest_[n])) ++n;
    if (n == 0) fail("a name is missing");
    return taken(n);
  }
  // What stands before one of these characters, without spaces at its ends.
  std::string until(std::string_view ends) {
    skip();
    size_t n = std::min(rest_.find_first_of(ends), rest_.size());
    std::string s = taken(n);
    while (!s.empty() && s.back() == ' ') s.pop_back();
    return s;
  }
  bool next_is_number() {
    skip();
    if (rest_.empty()) return false;
    const size_t sign = rest_[0] == '-' ? 1 : 0;
    const std::string_view r = rest_.substr(sign);
    return (!r.empty() && std::isdigit(static_cast<unsigned char>(r[0]))) ||
           ((r.starts_with("inf") || r.starts_with("nan")) && (r.size() == 3 || !is_of_name(r[3])));
  }
  double number() {
    skip();
    const std::string s(rest_);
    char* end = nullptr;
    const double x = std::strtod(s.c_str(), &end);
    if (end == s.c_str()) fail("a number is missing");
    rest_.remove_prefix(static_cast<size_t>(end - s.c_str()));
    return x;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw value_error(cat("line ", number_, " of the graph's text cannot be read: ", why, "\n  ", line_));
  }

 private:
  void skip() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  std::string taken(size_t n) {
    std::string s(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return s;
  }
  std::string_view line_, rest_;
  size_t number_;
};

Axis axis_of(const std::string& name) {
  if (name == "#") return Axis::batch();
  return name == "*" ? Axis::sequence() : Axis(name);
}

// "float32[#, *, 3, 4] sparse"
Type type_of(Cursor& c) {
  Type t;
  const std::string dtype = c.until("[");
  for (const DType known :
       {DType::float32, DType::float64, DType::float16, DType::int8, DType::int16, DType::int32})
    if (name_of(known) == dtype) t.dtype = known;
  if (t.dtype == DType::unknown) c.fail(cat("'", dtype, "' is no element type"));
  c.expect("[");
  while (!c.take("]")) {
    const std::string part = c.until(",]");
    const bool number = !part.empty() && std::isdigit(static_cast<unsigned char>(part[0]));
    if (number)
      t.shape.push_back(std::strtoll(part.c_str(), nullptr, 10));
    else if (part == "?")
      t.shape.push_back(kInferred);
    else if (part == "*" && (t.axes.empty() || t.axes.has_sequence() || t.shape.rank() > 0))
      t.shape.push_back(kFree);
    else if (!part.empty())
      t.axes.push_back(axis_of(part));
    if (!c.take(",") && !c.next_is("]")) c.fail("a type ends with ']'");
  }
  if (c.take("sparse")) t.storage = Storage::csr;
  if (c.take("row-sparse")) t.storage = Storage::row_sparse;
  return t;
}

Axes axes_of(Cursor& c) {
  Axes axes;
  c.expect("[");
  while (!c.take("]")) {
    axes.push_back(axis_of(c.until(",]")));
    c.take(",");
  }
  return axes;
}

Attribute attribute_of(Cursor& c, const Operator& op, const AttributeInfo& field) {
  Attribute given;
  if (c.take("None")) return given;
  if (c.take("True")) return fitted(op, field, true);
  if (c.take("False")) return fitted(op, field, false);
  if (c.take("'")) {
    given = c.until("'");
    c.expect("'");
    return given;
  }
  if (!c.take("[")) return fitted(op, field, c.number());
  std::vector<double> numbers;
  while (!c.take("]")) {
    numbers.push_back(c.number());
    c.take(",");
  }
  if (field.value.get<std::vector<double>>()) return numbers;
  return std::vector<int64_t>(numbers.begin(), numbers.end());
}

class Parser {
 public:
  Graph run(std::string_view text) {
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    for (const std::string_view line : lines) count_values(line);
    g_.values.resize(values_);
    for (size_t i = 0; i < lines.size(); ++i) read(lines[i], i + 1);
    return std::move(g_);
  }

 private:
  // Values keep their numbers: those of leaves lie behind them.
  void count_values(std::string_view line) {
    constexpr int32_t kMost = 1 << 24;
    for (size_t at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
      int32_t v = -1;
      std::from_chars(line.data() + at + 1, line.data() + line.size(), v);
      if (v < kMost) values_ = std::max(values_, static_cast<size_t>(v + 1));
    }
  }

  void read(std::string_view line, size_t number) {
    Cursor c(line, number);
    if (c.ended()) return;
    if (c.take("return")) {
      while (!c.ended()) {
        g_.outputs.push_back(value(c));
        c.take(",");
      }
      return;
    }
    if (c.take("loop over ")) return loop(c);
    if (!line.starts_with(" ")) loop_ = {};
    const size_t made = line.find(" = ");
    if (made == line.npos && line.find('(') == line.npos) return leaf(c);
    std::vector<ValueId> out;
    if (made != line.npos)
      for (;;) {
        out.push_back(value(c));
        if (c.take("=")) break;
        c.expect(",");
      }
    node(c, out);
    if (!c.ended()) c.fail("something stands behind its end");
  }

  void loop(Cursor& c) {
    Loop l;
    l.axes = axes_of(c);
    l.from_end = c.take("from the end");
    l.descending = c.take("descending");
    c.expect(":");
    loop_ = g_.loops.add(l);
  }

  void leaf(Cursor& c) {
    const std::string name = c.name();
    c.expect(":");
    const Type t = type_of(c);
    const std::array<std::pair<std::string_view, LeafKind>, 4> kinds = {{{"in", LeafKind::input},
                                                                         {"p", LeafKind::parameter},
                                                                         {"c", LeafKind::constant},
                                                                         {"a", LeafKind::live}}};
    for (const auto& [prefix, kind] : kinds) {
      if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
      int32_t index = -1;
      const auto [end, error] =
          std::from_chars(name.data() + prefix.size(), name.data() + name.size(), index);
      if (error != std::errc() || end != name.data() + name.size() || index < 0) continue;
      if (!leaves_.try_emplace(name, g_.add_leaf(kind, t, index)).second)
        c.fail(cat(name, " is there already"));
      return;
    }
    c.fail(cat(name, " is no leaf"));
  }

  ValueId value(Cursor& c) {
    if (c.next_is_number()) return g_.number(c.number(), DType::float32);
    const std::string name = c.name();
    if (name[0] != '%') {
      const auto found = leaves_.find(name);
      if (found == leaves_.end()) c.fail(cat(name, " has no line of its own with its type"));
      return found->second;
    }
    int32_t number = -1;
    std::from_chars(name.data() + 1, name.data() + name.size(), number);
    const ValueId v(number);
    if (!is_written(v)) c.fail(cat(name, " is no value"));
    return v;
  }

  // Whether the text has the value: the others are leaves.
  bool is_written(ValueId v) const { return v && v.index() < values_; }

  // An argument of an expression: which input of the node it is.
  int32_t input(Node& n, ValueId v, size_t first) {
    auto at = std::find(n.in.begin() + static_cast<std::ptrdiff_t>(first), n.in.end(), v);
    if (at == n.in.end()) n.in.push_back(v), at = n.in.end() - 1;
    return static_cast<int32_t>(at - n.in.begin());
  }

  // The code of an expression. The first inputs of a call, `own`, are not its; the call's result is `_`.
  int32_t code(Cursor& c, Node& n, size_t own) {
    const int32_t shift = n.kind == NodeKind::call ? static_cast<int32_t>(own) - 1 : 0;
    if (c.next_is_number()) return n.expression.constant(c.number());
    if (n.kind == NodeKind::call && c.take("_")) return n.expression.input(0);
    if (c.take("each(")) {
      const int32_t i = input(n, value(c), own);
      n.spread |= 1u << i;
      c.expect(")");
      return n.expression.input(i - shift);
    }
    Cursor before = c;
    const std::string name = c.name();
    if (!c.take("(")) {
      c = before;
      return n.expression.input(input(n, value(c), own) - shift);
    }
    const int32_t op = opcode(name);
    if (op < 0) c.fail(cat(name, " is neither an operator nor part of expressions"));
    std::array<int32_t, 3> arguments = {-1, -1, -1};
    for (int i = 0; i < arity(op); ++i) {
      if (i > 0) c.expect(",");
      arguments[i] = code(c, n, own);
    }
    c.expect(")");
    return n.expression.make(op, arguments[0], arguments[1], arguments[2]);
  }

  static int32_t opcode(const std::string& name) {
    constexpr int32_t kMost = 256;
    for (int32_t op = 0; op < kMost; ++op)
      if (const char* known = opcode_name(op); known && name == known && arity(op) > 0) return op;
    return -1;
  }

  void attributes(Cursor& c, const Operator& op, std::vector<Attribute>& into) {
    into.clear();
    for (const AttributeInfo& field : op.fields) into.push_back(field.value);
    while (c.take(",")) one_attribute(c, op, into);
  }
  void one_attribute(Cursor& c, const Operator& op, std::vector<Attribute>& into) {
    const std::string name = c.name();
    c.expect("=");
    for (size_t i = 0; i < op.fields.size(); ++i)
      if (op.fields[i].name == name) {
        into[i] = attribute_of(c, op, op.fields[i]);
        return;
      }
    c.fail(cat(op.name, " has no attribute ", name));
  }

  void call(Cursor& c, Node& n) {
    n.kind = NodeKind::call;
    for (const AttributeInfo& field : n.op->fields) n.attributes.push_back(field.value);
    while (!c.take(")")) {
      Cursor before = c;
      const bool is_attribute = !c.next_is_number() && (c.name(), c.take("="));
      c = before;
      if (is_attribute) {
        one_attribute(c, *n.op, n.attributes);
      } else {
        const bool each = c.take("each(");
        if (each) n.spread |= 1u << n.in.size();
        n.in.push_back(value(c));
        if (each) c.expect(")");
      }
      if (!c.take(",") && !c.next_is(")")) c.fail("a call ends with ')'");
    }
    if (!c.take("then")) return;
    const size_t own = n.in.size();
    n.expression.results = {code(c, n, own)};
    reading(c, n, own);
    n.epilogue_inputs = static_cast<int32_t>(n.in.size() - own);
  }

  // Inputs that the expression does not name, or names in another order.
  void reading(Cursor& c, Node& n, size_t own) {
    if (!c.take("reading ")) return;
    const Values named = n.in;
    std::vector<ValueId> all(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(own));
    do all.push_back(value(c));
    while (c.take(","));
    std::vector<int32_t> place(named.size());
    for (size_t i = 0; i < named.size(); ++i) {
      const auto at =
          std::find(all.begin() + static_cast<std::ptrdiff_t>(i < own ? i : own), all.end(), named[i]);
      if (at == all.end()) c.fail("what the expression names is not among what it reads");
      place[i] = static_cast<int32_t>(at - all.begin());
    }
    const int32_t shift = n.kind == NodeKind::call ? static_cast<int32_t>(own) - 1 : 0;
    for (Code& k : n.expression.codes)
      if (k.op == CANTIK_X_INPUT && !(n.kind == NodeKind::call && k.a == 0)) k.a = place[k.a + shift] - shift;
    uint32_t spread = 0;
    for (size_t i = 0; i < place.size() && i < 32; ++i)
      if (n.is_spread(i)) spread |= 1u << place[i];
    n.spread = spread;
    n.in = Values();
    n.in.append(all.data(), all.size());
  }

  void map(Cursor& c, Node& n) {
    n.kind = NodeKind::map;
    n.closes = c.take("sum_of(");
    do n.expression.results.push_back(code(c, n, 0));
    while (c.take(";"));
    if (n.closes) {
      attributes(c, core::sum_to.op(), n.attributes);
      c.expect(")");
    }
    reading(c, n, 0);
  }

  void node(Cursor& c, const std::vector<ValueId>& out) {
    Node n;
    n.loop = loop_;
    n.columns = c.take("columns ");
    Cursor before = c;
    const std::string name = c.next_is_number() ? "" : c.name();
    n.op = name.empty() || opcode(name) >= 0 || !c.take("(") ? nullptr : Registry::global().find(name);
    if (n.op) {
      call(c, n);
    } else {
      c = before;
      map(c, n);
    }
    const NodeId id = g_.nodes.end_id();
    std::vector<Type> types;
    if (!out.empty()) {
      c.expect(":");
      do types.push_back(type_of(c));
      while (c.take(";"));
      if (types.size() == 1) types.resize(out.size(), types[0]);
      if (types.size() != out.size()) c.fail("it has a type for each result, or one for all");
      if ((n.on_device = c.take("in "))) g_.device = Device::of(c.name());
    }
    for (size_t i = 0; i < out.size(); ++i) {
      ValueInfo& v = g_.value(out[i]);
      if (!is_written(out[i]) || v.producer) c.fail(cat("%", out[i].number(), " is made twice"));
      v = {.type = types[i], .producer = id, .output = static_cast<int32_t>(i)};
      n.out.push_back(out[i]);
    }
    if (n.kind == NodeKind::call && n.op->has(CANTIK_EFFECT)) g_.effects.push_back(id);
    // a number that a call reads is of the type that the call makes
    for (const ValueId v : n.in)
      if (g_.value(v).leaf == LeafKind::number && !types.empty()) g_.value(v).type.dtype = types[0].dtype;
    g_.nodes.push_back(std::move(n));
  }

  Graph g_;
  size_t values_ = 0;  // that the text numbers
  LoopId loop_;
  std::map<std::string, ValueId> leaves_;
};

}  // namespace

Graph parsed(std::string_view text) { return Parser().run(text); }

}  // namespace cantik::ir
