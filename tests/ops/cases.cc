#include "cases.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "graph/operator.h"

namespace cantik::testing {
namespace {

// Also what is not a number, infinite or denormal.
double number(const std::string& s) { return std::strtod(s.c_str(), nullptr); }

std::string trimmed(const std::string& s) {
  size_t a = s.find_first_not_of(" \t"), b = s.find_last_not_of(" \t");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

std::vector<std::string> split(const std::string& s, char at) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream in(s);
  while (std::getline(in, part, at)) parts.push_back(part);
  return parts;
}

std::vector<double> list_of(const std::string& s) {
  std::vector<double> list;
  for (const std::string& p : split(s, ',')) list.push_back(number(p));
  return list;
}

Attribute scalar_attribute(const std::string& s) {
  if (s == "True") return true;
  if (s == "False") return false;
  if (s == "None") return {};
  if (s.front() == '\'') {
    std::string t = s.substr(1, s.size() - 2);
    if (t == "batch") return axis_code::kBatch;
    if (t == "sequence") return axis_code::kSequence;
    if (t == "all") return axis_code::kAll;
    if (t == "all_static") return axis_code::kAllStatic;
    if (t == "new_leading") return axis_code::kNewLeading;
    if (t == "float32") return DType::float32;
    if (t == "float64") return DType::float64;
    return t;
  }
  if (s.find_first_of(".e") != std::string::npos) return number(s);
  return static_cast<int64_t>(std::stoll(s));
}

// A Python literal: a number, a text, a truth value, or a list or tuple of numbers or of pairs of numbers.
Attribute attribute_of(const std::string& s) {
  if (s.front() != '[' && s.front() != '(') return scalar_attribute(s);
  std::vector<int64_t> whole;
  std::vector<double> real;
  bool broken = false;
  std::string item;
  auto finish = [&] {
    if (trimmed(item).empty()) return;
    Attribute a = scalar_attribute(trimmed(item));
    broken |= a.get<double>() != nullptr;
    whole.push_back(a.integer());
    real.push_back(a.real());
    item.clear();
  };
  for (char c : s) {
    if (c == ',' || c == '(' || c == ')' || c == '[' || c == ']')
      finish();
    else
      item += c;
  }
  if (broken) return real;
  return whole;
}

// Sequences, as golden/ops_cntk.py has them: axes and lengths by the letter of the operand.
bool is_sequence(char kind) { return std::string("qhzvwu").find(kind) != std::string::npos; }
std::vector<int64_t> lengths_of_kind(char kind) {
  return kind == 'w'   ? std::vector<int64_t>{1, 1, 1}
         : kind == 'u' ? std::vector<int64_t>{2, 3, 5}
                       : std::vector<int64_t>{4, 1, 3};
}
Axes axes_of(char kind) {
  if (!is_sequence(kind)) return Axes::batch();
  return kind == 'v' || kind == 'w' || kind == 'u' ? Axes({Axis::batch(), Axis(std::string(1, kind))})
                                                   : Axes::sequence();
}

}  // namespace

double unit(uint64_t position, uint64_t stream) {
  uint64_t z = position * 0x9E3779B97F4A7C15u + (stream + 1) * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::vector<double> numbers(int64_t count, uint64_t stream, const std::string& spec) {
  std::vector<double> x(static_cast<size_t>(count));
  std::vector<double> given = spec.starts_with("=") ? list_of(spec.substr(1)) : std::vector<double>();
  std::vector<double> range = spec.empty() ? std::vector<double>{-1.3, 1.7}
                              : spec.starts_with("=") || spec.starts_with("int") ? std::vector<double>()
                                                                                 : list_of(spec);
  for (size_t i = 0; i < x.size(); ++i) {
    double u = unit(i, stream);
    if (!given.empty())
      x[i] = given[i % given.size()];
    else if (range.empty())
      x[i] = std::floor(u * number(spec.substr(3)));
    else
      x[i] = range[0] + (range[1] - range[0]) * u;
  }
  return x;
}

Case parse_case(const std::string& line) {
  std::vector<std::string> parts = split(line, '|');
  if (parts.size() < 3) throw std::runtime_error("not a case: " + line);
  std::string op = trimmed(parts[1]);
  op = op.starts_with("sequence.") ? "sequence_" + op.substr(9) : op.substr(op.rfind('.') + 1);
  Case c{line, trimmed(parts[0]), op, {}, {}, {}, false};
  for (const std::string& o : split(trimmed(parts[2]), ' '))
    if (!o.empty()) c.operands.push_back(o);
  // name=value, name=value; values may have commas inside brackets
  std::string rest = parts.size() > 3 ? trimmed(parts[3]) : "", item;
  int depth = 0;
  auto finish = [&] {
    std::string t = trimmed(item);
    item.clear();
    if (t.empty()) return;
    size_t equals = t.find('=');
    c.attributes.emplace_back(trimmed(t.substr(0, equals)), attribute_of(trimmed(t.substr(equals + 1))));
  };
  for (char ch : rest) {
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (ch == ',' && depth == 0)
      finish();
    else
      item += ch;
  }
  finish();
  // Python's function is of two operators
  if (std::erase_if(c.attributes, [](const auto& a) { return a.first == "no_mask_output"; }))
    c.op = "unpack_values";
  if (parts.size() > 4)
    for (const std::string& note : split(parts[4], ';')) {
      std::string t = trimmed(note);
      if (t.starts_with("not ")) c.differs = split(t.substr(4, t.find(':') - 4), ' ');
      if (t.starts_with("rough")) c.rough = true;
    }
  return c;
}

Operand make_operand(const std::string& text, uint64_t stream, DType dtype, int64_t samples,
                     const std::vector<int64_t>& lengths) {
  char kind = text[0];
  std::string rest = text.substr(2), spec;
  if (kind == 'n') return {constant(Tensor::scalar(number(rest), dtype)), {}, false};
  if (size_t at = rest.find('@'); at != std::string::npos)
    spec = rest.substr(at + 1), rest = rest.substr(0, at);
  Shape shape;
  for (double d : rest.empty() ? std::vector<double>() : list_of(rest))
    shape.push_back(static_cast<int64_t>(d));
  int64_t count = shape.elements();
  if (kind == 'p' || kind == 'c') {
    std::vector<double> x = numbers(count, stream, spec);
    Tensor t = Tensor::of<double>(shape, std::span<const double>(x)).cast(dtype);
    if (kind == 'p') return {parameter(shape, t, dtype), {}, true};
    return {constant(t), {}, false};
  }
  std::shared_ptr<const Layout> layout = Layout::batch(samples);
  if (is_sequence(kind)) {
    layout = Layout::of_lengths(lengths.empty() ? lengths_of_kind(kind) : lengths);
    samples = layout->rows();
  }
  std::vector<double> x = numbers(samples * count, stream, spec);
  if (kind == 's' || kind == 'o' || kind == 'z') {
    auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
    auto columns = std::make_shared<std::vector<int32_t>>();
    auto values = std::make_shared<std::vector<float>>();
    auto wide = std::make_shared<std::vector<double>>();
    for (int64_t r = 0; r < samples; ++r) {
      const double* row = x.data() + r * count;
      int64_t best = 0;
      for (int64_t i = 0; i < count; ++i)
        if (static_cast<float>(row[i]) > static_cast<float>(row[best])) best = i;
      for (int64_t i = 0; i < count; ++i) {
        if (kind == 'o' ? i != best : row[i] <= 0) continue;
        double v = kind == 'o' ? 1 : row[i];
        columns->push_back(static_cast<int32_t>(i));
        values->push_back(static_cast<float>(v));
        wide->push_back(v);
      }
      starts->push_back(static_cast<int64_t>(columns->size()));
    }
    std::shared_ptr<const void> data;
    if (kind != 'o')
      data = dtype == DType::float32 ? std::shared_ptr<const void>(values, values->data())
                                     : std::shared_ptr<const void>(wide, wide->data());
    Tensor t = Tensor::csr(dtype, Shape{samples} + shape, {starts, starts->data()},
                           {columns, columns->data()}, data);
    return {input(shape, {.dtype = dtype, .sparse = true, .axes = axes_of(kind)}), Value(t, layout), false};
  }
  bool wanted = kind != 'g' && kind != 'h';
  Tensor t = Tensor::of<double>(Shape{samples} + shape, std::span<const double>(x)).cast(dtype);
  return {input(shape, {.dtype = dtype, .needs_gradient = wanted, .axes = axes_of(kind)}), Value(t, layout),
          wanted};
}

Function call_case(const Case& c, const std::vector<Operand>& operands) {
  std::vector<Variable> in;
  for (const Operand& o : operands) in.push_back(o.variable);
  std::vector<NamedAttribute> attributes;
  for (const auto& [name, value] : c.attributes) attributes.push_back({name, value});
  return call(c.op, in, attributes);
}

Feeds feeds_of(const std::vector<Operand>& operands) {
  Feeds feeds;
  for (const Operand& o : operands)
    if (o.is_fed()) feeds.emplace_back(o.variable, o.value);
  return feeds;
}

std::vector<double> to_numbers(const Value& v) {
  Tensor t = v.data.to_dense();
  std::vector<double> x;
  for (int64_t i = 0; i < t.elements(); ++i) x.push_back(t.at(i));
  return x;
}

std::vector<Result> run_case(const Case& c, DType dtype, int64_t samples, const RunOptions& options,
                             bool gradients) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < c.operands.size(); ++i)
    operands.push_back(make_operand(c.operands[i], i, dtype, samples));
  Function f = call_case(c, operands);
  Feeds feeds = feeds_of(operands);
  std::vector<Variable> outputs = f.outputs();
  std::vector<Value> values = f.eval(feeds, outputs, options);
  std::vector<Result> results;
  for (size_t i = 0; i < values.size(); ++i) {
    results.push_back({"y" + std::to_string(i), values[i].data.shape(), to_numbers(values[i])});
    if (!outputs[i].axes().has_sequence()) continue;
    const Layout& l = *values[i].layout;
    std::vector<double> lengths;
    for (int64_t s = 0; s < l.sequences(); ++s) lengths.push_back(static_cast<double>(l.length(s)));
    results.push_back({"n" + std::to_string(i), Shape{l.sequences()}, lengths});
  }
  std::vector<Variable> wrt;
  std::vector<size_t> place;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].wanted) wrt.push_back(operands[i].variable), place.push_back(i);
  if (wrt.empty() || !gradients) return results;
  const Variable& y = outputs[0];
  bool sequences = std::any_of(c.operands.begin(), c.operands.end(),
                               [](const std::string& o) { return is_sequence(o[0]); });
  Function root;
  if (sequences) {  // the sum of squares, weighted by the place in a step
    Shape shape = y.shape();
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i] == kFree) shape[i] = 1;
    std::vector<double> x = numbers(shape.elements(), 100, "0.2,1.8");
    root = call("element_times",
                {call("square", {y}).output(),
                 constant(Tensor::of<double>(shape, std::span<const double>(x)).cast(y.dtype()))});
  }
  Operand w;
  if (sequences) {
  } else if (y.axes().has_batch()) {
    std::vector<double> x = numbers(samples * y.shape().elements(), 100, "0.2,1.8");
    w = {input(y.shape(), {.dtype = y.dtype()}),
         Value::batch(
             Tensor::of<double>(Shape{samples} + y.shape(), std::span<const double>(x)).cast(y.dtype())),
         false};
    feeds.emplace_back(w.variable, w.value);
  } else {
    Shape shape = values[0].data.shape();
    std::vector<double> x = numbers(shape.elements(), 100, "0.2,1.8");
    w = {constant(Tensor::of<double>(shape, std::span<const double>(x)).cast(y.dtype())), {}, false};
  }
  if (!sequences) root = call("element_times", {y, w.variable});
  // what the first output has nothing to do with gets no gradient
  std::vector<Variable> read = root.inputs();
  auto unread = [&](const Variable& v) { return std::find(read.begin(), read.end(), v) == read.end(); };
  std::erase_if(feeds, [&](const auto& f) { return unread(f.first); });
  for (size_t i = wrt.size(); i-- > 0;)
    if (unread(wrt[i]))
      wrt.erase(wrt.begin() + static_cast<std::ptrdiff_t>(i)),
          place.erase(place.begin() + static_cast<std::ptrdiff_t>(i));
  if (wrt.empty()) return results;
  std::vector<Value> d = root.grad(feeds, wrt, options);
  for (size_t i = 0; i < d.size(); ++i)
    results.push_back({"d" + std::to_string(place[i]), d[i].data.shape(), to_numbers(d[i])});
  return results;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace cantik::testing
