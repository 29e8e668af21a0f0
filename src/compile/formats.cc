// Channels-last chains. Operators that want their channels last stand between channels_last and
// channels_first; this pass moves channels_first towards the outputs, through elementwise maps, sums over
// pixels and products, until it meets a channels_last and both go. What has to be turned instead are
// parameters, once per version.
//
// A value x of shape [channels, pixels...] that is channels_first(t) is said to have the turned form t.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/core.h"
#include "compile/passes.h"

namespace cantik::ir {
namespace {

class Formats {
 public:
  explicit Formats(Graph& g) : g_(g) {}

  void run() {
    bool any = false;
    for (size_t i = 0; i < g_.nodes.size() && !any; ++i)
      any = core::channels_first.is(g_.nodes[i]) || core::channels_last.is(g_.nodes[i]);
    if (!any) return;
    const std::vector<NodeId> order = g_.order();
    to_.resize(g_.values.size());
    for (size_t i = 0; i < to_.size(); ++i) to_[i] = static_cast<ValueId>(i);
    uses_ = g_.use_counts();
    for (NodeId id : order) {
      for (ValueId& v : g_.node(id).in) v = now(v);
      visit(id);
    }
    for (Node& n : g_.nodes)  // edges that close loops come before what they read
      for (ValueId& v : n.in) v = now(v);
    for (ValueId& v : g_.outputs) v = now(v);
    g_.remove_unused();
    turn_results();
  }

 private:
  const Node* made_by(ValueId v, const CoreForm& form) const {
    const Node* n = g_.producer(v);
    return form.is(n) ? n : nullptr;
  }
  static int64_t rest_of(const Node& turn) { return turn.attributes[0].integer(); }

  ValueId now(ValueId v) const {
    return static_cast<size_t>(v) < to_.size() ? to_[static_cast<size_t>(v)] : v;
  }
  void replace(ValueId old, ValueId made) { to_[static_cast<size_t>(old)] = made; }

  void visit(NodeId id) {
    if (g_.node(id).kind == NodeKind::map) return turn_map(id);
    const Node& n = g_.node(id);
    if (core::channels_first.is(n))
      turn_away(id);
    else if (core::channels_last.is(n))
      turn_towards(id);
    else if (core::sum_to.is(n))
      turn_sum(id);
    else if (core::packed_product.is(n))
      turn_product(id);
    else if (core::row_product.is(n))
      turn_row_product(id);
    else if (n.op->facts.images.operands != 0)
      turn_images(id);
  }

  // ---- making nodes
  ValueId call(const CoreForm& form, std::vector<Attribute> attributes, std::span<const ValueId> in,
               int32_t source) {
    return g_.call(form.op(), std::move(attributes), in, source)[0];
  }
  ValueId view(ValueId v, Shape shape, int32_t source) {
    return g_.type(v).shape == shape ? v
                                     : call(core::view, {Attribute(std::move(shape))}, std::array{v}, source);
  }

  // Where either channels or pixels are one, turning moves nothing.
  static bool same_order(const Shape& first, int64_t rest) {
    int turned = first.rank() - static_cast<int>(rest);
    int64_t pixels = 1;
    for (int i = 1; i < turned; ++i) pixels = first[i] == 1 ? pixels : -1;
    return first[0] == 1 || pixels == 1;
  }
  static Shape last_shape(const Shape& s, int64_t rest) {
    int turned = s.rank() - static_cast<int>(rest);
    return s.sub(1, turned) + s.sub(0, 1) + s.sub(turned, s.rank());
  }

  // The turned form of v, if it is there for nothing.
  std::optional<ValueId> ready(ValueId v, int64_t rest) const {
    if (const Node* n = made_by(v, core::channels_first); n && rest_of(*n) == rest) return n->in[0];
    auto known = last_.find({v, rest});
    if (known != last_.end()) return known->second;
    return {};
  }

  // The turned form of v, made if need be.
  ValueId turned(ValueId v, int64_t rest = 0) {
    if (std::optional<ValueId> there = ready(v, rest)) return *there;
    int32_t source = g_.producer(v) ? g_.producer(v)->source : -1;
    ValueId made = -1;
    if (same_order(g_.type(v).shape, rest))
      made = view(v, last_shape(g_.type(v).shape, rest), source);
    else if (rest == 0)
      made = turned_product(v);
    if (made < 0) made = call(core::channels_last, {Attribute(rest)}, std::array{v}, source);
    last_[{v, rest}] = made;
    return made;
  }
  ValueId turned_back(ValueId t, int64_t rest, int32_t source) {
    return call(core::channels_first, {Attribute(rest)}, std::array{t}, source);
  }

  void turn_away(NodeId id) {
    Node n = g_.node(id);
    ValueId t = n.in[0];
    if (const Node* last = made_by(t, core::channels_last); last && rest_of(*last) == rest_of(n))
      return replace(n.out[0], last->in[0]);
    if (same_order(g_.type(n.out[0]).shape, rest_of(n)))
      replace(n.out[0], view(t, g_.type(n.out[0]).shape, n.source));
  }

  void turn_towards(NodeId id) {
    Node n = g_.node(id);
    replace(n.out[0], turned(n.in[0], rest_of(n)));
  }

  // ---- operators on images: turned where at least as many images are turned as are not
  void turn_images(NodeId id) {
    Node n = g_.node(id);
    const ImageFacts& images = n.op->facts.images;
    if (is_last(n)) return;
    int count = 0, there = 0;
    for (size_t i = 0; i < n.in.size(); ++i) {
      if (!images.has_operand(i)) continue;
      if (g_.type(n.in[i]).shape.rank() < 2) return;
      ++count;
      there += ready(n.in[i], 0).has_value();
    }
    if (there == 0 || 2 * there < count) return;
    for (size_t i = 0; i < n.in.size(); ++i)
      if (images.has_operand(i)) n.in[i] = turned(n.in[i]);
    if (images.last >= 0) n.attributes[static_cast<size_t>(images.last)] = Attribute(true);
    auto made = g_.call(*n.op, n.attributes, n.in, n.source);
    for (size_t i = 0; i < n.out.size(); ++i)
      replace(n.out[i], images.has_result(i) ? turned_back(made[i], 0, n.source) : made[i]);
  }
  static bool is_last(const Node& n) {
    const int at = n.op->facts.images.last;
    return at >= 0 && truth(n.attributes[static_cast<size_t>(at)]);
  }

  // Where a result is turned at once after all, and nobody reads it as it is, the operator writes it so.
  void turn_results() {
    std::vector<int32_t> uses = g_.use_counts();
    bool any = false;
    for (NodeId id : g_.order()) {
      if (!core::channels_first.is(g_.node(id))) continue;
      Node turn = g_.node(id);
      const Node* made = g_.producer(turn.in[0]);
      if (!made || made->kind != NodeKind::call || made->op->facts.images.preferred) continue;
      if (!made->op->facts.images.has_result(0) || !is_last(*made)) continue;
      if (rest_of(turn) != 0 || uses[static_cast<size_t>(turn.in[0])] != 1) continue;
      Node n = *made;
      std::vector<Attribute> attributes = n.attributes;
      attributes[static_cast<size_t>(n.op->facts.images.last)] = Attribute(false);
      g_.replace_uses(turn.out[0], g_.call(*n.op, std::move(attributes), n.in, n.source)[0]);
      any = true;
    }
    if (any) g_.remove_unused();
  }

  // ---- elementwise maps: turned where at least as many operands are turned as are not
  enum class Operand : uint8_t { turned, plain, broadcast };
  Operand operand(ValueId v, const Shape& whole) const {
    const Type& t = g_.type(v);
    if (!(t.shape == whole)) return Operand::broadcast;
    if (!t.axes.has_batch()) return Operand::broadcast;  // turned once per version
    return ready(v, 0) ? Operand::turned : Operand::plain;
  }

  void turn_map(NodeId id) {
    Node n = g_.node(id);
    if (n.out.size() != 1 || n.closes) return;
    Type type = g_.type(n.out[0]);
    if (type.shape.rank() < 2) return;
    int turned_count = 0, plain = 0;
    for (ValueId v : n.in) {
      Operand o = operand(v, type.shape);
      turned_count += o == Operand::turned;
      plain += o == Operand::plain;
    }
    if (turned_count == 0 || turned_count < plain) return;
    for (ValueId& v : n.in) v = turned_operand(v, type.shape, n.source);
    ValueId old = n.out[0];
    n.out.clear();
    n.op = nullptr;
    type.shape = last_shape(type.shape, 0);
    int32_t source = n.source;
    ValueId made = g_.node(g_.add(std::move(n), {&type, 1})).out[0];
    replace(old, turned_back(made, 0, source));
  }

  // An operand of a map whose result is turned; what broadcasts keeps broadcasting.
  ValueId turned_operand(ValueId v, const Shape& whole, int32_t source) {
    const Shape s = g_.type(v).shape;
    if (s == whole) return turned(v);
    Shape all;
    for (int i = 0; i < whole.rank() - s.rank(); ++i) all.push_back(1);
    all = all + s;
    if (all.elements() == 1) return v;
    Shape last = last_shape(all, 0);
    ValueId t = same_order(all, 0) ? v : turned(view(v, all, source));
    int ones = 0;
    while (ones + 1 < last.rank() && last[ones] == 1) ++ones;
    return view(t, last.sub(ones, last.rank()), source);
  }

  // ---- sums of a turned operand
  void turn_sum(NodeId id) {
    Node n = g_.node(id);
    const Shape x = g_.type(n.in[0]).shape, y = g_.type(n.out[0]).shape;
    std::optional<ValueId> t = ready(n.in[0], 0);
    if (!t || x.rank() < 2 || y.rank() > x.rank()) return;
    Shape all;
    for (int i = 0; i < x.rank() - y.rank(); ++i) all.push_back(1);
    all = all + y;
    std::vector<Attribute> attributes = n.attributes;
    attributes[0] = Attribute(last_shape(all, 0));
    ValueId sum = call(core::sum_to, std::move(attributes), std::array{*t}, n.source);
    if (!same_order(all, 0)) sum = turned_back(sum, 0, n.source);
    replace(n.out[0], view(sum, y, n.source));
  }

  // ---- products over all axes of an image: the weights are turned instead
  struct Image {
    ValueId turned;
    Shape shape;  // [channels, pixels...]
  };
  // The operand of a product, through a view that flattens it.
  std::optional<Image> image(ValueId v) const {
    if (const Node* flat = made_by(v, core::view))
      if (g_.type(v).shape.rank() == 1) v = flat->in[0];
    if (g_.type(v).shape.rank() < 2) return {};
    std::optional<ValueId> t = ready(v, 0);
    if (!t) return {};
    return Image{*t, g_.type(v).shape};
  }

  // a · w with a: [channels, pixels...], w: [channels, pixels..., n...]
  void turn_product(NodeId id) {
    Node n = g_.node(id);
    std::optional<Image> a = image(n.in[0]);
    const Node* pack = made_by(n.in[1], core::pack_panels);
    if (!a || !pack || truth(attribute(*pack, "transpose_b"))) return;
    int64_t inner = attribute(n, "inner").integer();
    if (inner != g_.type(n.in[0]).shape.rank()) return;
    const Shape w = g_.type(pack->in[0]).shape;
    int64_t kept = w.rank() - inner;
    Node packed = *pack;
    ValueId whole =
        view(packed.in[0], a->shape + w.sub(w.rank() - static_cast<int>(kept), w.rank()), n.source);
    std::vector<Attribute> pack_attributes = packed.attributes, attributes = n.attributes;
    int64_t axes = a->shape.rank();
    set(packed, pack_attributes, "inner", Attribute(axes));
    set(n, attributes, "inner", Attribute(axes));
    ValueId panels =
        call(core::pack_panels, std::move(pack_attributes), std::array{turned(whole, kept)}, packed.source);
    replace(n.out[0],
            call(core::packed_product, std::move(attributes), std::array{a->turned, panels}, n.source));
  }

  // v = dy · wᵀ with w: [channels, pixels..., n...]: turned, if nobody else wants v as it is.
  ValueId turned_product(ValueId v) {
    ValueId made = v;
    if (const Node* shaped = made_by(v, core::view); shaped && uses(v) == 1) made = shaped->in[0];
    const Node* n = made_by(made, core::packed_product);
    if (!n || uses(made) != 1) return -1;
    const Node* pack = made_by(n->in[1], core::pack_panels);
    if (!pack || !truth(attribute(*pack, "transpose_b"))) return -1;
    const Shape kept = g_.type(made).shape;
    const Shape w = g_.type(pack->in[0]).shape;
    int64_t inner = attribute(*pack, "inner").integer();
    Shape shape = g_.type(v).shape;
    if (shape.has_free() || g_.type(n->in[0]).shape.rank() != inner || kept.rank() + inner != w.rank())
      return -1;
    Node product = *n, packed = *pack;
    ValueId whole = view(packed.in[0], shape + w.sub(kept.rank(), w.rank()), product.source);
    std::vector<Attribute> attributes = product.attributes;
    set(product, attributes, "kept", Attribute(last_shape(shape, 0)));
    ValueId panels =
        call(core::pack_panels, packed.attributes, std::array{turned(whole, inner)}, packed.source);
    return call(core::packed_product, std::move(attributes), std::array{product.in[0], panels},
                product.source);
  }

  // aᵀ · b summed over rows, a: [channels, pixels...]: the sum is turned back.
  void turn_row_product(NodeId id) {
    Node n = g_.node(id);
    std::optional<Image> a = image(n.in[0]);
    if (!a || attribute(n, "inner").integer() != 0) return;
    Shape y = g_.type(n.out[0]).shape;
    ValueId sum = call(core::row_product, n.attributes, std::array{a->turned, n.in[1]}, n.source);
    replace(n.out[0], view(turned_back(sum, g_.type(n.in[1]).shape.rank(), n.source), y, n.source));
  }

  static const Attribute& attribute(const Node& n, std::string_view name) {
    return n.attributes[static_cast<size_t>(n.op->field(name))];
  }
  static bool truth(const Attribute& a) { return a.get<bool>() && *a.get<bool>(); }
  static void set(const Node& n, std::vector<Attribute>& list, std::string_view name, Attribute value) {
    list[static_cast<size_t>(n.op->field(name))] = std::move(value);
  }
  int32_t uses(ValueId v) const {
    return static_cast<size_t>(v) < uses_.size() ? uses_[static_cast<size_t>(v)] : 1;
  }

  struct Hash {
    size_t operator()(const std::pair<ValueId, int64_t>& k) const {
      return static_cast<size_t>(k.first) * 31 + static_cast<size_t>(k.second);
    }
  };
  Graph& g_;
  std::vector<ValueId> to_;    // what stands for each value by now
  std::vector<int32_t> uses_;  // before anything was changed
  std::unordered_map<std::pair<ValueId, int64_t>, ValueId, Hash> last_;
};

}  // namespace

void turn_formats(Graph& g) { Formats(g).run(); }

}  // namespace cantik::ir
