#include "specimens.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "graph/node.h"

namespace cantik::testing {

const std::vector<Specimen>& specimens() {
  static const auto* list = [] {
    auto* all = new std::vector<Specimen>;
    for (const Operator* op : Registry::global().all())
      for (size_t i = 0; !op->has(CANTIK_HIDDEN) && i < op->samples.size(); ++i) all->push_back({op, i});
    return all;
  }();
  return *list;
}

// What the file of an operator says of its tests, with named(): "test.operands", a letter for each operand, b
// a batch input (as all are otherwise), p a parameter, c a constant, q a sequence, m a sequence of truth
// values; "test.lengths", of the sequences, in turn (then all operands are sequences otherwise);
// "test.gradient", "test.rows", why its gradient is not the slope of its values (one that begins with "none"
// is refused), why a row or a sequence depends on the others.

namespace {

std::vector<int64_t> lengths_of_samples(const Operator& op, int64_t sequences) {
  std::vector<int64_t> stated, list;
  std::istringstream in(op.named("test.lengths"));
  for (std::string n; std::getline(in, n, ',');) stated.push_back(std::stoll(n));
  for (int64_t i = 0; i < sequences && !stated.empty(); ++i)
    list.push_back(stated[static_cast<size_t>(i) % stated.size()]);
  return list;
}

}  // namespace

Built build(const Specimen& s, DType dtype, int64_t samples, bool among,
            const std::vector<Attribute>* given) {
  std::ostringstream range;
  range << s.sample().low << ',' << s.sample().high;
  std::string kinds = s.op->named("test.operands");
  std::vector<int64_t> lengths = lengths_of_samples(*s.op, samples);
  kinds.resize(s.sample().inputs.size(), lengths.empty() ? 'b' : 'q');
  Built b;
  std::vector<Variable> in;
  for (size_t i = 0; i < s.sample().inputs.size(); ++i) {
    std::string dims;
    for (int64_t d : s.sample().inputs[i]) dims += (dims.empty() ? "" : ",") + std::to_string(d);
    std::string text =
        kinds[i] == 'm' ? "h:" + dims + "@int2" : std::string(1, kinds[i]) + ":" + dims + "@" + range.str();
    b.operands.push_back(make_operand(text, i, dtype, samples, lengths));
    Variable v = b.operands.back().variable;
    in.push_back(among && v.is_input() ? call("negate", {call("negate", {v})}).output() : v);
  }
  std::vector<NamedAttribute> attributes;
  for (size_t i = 0; i < s.op->fields.size(); ++i)
    attributes.push_back({s.op->fields[i].name.c_str(), (given ? *given : s.sample().attributes)[i]});
  b.f = call(s.op->name, in, attributes);
  return b;
}

bool draws(const Specimen& s) {
  Function f = build(s, DType::float32, 1).f;
  bool found = false;
  std::function<void(const std::shared_ptr<Node>&)> look = [&](const std::shared_ptr<Node>& root) {
    preorder(root, [&](const std::shared_ptr<Node>& n) {
      found |= n->op && n->op->has(CANTIK_DRAWS);
      if (n->block) look(n->block->root.handle());
      return found;
    });
  };
  look(f.node());
  return found;
}

Value value_of(const Built& b, const RunOptions& options) {
  Feeds feeds = feeds_of(b.operands);
  std::vector<Variable> read = b.f.inputs();
  std::erase_if(feeds,
                [&](const auto& f) { return std::find(read.begin(), read.end(), f.first) == read.end(); });
  return b.f.eval(feeds, {b.f.outputs()[0]}, options)[0];
}
std::vector<double> numbers_of(const Built& b, const RunOptions& options) {
  return to_numbers(value_of(b, options));
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, far = a.size() == b.size() ? 0 : INFINITY;
  for (double x : a)
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) far = std::max(far, std::fabs(a[i] - b[i]));
  return most ? far / most : far;
}

}  // namespace cantik::testing
