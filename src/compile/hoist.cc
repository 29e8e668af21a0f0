// What depends on smaller operands alone is computed at their size: of x / sqrt(v), with a number v for each
// channel, the reciprocals are taken once for each channel.
//
// The pass comes before equal nodes are shared, so that forward and backward share what both read.
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "compile/operands.h"
#include "compile/passes.h"
#include "graph/types.h"

namespace cantik::ir {
namespace {

// In rows of fewer numbers a call of its own costs more than it saves.
constexpr int64_t kLeastColumns = 128;
// So much smaller has a part to be, unless rows share it.
constexpr int64_t kTimes = 4;
// In additions.
constexpr int kLeastWork = 4;

int work_of(int32_t opcode) {
  switch (opcode) {
    case CANTIK_X_ADD:
    case CANTIK_X_SUB:
    case CANTIK_X_MUL:
    case CANTIK_X_NEG:
    case CANTIK_X_MIN:
    case CANTIK_X_MAX:
    case CANTIK_X_SELECT: return 1;
    default: return arity(opcode) ? 4 : 0;
  }
}

class Hoister {
 public:
  explicit Hoister(Graph& g) : g_(g) {}

  void run() {
    for (NodeId id : g_.order())
      if (is_large_map(id)) hoist(id);
  }

 private:
  using Inputs = uint32_t;  // a bit each

  bool is_large_map(NodeId id) const {
    const Node& n = g_.node(id);
    if (n.kind != NodeKind::map || n.closes || n.out.size() != 1 || n.in.size() < 2 || n.in.size() > 32)
      return false;
    const Type& whole = g_.type(n.out[0]);
    return whole.shape.is_static() && whole.shape.elements() >= kLeastColumns &&
           std::ranges::any_of(n.in, [&](ValueId v) { return is_small(g_.type(v), whole); });
  }

  void hoist(NodeId id) {
    const Node n = g_.node(id);  // nodes are added below
    Expression rest = n.expression;
    Values in = n.in;
    for (int32_t part : small_parts(n)) {
      Expression e = n.expression;
      e.results = {part};
      Values its = n.in;
      keep_read(e, its);
      rest.codes[static_cast<size_t>(part)] = {CANTIK_X_INPUT, static_cast<int32_t>(in.size()), -1, -1, 0};
      in.push_back(g_.map(std::move(e), its, n.source));
    }
    if (in.size() == n.in.size()) return;
    keep_read(rest, in);
    Node& m = g_.node(id);
    m.expression = std::move(rest);
    m.in = std::move(in);
    m.op = nullptr;
  }

  // The largest parts of the expression that are small and take some work.
  std::vector<int32_t> small_parts(const Node& n) const {
    const std::vector<Code>& codes = n.expression.codes;
    std::vector<Inputs> reads(codes.size());
    std::vector<char> is_part(codes.size());
    for (size_t i = 0; i < codes.size(); ++i) {
      const Code& k = codes[i];
      if (k.op == CANTIK_X_INPUT) reads[i] = Inputs{1} << k.a;
      for (int32_t a : arguments(k)) reads[i] |= reads[static_cast<size_t>(a)];
      is_part[i] = arity(k.op) > 0 && is_small(n, reads[i]);
      if (is_part[i])
        for (int32_t a : arguments(k)) is_part[static_cast<size_t>(a)] = false;
    }
    std::vector<int32_t> parts;
    for (size_t i = 0; i < codes.size(); ++i)
      if (is_part[i] && work(codes, static_cast<int32_t>(i)) >= kLeastWork)
        parts.push_back(static_cast<int32_t>(i));
    return parts;
  }
  static std::span<const int32_t> arguments(const Code& k) {
    return {&k.a,
            k.op == CANTIK_X_INPUT || k.op == CANTIK_X_ATTRIBUTE ? 0 : static_cast<size_t>(arity(k.op))};
  }
  bool is_small(const Node& n, Inputs read) const {
    if (!read) return false;
    std::vector<Type> types;
    for (; read; read &= read - 1)
      types.push_back(g_.type(n.in[static_cast<size_t>(std::countr_zero(read))]));
    return is_small(broadcast(types, "map"), g_.type(n.out[0]));
  }
  static bool is_small(const Type& t, const Type& whole) {
    if (!t.shape.is_static() || t.shape.elements() == 1) return false;  // one number a row: taken once anyway
    return t.shape.elements() * kTimes <= whole.shape.elements() ||
           (!t.axes.has_batch() && whole.axes.has_batch());
  }
  static int work(const std::vector<Code>& codes, int32_t code) {
    const Code& k = codes[static_cast<size_t>(code)];
    int sum = work_of(k.op);
    for (int32_t a : arguments(k))
      if (sum < kLeastWork) sum += work(codes, a);
    return sum;
  }

  Graph& g_;
};

}  // namespace

void hoist(Graph& g) { Hoister(g).run(); }

}  // namespace cantik::ir
