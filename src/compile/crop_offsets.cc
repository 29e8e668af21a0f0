#include "compile/crop_offsets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>

#include "base/text.h"
#include "graph/boundary.h"
#include "graph/operator.h"
#include "graph/types.h"

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

struct CropOperand {
  Variable value;
  Lines lines;  // from positions of the result to those of the operand
};

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
      Line l = (*input)[k].reversed().after((*referent)[k]);
      if (!(l.scale == Fraction(1)))
        throw runtime_error(
            cat("the operands of the crop have different scales: a pixel of node_referent is ",
                l.scale.text(), " pixels of node_input"))
            .remedy("use strides and transposed convolutions that cancel each other");
      if (l.shift.n < 0)
        throw runtime_error(cat("node_referent begins ", (Fraction(0) - l.shift).text(),
                                k == 0 ? " columns" : " rows", " before node_input"))
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
      for (const CropOperand& o : operands(*v.node())) {
        Lines to;
        for (size_t k = 0; k < 2; ++k) to[k] = o.lines[k].after(lines[k]);
        open.emplace_back(computed(o.value), to);
      }
    }
  }

  // Which operands have the pixels of the result, and where.
  std::vector<CropOperand> operands(const cantik::Node& n) {
    std::vector<CropOperand> list;
    if (n.op->facts.offset_by_graph && !n.attributes[0].defined()) {
      const std::optional<std::vector<int64_t>> at = crop_offsets(n, shape_of_);
      open_ |= !at;
      list.push_back({n.inputs[0], {Line{1, at ? (*at)[0] : 0}, Line{1, at ? (*at)[1] : 0}}});
    } else if (n.op->facts.pixels) {
      list.push_back(stated(n));
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

  // What the operator says of its pixels.
  CropOperand stated(const cantik::Node& n) {
    std::vector<Type> types;
    for (const Edge& e : n.inputs) types.push_back({DType::unknown, shape_of_(e), Axes(), Storage::dense});
    std::vector<cantik_type> in;
    for (const Type& t : types) in.push_back(to_c(t));
    const AttributesInC attributes = to_c(n.attributes);
    Boundary boundary;
    cantik_pixels p{};
    p.size = sizeof p;
    p.self = &boundary;
    p.inputs = static_cast<int32_t>(in.size());
    p.in = in.data();
    p.attributes = attributes.data();
    p.fail = [](void* self, int32_t kind, const char* text, const char* remedy) {
      static_cast<Boundary*>(self)->fail(kind, text, remedy);
    };
    for (cantik_line& line : p.line) line = {{1, 1}, {0, 1}};
    boundary.call(*n.op, "pixels", [&] { return n.op->facts.pixels(n.op->user, &p); });
    auto fails = [&](const char* why) {
      return runtime_error(cat("the pixel map of ", n.op->name, " is malformed: ", why));
    };
    if (p.operand < 0 || p.operand >= p.inputs) throw fails("there is no such operand");
    open_ |= p.open != 0;
    Lines lines;
    for (size_t k = 0; k < 2; ++k) {
      const cantik_line& l = p.line[k];
      if (l.scale[0] <= 0 || l.scale[1] <= 0 || l.shift[1] <= 0) throw fails("a fraction is not positive");
      lines[k] = {{l.scale[0], l.scale[1]}, {l.shift[0], l.shift[1]}};
    }
    return {n.inputs[p.operand], lines};
  }

  Error not_found() const {
    if (!closed_.empty())
      return runtime_error(
                 cat("crop_automatic cannot align its operands: it does not know how the pixels of ", closed_,
                     " lie over those of its operand"))
          .remedy(
              "use crop_manual and give the offsets, or name ancestors behind that operator with "
              "crop_automatic_with_ancestors");
    return runtime_error(
               "crop_automatic cannot align its operands: they are not computed from a common value")
        .remedy(
            "name two values that lie over each other with crop_automatic_with_ancestors, or use crop_manual "
            "and give the offsets");
  }

  const std::function<Shape(const Variable&)>& shape_of_;
  std::vector<std::pair<Variable, Lines>> from_input_;
  bool open_ = false;   // a size was not known
  std::string closed_;  // the first operator that no way goes through
};

}  // namespace

bool is_crop_without_offsets(const cantik::Node& n) {
  return n.op && n.op->facts.offset_by_graph && !n.attributes[0].defined();
}

std::optional<std::vector<int64_t>> crop_offsets(const cantik::Node& crop,
                                                 const std::function<Shape(const Variable&)>& shape_of) {
  return Search(shape_of).offsets(crop);
}

}  // namespace cantik::ir
