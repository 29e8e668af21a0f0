// Channels-last chains. Operators that want their channels last stand between turns of images, there and
// back; this pass moves the turns back towards the outputs, through elementwise maps, sums over pixels and
// products, until they meet one of the others and both go. What has to be turned instead are parameters, once
// per version.
//
// A value x of shape [channels, pixels...] that is t turned back is said to have the turned form t.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/core.h"
#include "compile/passes.h"
#include "compile/stated.h"

namespace cantik::ir {
namespace {

class Formats {
 public:
  explicit Formats(Graph& g) : g_(g) {}

  void run() {
    if (std::none_of(g_.nodes.begin(), g_.nodes.end(), [](const Node& n) { return core::turn_image.is(n); }))
      return;
    const std::vector<NodeId> order = g_.order();
    to_.reserve(g_.values.size());
    for (ValueId v : g_.values.ids()) to_.push_back(v);
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
  // The turn that made v, towards channels last or back.
  const Node* turn_of(ValueId v, bool last) const {
    const Node* n = g_.producer(v);
    return core::turn_image.is(n) && turns_last(*n) == last ? n : nullptr;
  }
  static bool turns_last(const Node& turn) { return truth(attribute(turn, "last")); }
  static int64_t rest_of(const Node& turn) { return attribute(turn, "rest").integer(); }

  ValueId now(ValueId v) const { return to_.has(v) ? to_[v] : v; }
  void replace(ValueId old, ValueId made) { to_[old] = made; }

  void visit(NodeId id) {
    if (g_.node(id).kind == NodeKind::map) return turn_map(id);
    const Node& n = g_.node(id);
    if (core::turn_image.is(n))
      turns_last(n) ? turn_towards(id) : turn_away(id);
    else if (core::sum_to.is(n))
      turn_sum(id);
    else if (n.op->facts.axis_names)
      turn_named(id);
    else if (n.op->facts.images.operands != 0)
      turn_images(id);
  }

  // ---- making nodes
  ValueId call(const CoreForm& form, std::vector<Attribute> attributes, std::span<const ValueId> in,
               SourceId source) {
    return g_.call(form.op(), std::move(attributes), in, source)[0];
  }
  ValueId view(ValueId v, Shape shape, SourceId source) {
    return g_.type(v).shape == shape ? v
                                     : call(core::view, {Attribute(std::move(shape))}, std::array{v}, source);
  }

  ValueId turn(ValueId v, bool last, int64_t rest, SourceId source) {
    return call(core::turn_image, {Attribute(last), Attribute(rest)}, std::array{v}, source);
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
    if (const Node* n = turn_of(v, false); n && rest_of(*n) == rest) return n->in[0];
    auto known = last_.find({v, rest});
    if (known != last_.end()) return known->second;
    return {};
  }

  // The turned form of v, made if need be.
  ValueId turned(ValueId v, int64_t rest = 0) {
    if (std::optional<ValueId> there = ready(v, rest)) return *there;
    SourceId source = g_.producer(v) ? g_.producer(v)->source : SourceId();
    ValueId made;
    if (same_order(g_.type(v).shape, rest))
      made = view(v, last_shape(g_.type(v).shape, rest), source);
    else if (rest == 0)
      made = turned_at_origin(v);
    if (!made) made = turn(v, true, rest, source);
    last_[{v, rest}] = made;
    return made;
  }
  ValueId turned_back(ValueId t, int64_t rest, SourceId source) { return turn(t, false, rest, source); }

  void turn_away(NodeId id) {
    Node n = g_.node(id);
    ValueId t = n.in[0];
    if (const Node* last = turn_of(t, true); last && rest_of(*last) == rest_of(n))
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
    if (images.last >= 0) n.attributes[images.last] = Attribute(true);
    auto made = g_.call(*n.op, n.attributes, n.in, n.source);
    for (size_t i = 0; i < n.out.size(); ++i)
      replace(n.out[i], images.has_result(i) ? turned_back(made[i], 0, n.source) : made[i]);
  }
  static bool is_last(const Node& n) {
    const int at = n.op->facts.images.last;
    return at >= 0 && truth(n.attributes[at]);
  }

  // Where a result is turned at once after all, and nobody reads it as it is, the operator writes it so.
  void turn_results() {
    const ById<ValueId, int32_t> uses = g_.use_counts();
    bool any = false;
    for (NodeId id : g_.order()) {
      if (!core::turn_image.is(g_.node(id)) || turns_last(g_.node(id))) continue;
      Node turn = g_.node(id);
      const Node* made = g_.producer(turn.in[0]);
      if (!made || made->kind != NodeKind::call || made->op->facts.images.preferred) continue;
      if (!made->op->facts.images.has_result(0) || !is_last(*made)) continue;
      if (rest_of(turn) != 0 || uses[turn.in[0]] != 1) continue;
      Node n = *made;
      std::vector<Attribute> attributes = n.attributes;
      attributes[n.op->facts.images.last] = Attribute(false);
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
    SourceId source = n.source;
    ValueId made = g_.node(g_.add(std::move(n), {&type, 1})).out[0];
    replace(old, turned_back(made, 0, source));
  }

  // An operand of a map whose result is turned; what broadcasts keeps broadcasting.
  ValueId turned_operand(ValueId v, const Shape& whole, SourceId source) {
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

  // ---- operators that name their axes: those of an image, side by side in whatever else has them, are
  // turned there instead, where that happens once per version or once per batch
  struct Image {
    ValueId turned;
    Shape shape;  // [channels, pixels...]
  };
  // What an operand is, through a view that flattens it.
  std::optional<Image> image(ValueId v) const {
    if (const Node* flat = g_.producer(v); core::view.is(flat))
      if (g_.type(v).shape.rank() == 1) v = flat->in[0];
    const Shape& shape = g_.type(v).shape;
    if (shape.rank() < 2 || !shape.is_static()) return {};
    std::optional<ValueId> t = ready(v, 0);
    if (!t) return {};
    return Image{*t, shape};
  }

  // Whether v, whose axes are these, begins with all of the image's, or has none of them.
  enum class Has : uint8_t { none, in_front, elsewhere };
  static Has has(const AxesByName::List& axes, const AxesByName::List& image) {
    const size_t n = image.size();
    if (axes.size() >= n && std::equal(image.begin(), image.end(), axes.begin())) return Has::in_front;
    const bool any = std::any_of(axes.begin(), axes.end(), [&](int32_t axis) {
      return std::find(image.begin(), image.end(), axis) != image.end();
    });
    return any ? Has::elsewhere : Has::none;
  }
  // Whether a value with these axes may be turned for the sake of the image's.
  bool may_turn(ValueId v, Has has) const {
    return has == Has::none || (has == Has::in_front && !g_.type(v).axes.has_batch() &&
                                g_.type(v).storage == Storage::dense && g_.type(v).shape.is_static());
  }

  // v begins with the axes of an image of this shape, `count` of them in v: the same, turned, in v's shape.
  ValueId turned_in_front(ValueId v, const Shape& shape, size_t count, SourceId source) {
    const Shape all = g_.type(v).shape;
    const Shape rest = all.sub(static_cast<int>(count), all.rank());
    const ValueId t = turned(view(v, shape + rest, source), rest.rank());
    return shape.rank() == static_cast<int>(count) ? t : view(t, all, source);
  }

  void turn_named(NodeId id) {
    const Node n = g_.node(id);
    const std::optional<AxesByName> names = axis_names(g_, n);
    for (size_t i = 0; names && i < names->in.size(); ++i) {
      const std::optional<Image> a = names->in[i].empty() ? std::nullopt : image(n.in[i]);
      if (a && turn_for(n, *names, i, *a)) return;
    }
  }

  bool turn_for(const Node& n, const AxesByName& names, size_t operand, const Image& image) {
    const AxesByName::List& axes = names.in[operand];
    for (size_t k = 0; k < n.in.size(); ++k)
      if (k != operand && !may_turn(n.in[k], has(names.in[k], axes))) return false;
    for (size_t k = 0; k < n.out.size(); ++k)
      if (!may_turn(n.out[k], has(names.out[k], axes))) return false;
    Values in = n.in;
    for (size_t k = 0; k < in.size(); ++k) {
      if (k == operand)
        in[k] = axes.size() == 1 ? view(image.turned, g_.type(in[k]).shape, n.source) : image.turned;
      else if (has(names.in[k], axes) == Has::in_front)
        in[k] = turned_in_front(in[k], image.shape, axes.size(), n.source);
    }
    const Values made = g_.call(*n.op, n.attributes, in, n.source);
    for (size_t k = 0; k < n.out.size(); ++k) {
      if (has(names.out[k], axes) == Has::none) {
        replace(n.out[k], made[k]);
        continue;
      }
      const Shape y = g_.type(n.out[k]).shape, rest = y.sub(static_cast<int>(axes.size()), y.rank());
      const ValueId t = view(made[k], last_shape(image.shape, 0) + rest, n.source);
      replace(n.out[k], view(turned_back(t, rest.rank(), n.source), y, n.source));
    }
    return true;
  }

  // v, an image or the view of one result, turned where its axes come from: weights. None: they come from
  // elsewhere, or somebody else wants v as it is.
  ValueId turned_at_origin(ValueId v) {
    const Shape shape = g_.type(v).shape;
    ValueId result = v;
    if (const Node* shaped = g_.producer(v); core::view.is(shaped) && uses(v) == 1) result = shaped->in[0];
    const Node* made = g_.producer(result);
    if (!made || made->out.size() != 1 || uses(result) != 1 || !shape.is_static()) return {};
    const std::optional<AxesByName> names = axis_names(g_, *made);
    if (!names || names->out[0].empty()) return {};
    const Node n = *made;
    const AxesByName::List& axes = names->out[0];
    bool any = false;
    for (size_t k = 0; k < n.in.size(); ++k) {
      const Has there = has(names->in[k], axes);
      if (!may_turn(n.in[k], there)) return {};
      any |= there == Has::in_front;
    }
    if (!any) return {};
    Values in = n.in;
    for (size_t k = 0; k < in.size(); ++k)
      if (has(names->in[k], axes) == Has::in_front) {
        const Shape all = g_.type(in[k]).shape;
        const Shape rest = all.sub(static_cast<int>(axes.size()), all.rank());
        in[k] = view(turned(view(in[k], shape + rest, n.source), rest.rank()), all, n.source);
      }
    return view(g_.call(*n.op, n.attributes, in, n.source)[0], last_shape(shape, 0), n.source);
  }

  static const Attribute& attribute(const Node& n, std::string_view name) {
    return n.attributes[n.op->field(name)];
  }
  static bool truth(const Attribute& a) { return a.get<bool>() && *a.get<bool>(); }
  int32_t uses(ValueId v) const { return uses_.has(v) ? uses_[v] : 1; }

  struct Hash {
    size_t operator()(const std::pair<ValueId, int64_t>& k) const {
      return k.first.index() * 31 + static_cast<size_t>(k.second);
    }
  };
  Graph& g_;
  ById<ValueId, ValueId> to_;    // what stands for each value by now
  ById<ValueId, int32_t> uses_;  // before anything was changed
  std::unordered_map<std::pair<ValueId, int64_t>, ValueId, Hash> last_;
};

}  // namespace

void turn_formats(Graph& g) { Formats(g).run(); }

}  // namespace cantik::ir
