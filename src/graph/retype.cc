#include "graph/retype.h"

#include <algorithm>
#include <unordered_set>

#include "graph/types.h"

namespace cantik {
namespace {

// Functions, and placeholders inside blocks.
class Followers {
 public:
  explicit Followers(const std::vector<Variable>& changed) : changed_(changed) {}

  // One step further from what is known to follow; false where nothing new does.
  bool grow(const std::shared_ptr<Node>& root) {
    bool grown = false;
    preorder(root, [&](const std::shared_ptr<Node>& n) {
      if (n->block) grown |= grow_inside(*n->block);
      if (reads(n->inputs) || (n->block && reads(outputs_of(n->block->root.handle()))))
        grown |= found_.insert(n.get()).second;
      return false;
    });
    return grown;
  }

  const std::unordered_set<Node*>& all() const { return found_; }

 private:
  bool follows(const Variable& given) const {
    const Variable v = resolved(given);
    return found_.count(v.node().get()) || std::find(changed_.begin(), changed_.end(), v) != changed_.end();
  }
  template <class List>
  bool reads(const List& inputs) const {
    return std::any_of(inputs.begin(), inputs.end(), [this](const Variable& v) { return follows(v); });
  }
  bool grow_inside(const Block& block) {
    bool grown = false;
    for (const auto& [inside, outside] : block.arguments)
      if (follows(outside)) grown |= found_.insert(Variable(inside).node().get()).second;
    return grow(block.root.handle()) || grown;
  }

  const std::vector<Variable>& changed_;
  std::unordered_set<Node*> found_;
};

}  // namespace

bool contradicts(const Type& promised, const Type& given) {
  const auto differ = [](int64_t a, int64_t b) { return a != kInferred && b != kInferred && a != b; };
  if (promised.dtype != DType::unknown && given.dtype != DType::unknown && promised.dtype != given.dtype)
    return true;
  if (promised.axes.is_known() && given.axes.is_known() && promised.axes != given.axes) return true;
  const Shape &a = promised.shape, &b = given.shape;
  if (!a.is_known() || !b.is_known()) return false;
  bool different = a.rank() != b.rank();
  for (int i = 0; !different && i < a.rank(); ++i) different = differ(a[i], b[i]);
  return different;
}

void forget_types(const std::shared_ptr<Node>& root, const std::vector<Variable>& changed) {
  Followers followers(changed);
  while (followers.grow(root)) {
  }
  for (Node* n : followers.all())
    if (!n->foreign) n->types.assign(n->types.size(), Type::unknown());
}

}  // namespace cantik
