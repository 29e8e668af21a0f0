#include "backends/cpu/epilogue.h"

#include "backends/host/maps.h"
#include "graph/types.h"

namespace cantik::cpu {

template <class T>
typename Epilogue<T>::Kind Epilogue<T>::kind_of(const Type& result, const Type& operand, int64_t columns) {
  if (operand.axes.has_batch() == result.axes.has_batch() && operand.shape == result.shape) return Kind::full;
  if (operand.axes.has_batch()) return Kind::other;
  if (operand.shape.elements() == 1) return Kind::single;
  if (operand.shape.elements() != columns) return Kind::other;
  // column for column: the operand's axes are the last ones of the result, but for ones in front
  int first = 0;
  while (operand.shape[first] == 1) ++first;
  const Shape own = operand.shape.sub(first, operand.shape.rank());
  const int rank = result.shape.rank();
  return own.rank() <= rank && result.shape.sub(rank - own.rank(), rank) == own ? Kind::column : Kind::other;
}

template <class T>
Epilogue<T>::Epilogue(const Prepare& p, int64_t lines, int64_t columns) : lines_(lines), columns_(columns) {
  if (p.epilogue().count == 0) return;
  Expression e = Expression::from_c(p.epilogue());
  inputs_ = p.epilogue_inputs();
  first_ = p.inputs() - inputs_;
  Type result = from_c(p.out().c());
  std::vector<Type> in{result}, lined;
  for (int i = 0; i < inputs_; ++i) in.push_back(from_c(p.in(first_ + i).c()));
  by_line_ = true;
  for (const Type& t : in) {
    kinds_.push_back(kind_of(result, t, columns));
    by_line_ &= kinds_.back() != Kind::other;
    lined.push_back(t);
    lined.back().shape = kinds_.back() == Kind::single ? Shape{} : Shape{columns};
    if (kinds_.back() == Kind::full) lined.back().axes = Axes::batch();
  }
  Type line = result;  // a row of its own, also where the whole result is one
  line.shape = {columns};
  line.axes = Axes::batch();
  map_ = by_line_ ? host::make_map(e, lined, {&line, 1}) : host::make_map(e, in, {&result, 1});
  simple_ = by_line_ && find_simple(e);
}

// select(gt(g, 0), y, 0) with g element for element.
template <class T>
bool Epilogue<T>::open_gate(const Expression& e, const Code& k) {
  auto code = [&](int32_t i) -> const Code& { return e.codes[i]; };
  const Code& condition = code(k.a);
  if (gate_ >= 0 || k.c == k.b || !e.is_constant(k.c, 0) || condition.op != CANTIK_X_GT ||
      !e.is_constant(condition.b, 0))
    return false;
  const Code& g = code(condition.a);
  if (g.op != CANTIK_X_INPUT || g.a == 0 || kinds_[g.a] != Kind::full) return false;
  gate_ = first_ + g.a - 1;
  return true;
}

// (y - center) * scale + shift, + another term, max(0, y), a gate: each may be missing. The operand of a step
// is an input of the wanted kind.
template <class T>
bool Epilogue<T>::find_simple(const Expression& e) {
  int32_t at = -1, steps = 0;
  for (size_t i = 0; i < e.codes.size(); ++i)
    if (e.codes[i].op == CANTIK_X_INPUT && e.codes[i].a == 0) at = static_cast<int32_t>(i);
  while (at >= 0 && at != e.results[0]) {
    const Code* next = nullptr;
    int32_t place = -1;
    for (size_t i = 0; i < e.codes.size(); ++i) {
      const Code& k = e.codes[i];
      int n = arity(k.op);
      bool reads = (n > 0 && k.a == at) || (n > 1 && k.b == at) || (n > 2 && k.c == at);
      if (reads && next) return false;
      if (reads) next = &k, place = static_cast<int32_t>(i);
    }
    if (next && next->op == CANTIK_X_SELECT && next->b == at && open_gate(e, *next)) {
      at = place;
      ++steps;
      continue;
    }
    if (!next || gate_ >= 0 || arity(next->op) != 2 || (next->a == at) == (next->b == at)) return false;
    const Code& other = e.codes[next->a == at ? next->b : next->a];
    if (next->op == CANTIK_X_MAX && other.op == CANTIK_X_CONSTANT && other.value == 0 && next->b == at &&
        !clip_) {
      clip_ = true;
    } else {
      if (other.op != CANTIK_X_INPUT || other.a == 0 || clip_) return false;
      Kind kind = kinds_[other.a];
      int input = first_ + other.a - 1;
      if (next->op == CANTIK_X_ADD && kind == Kind::full && add_ < 0)
        add_ = input;
      else if (next->op == CANTIK_X_ADD && kind == Kind::column && shift_ < 0 && add_ < 0)
        shift_ = input;
      else if (next->op == CANTIK_X_MUL && kind == Kind::column && scale_ < 0 && shift_ < 0 && add_ < 0)
        scale_ = input;
      else if (next->op == CANTIK_X_SUB && next->a == at && kind == Kind::column && center_ < 0 &&
               scale_ < 0 && shift_ < 0 && add_ < 0)
        center_ = input;
      else
        return false;
    }
    at = place;
    ++steps;
  }
  return at >= 0 && steps > 0;
}

template <class T>
Finish<T> Epilogue<T>::finish(const Run& r) const {
  Finish<T> f;
  auto data = [&](int i) { return i < 0 ? nullptr : static_cast<const T*>(r.in(i).data); };
  f.center = data(center_);
  f.scale = data(scale_);
  f.shift = data(shift_);
  f.add = data(add_);
  f.gate = data(gate_);
  f.c = static_cast<const T*>(r.out().data);
  f.clip = clip_;
  return f;
}

template <class T>
void Epilogue<T>::apply(const Run& r, int64_t begin, int64_t end) const {
  constexpr int kMostInputs = 24;
  cantik_operand in[kMostInputs], out = r.out();
  in[0] = out;
  for (int i = 0; i < inputs_; ++i) in[1 + i] = r.in(first_ + i);
  cantik_run c{};
  if (by_line_) {
    for (int i = 0; i <= inputs_; ++i)
      in[i].stride = kinds_[i] != Kind::full ? 0 : lines_ == 1 ? in[i].stride : columns_;
    out.stride = columns_;
    c.begin = map_->units(begin);
    c.end = map_->units(end);
  } else {
    c.begin = map_->units(begin / lines_);
    c.end = map_->units(end / lines_);
  }
  c.size = sizeof c;
  c.in = in;
  c.out = &out;
  c.scratch = r.scratch<char>();
  map_->run(Run(&c));
}

template class Epilogue<float>;
template class Epilogue<double>;

}  // namespace cantik::cpu
