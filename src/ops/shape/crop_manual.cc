// A part of an image, of the size of another one.
#include <optional>

#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/figures.h"

using namespace cantik;

namespace cantik {

// Two numbers, or none.
struct Offset : std::optional<std::vector<int64_t>> {
  using std::optional<std::vector<int64_t>>::optional;
};
inline cantik_attribute pack(const Offset& v) { return v ? pack(*v) : cantik_attribute{CANTIK_NONE, 0, {}}; }
inline void unpack(const cantik_attribute& a, Offset& v) {
  if (a.kind == CANTIK_INTS || a.kind == CANTIK_INT) unpack(a, v.emplace());
}

}  // namespace cantik

namespace {

struct Crop {
  int64_t offset_x = 0, offset_y = 0;
  static constexpr auto fields() {
    return list(field("offset_x", &Crop::offset_x, "where the part begins along the last axis"),
                field("offset_y", &Crop::offset_y, "where it begins along the last but one"));
  }
};

// As CNTK's files have it. Without offsets, those are found from the graph once sizes are known:
// compile/crop_offsets.h.
struct CropAt {
  Offset offset;
  static constexpr auto fields() {
    return list(field("offset", &CropAt::offset,
                      "where the part begins along the last axis, and along the last but one; none: found "
                      "from the graph")
                    .key("offset")
                    .role(CANTIK_LIST));
  }
};

constexpr auto infer_crop = [](Infer& in, const CropAt& a) {
  Shape x = in.shape(0), like = in.shape(1);
  if (x.is_known() && x.rank() < 2)
    throw Failure(
        CANTIK_RUNTIME,
        "node_input must have a height and a width as its last axes, and has the shape " + x.text());
  if (!x.is_known() || !like.is_known()) {
    in.set(in.join(0, 1, Shape::unknown()));
    return;
  }
  if (x.rank() != like.rank())
    throw Failure(CANTIK_RUNTIME,
                  "node_input and node_referent have different ranks, " + x.text() + " and " + like.text());
  if (a.offset && a.offset->size() != 2)
    throw Failure(CANTIK_RUNTIME,
                  "the offset must be two numbers, and has " + std::to_string(a.offset->size()));
  if (a.offset) check_figures("an offset of the crop", *a.offset);
  Shape y = x;
  for (int k = 0; k < 2; ++k) {
    int64_t size = like[like.rank() - 1 - k];
    int64_t& d = y[y.rank() - 1 - k];
    if (a.offset) {
      int64_t from = (*a.offset)[k];
      if (from < 0 || (d >= 0 && size >= 0 && from + size > d))
        throw Failure(CANTIK_RUNTIME,
                      "the crop takes the range [" + std::to_string(from) + ", " +
                          std::to_string(from + size) + ") of an axis of size " + std::to_string(d),
                      "give offsets that keep the crop inside node_input");
    }
    d = size;
  }
  in.set(in.join(0, 1, y));
};

constexpr auto without_offsets = [](Builder& b) {
  b.result(b.inputs() > 2 ? b.call("crop_at", {b.x(0), b.x(1), b.x(2), b.x(3)})
                          : b.call("crop_at", {b.x(0), b.x(1)}));
};

// An operator of ONNX's first sets: without the pixels at the borders (left, top, right, bottom).
// x: [batch, channels, height, width]
constexpr auto read_onnx_crop = [](OnnxNode& n) {
  Term x = n.x();
  const std::vector<int64_t> border = n.integers("border"), dims = n.dims(x);
  if (border.size() != 4 || dims.size() != 4 || n.given("scale"))
    throw Failure(CANTIK_RUNTIME,
                  "Crop needs the attribute border, of four numbers, an operand of four axes, and no scale");
  const int64_t lead = n.lead(x);
  const std::vector<int64_t> axes{2 - lead, 3 - lead}, first{border[1], border[0]},
      end{-border[3], -border[2]};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = dims[i + 2], left = size - first[i] + end[i];
    if (first[i] < 0 || end[i] > 0 || (size >= 0 && left <= 0))
      throw value_failure("Crop's border leaves " + std::to_string(left) + " of " + std::to_string(size) +
                          " pixels along an axis");
  }
  n.result(n.call("slice", {x}, {{"axis", axes}, {"begin_index", first}, {"end_index", end}}));
};

}  // namespace

CANTIK_OP(crop_manual) {
  op.attributes<Crop>("crop_manual(node_input, node_referent, offset_x, offset_y, name='')")
      .named("arrays", "widest")
      .doc(
          "The part of node_input, [channels, height, width], that begins at (offset_y, offset_x) and has "
          "the height and width of node_referent.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Crop& a) {
        std::vector<int64_t> offset{a.offset_x, a.offset_y};
        b.result(b.call("crop_at", {b.x(0), b.x(1)}, {{"offset", offset}}));
      })
      .sample({{2, 4, 5}, {1, 2, 2}}, {.offset_x = 1, .offset_y = 2});

  op.attributes<CropAt>(
        "crop_at(node_input, node_referent, ancestor_input=None, ancestor_referent=None, name='')")
      .doc("A part of an image.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .onnx_read("Crop", read_onnx_crop)
      .onnx_write(
          "Slice",
          [](OnnxGraph& g, const CropAt& a) {
            const Shape y = g.out().shape;
            if (!a.offset || a.offset->size() != 2 || !y.is_static())
              throw Failure(CANTIK_UNSUPPORTED, "where the part begins is found when the graph runs");
            const std::vector<int64_t>& at = a.offset.value();
            const int64_t height = y[y.rank() - 2], width = y[y.rank() - 1];
            g.result(g.node("Slice", {g.x(0), g.integers({at[1], at[0]}),
                                      g.integers({at[1] + height, at[0] + width}), g.integers({-2, -1})}));
          })
      .type(infer_crop)
      .gradient([](Gradient& g, const CropAt& a) {
        if (!g.wanted(0)) return;
        Shape x = g.x(0).shape(), y = g.dy().shape();
        const std::vector<int64_t>& at = a.offset.value();
        int r = x.rank();
        std::vector<int64_t> axes{r - 2, r - 1}, begins{at[1], at[0]},
            ends{at[1] + y[r - 2], at[0] + y[r - 1]}, strides{1, 1};
        g.dx(
            0,
            g.call("unslice", {g.dy()},
                   {{"shape", x}, {"axes", axes}, {"begins", begins}, {"ends", ends}, {"strides", strides}}));
      })
      .form("part",
            [](const Prepare& p, const CropAt& a) {
              if (!a.offset) throw declined("where the part begins is not known");
              Shape x = p.in(0).shape, y = p.out().shape;
              forms::CopyPart part{0, {y.begin(), y.end()}, forms::strides_of(x), forms::strides_of(y), 0, 0};
              const std::vector<int64_t>& at = a.offset.value();
              part.from_offset = at[0] + at[1] * x.back();
              return forms::copy(p, {part});
            })
      .cntk("Crop", 84)
      .offset_by_graph()
      .pixels([](Pixels& p, const CropAt& a) {
        for (int k = 0; a.offset && k < 2; ++k) p.along(k, {1}, {(*a.offset)[k]});
      })
      .sample({{2, 4, 5}, {1, 2, 2}}, {.offset = std::vector<int64_t>{1, 2}});

  op.signature("crop_automatic(node_input, node_referent, name='')")
      .doc(
          "The part of node_input, [channels, height, width], that lies over node_referent and has its "
          "height and width. The offsets follow from the convolutions, poolings, "
          "transposed convolutions and crops between each of them and what both come from. A RuntimeError "
          "says where they come from nothing in common, lie at different scales, or "
          "node_referent begins before node_input.")
      .traits(CANTIK_SPELLED_OUT)
      .named("test.none", "its operands come from one image: tests/unit/compile/crop_offsets_test.cc")
      .composite(without_offsets);

  op.signature(
        "crop_automatic_with_ancestors(node_input, node_referent, ancestor_input, ancestor_referent, "
        "name='')")
      .doc(
          "As crop_automatic, where node_input and node_referent need come from nothing in common: "
          "ancestor_input, which node_input comes from, lies pixel over pixel over "
          "ancestor_referent, which node_referent comes from: an image, say, and its labels.")
      .traits(CANTIK_SPELLED_OUT)
      .named("test.none", "its operands come from one image: tests/unit/compile/crop_offsets_test.cc")
      .composite(without_offsets);
}
