// Loops whose rounds, and branches whose shapes, only a run knows: the graphs inside are functions, which the
// run evaluates as often as it finds. There is no gradient through them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

// The names that a graph reads, those of graphs inside of it too.
void names_read(const GraphRecord& g, std::vector<std::string_view>& names) {
  for (const NodeRecord& n : g.nodes) {
    names.insert(names.end(), n.inputs.begin(), n.inputs.end());
    for (const AttributeRecord& a : n.attributes)
      for (const GraphRecord& inner : a.graphs) names_read(inner, names);
  }
  for (const ValueRecord& v : g.outputs) names.push_back(v.name);
}

Array number(double value) { return {{}, {value}}; }

// The rows that the rounds of a loop make, one behind the other.
class RoundRows {
 public:
  explicit RoundRows(const std::vector<int64_t>& said) : array_{said, {}} {
    array_.dims.insert(array_.dims.begin(), 0);
    for (int64_t& d : array_.dims) d = std::max<int64_t>(d, 0);
  }
  void add(const Array& row) {
    if (array_.dims[0] == 0) std::copy(row.dims.begin(), row.dims.end(), array_.dims.begin() + 1);
    if (!std::equal(row.dims.begin(), row.dims.end(), array_.dims.begin() + 1, array_.dims.end()))
      throw value_error("the rounds of a loop make rows of different shapes");
    ++array_.dims[0];
    array_.numbers.insert(array_.numbers.end(), row.numbers.begin(), row.numbers.end());
  }
  Array& all() { return array_; }

 private:
  Array array_;
};

// Where sizes are not the same in both, they are open.
std::vector<int64_t> common_sizes(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                                  const char* what) {
  if (a.size() != b.size()) throw unsupported(cat(what, " have different ranks"));
  std::vector<int64_t> both;
  for (size_t i = 0; i < a.size(); ++i) both.push_back(a[i] == b[i] && a[i] >= 0 ? a[i] : -1);
  return both;
}

}  // namespace

OnnxReader::Captures OnnxReader::captures_of(const std::vector<const GraphRecord*>& graphs,
                                             const Scope& scope) {
  std::vector<std::string_view> names;
  for (const GraphRecord* g : graphs) names_read(*g, names);
  Captures captures;
  std::unordered_set<std::string_view> seen;
  for (std::string_view name : names) {
    const int v = name.empty() || !seen.insert(name).second ? -1 : scope.find(name);
    // numbers that no run changes are read where they are
    if (v >= 0 && !values_.list(v) && !values_.at(v, "a value from outside").constant)
      captures.emplace_back(name, values_.with_lead(v, 0));
  }
  return captures;
}

OnnxReader::InnerGraph OnnxReader::inner_graph(const GraphRecord& g, const std::vector<ComputedResult>& given,
                                               const Captures& captures, Scope& scope,
                                               const Bindings* bindings, const char* what) {
  const Values::Inside inside(values_);
  InnerGraph made;
  std::map<int64_t, int64_t> symbols;  // sizes that only a run knows, outside and inside
  auto input = [&](Scope& to, std::string_view name, std::vector<int64_t> dims, int32_t element,
                   DType dtype) {
    Shape shape(dims);
    for (int64_t& d : shape)
      if (d < 0) d = kFree;
    for (int64_t& d : dims) {
      if (d >= 0) continue;
      const auto [at, fresh] = symbols.try_emplace(d, 0);
      if (fresh || d == -1) at->second = values_.new_symbol();
      d = at->second;
    }
    InputOptions options;
    options.dtype = dtype;
    options.axes = Axes();
    options.name = std::string(name);
    ReadValue v;
    v.variable = cantik::input(shape, options);
    v.element = element;
    v.sizes = dims;
    made.function.inputs.push_back(v.variable);
    define(to, name, values_.add(std::move(v)));
  };
  Scope around, inner;
  around.outer = &scope;
  inner.outer = &around;
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].element == kUndefined)
      define(inner, g.inputs[i].name, values_.add_list({.grows = true}));
    else
      input(inner, g.inputs[i].name, given[i].dims, given[i].element, holder_of(given[i].element));
  for (const auto& [name, v] : captures)
    input(around, name, values_.dims(v), values_.at(v, "a value from outside").element,
          values_.variable(v).dtype());
  for (const TensorRecord& t : g.initializers) define(inner, t.name, initializer(t));
  for (int v : results_of(g, inner, bindings, what)) {
    if (const TensorList* list = values_.list(v)) {
      if (!list->grows || list->tensors.size() != 1)
        throw unsupported(cat(what, " makes a sequence of tensors other than by one more in each round"));
      v = list->tensors[0];
    }
    v = values_.with_lead(v, 0);
    made.dims.push_back(values_.dims(v));
    made.elements.push_back(values_.at(v, "a result").element);
    // an output for each, also where they are one value, or an input
    made.function.outputs.push_back(
        cantik::call("alias", {values_.variable(v)}, std::initializer_list<NamedAttribute>{}).output());
  }
  made.function.function = closed(function_of(made.function.outputs).as_composite());
  for (const Variable& v : made.function.function.arguments())
    if (std::find(made.function.inputs.begin(), made.function.inputs.end(), v) == made.function.inputs.end())
      throw unsupported(cat(what, " reads the axes of values outside of it"));
  return made;
}

std::vector<int> OnnxReader::run_loop(const NodeRecord& n, const std::vector<int>& in, Scope& scope,
                                      const Bindings* bindings) {
  if (values_.in_steps) throw unsupported("a loop inside a loop cannot be read");
  const GraphRecord& g = n.find("body")->graphs[0];
  const size_t states = in.size() - 2;
  const Captures captures = captures_of({&g}, scope);
  std::vector<int> operands;
  std::vector<ComputedResult> given{{{}, kInt64}, {{}, kBool}};
  std::vector<bool> is_list;  // of each state
  for (size_t i = 0; i < in.size(); ++i) {
    if (i >= 2) is_list.push_back(values_.list(in[i]));
    if (i >= 2 && is_list.back()) {
      const TensorList& list = *values_.list(in[i]);
      if (list.stacked >= 0 || list.grows || !list.tensors.empty())
        throw unsupported("a sequence of tensors that a loop goes on with has to begin empty");
      given.push_back({{}, kUndefined});
      continue;
    }
    operands.push_back(in[i] < 0 ? -1 : values_.with_lead(in[i], 0));
    if (i >= 2)
      given.push_back({values_.dims(operands.back()), values_.at(operands.back(), "a state").element});
  }
  for (const auto& [name, v] : captures) operands.push_back(v);
  // a state that begins without numbers is open, and so is one whose size changes from round to round
  for (ComputedResult& state : given)
    for (int64_t& d : state.dims)
      if (d == 0) d = -1;
  InnerGraph body;
  for (bool changes = true; changes;) {
    changes = false;
    body = inner_graph(g, given, captures, scope, bindings, "the body of a loop");
    for (size_t i = 0; i < states; ++i) {
      if (is_list[i]) continue;
      std::vector<int64_t>& dims = given[i + 2].dims;
      const std::vector<int64_t> both = common_sizes(dims, body.dims[i + 1], "the rounds of a loop");
      for (size_t k = 0; k < dims.size(); ++k)
        if (dims[k] >= 0 && both[k] < 0) dims[k] = -1, changes = true;
    }
  }
  Computed what;
  // What the body makes behind its condition: tensors for the next round, and rows.
  std::vector<size_t> next, made_rows;
  for (size_t i = 0; i + 1 < body.dims.size(); ++i)
    (i < states && !is_list[i] ? next : made_rows).push_back(i);
  for (size_t i : next) what.results.push_back(given[i + 2]);
  std::vector<std::vector<int64_t>> said;
  for (size_t i : made_rows) {
    said.push_back(body.dims[i + 1]);
    what.results.push_back({said.back(), body.elements[i + 1]});
    what.results.back().dims.insert(what.results.back().dims.begin(), -1);
  }
  for (ComputedResult& r : what.results)
    for (int64_t& d : r.dims) d = std::max<int64_t>(d, -1);
  what.run = [inner = body.function, said, next, made_rows](const std::vector<Array>& x) {
    const double most = x[0].numbers.empty() ? 0x1p62 : x[0].numbers[0];
    bool goes_on = x[1].numbers.empty() || x[1].numbers[0] != 0;
    std::vector<Array> now = x;
    std::vector<RoundRows> rows(said.begin(), said.end());
    now[1] = number(1);
    for (int64_t round = 0; static_cast<double>(round) < most && goes_on; ++round) {
      may_end(1000);
      now[0] = number(static_cast<double>(round));
      std::vector<Array> made = inner.run(now);
      goes_on = made[0].numbers.at(0) != 0;
      for (size_t i = 0; i < next.size(); ++i) now[2 + i] = std::move(made[1 + next[i]]);
      for (size_t i = 0; i < rows.size(); ++i) rows[i].add(made[1 + made_rows[i]]);
    }
    std::vector<Array> results(now.begin() + 2, now.begin() + 2 + static_cast<std::ptrdiff_t>(next.size()));
    for (RoundRows& r : rows) results.push_back(std::move(r.all()));
    return results;
  };
  const std::vector<int> made = computed(std::move(what), n, operands);
  std::vector<int> results(body.dims.size() - 1);
  for (size_t i = 0; i < next.size(); ++i) results[next[i]] = made[i];
  for (size_t i = 0; i < made_rows.size(); ++i) {
    const int rows = made[next.size() + i];
    results[made_rows[i]] = made_rows[i] < states ? values_.add_list({.stacked = rows}) : rows;
  }
  return results;
}

std::vector<int> OnnxReader::run_branch(const NodeRecord& n, int condition, Scope& scope,
                                        const Bindings* bindings) {
  if (values_.in_steps) throw unsupported("branches of different shapes inside a loop cannot be read");
  const GraphRecord &yes = n.find("then_branch")->graphs[0], &no = n.find("else_branch")->graphs[0];
  const Captures captures = captures_of({&yes, &no}, scope);
  std::vector<int> operands{condition};
  for (const auto& [name, v] : captures) operands.push_back(v);
  const InnerGraph a = inner_graph(yes, {}, captures, scope, bindings, "a branch of If"),
                   b = inner_graph(no, {}, captures, scope, bindings, "a branch of If");
  Computed what;
  for (size_t i = 0; i < n.outputs.size(); ++i)
    what.results.push_back(
        {common_sizes(a.dims[i], b.dims[i], "the branches of If, of which a run takes one,"), a.elements[i]});
  what.run = [yes = a.function, no = b.function, count = n.outputs.size()](const std::vector<Array>& in) {
    const std::vector<Array> captured(in.begin() + 1, in.end());
    std::vector<Array> made = (in[0].numbers.at(0) != 0 ? yes : no).run(captured);
    made.resize(count);
    return made;
  };
  return computed(std::move(what), n, operands);
}

}  // namespace cantik::onnx
