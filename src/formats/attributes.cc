#include "formats/attributes.h"

#include "execute/draws.h"

#include <algorithm>
#include <charconv>

#include <cantik/error.h>

namespace cantik {
namespace {

// The smallest number has no negative: it stays.
int64_t negated(int64_t n) { return static_cast<int64_t>(-static_cast<uint64_t>(n)); }

// CNTK counts axes from the last one, we from the first; negative ones count from the other end in both.
int64_t turned(int64_t axis, int rank) {
  return !axis_code::is_static(axis) ? axis : axis >= 0 && rank >= 0 ? rank - 1 - axis : ~axis;
}

Axis to_axis(int64_t code, int rank) {
  if (code == axis_code::kBatch) return Axis::batch();
  if (code == axis_code::kSequence) return Axis::sequence();
  return Axis(turned(code, rank));
}
int64_t from_axis(const Axis& a) { return a.is_dynamic() ? a.code() : turned(a.static_index(), -1); }

// The place before an axis. CNTK counts from the other end: how many axes stand behind it. `key` tells which
// end of a range it is where nobody said: ranges are turned round, so that endAxis is where they begin for
// us.
Axis to_boundary(int64_t code, int rank, const std::string& key) {
  if (code == axis_code::kAllStatic) return Axis(0);
  bool first = code == axis_code::kNewLeading || code == 0 || (code == axis_code::kNone && key == "endAxis");
  if (first) return rank >= 0 ? Axis(rank) : Axis(axis_code::kNewLeading);
  if (code == axis_code::kNone) return Axis(0);
  return Axis(code < 0 || rank < 0 ? negated(code) : rank - code);
}
int64_t from_boundary(int64_t axis, const std::string& key) {
  if (axis == axis_code::kNewLeading) return axis;
  if (axis == 0) return key == "endAxis" ? axis_code::kAllStatic : axis_code::kNone;
  return negated(axis);
}

// "key.3": the key and the place in its list; -1 without one.
std::pair<std::string, int> place_of(const std::string& key) {
  size_t dot = key.rfind('.');
  if (dot == std::string::npos) return {key, -1};
  return {key.substr(0, dot), std::atoi(key.c_str() + dot + 1)};
}

template <class T, class F>
DictionaryVector list_of(const std::vector<T>& values, F&& f) {
  DictionaryVector list;
  for (const T& v : values) list.push_back(f(v));
  return list;
}

DictionaryValue write_integers(int32_t role, std::vector<int64_t> v, int rank) {
  switch (role) {
    case CANTIK_AXES: return list_of(v, [&](int64_t a) { return to_axis(a, rank); });
    case CANTIK_SHAPE_OF: return Shape(v);
    case CANTIK_SIGNED: return list_of(v, [](int64_t i) { return static_cast<int32_t>(i); });
    case CANTIK_FLAGS: std::reverse(v.begin(), v.end()); return list_of(v, [](int64_t i) { return i != 0; });
    case CANTIK_SIZES:
      std::reverse(v.begin(), v.end());
      return list_of(v, [](int64_t i) { return static_cast<uint64_t>(i); });
    case CANTIK_PERMUTATION: {
      int n = static_cast<int>(v.size());
      std::reverse(v.begin(), v.end());
      return list_of(v, [&](int64_t a) { return Axis(a < 0 ? -a - 1 : n - 1 - a); });
    }
    default: return list_of(v, [](int64_t i) { return static_cast<uint64_t>(i); });
  }
}

DictionaryValue write_value(const AttributeInfo& field, const Attribute& a, int rank) {
  if (auto* v = a.get<std::vector<int64_t>>()) return write_integers(field.role, *v, rank);
  if (auto* v = a.get<std::vector<double>>()) {
    if (field.role == CANTIK_SINGLE) return list_of(*v, [](double d) { return static_cast<float>(d); });
    return list_of(*v, [](double d) { return d; });
  }
  if (auto* v = a.get<std::string>()) return *v;
  if (auto* v = a.get<bool>()) return *v;
  if (auto* v = a.get<double>())
    return field.role == CANTIK_SINGLE ? DictionaryValue(static_cast<float>(*v)) : DictionaryValue(*v);
  switch (field.role) {
    case CANTIK_AXIS: return to_axis(a.integer(), rank);
    case CANTIK_NEW_AXIS:
      if (a.integer() == axis_code::kBatch) return DictionaryVector{Axis::batch()};
      return DictionaryVector{Axis::of_id(static_cast<int32_t>(a.integer())), Axis::batch()};
    case CANTIK_BOUNDARY: return to_boundary(a.integer(), rank, field.key);
    case CANTIK_DTYPE:
    case CANTIK_SIGNED: return static_cast<int32_t>(a.integer());
    default: return static_cast<uint64_t>(a.integer());
  }
}

// Whether the attribute is left out of files: no axis, an empty list of axes or positions, nothing at all.
// The order of no axes is an empty list that is said. `rank`: of the operand; negative: it is not known.
bool is_absent(const AttributeInfo& field, const Attribute& a, int rank) {
  if (!a.defined()) return true;
  if (field.role == CANTIK_AXIS || field.role == CANTIK_NEW_AXIS) return a.integer() == axis_code::kNone;
  auto* list = a.get<std::vector<int64_t>>();
  return (field.role == CANTIK_AXES || field.role == CANTIK_SIGNED ||
          (field.role == CANTIK_PERMUTATION && rank != 0)) &&
         list && list->empty();
}

std::optional<int64_t> read_integer(const DictionaryValue& v) {
  if (auto* i = v.get<int32_t>()) return *i;
  if (auto* u = v.get<uint64_t>()) return static_cast<int64_t>(*u);
  if (auto* b = v.get<bool>()) return *b;
  if (auto* a = v.get<Axis>()) return from_axis(*a);
  return {};
}
std::optional<double> read_real(const DictionaryValue& v) {
  if (auto* d = v.get<double>()) return *d;
  if (auto* f = v.get<float>()) return *f;
  return {};
}

Attribute read_list(int32_t role, const DictionaryVector& list) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const DictionaryValue& v : list) {
    if (auto i = read_integer(v))
      integers.push_back(*i);
    else if (auto d = read_real(v))
      reals.push_back(*d);
    else
      return {};
  }
  if (!reals.empty()) return integers.empty() ? Attribute(reals) : Attribute();
  if (role == CANTIK_FLAGS || role == CANTIK_SIZES || role == CANTIK_PERMUTATION)
    std::reverse(integers.begin(), integers.end());
  if (role == CANTIK_PERMUTATION)  // read as axes counted from the end
    for (int64_t& i : integers)
      if (i < 0) i += static_cast<int64_t>(integers.size());
  return integers;
}

// Of the dynamic axes of a result: its sequence axis, if it has one.
Attribute read_new_axis(const DictionaryValue& v) {
  auto* list = v.get<DictionaryVector>();
  if (!list) return {};
  Attribute found(axis_code::kBatch);
  for (const DictionaryValue& item : *list) {
    auto* a = item.get<Axis>();
    if (!a || !a->is_dynamic()) return {};
    if (a->is_sequence()) found = int64_t{a->id()};
  }
  return found;
}

// Of the kind that the field has; undefined if the value is of another.
Attribute read_value(const AttributeInfo& field, const DictionaryValue& v) {
  if (field.role == CANTIK_NEW_AXIS) return read_new_axis(v);
  const Attribute& kind = field.value;
  bool is_list = kind.get<std::vector<int64_t>>() || kind.get<std::vector<double>>();
  if (auto* list = v.get<DictionaryVector>()) {
    if (!is_list && kind.defined()) return {};
    if (list->empty())
      return kind.get<std::vector<double>>() ? Attribute(std::vector<double>())
                                             : Attribute(std::vector<int64_t>());
    return read_list(field.role, *list);
  }
  if (auto* shape = v.get<Shape>()) {
    if (!is_list && kind.defined()) return {};
    // CNTK's unknown shape is one dimension of -2, which as a window of pooling is the whole operand.
    return shape->is_known() ? *shape : Shape{-2};
  }
  if (auto* text = v.get<std::string>())
    return kind.get<std::string>() || !kind.defined() ? Attribute(*text) : Attribute();
  if (auto d = read_real(v)) return kind.get<double>() || !kind.defined() ? Attribute(*d) : Attribute();
  if (field.role == CANTIK_BOUNDARY)
    return v.get<Axis>() && v.get<Axis>()->static_index() != axis_code::kDynamic
               ? Attribute(from_boundary(v.get<Axis>()->static_index(), field.key))
               : Attribute();
  std::optional<int64_t> i = read_integer(v);
  if (!i) return {};
  if (v.get<bool>() && (kind.get<bool>() || !kind.defined())) return *i != 0;
  if (is_list) return field.role == CANTIK_AXES ? Attribute(std::vector<int64_t>{*i}) : Attribute();
  return kind.get<int64_t>() || !kind.defined() ? Attribute(*i) : Attribute();
}

bool take(const AttributeInfo& field, const DictionaryValue& v, Attribute& to) {
  to = read_value(field, v);
  return to.defined();
}

// An entry that is the same for all functions of an operator: a truth value, a size, a text.
DictionaryValue fixed_value(const Attribute& a) {
  if (const bool* truth = a.get<bool>()) return *truth;
  if (const std::string* text = a.get<std::string>()) return *text;
  return static_cast<uint64_t>(a.integer());
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

namespace {

// Where the stream of random numbers stands.
void write_position(const Node& n, const runtime::Draws& draws, Dictionary& attributes) {
  auto key = [&](const char* field) {
    int i = n.op->field(field);
    return i < 0 ? std::string() : n.op->fields[i].key;
  };
  std::string seed = key("seed"), offset = key("rng_offset");
  if (seed.empty() || offset.empty()) return;
  std::optional<RandomStream> stream = draws.now(n);
  if (stream && attributes.at(seed) == DictionaryValue(stream->seed())) attributes[offset] = stream->offset();
}

// CNTK spells out what a convolution leaves to be filled in: a number for each axis, the shape of the kernel.
void complete_convolution(const Node& n, Dictionary& d) {
  const Shape &map = resolved(n.inputs[0]).shape(), &x = resolved(n.inputs[1]).shape();
  if (!map.is_known() || !x.is_known()) return;
  // the steps are an axis too
  size_t rank = static_cast<size_t>(x.rank()) + (n.op->facts.file.windows == CANTIK_WINDOWS_WITH_STEPS);
  bool bare = map.rank() == static_cast<int>(rank);
  d["kernelShape"] = bare ? map : map.sub(1, map.rank());
  for (const char* key : {"strides", "dilation", "lowerPad", "upperPad"}) {
    std::vector<int64_t> list(d.at(key).as<Shape>().begin(), d.at(key).as<Shape>().end());
    int64_t first = list.empty() ? 0 : list[0];
    if (list.size() < rank) list.insert(list.begin(), rank - list.size(), first);
    d[key] = Shape(list);
  }
  for (const char* key : {"sharing", "autoPadding"}) {  // in the order of the file, the last axis first
    DictionaryVector list = d.at(key).as<DictionaryVector>();
    while (!list.empty() && list.size() < rank) list.push_back(list.back());
    d[key] = std::move(list);
  }
  if (d.at("outputShape").as<Shape>().rank() == 0) d["outputShape"] = Shape{0};
}

// The window over all pixels, once their number is known.
void complete_pooling(const Node& n, Dictionary& d) {
  const Shape& x = resolved(n.inputs[0]).shape();
  if (!x.is_known() || x.rank() < 2 || !(d.at("poolingWindowShape").as<Shape>() == Shape{-2})) return;
  const Shape pixels = x.sub(1, x.rank());
  if (pixels.is_static()) d["poolingWindowShape"] = pixels;
}

}  // namespace

Dictionary write_attributes(const Node& node, const runtime::Draws* draws) {
  const Operator& op = *node.op;
  const Shape* along = op.facts.file.axes_of_result ? &node.types[0].shape
                       : node.inputs.empty()        ? nullptr
                                                    : &resolved(node.inputs[0]).shape();
  const int places = along && along->is_known() ? along->rank() : -1;
  const int rank = node.block ? -1 : places;  // blocks keep axes as their callers gave them
  Dictionary d;
  for (const auto& [key, value] : op.facts.file.fixed) d[key] = fixed_value(value);
  for (size_t i = 0; i < op.fields.size(); ++i) {
    const AttributeInfo& field = op.fields[i];
    if (field.key.empty() || is_absent(field, node.attributes[i], places)) continue;
    DictionaryValue value =
        write_value(field, node.attributes[i], field.role == CANTIK_BOUNDARY ? places : rank);
    // CNTK's way to say: none
    if (field.role == CANTIK_SHAPE_OF && field.key.ends_with("Pad") && value.as<Shape>().rank() == 0)
      value = Shape{0};
    auto [key, at] = place_of(field.key);
    if (at < 0) {
      d[key] = std::move(value);
      continue;
    }
    DictionaryVector list = d.contains(key) ? d.at(key).as<DictionaryVector>() : DictionaryVector();
    list.resize(std::max(list.size(), static_cast<size_t>(at) + 1));
    list[at] = std::move(value);
    d[key] = std::move(list);
  }
  if (draws && op.field("rng_offset") >= 0) write_position(node, *draws, d);
  if (op.facts.file.windows != CANTIK_NO_WINDOWS) complete_convolution(node, d);
  if (d.contains("poolingWindowShape")) complete_pooling(node, d);
  return d;
}

std::optional<std::vector<Attribute>> read_attributes(const Operator& op, const Dictionary& given) {
  std::vector<std::string> known = op.facts.file.ignored;
  known.push_back(kCustomAttributes);
  for (const auto& [key, value] : op.facts.file.fixed) {
    const DictionaryValue wanted = fixed_value(value);
    const DictionaryValue* v = given.find(key);
    if (!v) return {};
    bool same = *v == wanted ||
                (read_integer(*v) && read_integer(wanted) && *read_integer(*v) == *read_integer(wanted));
    if (!same) return {};
    known.push_back(key);
  }
  std::vector<Attribute> attributes = op.defaults();
  for (size_t i = 0; i < op.fields.size(); ++i) {
    const AttributeInfo& field = op.fields[i];
    if (field.key.empty()) continue;
    auto [key, at] = place_of(field.key);
    known.push_back(key);
    const DictionaryValue* v = given.find(key);
    if (v && at >= 0) {
      auto* list = v->get<DictionaryVector>();
      if (!list || static_cast<size_t>(at) >= list->size()) return {};
      v = &(*list)[at];
    }
    if (!v) continue;
    if (!take(field, *v, attributes[i])) return {};
  }
  for (const auto& [key, value] : given)
    if (std::find(known.begin(), known.end(), key) == known.end()) return {};
  return attributes;
}

bool read_operand_attributes(const Operator& op, const std::vector<Variable>& operands,
                             std::vector<Attribute>& attributes) {
  for (const auto& [at, field] : op.facts.file.operand_fields) {
    if (at >= operands.size() || !operands[at].is_constant() || operands[at].shape().elements() != 1)
      return false;
    constexpr double kMost = 1ll << 53;  // whole numbers up to here are exact
    const double number = operands[at].value().at(0);
    if (!(number >= -kMost && number <= kMost)) return false;
    attributes[field] = static_cast<int64_t>(number);
  }
  return true;
}

Dictionary write_by_name(const Node& node) {
  Dictionary d;
  for (size_t i = 0; i < node.op->fields.size(); ++i) {
    AttributeInfo field = node.op->fields[i];
    field.role = CANTIK_PLAIN;
    if (node.attributes[i].defined()) d[field.name] = write_value(field, node.attributes[i], -1);
  }
  return d;
}

std::optional<std::vector<Attribute>> read_by_name(const Operator& op, const Dictionary& given) {
  std::vector<Attribute> attributes = op.defaults();
  for (const auto& [name, value] : given) {
    int i = op.field(name);
    if (i < 0) return {};
    AttributeInfo field = op.fields[i];
    field.role = CANTIK_PLAIN;
    if (!take(field, value, attributes[i])) return {};
  }
  return attributes;
}

}  // namespace cantik
