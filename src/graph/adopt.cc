#include "graph/adopt.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr uint64_t kKnownTraits = (uint64_t{CANTIK_SAME_AXES} << 1) - 1;
constexpr int32_t kMost = 4096;           // of anything that an operator lists
constexpr int32_t kManyInputs = 1 << 20;  // as many as there are
constexpr size_t kLongest = 1 << 20;      // text

Error malformed(const std::string& what, const std::string& why) {
  return value_error(cat("the description of ", what, " is malformed: ", why))
      .remedy(
          "make what its file states agree; where it does, build the library with the headers that `cantik "
          "config --cflags` names");
}

std::string text(const char* t, const std::string& of, const char* what, bool required = false) {
  if (!t) {
    if (required) throw malformed(of, cat("it has no ", what));
    return {};
  }
  size_t n = strnlen(t, kLongest);
  if (n == kLongest) throw malformed(of, cat("its ", what, " has no end"));
  return std::string(t, n);
}

bool is_identifier(std::string_view s) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool begins = true;  // a word, or words with dots between them
  for (char c : s) {
    if (c == '.' ? begins : !letter(c) && (begins || c < '0' || c > '9')) return false;
    begins = c == '.';
  }
  return !begins && s.size() < 200;
}

// Words that no name of Python's can be: a function or a parameter called so could not be written down there.
bool is_word_of_python(std::string_view s) {
  static constexpr std::string_view kWords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(std::begin(kWords), std::end(kWords), s) != std::end(kWords);
}
void check_python_name(const std::string& of, std::string_view name, const char* what) {
  if (is_word_of_python(name))
    throw value_error(cat(of, ": ", name, " is a word of Python's language and cannot be the name of ", what))
        .remedy(cat("call it ", name, "_"));
}

// A struct as this side knows it: of an older library, what is missing is zero; of a newer one, the end is
// left out.
template <class T>
T taken(const T* c, const std::string& of) {
  if (c->size < 2 * sizeof(size_t) || c->size > 1 << 16 || c->size % sizeof(size_t))
    throw malformed(of, cat("a struct of ", c->size, " bytes"));
  T t{};
  std::memcpy(static_cast<void*>(&t), c, std::min(c->size, sizeof t));
  t.size = sizeof t;
  return t;
}
// Of an array of such structs, which lie as far apart as the library believes them to be long.
template <class T>
T taken(const T* array, int32_t i, const std::string& of) {
  return taken(
      reinterpret_cast<const T*>(reinterpret_cast<const char*>(array) + static_cast<size_t>(i) * array->size),
      of);
}
template <class T>
void check_list(const T* list, int32_t count, const std::string& of, const char* what) {
  if (count < 0 || count > kMost || (count > 0 && !list))
    throw malformed(of, cat("it lists ", count, " ", what));
}

Attribute value(const cantik_attribute& a, const std::string& of) {
  if (a.kind < CANTIK_NONE || a.kind > CANTIK_REALS)
    throw malformed(of, cat("an attribute of the unknown kind ", a.kind));
  if (a.kind == CANTIK_TEXT) return Attribute(text(a.as.text, of, "value", true));
  if (a.kind == CANTIK_INTS) check_list(a.as.integers, a.count, of, "numbers");
  if (a.kind == CANTIK_REALS) check_list(a.as.reals, a.count, of, "numbers");
  return from_c(a);
}

// "f(x, y, alpha=0.01, name='')": its parameters, except name. `open_ended`: further attributes may be given
// by name.
std::vector<ParameterInfo> parse_signature(const Operator& op, bool& open_ended) {
  std::vector<ParameterInfo> found;
  const std::string& s = op.signature;
  size_t open = s.find('(');
  if (open == std::string::npos || s.back() != ')')
    throw malformed(op.name, cat("the signature '", s, "' has no list of parameters"));
  if (s.substr(0, open) != op.name)
    throw malformed(op.name, cat("the signature '", s, "' is another operator's"));
  int depth = 0;
  std::string item;
  auto finish = [&] {
    size_t first = item.find_first_not_of(' ');
    if (first == std::string::npos) return;
    item = item.substr(first);
    ParameterInfo p;
    size_t equals = item.find('=');
    p.name = item.substr(0, equals);
    if (equals != std::string::npos) p.value = item.substr(equals + 1);
    while (!p.name.empty() && p.name.back() == ' ') p.name.pop_back();
    if (p.name.starts_with("**")) {  // all that the signature does not list
      open_ended = true;
      item.clear();
      return;
    }
    if (p.name.starts_with("*")) p.variadic = true, p.name = p.name.substr(1);
    if (!is_identifier(p.name))
      throw malformed(op.name, cat("'", p.name, "' in the signature is not a name"));
    if (std::any_of(found.begin(), found.end(), [&](const ParameterInfo& o) { return o.name == p.name; }))
      throw malformed(op.name, cat("its signature has the parameter ", p.name, " twice"));
    p.field = op.field(p.name);
    if (p.name != "name") found.push_back(p);
    item.clear();
  };
  for (size_t i = open + 1; i + 1 < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    if (s[i] == ',' && depth == 0)
      finish();
    else
      item += s[i];
  }
  finish();
  return found;
}

// Inputs are 0 .. inputs - 1, attributes those of the operator.
Expression expression(const cantik_expression& c, const Operator& op, int32_t inputs) {
  check_list(c.code, c.count, op.name, "codes of an expression");
  Expression e = Expression::from_c(c);
  for (const Code& k : e.codes)
    if ((k.op == CANTIK_X_INPUT && k.a >= inputs) ||
        (k.op == CANTIK_X_ATTRIBUTE && k.a >= static_cast<int32_t>(op.fields.size())))
      throw malformed(op.name, cat("its expression reads ", k.op == CANTIK_X_INPUT ? "input " : "attribute ",
                                   k.a, ", which it does not have"));
  return e;
}

void take_fields(Operator& op, const cantik_operator& c) {
  check_list(c.fields, c.field_count, op.name, "attributes");
  for (int32_t i = 0; i < c.field_count; ++i) {
    cantik_field f = taken(c.fields, i, op.name);
    AttributeInfo field{text(f.name, op.name, "attribute's name", true),
                        text(f.key, op.name, "key"),
                        text(f.doc, op.name, "documentation"),
                        f.role,
                        (f.flags & CANTIK_LIVE) != 0,
                        value(f.value, op.name)};
    if (!is_identifier(field.name))
      throw malformed(op.name, cat("'", field.name, "' is not a name of an attribute"));
    if (f.role < CANTIK_PLAIN || f.role > CANTIK_LIST)
      throw malformed(op.name, cat("the attribute ", field.name, " has the unknown role ", f.role));
    if (op.field(field.name) >= 0)
      throw malformed(op.name, cat("it has the attribute ", field.name, " twice"));
    op.fields.push_back(std::move(field));
  }
}

// The default that a signature shows is the one that calls take: the struct's. Only literals are compared;
// other texts are names for a choice that the operator makes.
void check_default(const Operator& op, const ParameterInfo& p) {
  const AttributeInfo& field = op.fields[static_cast<size_t>(p.field)];
  const Attribute& value = field.value;
  if (field.role != CANTIK_PLAIN || p.value.empty()) return;
  std::optional<bool> equal;
  if (const bool* truth = value.get<bool>()) {
    if (p.value == "True" || p.value == "False") equal = *truth == (p.value == "True");
  } else if (const std::string* text = value.get<std::string>()) {
    const char quote = p.value.front();
    if ((quote == '\'' || quote == '"') && p.value.size() > 1 && p.value.back() == quote &&
        p.value.find('\\') == std::string::npos)
      equal = p.value.substr(1, p.value.size() - 2) == *text;
  } else if (value.get<int64_t>() || value.get<double>()) {
    double shown = 0;
    const char* end = p.value.data() + p.value.size();
    if (auto read = std::from_chars(p.value.data(), end, shown); read.ec == std::errc() && read.ptr == end)
      equal = value.get<double>() ? static_cast<float>(shown) == static_cast<float>(value.real())
                                  : shown == static_cast<double>(value.integer());
  }
  if (equal && !*equal)
    throw value_error(cat("the operator ", op.name, " shows the default ", p.value, " for ", p.name,
                          " in its signature, and its attributes begin with ", value.text()))
        .remedy("give both the same default");
}

void take_inputs(Operator& op, const cantik_operator& c, bool of_library) {
  bool open_ended = false;
  op.parameters = parse_signature(op, open_ended);
  for (const ParameterInfo& p : op.parameters) {
    if (of_library) check_python_name(op.name, p.name, "a parameter");
    if (of_library && p.field >= 0) check_default(op, p);
  }
  for (const AttributeInfo& f : op.fields) {
    const bool listed = std::any_of(op.parameters.begin(), op.parameters.end(),
                                    [&](const ParameterInfo& p) { return p.name == f.name; });
    if (of_library && !listed && !open_ended && !op.has(CANTIK_HIDDEN))
      throw malformed(op.name,
                      cat("its attribute ", f.name, " is not in the signature '", op.signature, "'"));
  }
  int inputs = 0, optional = 0;
  bool variadic = false;
  for (const ParameterInfo& p : op.parameters)
    if (p.field < 0) ++inputs, optional += !p.value.empty(), variadic |= p.variadic;
  op.inputs_min = c.inputs_min >= 0 ? c.inputs_min : variadic ? 1 : inputs - optional;
  op.inputs_max = c.inputs_max >= 0 ? c.inputs_max : variadic ? kManyInputs : inputs;
  if (op.inputs_min > op.inputs_max || op.inputs_max > kManyInputs)
    throw malformed(op.name, cat("it takes ", op.inputs_min, " to ", op.inputs_max, " inputs"));
  op.outputs = c.outputs;
  if (op.outputs < 0 || op.outputs > kMost) throw malformed(op.name, cat("it has ", op.outputs, " outputs"));
}

// Traits that speak of operands and attributes.
void check_traits(const Operator& op) {
  auto has_number = [&](const char* name) {
    const int at = op.field(name);
    return at >= 0 && op.fields[at].value.get<int64_t>();
  };
  if (op.has(CANTIK_DELAY) && (op.inputs_max != 2 || op.outputs != 1 || !has_number("time_step")))
    throw malformed(op.name, "it is a delay without two operands, one result and a whole number time_step");
  if (op.has(CANTIK_TAKES_ROWS) && (op.inputs_min < 1 || op.outputs != 1 || !has_number("map")))
    throw malformed(op.name, "it takes rows without an operand, one result and a whole number map");
}

// A gradient is found from a body; the rule of an operator that has one would never be called.
void check_gradient_rule(const Operator& op) {
  const bool has_body = !op.expression.empty() || op.lower || (op.compose && op.kernels.empty());
  if (op.gradient && has_body)
    throw value_error(cat("the operator ", op.name,
                          " has a gradient rule that nothing would call: its gradient follows from its ",
                          op.expression.empty() ? "body" : "expression"))
        .remedy(op.expression.empty() ? "leave .gradient out, or give the operator a kernel"
                                      : "state .derivative in place of .gradient");
}

void take_body(Operator& op, const cantik_operator& c) {
  op.expression = expression(c.expression, op, op.inputs_max);
  if (c.derivatives) {
    if (op.inputs_max > kMost) throw malformed(op.name, "derivatives of any number of inputs");
    for (int32_t i = 0; i < op.inputs_max; ++i) {
      op.derivatives.push_back(expression(c.derivatives[i], op, op.inputs_max + 2));
      if (op.derivatives.back().empty())
        throw malformed(op.name, cat("its derivative for operand ", i, " is empty"));
    }
  }
  op.user = c.user;
  op.infer = c.infer;
  op.compose = c.compose;
  op.lower = c.lower;
  op.gradient = c.gradient;
  op.finish = c.finish;
  check_list(c.kernels, c.kernel_count, op.name, "kernels");
  for (int32_t i = 0; i < c.kernel_count; ++i) {
    cantik_kernel k = taken(c.kernels, i, op.name);
    op.kernel_names.push_back(text(k.name, op.name, "kernel's name", true));
    if (!k.prepare) throw malformed(op.name, cat("its kernel ", op.kernel_names.back(), " cannot be made"));
    op.kernels.push_back(k);
  }
  if (op.expression.empty() && !op.compose && !op.lower && !op.finish && op.kernels.empty() &&
      !op.has(CANTIK_ALIAS) && !op.has(CANTIK_EFFECT) && !op.infer)
    throw value_error("the operator " + op.name + " has no body")
        .remedy("give it an expression, a composite or a kernel");
  check_gradient_rule(op);
}

void take_samples(Operator& op, const cantik_operator& c) {
  check_list(c.samples, c.sample_count, op.name, "samples");
  for (int32_t i = 0; i < c.sample_count; ++i) {
    cantik_sample s = taken(c.samples, i, op.name);
    check_list(s.ranks, s.inputs, op.name, "inputs of a sample");
    check_list(s.arguments, s.argument_count, op.name, "attributes of a sample");
    Sample sample{{}, op.defaults(), s.low, s.high};
    const int64_t* dims = s.dims;
    for (int32_t j = 0; j < s.inputs; ++j) {
      check_list(dims, s.ranks[j], op.name, "dimensions of a sample");
      sample.inputs.emplace_back(dims, static_cast<size_t>(s.ranks[j]));
      dims += s.ranks[j];
    }
    for (int32_t j = 0; j < s.argument_count; ++j)
      if (int f = op.field(text(s.arguments[j].name, op.name, "attribute's name", true)); f >= 0)
        sample.attributes[f] = value(s.arguments[j].value, op.name);
    op.samples.push_back(std::move(sample));
  }
}

// How the operator stands in CNTK's files.
FileForm file_form(const Operator& op, const cantik_cntk_form* described) {
  FileForm form;
  if (!described) return form;
  const cantik_cntk_form c = taken(described, op.name);
  if (c.number >= 0) form.number = static_cast<uint64_t>(c.number);
  form.block = text(c.block, op.name, "block");
  form.module = text(c.module, op.name, "module");
  form.factory = text(c.factory, op.name, "factory");
  auto field = [&](const char* name) {
    const std::string given = text(name, op.name, "attribute's name", true);
    const int found = op.field(given);
    if (found < 0) throw malformed(op.name, cat("it has no attribute ", given));
    return static_cast<size_t>(found);
  };
  auto operand = [&](int32_t i) {
    if (i < 0 || i >= kMost) throw malformed(op.name, cat("it has no operand ", i));
    return static_cast<size_t>(i);
  };
  check_list(c.fixed, c.fixed_count, op.name, "entries of a file");
  for (int32_t i = 0; i < c.fixed_count; ++i) {
    Attribute entry = value(c.fixed[i].value, op.name);
    if (!entry.get<bool>() && !entry.get<int64_t>() && !entry.get<std::string>())
      throw malformed(op.name,
                      "an entry of its file is neither a truth value, nor a whole number, nor a text");
    form.fixed.emplace_back(text(c.fixed[i].name, op.name, "entry's name", true), std::move(entry));
  }
  check_list(c.ignored, c.ignored_count, op.name, "entries of a file");
  for (int32_t i = 0; i < c.ignored_count; ++i)
    form.ignored.push_back(text(c.ignored[i], op.name, "entry's name", true));
  check_list(c.order, c.order_count, op.name, "operands");
  for (int32_t i = 0; i < c.order_count; ++i) form.order.push_back(operand(c.order[i]));
  std::vector<size_t> sorted = form.order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != i) throw malformed(op.name, "the order of its operands leaves one out");
  check_list(c.operand_fields, c.operand_field_count, op.name, "operands that are attributes");
  for (int32_t i = 0; i < c.operand_field_count; ++i)
    form.operand_fields.emplace_back(operand(c.operand_fields[i].operand), field(c.operand_fields[i].field));
  check_list(c.delays, c.delay_count, op.name, "attributes that are delays");
  for (int32_t i = 0; i < c.delay_count; ++i) form.delays.push_back(field(c.delays[i]));
  if (c.windows < CANTIK_NO_WINDOWS || c.windows > CANTIK_WINDOWS_WITH_STEPS)
    throw malformed(op.name, cat("its windows are of the unknown kind ", c.windows));
  form.windows = static_cast<cantik_windows>(c.windows);
  form.axes_of_result = c.axes_of_result != 0;
  return form;
}

uint64_t checked_traits(const Operator& op, uint64_t traits) {
  if (traits & ~kKnownTraits) throw malformed(op.name, "it has traits that this Cantik does not know");
  return traits;
}

// What its calls leave in a run, and ask of it.
void take_facts_of_runs(Operator& op, const cantik_facts& c) {
  OperatorFacts& facts = op.facts;
  facts.sizes = c.sizes;
  if (c.saves < CANTIK_SAVES_NOTHING || c.saves > CANTIK_SAVES_FOR_READERS)
    throw malformed(op.name, cat("it saves for the unknown kind ", c.saves));
  facts.saves = static_cast<cantik_saves>(c.saves);
  if (facts.saves == CANTIK_SAVES_FOR_GRADIENT && op.outputs < 1)
    throw malformed(op.name, "it saves something, and has no result whose rows would say when");
  if (facts.saves != CANTIK_SAVES_NOTHING && op.has(CANTIK_ROW_WISE | CANTIK_DRAWS | CANTIK_EFFECT))
    throw malformed(op.name, "it saves something of all rows, and is row-wise, draws or has effects");
  if (op.has(CANTIK_READS_SAVED) && op.inputs_min < 1)
    throw malformed(op.name, "it has no operand that stands for what was saved");
  if (op.has(CANTIK_READS_SAVED) && op.has(CANTIK_ROW_WISE | CANTIK_DRAWS | CANTIK_EFFECT))
    throw malformed(op.name, "it reads what was saved of all rows, and is row-wise, draws or has effects");
  facts.lock = c.lock;
  if (c.lock && (c.lock->size < sizeof(cantik_lock) || !c.lock->enter || !c.lock->leave))
    throw malformed(op.name, "its lock cannot be taken or left");
}

void take_facts(Operator& op, const cantik_facts* described) {
  if (!described) return;
  const cantik_facts c = taken(described, op.name);
  OperatorFacts& facts = op.facts;
  if (c.delay < CANTIK_NO_DELAY || c.delay > CANTIK_BORDER)
    throw malformed(op.name, cat("its delay is of the unknown kind ", c.delay));
  facts.delay = static_cast<cantik_delay>(c.delay);
  facts.stores = c.stores != 0;
  facts.offset_by_graph = c.offset_by_graph != 0;
  facts.type_too = c.type_too;
  facts.by_index = c.by_index;
  facts.pixels = c.pixels;
  check_list(c.reuses, c.reuse_count, op.name, "results in the memory of operands");
  for (int32_t i = 0; i < c.reuse_count; ++i) {
    const auto [operand, result] = c.reuses[i];
    if (operand < 0 || operand >= op.inputs_max || result < 0 || result >= op.outputs)
      throw malformed(op.name, cat("its result ", result, " takes the memory of operand ", operand));
    facts.reuses.emplace_back(operand, result);
  }
  if (facts.stores && (op.inputs_min < 2 || op.outputs != 0))
    throw malformed(op.name,
                    "it stores its second operand in the first, and does not have both or has results");
  if (facts.offset_by_graph && op.fields.empty())
    throw malformed(op.name, "it has no attribute that the graph could fill in");
  auto truth = [&](const char* name) {
    const int at = op.field(text(name, op.name, "attribute's name", true));
    if (at < 0 || !op.fields[at].value.get<bool>())
      throw malformed(op.name, cat(name, " is no truth value among its attributes"));
    return at;
  };
  facts.images = {c.images.operands, c.images.results, -1, c.images.preferred != 0};
  if (c.images.last) facts.images.last = truth(c.images.last);
  if (!c.images.last && (c.images.results || c.images.preferred))
    throw malformed(op.name, "it does not say which way the images lie that it makes");
  take_facts_of_runs(op, c);
  if (c.parts < CANTIK_NO_PARTS || c.parts > CANTIK_JOINS_PARTS)
    throw malformed(op.name, cat("its parts are of the unknown kind ", c.parts));
  facts.parts = static_cast<cantik_parts>(c.parts);
  facts.part = c.part;
  if ((facts.parts != CANTIK_NO_PARTS) != (facts.part != nullptr) ||
      (facts.parts != CANTIK_NO_PARTS && (op.inputs_min < 1 || op.outputs != 1)))
    throw malformed(op.name, "it does not say which parts of one result or operand it means");
  facts.axis_names = c.axis_names;
  if (!c.packed != !c.packing) throw malformed(op.name, "it does not say what is packed, or when it is");
  if (c.packed) facts.packed = {truth(c.packed), checked_traits(op, c.packed_traits), c.packing};
  if (c.instead) {
    facts.instead = text(c.instead, op.name, "name of another operator");
    facts.instead_if = truth(c.instead_if);
  }
  facts.file = file_form(op, c.cntk);
}

// Before operators stated facts, their names told some of them; a library of the first release still does.
void take_facts_of_names(Operator& op) {
  FileForm& form = op.facts.file;
  auto named = [&](const char* key, std::string& to) {
    if (to.empty()) to = op.named(key);
  };
  named("cntk.block", form.block);
  named("cntk.module", form.module);
  named("cntk.factory", form.factory);
  uint64_t number = 0;
  const std::string& digits = op.named("cntk.number");
  if (!form.number && !digits.empty() &&
      std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
    form.number = number;
  std::istringstream pairs(op.named("in_place"));
  const bool told = !op.facts.reuses.empty();
  char colon = 0;
  for (int operand = 0, result = 0; !told && pairs >> operand >> colon >> result;)
    if (operand >= 0 && result >= 0) op.facts.reuses.emplace_back(operand, result);
}

}  // namespace

Operator adopt(const cantik_operator& described, bool of_library) {
  const cantik_operator c = taken(&described, "an operator");
  Operator op;
  op.name = text(c.name, "an operator", "name", true);
  if (!is_identifier(op.name))
    throw malformed("an operator", cat("'", op.name.substr(0, 200), "' is not a name"));
  if (of_library)
    check_python_name("an operator library", op.name.substr(op.name.rfind('.') + 1), "an operator");
  op.signature = text(c.signature, op.name, "signature", true);
  op.doc = text(c.doc, op.name, "documentation");
  op.traits = checked_traits(op, c.traits);
  op.registered = true;
  op.layout_only = c.layout_only;
  take_fields(op, c);
  take_inputs(op, c, of_library);
  check_traits(op);
  take_body(op, c);
  take_samples(op, c);
  check_list(c.kinks, c.kink_count, op.name, "kinks");
  op.kinks.assign(c.kinks, c.kinks + c.kink_count);
  check_list(c.names, c.name_count, op.name, "names");
  for (int32_t i = 0; i < c.name_count; ++i)
    op.names[text(c.names[i].key, op.name, "key", true)] = text(c.names[i].value, op.name, "name", true);
  take_facts(op, c.facts);
  take_facts_of_names(op);
  return op;
}

}  // namespace cantik
