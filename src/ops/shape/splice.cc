// y = the operands one behind the other along an axis.
#include <algorithm>

#include <cantik/op.h>

#include "backends/forms.h"

using namespace cantik;

namespace {

struct Splice {
  int64_t axis = -1;
  static constexpr auto fields() {
    return list(
        field("axis", &Splice::axis, "the static axis along which they follow; a new leading one is possible")
            .key("axis")
            .role(CANTIK_AXIS));
  }
};

constexpr int64_t kMostAxes = 64;

// The operands' shapes brought to one rank; the axis among them. Other axes broadcast.
struct Joint {
  std::vector<Shape> shapes;
  Shape result;
  int axis = 0;
};

Joint join(const std::vector<Shape>& given, int64_t code) {
  Joint j;
  int rank = 0;
  for (const Shape& s : given) rank = std::max(rank, s.rank());
  if (rank == 0 && code == -1) rank = 1;  // numbers become a vector
  if (code == axis_code::kNewLeading) ++rank, j.axis = 0;
  // counted from behind, in front of all others
  else if (axis_code::is_static(code) && code < -rank && code >= -kMostAxes)
    rank = static_cast<int>(-code), j.axis = 0;
  else
    j.axis = static_axis(code, rank);
  for (const Shape& s : given) {
    Shape padded(std::vector<int64_t>(static_cast<size_t>(rank - s.rank()), 1));
    j.shapes.push_back(padded + s);
  }
  j.result = j.shapes[0];
  j.result[j.axis] = 0;
  for (size_t k = 0; k < j.shapes.size(); ++k)
    for (int i = 0; i < rank; ++i) {
      int64_t d = j.shapes[k][i];
      int64_t& have = j.result[i];
      if (i == j.axis)
        have = have < 0 || d < 0 ? std::min(have < 0 ? have : d, d < 0 ? d : have) : have + d;
      else if (have == 1 || have == kInferred || (have == kFree && d > 1))
        have = d;
      else if (d != have && d != 1 && d >= 0)
        throw value_failure("the axis " + std::to_string(i) + " of operand " + std::to_string(k) +
                                " has the size " + std::to_string(d) +
                                ", but that of the operands before it has the size " + std::to_string(have),
                            "give operands that differ only along the axis of the splice");
    }
  return j;
}

template <class P>
Joint joint(const P& p, int64_t code) {
  std::vector<Shape> shapes;
  for (int i = 0; i < p.inputs(); ++i) shapes.push_back(p.in(i).shape);
  return join(shapes, code);
}

}  // namespace

CANTIK_OP(splice) {
  op.attributes<Splice>("splice(*inputs, axis=-1, name='')")
      .doc(
          "The operands one behind the other along `axis`, by default the last; [2, 3] and [2, 4] become [2, "
          "7]. Their other axes broadcast. A single operand stays as it is.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Splice& a) {
        if (b.inputs() == 1) {
          b.result(b.x());
          return;
        }
        std::vector<Term> in;
        int rank = 0;
        bool known = true;
        for (int i = 0; i < b.inputs(); ++i) {
          in.push_back(b.x(i));
          Shape s = b.x(i).type().shape;
          known &= s.is_known();
          rank = std::max(rank, s.rank());
        }
        // a new axis, counted from behind
        bool in_front = axis_code::is_static(a.axis) && a.axis < -std::max(rank, 1);
        int64_t axis = !known || in_front || !axis_code::is_static(a.axis)
                           ? a.axis
                           : axis_from_end(a.axis, std::max(rank, 1));
        if (known && a.axis == axis_code::kNewLeading) axis = -rank - 1;
        b.result(b.call_all("splice_axis", in, {{"axis", axis}}, 1)[0]);
      })
      .sample({{2, 3}, {2, 4}})
      .sample({{2, 3}, {1, 3}, {2, 3}}, {.axis = 0});

  op.attributes<Splice>("splice_axis(*inputs, axis=-1, name='')")
      .doc("The operands one behind the other along a static axis.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const Splice& a) {
        bool known = in.shape(0).is_known();
        int longest = 0;  // the operand with the most dynamic axes
        TypeView t = in.like(0, Shape());
        for (int i = 1; i < in.inputs(); ++i) {
          known &= in.shape(i).is_known();
          TypeView u = in.join(longest, i, Shape());
          if (t.axes == CANTIK_AXES_UNKNOWN) u.axes = t.axes;
          if (u.axes > t.axes) longest = i;
          t = u;
        }
        t.shape = known ? joint(in, a.axis).result : Shape::unknown();
        in.set(t);
      })
      .joins_parts([](RowPart& p, const Splice& a) {
        const int rank = p.whole().rank();
        if (axis_code::is_static(a.axis) && a.axis >= -rank && a.axis < rank)
          p.along(static_axis(a.axis, rank));
      })
      .gradient([](Gradient& g, const Splice& a) {
        std::vector<Shape> shapes;
        for (int i = 0; i < g.inputs(); ++i) shapes.push_back(g.x(i).shape());
        Joint j = join(shapes, a.axis);
        int64_t at = 0;
        for (int i = 0; i < g.inputs(); ++i) {
          int64_t size = j.shapes[i][j.axis];
          if (g.wanted(i)) {
            Term d = g.call("slice_axes", {g.dy()}, {{"axis", j.axis}, {"begin", at}, {"end", at + size}});
            // A new axis goes again; broadcast ones are summed over by whoever asked.
            if (d.shape().rank() > g.x(i).shape().rank() && shapes[i].rank() + 1 == j.result.rank() &&
                size == 1 && j.axis == 0)
              d = g.call("view", {d}, {{"shape", d.shape().sub(1, d.shape().rank())}});
            g.dx(i, d);
          }
          at += size;
        }
      })
      .form("parts",
            [](const Prepare& p, const Splice& a) {
              Joint j = joint(p, a.axis);
              std::vector<int64_t> to = forms::strides_of(j.result);
              std::vector<forms::CopyPart> parts;
              int64_t offset = 0;
              for (int i = 0; i < p.inputs(); ++i) {
                const Shape& s = j.shapes[i];
                std::vector<int64_t> from = forms::strides_of(s);
                forms::CopyPart part{i, {}, {}, to, 0, offset};
                for (int k = 0; k < s.rank(); ++k) {
                  part.size.push_back(k == j.axis ? s[k] : j.result[k]);
                  part.from.push_back(s[k] == 1 && part.size.back() != 1 ? 0 : from[k]);
                }
                parts.push_back(part);
                offset += s[j.axis] * to[j.axis];
              }
              return forms::copy(p, parts);
            })
      .cntk("Splice", 43)
      .onnx_write(
          "Concat",
          [](OnnxGraph& g, const Splice& a) {
            const Shape made = g.out().shape;
            const int lead = g.out().axes, rank = made.rank();
            const int64_t axis = a.axis == axis_code::kNewLeading ? 0 : a.axis < 0 ? a.axis + rank : a.axis;
            int full = 0;  // an operand with all dynamic axes
            for (int i = 0; i < g.inputs(); ++i)
              if (g.lead(i) == lead) full = i;
            std::vector<OnnxValue> in;
            for (int i = 0; i < g.inputs(); ++i) {
              const Shape s = g.shape(i);
              const int missing = rank - s.rank();
              OnnxValue x = g.lead(i) ? g.inserted(g.x(i), g.lead(i), missing) : g.x(i);
              std::vector<int64_t> sizes;
              bool same = g.lead(i) == lead && (g.lead(i) > 0 || missing == 0);
              for (int k = 0; k < rank; ++k) {
                const int64_t own = k < missing ? 1 : s[k - missing];
                sizes.push_back(k == axis ? own : made[k]);
                same = same && own == sizes.back();
              }
              if (!same) {  // ours broadcast
                for (int64_t d : sizes)
                  if (d < 0) throw Failure(CANTIK_UNSUPPORTED, "operands of free sizes are spread");
                OnnxValue shape = g.integers(sizes);
                if (lead > 0) {
                  OnnxValue all = g.node("Shape", {g.x(full)});
                  OnnxValue front =
                      g.node("Slice", {all, g.integers({0}), g.integers({lead}), g.integers({0})});
                  shape = g.node("Concat", {front, shape}, {{"axis", 0}});
                }
                x = g.node("Expand", {x, shape});
              }
              in.push_back(x);
            }
            g.result(g.node("Concat", in, {{"axis", lead + axis}}));
          })
      .onnx_read("Concat",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.all();
                   if (x.size() > 1)  // what has no numbers adds none
                     std::erase_if(x, [&](const Term& t) {
                       const std::vector<int64_t> d = n.dims(t);
                       return std::count(d.begin(), d.end(), 0) > 0 && !(n.is_whole(t) && n.known(t));
                     });
                   if (x.empty()) x = {n.x(0)};
                   if (x.size() == 1) return n.result(x[0]);
                   bool known = true;
                   for (const Term& t : x) known = known && n.is_whole(t) && n.known(t) && n.rank(t) == 1;
                   if (known) {
                     std::vector<int64_t> numbers;
                     for (int i = 0; i < n.inputs(); ++i)
                       for (int64_t v : n.sizes(i)) numbers.push_back(v);
                     n.result_numbers(0, {static_cast<int64_t>(numbers.size())}, numbers);
                     return;
                   }
                   const int axis = n.axis_of(n.integer("axis"), n.rank(x.at(0)));
                   int lead = n.lead(x[0]);
                   for (const Term& t : x)
                     if (n.lead(t) != lead) lead = 0;
                   if (axis < lead) lead = 0;
                   for (Term& t : x)
                     if (lead == 0) t = n.plain(t);
                   n.result(n.call_all("splice", x, {{"axis", axis - lead}}, 1)[0]);
                 })
      .sample({{2, 3}, {2, 4}});
}
