#include "compile/stated.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text.h"
#include "graph/attribute_kind.h"
#include "graph/boundary.h"
#include "graph/types.h"

namespace cantik::ir {
namespace {

std::vector<cantik_type> types_of(const Graph& g, const Values& values) {
  std::vector<cantik_type> types;
  for (ValueId v : values) types.push_back(to_c(g.type(v)));
  return types;
}

// A question to the operator of a node, and its answer; what goes wrong names the user's function.
template <class Question, class Answer = int>
struct FactAsked {
  const Graph& g;
  const Node& n;
  Question question = {};
  Answer answer = {};
  Boundary boundary = {};
  AttributesInC attributes = to_c(n.attributes);

  static FactAsked& of(void* self) { return *static_cast<FactAsked*>(self); }
  size_t operands() const { return n.in.size() - static_cast<size_t>(n.epilogue_inputs); }

  void ask(cantik_status (*rule)(void*, Question*), const char* what) {
    question.size = sizeof question;
    question.self = this;
    question.attributes = attributes.data();
    question.fail = [](void* self, int32_t kind, const char* text, const char* remedy) {
      of(self).boundary.fail(kind, text, remedy);
    };
    try {
      boundary.call(*n.op, what, [&] { return rule(n.op->user, &question); });
    } catch (const Error& e) {
      refuse(e);
    }
  }
  [[noreturn]] void refuse(const Error& e) const {
    if (n.source) rethrow_with(e, *g.sources[n.source]);
    throw Error(e);
  }
};

bool is_packed(const Node& n) {
  const int at = n.op->facts.packed.attribute;
  return at >= 0 && n.attributes[at].integer() != 0;
}

}  // namespace

std::optional<PartOf> part_of(const Graph& g, const Node& n) {
  if (n.kind != NodeKind::call || n.op->facts.parts == CANTIK_NO_PARTS) return {};
  const bool takes = n.op->facts.parts == CANTIK_TAKES_PART, joins = n.op->facts.parts == CANTIK_JOINS_PARTS;
  const Shape &whole = g.type(takes ? n.in[0] : n.out[0]).shape,
              &part = g.type(takes ? n.out[0] : n.in[0]).shape;
  if (!whole.is_static() || !part.is_static()) return {};
  FactAsked<cantik_part> asked{g, n};
  const cantik_type type = to_c(g.type(takes ? n.in[0] : n.out[0]));
  asked.question.whole = &type;
  asked.question.axis = -1;
  asked.ask(n.op->facts.part, "part");
  const PartOf found{asked.question.axis, joins ? 0 : asked.question.begin};
  if (found.axis < 0) return {};
  const bool fits =
      found.axis < whole.rank() && (joins || (part.rank() == whole.rank() && found.begin >= 0 &&
                                              found.begin + part[found.axis] <= whole[found.axis]));
  if (!fits)
    asked.refuse(runtime_error(cat(n.op->name, " says that ", part.text(), " is a part of ", whole.text(),
                                   ", from position ", found.begin, " of axis ", found.axis, " on")));
  return found;
}

namespace {

using AxesAsked = FactAsked<cantik_axis_names, AxesByName>;

void take_names(const AxesAsked& a, std::vector<AxesByName::List>& lists, const Values& values,
                const std::string& which, int32_t i, std::span<const int32_t> numbers) {
  const bool there = i >= 0 && static_cast<size_t>(i) < lists.size();
  if (!there || static_cast<int>(numbers.size()) != a.g.type(values[i]).shape.rank())
    throw runtime_error(cat(a.n.op->name, " names ", numbers.size(), " axes of ", which, " ", i));
  AxesByName::List sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() || (!sorted.empty() && sorted[0] < 0))
    throw runtime_error(cat(a.n.op->name, " gives two axes of ", which, " ", i, " one number, or none"));
  lists[i].assign(numbers.begin(), numbers.end());
}

}  // namespace

std::optional<AxesByName> axis_names(const Graph& g, const Node& n) {
  if (n.kind != NodeKind::call || !n.op->facts.axis_names) return {};
  AxesAsked asked{g, n};
  asked.answer.in.resize(asked.operands());
  asked.answer.out.resize(n.out.size());
  const std::vector<cantik_type> in = types_of(g, n.in), out = types_of(g, n.out);
  asked.question.inputs = static_cast<int32_t>(asked.operands());
  asked.question.outputs = static_cast<int32_t>(n.out.size());
  asked.question.in = in.data();
  asked.question.out = out.data();
  asked.question.operand = [](void* self, int32_t i, const int32_t* numbers, int32_t count) {
    AxesAsked& a = AxesAsked::of(self);
    return a.boundary.serve([&] {
      take_names(a, a.answer.in, a.n.in, "operand", i, {numbers, static_cast<size_t>(std::max(count, 0))});
    });
  };
  asked.question.result = [](void* self, int32_t i, const int32_t* numbers, int32_t count) {
    AxesAsked& a = AxesAsked::of(self);
    return a.boundary.serve([&] {
      take_names(a, a.answer.out, a.n.out, "result", i, {numbers, static_cast<size_t>(std::max(count, 0))});
    });
  };
  asked.ask(n.op->facts.axis_names, "names of axes");
  return std::move(asked.answer);
}

std::optional<PackedOperand> operand_to_pack(const Graph& g, const Node& n) {
  if (n.kind != NodeKind::call || !n.op->facts.packed.packing || is_packed(n)) return {};
  for (ValueId v : n.in)
    if (g.type(v).storage != Storage::dense) return {};
  using PackingAsked = FactAsked<cantik_packing, std::optional<PackedOperand>>;
  PackingAsked asked{g, n};
  const std::vector<cantik_type> in = types_of(g, n.in);
  asked.question.inputs = static_cast<int32_t>(n.in.size());
  asked.question.in = in.data();
  asked.question.pack = [](void* self, int32_t operand, const char* name, const cantik_argument* arguments,
                           int32_t count) {
    PackingAsked& a = PackingAsked::of(self);
    return a.boundary.serve([&] {
      if (operand < 0 || static_cast<size_t>(operand) >= a.n.in.size())
        throw runtime_error(cat(a.n.op->name, " has no operand ", operand, " that could be packed"));
      const Operator& op = Registry::global().get(name);
      a.answer = {static_cast<size_t>(operand), &op,
                  attributes_of(op, {arguments, static_cast<size_t>(std::max(count, 0))})};
    });
  };
  asked.ask(n.op->facts.packed.packing, "packing");
  if (asked.answer && g.type(n.in[asked.answer->operand]).axes.has_batch()) return {};
  return std::move(asked.answer);
}

bool has_trait(const Node& n, uint64_t trait) {
  return n.op->has(trait) || ((n.op->facts.packed.traits & trait) != 0 && is_packed(n));
}

}  // namespace cantik::ir
