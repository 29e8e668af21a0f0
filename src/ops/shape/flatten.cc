// x as a matrix: the axes before one, and the rest.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Flatten {
  int64_t axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(
        field("axis", &Flatten::axis,
              "the first axis of the columns; -1: the end, as is the batch axis. Without one, all axes are "
              "columns")
            .key("axis")
            .role(CANTIK_BOUNDARY));
  }
};

int place_of_axis(int64_t code, int rank) {
  if (code == axis_code::kNone) return 0;
  if (code == axis_code::kBatch) return rank;
  int64_t i = code < 0 ? code + rank + 1 : code;
  if (i < 0 || i > rank)
    throw Failure(CANTIK_RUNTIME,
                  axis_text(code) + " is out of bounds for an operand of rank " + std::to_string(rank));
  return static_cast<int>(i);
}

}  // namespace

CANTIK_OP(flatten) {
  op.attributes<Flatten>("flatten(x, axis=None, name='')")
      .doc(
          "A matrix of the same numbers: its rows are the axes before `axis`, its columns the others. [2, 3, "
          "4] becomes [2, 12] with axis 1.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Flatten& a) {
        TypeView x = b.x().type();
        int64_t at = a.axis;
        if (x.shape.is_known())
          at = place_of_axis(a.axis, x.shape.rank());
        else if (a.axis == axis_code::kNone)
          at = 0;
        else if (a.axis == axis_code::kBatch)
          at = -1;
        b.result(b.call("flatten_at", {b.x()}, {{"axis", at}}));
      })
      .sample({{2, 3, 4}})
      .sample({{2, 3, 4}}, {.axis = 1})
      .sample({{2, 3, 4}}, {.axis = axis_code::kBatch});

  op.attributes<Flatten>("flatten_at(x, axis=None, name='')")
      .doc("A matrix of the same numbers.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const Flatten& a) {
        Shape s = b.x().type().shape;
        if (!s.is_known()) {  // first the rows, then the columns: no more is said than what is known
          bool all = a.axis == axis_code::kNone || a.axis == 0;
          int64_t end = a.axis >= 0 ? a.axis : a.axis == -1 ? axis_code::kNone : a.axis + 1;
          Term rows = all ? b.x()
                          : b.call("reshape", {b.x()},
                                   {{"shape", Shape{kInferred}}, {"begin_axis", 0}, {"end_axis", end}});
          Shape columns = all ? Shape{1, kInferred} : Shape{kInferred};
          b.result(b.call("reshape", {rows}, {{"shape", columns}, {"begin_axis", all ? 0 : 1}}));
          return;
        }
        int at = place_of_axis(a.axis, s.rank());
        Shape left = s.sub(0, at), right = s.sub(at, s.rank());
        Shape matrix{left.is_static() ? left.elements() : kInferred,
                     right.is_static() ? right.elements() : kInferred};
        b.result(b.call("reshape", {b.x()}, {{"shape", matrix}}));
      })
      .cntk_block("Flatten")
      .onnx_write("Flatten", [](OnnxGraph& g) { g.result(g.reshape(g.x(), g.lead(), g.out().shape)); })
      .onnx_read("Flatten",
                 [](OnnxNode& n) {
                   const std::vector<int64_t> d = n.dims(n.x());
                   const int rank = static_cast<int>(d.size());
                   const int64_t given = n.integer("axis", 1);
                   const int at = given == rank ? rank : n.axis_of(given, rank);
                   auto product = [&](int from, int to) {
                     int64_t p = 1;
                     for (int i = from; i < to; ++i) p = d[i] < 0 || p < 0 ? -1 : p * d[i];
                     return to - from == 1 ? d[from] : p;
                   };
                   n.result(n.reshape(n.x(), {product(0, at), product(at, rank)}));
                 })
      .sample({{2, 3, 4}}, {.axis = 2});
}
