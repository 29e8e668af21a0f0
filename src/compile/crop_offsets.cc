#include "compile/crop_offsets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "graph/operator.h"
#include "ops/nn/convolution_geometry.h"
#include "ops/nn/pooling_window.h"

namespace cantik::ir {
namespace {

// Strides divide positions: whole numbers would round too early.
struct Fraction {
  int64_t n = 0, d = 1;
  Fraction(int64_t n = 0, int64_t d = 1) : n(n), d(d) {
    if (this->d < 0) this->n = -this->n, this->d = -this->d;
    if (int64_t g = std::gcd(this->n, this->d); g > 1) this->n /= g, this->d /= g;
  }
  friend Fraction operator+(Fraction a, Fraction b) { return {a.n * b.d + b.n * a.d, a.d * b.d}; }
  friend Fraction operator-(Fraction a, Fraction b) { return {a.n * b.d - b.n * a.d, a.d * b.d}; }
  friend Fraction operator*(Fraction a, Fraction b) { return {a.n * b.n, a.d * b.d}; }
  friend Fraction operator/(Fraction a, Fraction b) { return {a.n * b.d, a.d * b.n}; }
  friend bool operator==(Fraction a, Fraction b) { return a.n == b.n && a.d == b.d; }
  std::string text() const { return d == 1 ? std::to_string(n) : cat(n, "/", d); }
};

// Positions along one axis: p lies over scale * p + shift.
struct Line {
  Fraction scale = 1, shift = 0;
  Line after(const Line& first) const { return {scale * first.scale, scale * first.shift + shift}; }
  Line reversed() const { return {Fraction(1) / scale, Fraction(0) - shift / scale}; }
};
using Lines = std::array<Line, 2>;  // along the last axis, and along the last but one

struct Operand {
  Variable value;
  Lines lines;  // from positions of the result to those of the operand
};

template <class A>
A attributes_of(const cantik::Node& n) {
  return read_attributes<A>(to_c(n.attributes).data());
}

int64_t from_end(const Shape& s, int k) { return s[s.rank() - 1 - k]; }

class Search {
 public:
  explicit Search(const std::function<Shape(const Variable&)>& shape_of) : shape_of_(shape_of) {}

  std::optional<std::vector<int64_t>> offsets(const cantik::Node& crop) {
    // All that the first operand comes from, then the way up from the second until it meets that.
    walk(computed(crop.inputs[0]), [&](const Variable& v, const Lines& l) {
      from_input_.emplace_back(v, l);
      if (crop.inputs.size() > 2 && v == computed(crop.inputs[2]))
        from_input_.emplace_back(computed(crop.inputs[3]), l);
      return false;
    });
    std::optional<Lines> input, referent;
    walk(computed(crop.inputs[1]), [&](const Variable& v, const Lines& l) {
      auto at =
          std::find_if(from_input_.begin(), from_input_.end(), [&](const auto& f) { return f.first == v; });
      if (at == from_input_.end()) return false;
      input = at->second;
      referent = l;
      return true;
    });
    if (open_) return std::nullopt;
    if (!input) throw not_found();
    std::vector<int64_t> offsets;
    for (int k = 0; k < 2; ++k) {
      // The pixel of the input over the same place as the referent's first.
      Line l = (*input)[static_cast<size_t>(k)].reversed().after((*referent)[static_cast<size_t>(k)]);
      if (!(l.scale == Fraction(1)))
        throw runtime_error(
            cat("the operands of the crop are of different scales: a step of node_referent is ",
                l.scale.text(), " steps of node_input"))
            .remedy("let strides and transposed convolutions between them make up for one another");
      if (l.shift.n < 0)
        throw runtime_error(cat("node_referent begins before node_input, by ", (Fraction(0) - l.shift).text(),
                                k == 0 ? " columns" : " rows"))
            .remedy("pad node_input's convolutions");
      offsets.push_back(l.shift.n / l.shift.d);
    }
    return offsets;
  }

 private:
  // Up from a value, by the last operand first, as CNTK goes.
  template <class Visit>
  void walk(const Variable& from, Visit&& visit) {
    std::vector<std::pair<Variable, Lines>> open{{from, Lines()}};
    std::vector<Variable> seen;
    while (!open.empty()) {
      auto [v, lines] = open.back();
      open.pop_back();
      if (std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
      seen.push_back(v);
      if (visit(v, lines)) return;
      if (!v.is_output()) continue;
      for (const Operand& o : operands(*v.node())) {
        Lines to;
        for (size_t k = 0; k < 2; ++k) to[k] = o.lines[k].after(lines[k]);
        open.emplace_back(computed(o.value), to);
      }
    }
  }

  // The middle of the window at each position.
  Line over(const cpu::Window& w, int axis, int64_t size) {
    if (axis < 0) return {};
    const bool open = size < 0 && w.automatic[static_cast<size_t>(axis)];
    open_ |= open;
    return {w.stride[static_cast<size_t>(axis)],
            (w.reach(axis) - 1) / 2 - (open ? 0 : w.padding(axis, size))};
  }

  // Which operands have the pixels of the result, and where.
  std::vector<Operand> operands(const cantik::Node& n) {
    const std::string& kind = n.op->named("pixels");
    if (kind == "convolved") {
      const auto a = attributes_of<ConvolutionAttributes>(n);
      const ConvolutionGeometry g = resolve_convolution(a, shape_of_(n.inputs[0]), shape_of_(n.inputs[1]));
      const Shape& plain = a.transpose ? g.y : g.x;
      Lines lines;
      for (int k = 0; k < 2; ++k) {
        const Line l = over(g.window, g.window.rank() - 1 - k, k < plain.rank() - 1 ? from_end(plain, k) : 1);
        lines[static_cast<size_t>(k)] = a.transpose ? l.reversed() : l;
      }
      return {{n.inputs[1], lines}};
    }
    if (kind == "pooled") {
      const auto a = attributes_of<PoolingWithEdges>(n);
      const Shape x = shape_of_(n.inputs[0]);
      const PoolingView v = pooling_view(a, x, a.ceil_out_dim);
      Lines lines;
      for (int k = 0; k < 2; ++k)
        lines[static_cast<size_t>(k)] = over(v.window, v.window.rank() - 1 - k, from_end(x, k));
      return {{n.inputs[0], lines}};
    }
    if (kind == "cropped") {
      const std::optional<std::vector<int64_t>> at = is_crop_without_offsets(n)
                                                         ? crop_offsets(n, shape_of_)
                                                         : *n.attributes[0].get<std::vector<int64_t>>();
      open_ |= !at;
      return {{n.inputs[0], {Line{1, at ? (*at)[0] : 0}, Line{1, at ? (*at)[1] : 0}}}};
    }
    std::vector<Operand> list;
    if (kind == "kept") {
      list.push_back({n.inputs[0], {}});
    } else if (!n.op->expression.empty()) {
      const Shape y = shape_of_(Variable(n.handle()));
      for (const Edge& e : n.inputs) {  // not what is spread over the pixels
        const Shape x = shape_of_(e);
        if (x.rank() >= 2 && from_end(x, 0) == from_end(y, 0) && from_end(x, 1) == from_end(y, 1))
          list.push_back({e, {}});
      }
    } else if (closed_.empty()) {
      closed_ = n.op->name;
    }
    return list;
  }

  Error not_found() const {
    if (!closed_.empty())
      return runtime_error(cat("no way from the operands of the crop to something that both come from: which "
                               "pixels of its operand those of ",
                               closed_, " lie over is not known"))
          .remedy(
              "use crop_manual and give the offsets, or crop_automatic_with_ancestors for a part of the way");
    return runtime_error("the operands of the crop have nothing in common that both come from")
        .remedy(
            "name what lies over what with crop_automatic_with_ancestors, or use crop_manual and give the "
            "offsets");
  }

  const std::function<Shape(const Variable&)>& shape_of_;
  std::vector<std::pair<Variable, Lines>> from_input_;
  bool open_ = false;   // a size was not known
  std::string closed_;  // the first operator that no way goes through
};

}  // namespace

bool is_crop_without_offsets(const cantik::Node& n) {
  if (!n.op || n.op->named("pixels") != "cropped") return false;
  return n.attributes[0].get<std::vector<int64_t>>() == nullptr;
}

std::optional<std::vector<int64_t>> crop_offsets(const cantik::Node& crop,
                                                 const std::function<Shape(const Variable&)>& shape_of) {
  return Search(shape_of).offsets(crop);
}

}  // namespace cantik::ir
